"""Pictures of the running app, made by a script, never by hand."""
