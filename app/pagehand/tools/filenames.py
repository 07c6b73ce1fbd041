"""Names and kinds of files that are made of text.

file_name("../a<b>.csv")                    # "a_b_.csv"
type_of("a.csv")                            # "text/csv"
accepts(".csv, image/*", "a.csv", "text/csv")   # True
"""

from __future__ import annotations

import re

from pagehand.tools.outcome import TroubleError

# Kinds of plain text; what a computer would run when it is opened is not made.
TYPES = {
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "log": "text/plain",
    "srt": "text/plain",
    "geojson": "application/geo+json",
}
_LONGEST_NAME = 100
_PREVIEW = 300


def file_name(name: str) -> str:
    """The name as a file may have it: no folders, no signs that systems refuse.

    Raises:
        TroubleError: `bad_file` for a kind of file that is not plain text.
    """
    plain = re.split(r"[/\\]", name.strip())[-1]
    plain = re.sub(r'[\x00-\x1f\x7f<>:"|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069]', "_", plain)
    plain = plain.strip(" .")
    stem, dot, ending = plain.rpartition(".")
    if not dot or not stem or ending.lower() not in TYPES:
        raise TroubleError(
            "bad_file",
            f'"{name}" is no name for a text file; it ends with one of .{", .".join(TYPES)}.',
            f"“{name}”不是文本文件名；扩展名可为 .{'、.'.join(TYPES)}。",
        )
    return f"{stem[: _LONGEST_NAME - len(ending) - 1]}.{ending}"


def type_of(name: str) -> str:
    """The media type that its ending stands for."""
    return TYPES.get(name.rpartition(".")[2].lower(), "text/plain")


def accepts(accept: str, name: str, kind: str) -> bool:
    """Whether a field's `accept` takes such a file."""
    wanted = [one.strip().lower() for one in accept.split(",") if one.strip()]
    low, kind = name.lower(), kind.lower().partition(";")[0].strip()
    for one in wanted:
        fits = low.endswith(one) if one.startswith(".") else kind == one
        if fits or (one.endswith("/*") and kind.startswith(one[:-1])):
            return True
    return not wanted


def preview(text: str) -> str:
    """The beginning of a text, for a question."""
    return text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}…"
