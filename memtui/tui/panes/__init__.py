"""Panes: values in, messages out."""
