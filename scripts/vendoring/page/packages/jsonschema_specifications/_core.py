"""Stands in for the package's reader of its schema files: here they are one JSON text.

The original lists folders through `importlib.resources`, which in a zip costs more than the rest
of the import together.
"""

import json
from typing import Any

from referencing import Resource


def _schemas() -> Any:
    """All schemas, as the original yields them."""
    text = __loader__.get_data(__file__.rsplit("/", 1)[0] + "/schemas.json")
    for contents in json.loads(text):
        yield Resource.from_contents(contents)
