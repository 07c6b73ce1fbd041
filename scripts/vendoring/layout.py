"""What goes where: the choices that the build makes, in one place."""

from __future__ import annotations

# The folder of the page's interpreter, and where it expects its library.
STDLIB_ARCHIVE = "/lib/python314.zip/"
SITE_PACKAGES = "/lib/python3.14/site-packages"

# The files of Pyodide that a start needs; its own library and index of packages are replaced.
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")

# PyScript's editors and terminals: never used here, and by far its largest files.
PYSCRIPT_LEFT_OUT = ("codemirror", "xterm", "service-worker")

# JavaScript libraries: (package, its ES module, our file).
JS_MODULES = (
    ("marked", "lib/marked.esm.js", "marked.js"),
    ("remend", "dist/index.js", "remend.js"),
    ("idb-keyval", "dist/index.js", "idb-keyval.js"),
)

# Standard library files that nothing in a page can use.
STDLIB_LEFT_OUT = (
    "_pyrepl/",
    "curses/",
    "dbm/",
    "ensurepip/",
    "idlelib/",
    "lib2to3/",
    "multiprocessing/",
    "pydoc_data/",
    "sqlite3/",
    "test/",
    "tkinter/",
    "turtledemo/",
    "venv/",
    "wsgiref/",
    "site-packages/",
)

# Wheels whose modules go into the archive of packages, with the members that do not.
PURE_WHEELS: dict[str, tuple[str, ...]] = {
    "pydantic": ("pydantic/v1/", "pydantic/mypy.py"),
    "annotated-types": (),
    "typing-extensions": (),
    "typing-inspection": (),
    "jsonschema": ("jsonschema/benchmarks/", "jsonschema/tests/", "jsonschema/cli.py"),
    "jsonschema-specifications": ("jsonschema_specifications/tests/",),
    "referencing": ("referencing/tests/",),
    "attrs": (),
    "pyrsistent": (),
    "pyrsistent-as-rpds-py": (),
    "pydantic-core": (),
}

# Imported before the interface shows, beside what Pyodide itself imports at its start and what the
# sources of the app name.
BOOT_IMPORTS = (
    "asyncio",
    "json",
    "linecache",
    "tokenize",
    "traceback",
    "typing",
    # PyScript's own package and the code that writes it.
    "base64",
    "html",
    "pathlib",
)

# Imported and used once, so that whatever they import late is found too.
PACKAGES_TRIAL = """
import pydantic
from typing import Annotated, Literal
from pydantic import BaseModel, Field, TypeAdapter, create_model, validate_call

class Order(BaseModel):
    '''An order.'''
    number: Annotated[int, Field(ge=1, description="Its number")]
    state: Literal["open", "closed"] = "open"

Order.model_validate({"number": "3"}).model_dump_json()
Order.model_json_schema()
try:
    Order.model_validate({"number": 0})
except pydantic.ValidationError as error:
    str(error), error.json()
TypeAdapter(list[Order]).json_schema()
validate_call(lambda a: a)(1)

import jsonschema
for draft in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
    draft.check_schema({"type": "object"})
validator = jsonschema.validators.validator_for({"type": "object"})
errors = list(validator({"type": "object", "properties": {"a": {"type": "integer"}}})
              .iter_errors({"a": "x"}))
assert len(errors) == 1, errors
jsonschema.exceptions.best_match(errors).message
jsonschema.FormatChecker().conforms("2024-01-01", "date")
"""
