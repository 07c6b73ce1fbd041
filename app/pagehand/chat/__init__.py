"""A conversation: messages, reducer, the one decision to continue, the one async loop."""
