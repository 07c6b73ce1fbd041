"""Runs the calls of one step: find, validate, guard, confirm, execute, log."""
