"""The bundled demo store."""
