"""Checks and converts arguments with pydantic: signatures, models, dataclasses, TypedDicts.

The only module of the toolkit that needs pydantic, and imports it only when a
schema is built.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

from pagehand.toolkit.arguments import InvalidArgumentsError, Problem
from pagehand.toolkit.signature import MISSING, Argument, Signature, read_signature

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter, ValidationError
    from pydantic.fields import FieldInfo

    from pagehand.toolkit.definition import Definition


class SignatureChecker:
    """Arguments declared by a function's signature.

    The fields of the model are called `p0`, `p1`...: an argument may have any
    name, also one that means something to pydantic (`schema`, `_x`, `copy`).
    """

    def __init__(self, tool: Definition) -> None:
        self._tool = tool
        function = tool.parameters if tool.parameters is not None else tool.function
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
        from pydantic import ValidationError

        try:
            model = self._model.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArgumentsError("", _problems(error)) from error
        values = {}
        for index, argument in enumerate(self.signature.arguments):
            field = f"p{index}"
            own_default = argument.optional and not _is_field(argument.default)
            if field in model.model_fields_set or not own_default:
                values[argument.name] = getattr(model, field)
        values.update(model.model_extra or {})
        return values, values

    def _build(self) -> type[BaseModel]:
        from pydantic import ConfigDict, create_model
        from pydantic.errors import PydanticUserError

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

    signature = None

    def __init__(self, tool: Definition, kind: type) -> None:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError

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
        from pydantic import ValidationError

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
    from pydantic import Field

    infos = _field_infos(argument)
    extra: dict[str, Any] = {}
    if not any(info.alias or info.validation_alias for info in infos):
        extra["alias"] = argument.name
    if argument.description and not any(info.description for info in infos):
        extra["description"] = argument.description
    default = ... if argument.default is MISSING else argument.default
    annotation = argument.annotation
    if _is_field(default):
        # `text: str = Field(...)`: its facts belong to the annotation, its default stays one.
        return Annotated[annotation, default, Field(**extra)], _default_of(default)
    return (Annotated[annotation, Field(**extra)] if extra else annotation), default


def _default_of(info: FieldInfo) -> Any:
    from pydantic import Field

    if info.default_factory is not None:
        return Field(default_factory=info.default_factory)
    return ... if info.is_required() else info.default


def _is_field(value: Any) -> TypeGuard[FieldInfo]:
    from pydantic.fields import FieldInfo

    return isinstance(value, FieldInfo)


def _field_infos(argument: Argument) -> list[FieldInfo]:
    marks = getattr(argument.annotation, "__metadata__", ())
    return [mark for mark in (*marks, argument.default) if _is_field(mark)]


def _schema_of(tool: Definition, source: Any) -> dict[str, Any]:
    from pydantic.errors import PydanticUserError

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
        kind = _KINDS.get(item["type"], "value")
        telling = item["type"] in _TELLING
        found.append(Problem(item["loc"], item["msg"], item["input"], kind, telling))
    return found


_KINDS = {
    "missing": "missing",
    "extra_forbidden": "unexpected",
    "unexpected_keyword_argument": "unexpected",  # a dataclass says it so
}

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
