"""The headless engine: everything memtui knows, without a screen."""
