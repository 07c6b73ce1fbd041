r"""Reads a docstring: the text for the model, and what it says about each argument.

    read_docstring("Saves a note.\n\nArgs:\n    text: The note.").arguments
    # {"text": "The note."}

Google (`Args:`), NumPy (underlined `Parameters`) and Sphinx (`:param x:`)
forms are read. Sections about returns, errors and examples are not for the
model and are left out of the text.
"""

from __future__ import annotations

_ARGUMENTS = frozenset({"args", "arguments", "parameters", "params"})
_OTHERS = frozenset(
    {"returns", "return", "yields", "raises", "example", "examples", "note", "notes", "see also"}
)


class Docstring:
    """The parts of a docstring: `text` and `arguments` (name to description)."""

    __slots__ = ("arguments", "text")

    def __init__(self, text: str, arguments: dict[str, str]) -> None:
        self.text = text
        self.arguments = arguments


def docstring_of(function: object) -> Docstring:
    """What a function's docstring says; nothing when it has none."""
    text = getattr(function, "__doc__", None)
    return read_docstring(text if isinstance(text, str) else "")


def read_docstring(docstring: str) -> Docstring:
    """Splits a docstring; an empty one gives an empty text and no arguments."""
    text: list[str] = []
    section = ""
    body: list[str] = []
    arguments: dict[str, str] = {}
    from inspect import cleandoc

    lines = cleandoc(docstring).split("\n")
    for index, line in enumerate(lines):
        heading = _heading(line, lines[index + 1] if index + 1 < len(lines) else "")
        if heading:
            section = heading
        elif line.startswith(":"):
            section = "sphinx"
            _read_sphinx(line, arguments)
        elif section in _ARGUMENTS:
            body.append(line)
        elif section == "sphinx" and line.startswith((" ", "\t")) and arguments:
            last = next(reversed(arguments))
            arguments[last] = f"{arguments[last]} {line.strip()}"
        elif not section:
            text.append(line)
    arguments.update(_read_items(body))
    return Docstring("\n".join(text).strip(), arguments)


def _heading(line: str, following: str) -> str:
    name = line.strip().rstrip(":").lower()
    if line.startswith((" ", "\t")) or name not in _ARGUMENTS | _OTHERS:
        return ""
    underlined = len(following.strip()) >= 3 and not following.strip().strip("-=")
    return name if line.rstrip().endswith(":") or underlined else ""


def _read_sphinx(line: str, arguments: dict[str, str]) -> None:
    field, _, rest = line[1:].partition(":")
    words = field.split()
    if len(words) >= 2 and words[0] in ("param", "parameter", "arg", "argument", "key"):
        arguments[words[-1]] = rest.strip()


def _read_items(lines: list[str]) -> dict[str, str]:
    """Reads `name: text` (Google) and `name : type` with an indented text (NumPy)."""
    items: dict[str, str] = {}
    filled = [line for line in lines if line.strip() and line.strip().strip("-=")]
    indent = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    name = ""
    numpy = indent == 0
    for line in filled:
        if len(line) - len(line.lstrip()) == indent:
            head, _, rest = line.strip().partition(":")
            name = head.split("(")[0].strip().lstrip("*")
            items[name] = "" if numpy else rest.strip()
        elif name:
            items[name] = f"{items[name]} {line.strip()}".strip()
    return items
