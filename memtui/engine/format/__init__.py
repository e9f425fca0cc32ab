"""Formats: bytes to values and back, pure."""
