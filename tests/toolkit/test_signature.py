import functools
import inspect

import pytest

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.signature import MISSING, read_signature
from pagehand.toolkit.tool import Tool

ANY = Tool("a", "backend", source="f.py:1", render=lambda call: None)


def test_arguments_context_and_openness():
    def run(a: int, ctx: ToolContext, b="x", **rest): ...

    found = read_signature(ANY, run)
    assert found.names == ["a", "b"]
    assert (found.context_name, found.open) == ("ctx", True)
    assert found.arguments[0].default is MISSING
    assert (found.arguments[1].default, found.arguments[1].optional) == ("x", True)


def test_the_context_may_be_optional():
    def run(ctx: "ToolContext | None" = None): ...

    assert read_signature(ANY, run).context_name == "ctx"


def test_skipped_parameters_are_not_the_models():
    assert read_signature(ANY, lambda call, url: None, skip=1).names == ["url"]


def test_partials_methods_and_callable_objects():
    class Runner:
        def run(self, a: int): ...

        def __call__(self, b: int): ...

    def base(a: int, c: str): ...

    assert read_signature(ANY, Runner().run).names == ["a"]
    assert read_signature(ANY, Runner()).arguments[0].annotation is int
    bound = read_signature(ANY, functools.partial(base, c="x"))
    assert bound.arguments[0].annotation is int
    assert read_signature(ANY, inspect.signature(base)).names == ["a", "c"]


def test_an_unknown_name_in_an_annotation_says_what_to_do():
    def run(a: "Nowhere"): ...  # noqa: F821

    with pytest.raises(
        ToolDefinitionError, match=r"'a' \(f\.py:1\): an annotation names 'Nowhere'"
    ):
        read_signature(ANY, run)


def test_no_signature_says_what_to_do():
    with pytest.raises(ToolDefinitionError, match="state its arguments in `parameters`"):
        read_signature(ANY, min)
