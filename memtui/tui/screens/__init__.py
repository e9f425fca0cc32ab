"""Screens: they arrange panes and pass messages between them and the manager."""
