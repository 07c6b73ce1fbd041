import pytest

from pagehand.engine.policy import Policy
from pagehand.errors import ToolkitError
from pagehand.toolkit.settings import SETTINGS, check_settings
from pagehand.toolkit.toolkit import Toolkit


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"polcy": {}}, "there is no setting 'polcy'; known are: policy, limits"),
        ({"policy": {"tools": {"a": "no"}}}, "'a': a rule is one of allow, ask, deny, not 'no'"),
        ({"policy": {"tool": {}}}, "`tools`, `categories` and `risks`, not 'tool'"),
        ({"policy": {"tools": ["a"]}}, r"a policy's `tools` maps names to rules; it is \['a'\]"),
        ({"policy": "deny"}, "a policy maps `tools`, `categories` and `risks`; it is 'deny'"),
        ({"limits": {"per_tol": (1, 2)}}, "limits map `per_tool`, `overall`, `tools`, `per_turn`"),
        ({"limits": 10}, "they are 10"),
        ({"limits": {"per_tool": 10}}, r"limits `per_tool` is \(calls, seconds\), both above 0"),
        ({"limits": {"overall": (0, 60)}}, r"limits `overall` is .*, not \(0, 60\)"),
        ({"limits": {"tools": {"a": (1, 2, 3)}}}, "the limit of 'a' is"),
        ({"limits": {"tools": [1]}}, r"limits `tools` map names to \(calls, seconds\)"),
        ({"limits": {"per_turn": 1.5}}, "limits `per_turn` is a whole number above 0, not 1.5"),
        ({"timeout": 0}, "timeout is a number of seconds above 0, not 0"),
        ({"timeout": True}, "above 0, not True"),
        ({"confirm_seconds": "30"}, "confirm_seconds is a number of seconds above 0, not '30'"),
        ({"mask_secrets": "no"}, "mask_secrets is True or False, not 'no'"),
        ({"webmcp": 0}, "webmcp is True or False, not 0"),
        ({"longest_result": "1000"}, "longest_result is a whole number above 0, not '1000'"),
        ({"card_part": ""}, "card_part is a name, not ''"),
    ],
)
def test_mistakes_are_named(settings, words):
    toolkit = Toolkit()
    with pytest.raises(ToolkitError, match=words):
        toolkit.configure(**settings)
    assert toolkit.setting(next(iter(settings))) is None


def test_what_may_be_said():
    check_settings(
        {
            "policy": {"tools": {"a": "deny"}, "categories": {}, "risks": {"moderate": "ask"}},
            "limits": {"per_tool": (10, 60), "overall": [5, 0.5], "tools": {"a": (1, 2)}},
            "timeout": 0.5,
            "confirm_seconds": 45,
            "mask_secrets": False,
            "longest_result": 10,
            "card_part": "card",
            "webmcp": False,
        }
    )
    check_settings({"policy": Policy(), "limits": {"per_turn": 40, "overall": None}})
    check_settings(dict.fromkeys(SETTINGS))
