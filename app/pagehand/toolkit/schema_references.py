"""Follows `$ref` and merges `allOf` within one JSON Schema document.

References(document).find("#/$defs/Day", "arguments.when")
"""

from __future__ import annotations

from typing import Any

from pagehand.errors import ToolkitError
from pagehand.wire.pointer import ABSENT, find


class UnportableSchemaError(ToolkitError):
    """A schema that no portable form exists for. The text says where and why."""


class References:
    """The references of one document."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root

    def find(self, reference: Any, path: str) -> Any:
        """What a reference points at.

        Raises:
            UnportableSchemaError: When it leaves the document or leads nowhere.
        """
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise UnportableSchemaError(
                f"{path}: `$ref` to {reference!r} leaves the document; put that schema under $defs"
            )
        target = find(self.root, reference)
        if target is ABSENT:
            raise UnportableSchemaError(f"{path}: `$ref` to {reference!r} leads nowhere")
        return target

    def all_of(self, schema: dict[str, Any], path: str, stack: tuple[str, ...]) -> dict[str, Any]:
        """Merges `allOf` into one schema; later members refine earlier ones."""
        merged: dict[str, Any] = {}
        own = {key: value for key, value in schema.items() if key != "allOf"}
        for member in [*schema["allOf"], own]:
            part = member
            seen: tuple[str, ...] = stack
            while isinstance(part, dict) and "$ref" in part and part["$ref"] not in seen:
                seen = (*seen, part["$ref"])
                beside = {key: value for key, value in part.items() if key != "$ref"}
                part = {**self.find(part["$ref"], path), **beside}
            if isinstance(part, dict) and "$ref" in part:
                raise UnportableSchemaError(f"{path}: `allOf` contains itself")
            if not isinstance(part, dict):
                continue
            if isinstance(part.get("allOf"), list):
                part = self.all_of(part, path, seen)
            properties = {**merged.get("properties", {}), **part.get("properties", {})}
            required = list(dict.fromkeys([*merged.get("required", []), *part.get("required", [])]))
            merged.update(part)
            if properties:
                merged["properties"] = properties
            if required:
                merged["required"] = required
        return merged
