"""Declarations that were seen before are not checked again; all others are."""

from __future__ import annotations

from typing import Any

import pytest
from backend_fakes import JUMP

from backend import declared
from backend.declared import DeclarationReader
from pagehand.errors import DeclarationError
from pagehand.wire.declarations import Limits


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    real = declared.read_declarations

    def count(body: dict[str, Any], limits: Limits) -> Any:
        calls.append(body)
        return real(body, limits)

    monkeypatch.setattr(declared, "read_declarations", count)
    return calls


def body(name: str = "open", **changes: Any) -> dict[str, Any]:
    return {"messages": [], "clientTools": {name: {**JUMP, **changes}}}


def test_the_same_again_is_not_checked(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits())
    first = reader.read(body())
    assert reader.read(body()) == first == {"open": JUMP}
    assert len(checked) == 1


def test_whatever_differs_is_checked(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits())
    reader.read(body())
    for other in (body("close"), body(description="Else."), {"tools": body()["clientTools"]}):
        reader.read(other)
    assert len(checked) == 4


def test_refusals_are_not_kept(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits())
    for _ in range(2):
        with pytest.raises(DeclarationError, match="execute"):
            reader.read(body(execute="run()"))
        with pytest.raises(DeclarationError, match="same time"):
            reader.read({**body(), "tools": {}})
    assert len(checked) == 4


def test_without_tools_there_is_nothing_to_keep(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits())
    assert reader.read({"clientTools": None}) == {}
    assert checked == []


def test_what_one_request_does_with_them_is_its_own() -> None:
    reader = DeclarationReader(Limits())
    reader.read(body()).clear()
    reader.read(body())["more"] = {}
    assert list(reader.read(body())) == ["open"]


def test_its_room_is_bounded_and_the_oldest_goes_first(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits(), room=2_000)
    names = [f"tool_{number}" for number in range(50)]
    for name in names:
        reader.read(body(name))
        reader.read(body("kept"))
    assert len(checked) == 51
    reader.read(body(names[-1]))
    assert len(checked) == 51
    reader.read(body(names[0]))
    assert len(checked) == 52


def test_one_that_would_take_all_the_room_is_not_kept(checked: list[Any]) -> None:
    reader = DeclarationReader(Limits(), room=400)
    for _ in range(2):
        reader.read(body(description="long " * 100))
    assert len(checked) == 2
