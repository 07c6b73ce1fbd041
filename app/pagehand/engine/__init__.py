"""Running the calls of one step: find, parse, validate, guard, confirm, run, settle, log."""
