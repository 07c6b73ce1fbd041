"""Stands in for pydantic's search for plugins: a page installs none.

The original imports `importlib.metadata`, and with it the mail and zip libraries, to find none.
"""


def get_plugins() -> tuple[()]:
    """No plugins."""
    return ()
