"""Turns a JSON Schema into the form that survives every server and provider.

    schema, notes = portable(Model.model_json_schema())

Why: Mastra and the providers behind it drop or refuse whole schemas over
details. So `$ref` is inlined and recursion cut, every schema has a type, a
free value is spelled out, nothing is required that has a default, `oneOf`
becomes `anyOf`, tuples become lists, and rules that are often dropped on the
way (formats, lengths) are repeated in the description in words. `notes` says
for the author what was changed, each with its place.
"""

from __future__ import annotations

from typing import Any

from pagehand.toolkit.schema_references import References, UnportableSchemaError
from pagehand.toolkit.schema_words import expected_words, rule_words

ANY_TYPE = ["string", "number", "boolean", "object", "array", "null"]

# Legal JSON Schema that servers lose without a word; the schema stays right without it.
_DROPPED = (
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$comment",
    "$vocabulary",
    "discriminator",
    "if",
    "then",
    "else",
    "not",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
    "examples",
    "example",
    "xml",
    "externalDocs",
)
_SILENT = frozenset({"$schema", "$id", "id", "$comment", "discriminator", "title"})
_DEFINITIONS = ("$defs", "definitions")
# What says something about a value without limiting it.
_ANNOTATIONS = frozenset({"description", "default", "readOnly", "writeOnly", "deprecated"})
_ROOT = "arguments"
_MOST = 5000


def portable(schema: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The portable form of a schema, and notes about what was changed.

    Raises:
        UnportableSchemaError: For a `$ref` that leaves the document or leads
            nowhere, and for a root that cannot be an object.
    """
    work = _Pass(schema)
    if not schema.get("type") and not schema.keys() & {"$ref", "anyOf", "oneOf", "allOf"}:
        schema = {**schema, "type": "object"}
    result = work.convert(schema, _ROOT, ())
    if result["type"] != "object":
        raise UnportableSchemaError(
            f"arguments are an object, but this schema describes {expected_words(result)}; "
            'give it "type": "object" and "properties"'
        )
    result.setdefault("properties", {})
    return result, work.notes


class _Pass:
    """One run over one document."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.references = References(root)
        self.notes: list[str] = []
        self._converted = 0

    def convert(self, schema: Any, path: str, stack: tuple[str, ...]) -> dict[str, Any]:
        """Converts one schema; `stack` holds the references being inlined."""
        self._converted += 1
        if self._converted > _MOST:
            raise UnportableSchemaError(
                f"{path}: the schema grows too large when `$ref` is inlined"
            )
        if schema is True or schema == {}:
            return self._any(path)
        if schema is False:
            raise UnportableSchemaError(f"{path}: `false` allows no value at all; remove it")
        if not isinstance(schema, dict):
            raise UnportableSchemaError(f"{path}: a schema is an object, not {schema!r}")
        if "$ref" in schema:
            return self._reference(schema, path, stack)
        if isinstance(schema.get("allOf"), list):
            self.notes.append(f"{path}: `allOf` merged into one schema")
            return self.convert(self.references.all_of(schema, path, stack), path, stack)
        result = self._plain(schema, path)
        if result.get("anyOf") or result.get("oneOf"):
            self._branches(result, path, stack)
        else:
            self._object(result, path, stack)
            self._array(result, path, stack)
        self._type(result, path)
        return self._describe(result)

    def _any(self, path: str) -> dict[str, Any]:
        self.notes.append(f"{path}: takes any value, spelled out as every type")
        return {"type": list(ANY_TYPE)}

    def _reference(
        self, schema: dict[str, Any], path: str, stack: tuple[str, ...]
    ) -> dict[str, Any]:
        reference = schema["$ref"]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if reference in stack:
            self.notes.append(f"{path}: refers to itself; cut here to any value")
            words = beside.get("description") or _title(reference)
            return {"type": list(ANY_TYPE), "description": f"{words} (the same form again)"}
        target = self.references.find(reference, path)
        if isinstance(target, dict):
            # The title of a model is its class name: nothing the model must know.
            named = target.get("title") == _title(reference)
            kept = {k: v for k, v in target.items() if not (named and k == "title")}
            target = {**kept, **beside}
        return self.convert(target, path, (*stack, reference))

    def _with_shared(
        self, branch: Any, shared: dict[str, Any], path: str, stack: tuple[str, ...]
    ) -> Any:
        """What stands beside `anyOf` holds for every branch too."""
        if not shared or not isinstance(branch, dict):
            return branch
        return self.references.all_of({"allOf": [shared, branch]}, path, stack)

    def _plain(self, schema: dict[str, Any], path: str) -> dict[str, Any]:
        result = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
        for key in _DROPPED:
            if key in result and not (key == "id" and not isinstance(result[key], str)):
                del result[key]
                if key not in _SILENT:
                    self.notes.append(f"{path}: `{key}` left out, servers drop it")
        title = result.pop("title", None)
        if isinstance(title, str) and "description" not in result and not _is_made_up(title, path):
            result["description"] = title
        if result.pop("nullable", None) is True:
            kinds = result.get("type")
            if isinstance(kinds, str):
                result["type"] = [kinds, "null"]
        for bound, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            # Draft 4 says it with a boolean beside the limit.
            if isinstance(result.get(bound), bool) and result.pop(bound) and limit in result:
                result[bound] = result.pop(limit)
        return result

    def _branches(self, result: dict[str, Any], path: str, stack: tuple[str, ...]) -> None:
        branches = list(result.pop("anyOf", None) or [])
        if "oneOf" in result:
            branches += result.pop("oneOf")
            self.notes.append(f"{path}: `oneOf` written as `anyOf`")
        shared = {key: result.pop(key) for key in list(result) if key not in _ANNOTATIONS}
        options = [
            self.convert(self._with_shared(branch, shared, path, stack), path, stack)
            for branch in branches
            if branch is not False
        ]
        merged = _merge_null([one for n, one in enumerate(options) if one not in options[:n]])
        if len(merged) == 1:
            for key, value in merged[0].items():
                result.setdefault(key, value)
        elif path == _ROOT:
            self.notes.append(f"{path}: several forms written as one with all their properties")
            result.update(_union(merged))
        else:
            result["anyOf"] = merged

    def _object(self, result: dict[str, Any], path: str, stack: tuple[str, ...]) -> None:
        properties = result.get("properties")
        if isinstance(properties, dict):
            result["properties"] = {
                name: self.convert(value, f"{path}.{name}", stack)
                for name, value in properties.items()
                if value is not False
            }
            self._required(result, path)
        patterns = result.pop("patternProperties", None)
        if isinstance(patterns, dict) and patterns:
            self.notes.append(f"{path}: `patternProperties` written as `additionalProperties`")
            result.setdefault("additionalProperties", next(iter(patterns.values())))
        extra = result.get("additionalProperties")
        if isinstance(extra, dict) and extra:
            result["additionalProperties"] = self.convert(extra, f"{path}.*", stack)
        elif extra == {}:
            result["additionalProperties"] = True
        if isinstance(extra, dict) or extra is True:
            self.notes.append(
                f"{path}: takes any key; some servers close it and the model then sees no key "
                "at all. A list of {key, value} objects travels everywhere"
            )

    def _required(self, result: dict[str, Any], path: str) -> None:
        known = result["properties"]
        required = []
        listed = result.get("required", [])
        for name in listed if isinstance(listed, list) else []:
            if name not in known:
                self.notes.append(f"{path}: required {name!r} is no property, left out")
            elif "default" in known[name]:
                self.notes.append(f"{path}.{name}: has a default, so it is not required")
            else:
                required.append(name)
        result.pop("required", None)
        if required:
            result["required"] = required
        for name, value in known.items():
            if name not in required and "default" in value and value["default"] is None:
                # Absent says the same, and a null default makes servers widen the type.
                del value["default"]

    def _array(self, result: dict[str, Any], path: str, stack: tuple[str, ...]) -> None:
        members = result.pop("prefixItems", None)
        items = result.get("items")
        if isinstance(items, list):
            members, items = items, result.pop("items")
        if members:
            self._tuple(result, members, path, stack)
        elif isinstance(items, (dict, bool)):
            if items is False:
                del result["items"]
            else:
                result["items"] = self.convert(items, f"{path}[]", stack)
        result.pop("additionalItems", None)

    def _tuple(
        self, result: dict[str, Any], members: list[Any], path: str, stack: tuple[str, ...]
    ) -> None:
        self.notes.append(
            f"{path}: a tuple, written as a list of its {len(members)} members' types"
        )
        options = [self.convert(member, f"{path}[{n}]", stack) for n, member in enumerate(members)]
        distinct = [option for n, option in enumerate(options) if option not in options[:n]]
        result["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
        result.setdefault("minItems", len(members))
        result.setdefault("maxItems", len(members))
        words = ", ".join(_short(option) for option in options)
        said = result.get("description", "")
        result["description"] = f"{said} (in this order: {words})".strip()

    def _type(self, result: dict[str, Any], path: str) -> None:
        if "type" in result or "anyOf" in result:
            return
        values = (
            result["enum"] if "enum" in result else [result["const"]] if "const" in result else None
        )
        if values is not None:
            kinds = list(dict.fromkeys(_type_of(value) for value in values))
            result["type"] = kinds[0] if len(kinds) == 1 else kinds
        elif "properties" in result or "additionalProperties" in result:
            result["type"] = "object"
        elif "items" in result:
            result["type"] = "array"
        elif result.keys() & {"pattern", "minLength", "maxLength", "format"}:
            result["type"] = "string"
        elif result.keys() & {"minimum", "maximum", "multipleOf"}:
            result["type"] = "number"
        else:
            result["type"] = self._any(path)["type"]

    def _describe(self, result: dict[str, Any]) -> dict[str, Any]:
        words = rule_words(result)
        said = result.get("description", "")
        if words and words not in said:
            result["description"] = f"{said} ({words})".strip()
        if "description" in result:
            result["description"] = result.pop("description")
        return result


def _union(options: list[dict[str, Any]]) -> dict[str, Any]:
    """One object with the properties of all; required is what all require."""
    properties: dict[str, Any] = {}
    for option in options:
        if option.get("type") != "object":
            raise UnportableSchemaError(
                f"{_ROOT}: arguments are an object, but one of the forms is not"
            )
        for name, value in option.get("properties", {}).items():
            known = properties.setdefault(name, value)
            if known != value:
                others = known["anyOf"] if set(known) == {"anyOf"} else [known]
                properties[name] = {"anyOf": [*others, value] if value not in others else others}
    required = [
        name for name in properties if all(name in option.get("required", ()) for option in options)
    ]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _merge_null(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Writes "X or null" as one schema with two types, where X has one type."""
    rest = [option for option in options if option.get("type") != "null"]
    if len(rest) == len(options) or not rest:
        return options
    if len(rest) == 1 and isinstance(rest[0].get("type"), str):
        single = dict(rest[0])
        single["type"] = [single["type"], "null"]
        if "const" in single:
            single["enum"] = [single.pop("const")]
        if "enum" in single and None not in single["enum"]:
            single["enum"] = [*single["enum"], None]
        return [single]
    return options


def _short(option: dict[str, Any]) -> str:
    kind = option.get("type", "value")
    text = kind if isinstance(kind, str) else " or ".join(kind)
    return f"{text} {option['description']}" if "description" in option else text


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _title(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def _is_made_up(title: str, path: str) -> bool:
    """Whether a title only repeats the property's name, as pydantic's do."""
    name = path.rsplit(".", 1)[-1].replace("_", "").replace(" ", "").lower()
    return title.replace("_", "").replace(" ", "").lower() == name or "." not in path
