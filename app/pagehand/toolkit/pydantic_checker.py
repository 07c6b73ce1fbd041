"""Checks and converts arguments with pydantic: signatures, models, dataclasses, TypedDicts.

The only module of the toolkit that needs pydantic; it is loaded when a schema
is built.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pagehand.toolkit.parameters import InvalidArgumentsError, Problem
from pagehand.toolkit.signature import MISSING, Argument, Signature, read_signature

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pagehand.toolkit.tool import Tool


class SignatureChecker:
    """Arguments declared by a function's signature.

    The fields of the model are called `p0`, `p1`...: an argument may have any
    name, also one that means something to pydantic (`schema`, `_x`, `copy`).
    """

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        function = tool.parameters if callable(tool.parameters) else tool.function
        if function is None:
            raise tool.problem("has neither a function nor `parameters`")
        skip = 1 if tool.kind == "human" and tool.parameters is None else 0
        self.signature: Signature = read_signature(tool, function, skip=skip)
        self._model = self._build()

    def raw_schema(self) -> dict[str, Any]:
        """The schema of the arguments as one object."""
        return _schema_of(self._tool, self._model)

    def check(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Converts; arguments that were left out keep the function's own defaults."""
        try:
            model = self._model.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArgumentsError("", _problems(error)) from error
        values = {}
        for index, argument in enumerate(self.signature.arguments):
            field = f"p{index}"
            own_default = argument.optional and not isinstance(argument.default, FieldInfo)
            if field in model.model_fields_set or not own_default:
                values[argument.name] = getattr(model, field)
        values.update(model.model_extra or {})
        return values, values

    def _build(self) -> type[BaseModel]:
        fields: dict[str, Any] = {
            f"p{index}": _field(argument) for index, argument in enumerate(self.signature.arguments)
        }
        config = ConfigDict(
            extra="allow" if self.signature.open else "forbid",
            allow_inf_nan=False,
            validate_by_name=False,
            validate_by_alias=True,
            protected_namespaces=(),
        )
        try:
            return create_model("Arguments", __config__=config, **fields)
        except (PydanticUserError, TypeError, NameError) as error:
            raise self._tool.problem(_first_line(error)) from error


class TypeChecker:
    """Arguments declared by a type: a pydantic model, a dataclass, a TypedDict."""

    def __init__(self, tool: Tool, kind: type) -> None:
        self._tool = tool
        try:
            self._adapter: TypeAdapter[Any] = TypeAdapter(kind)
        except (PydanticUserError, TypeError, NameError) as error:
            raise tool.problem(_first_line(error)) from error

    def raw_schema(self) -> dict[str, Any]:
        """The type's own schema."""
        return _schema_of(self._tool, self._adapter)

    def check(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Converts into the type; the values by name are its fields."""
        try:
            whole = self._adapter.validate_python(arguments)
        except ValidationError as error:
            raise InvalidArgumentsError("", _problems(error)) from error
        return (dict(whole) if isinstance(whole, dict) else dict(_fields(whole))), whole


def _fields(whole: Any) -> list[tuple[str, Any]]:
    names = getattr(type(whole), "model_fields", None)
    if names is None:
        names = getattr(type(whole), "__dataclass_fields__", None)
    return [(name, getattr(whole, name)) for name in (names if names is not None else vars(whole))]


def _field(argument: Argument) -> tuple[Any, Any]:
    known = [info for info in _field_infos(argument) if info.alias or info.validation_alias]
    extra: dict[str, Any] = {} if known else {"alias": argument.name}
    described = any(info.description for info in _field_infos(argument))
    if argument.description and not described:
        extra["description"] = argument.description
    default = ... if argument.default is MISSING else argument.default
    if isinstance(default, FieldInfo) and default.default is PydanticUndefined:
        own_default = default.default_factory is None
        if own_default and not known:
            # `Field(...)` as the default still means: required.
            return Annotated[argument.annotation, default, Field(**extra)], ...
    if not extra:
        return argument.annotation, default
    return Annotated[argument.annotation, Field(**extra)], default


def _field_infos(argument: Argument) -> list[FieldInfo]:
    marks = getattr(argument.annotation, "__metadata__", ())
    return [mark for mark in (*marks, argument.default) if isinstance(mark, FieldInfo)]


def _schema_of(tool: Tool, source: Any) -> dict[str, Any]:
    make = getattr(source, "model_json_schema", None) or source.json_schema
    try:
        with warnings.catch_warnings():
            # A default that JSON cannot say is left out of the schema; the function has it.
            warnings.simplefilter("ignore")
            schema: dict[str, Any] = make(mode="validation")
    except PydanticUserError as error:
        raise tool.problem(_first_line(error)) from error
    return schema


def _problems(error: ValidationError) -> list[Problem]:
    found = []
    for item in error.errors(include_url=False, include_context=False):
        kind = {"missing": "missing", "extra_forbidden": "unexpected"}.get(item["type"], "value")
        reason = item["msg"] if item["type"] in _TELLING else ""
        found.append(Problem(item["loc"], reason, item["input"], kind))
    return found


# Only these say more than "expected X, got Y" does.
_TELLING = frozenset(
    {
        "value_error",
        "assertion_error",
        "string_pattern_mismatch",
        "date_from_datetime_parsing",
        "date_parsing",
        "datetime_parsing",
        "datetime_from_date_parsing",
        "time_parsing",
        "url_parsing",
        "url_scheme",
        "uuid_parsing",
        "union_tag_invalid",
        "union_tag_not_found",
        "model_type",
        "dataclass_type",
    }
)


def _first_line(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return text or type(error).__name__
