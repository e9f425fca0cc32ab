"""Planners: pure functions from a snapshot to a change set."""
