"""What we set out to do better than the AI SDK's client, and what users of others complained of.

The acceptance list has twenty points: a test that shows point N has `sNN` in its name. The
complaints that concern a conversation are numbered as in assistant-ui/assistant-ui and
vercel/ai (`ai`); each names the test that shows how it goes here.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from chat.support import (
    FakeEngine,
    World,
    asked,
    assistant,
    call,
    outputs,
    parts,
    reduce,
    said,
    turns,
    wants,
)
from pagehand.chat.chat import Chat
from pagehand.chat.scripted import Answer, ScriptedTransport, answer
from pagehand.engine.engine import Engine
from pagehand.errors import ToolError
from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire import chunks as c

HERE = Path(__file__).parent

COMPLAINTS = {
    # Tools never run, or the result goes nowhere
    "2103 2218 2327 4739": "test_with_engine: test_a_whole_conversation",
    "2369 2374": "test_turns: test_b086_a_result_continues_the_conversation",
    "4240 4241": "test_turns: test_b085_a_result_during_the_stream_is_shown_and_sent_afterwards",
    "4250": "test_turns: test_s03_fifty_results_at_once_continue_once",
    "4766": "test_stop: test_s02_a_late_result_is_recorded_and_not_sent",
    "5688 7114": "test_turns: test_a_call_the_server_answers_is_not_run",
    "1342 2291 5535": "test_hygiene: test_a_call_without_outcome_becomes_an_error",
    "4969": "test_turns: test_falsy_results_are_results",
    "5537 5569": "test_acceptance: test_falsy_results_are_kept_and_sent_as_they_are",
    "5534": "test_acceptance: test_arguments_of_several_calls_do_not_mix",
    "3471 4004": "test_reduce_calls: test_unreadable_arguments_give_no_input",
    "5132": "test_acceptance: test_half_arguments_are_no_result_while_the_stream_goes_on",
    "3351 3356": "test_acceptance: test_a_call_announced_again_in_another_order_of_keys_runs_once",
    "3707": "test_stop: test_a_loaded_complete_step_is_not_sent_again",
    "4057": "test_turns: test_the_engine_is_told_of_arguments_as_they_arrive",
    "5141": "test_exchange: test_a_body_that_is_left_early_is_closed",
    "5521": "test_stop: test_s02_stop_cancels_calls_and_sends_nothing",
    # A person in between
    "2756 2757 4673": "test_calls: test_s09_typing_on_settles_what_waits",
    "4195 4196": "test_calls: test_s09_typing_on_drops_an_open_approval",
    "6281 6282": "test_calls: test_a_paused_server_gets_its_answer_before_our_calls_run",
    "6285 6677": "test_calls: test_b124_an_output_clears_an_unanswered_approval",
    "6763": "test_reduce_calls: test_s07_a_late_approval_request_is_skipped",
    "5046 5050 5051 7646": "test_stop: test_a_loaded_approval_can_be_answered",
    "4522 4538": "test_stop: test_s15_pending_calls_of_a_loaded_conversation_are_a_choice",
    "3596": "test_turns: test_b092_b093_s16_headers_and_body_of_the_turn_go_with_its_continuations",
    # Ids and threads
    "3197 3420 3463": "test_with_engine: test_an_id_used_again_in_the_next_step_of_one_answer",
    "3526": "test_reduce_calls: test_s08_one_part_for_one_call_whatever_dynamic_says",
    "7054 7056": "test_reduce_calls: test_calls_are_ready_when_their_step_has_ended",
    "2358 7016 7027": "test_threads: test_switching_stops_the_answer_and_keeps_it",
    # Where to go beyond
    "B1": "test_continuation: test_a_call_repeated_too_often_is_held",
    "B2": "test_stop: test_s02_a_late_result_is_recorded_and_not_sent",
    "B3": "test_turns: test_an_unknown_tool_is_answered_with_an_error",
    "B4": "test_taking_up: test_a_left_over_call_is_a_choice_and_no_error",
    "B6": "test_with_engine: test_an_eager_tool_does_not_wait_for_the_end_of_its_step",
    "B15": "test_reducer: test_s19_deltas_do_not_copy_what_came_before",
    "B16": "test_conversation: test_loading_makes_ids_unique",
    "B17": "test_hygiene: test_any_history_is_accepted",
    # The AI SDK's own users
    "ai 6435 15268 5516 4784 2705": "test_acceptance: test_s01_handlers_are_awaited_side_by_side",
    "ai 8043 9943 9384": "test_continuation: test_s03_the_number_of_rounds_is_limited",
    "ai 4652 5276": "test_predicates: test_b133_text_after_tool",
    "ai 21083": "test_calls: test_intermediate_results_are_shown_and_not_sent",
    "ai 7230 7717 8854 7218": (
        "test_turns: test_s05_the_local_message_stays_whatever_id_the_server_sends"
    ),
    "ai 17347 4936": "test_reduce_calls: test_s06_an_outcome_goes_to_the_newest_unfinished_call",
    "ai 13670": "test_calls: test_b129_a_denial_continues_too",
    "ai 16334 16543": "test_reduce_calls: test_b030_b031_the_signature_survives_the_answer",
    "ai 18451": "test_calls: test_s09_typing_on_settles_what_waits",
    "ai 18425 11053 13591 11392 4283 3349": (
        "test_random_conversations: test_s17_any_conversation_is_accepted"
    ),
    "ai 6502 18458": "test_resume: test_b063_b075_stop_on_a_resumed_stream",
    "ai 18457": "test_resume: test_b083_a_complete_answer_is_not_written_into",
    "ai 13160": "test_reducer: test_s13_a_text_that_broke_off_is_taken_up_again",
    "ai 6633": "test_resume: test_b130_recovery_takes_the_answer_up",
    "ai 13962 7891": "test_stop: test_b122_s02_stop_always_comes_back",
    "ai 10719": "test_taking_up: test_s02_stop_tells_a_server_that_goes_on_by_itself",
    "ai 12175": "test_conversation: test_b080_a_failing_on_finish_is_raised_and_breaks_nothing",
    "ai 18318": "test_chat: test_b071_b110_regenerate_makes_a_new_message",
    "ai 15865": "test_reduce_calls: test_b019_b107_arguments_stream_in",
    "ai 11269 13733": "test_reducer: test_b057_s10_an_unknown_type_is_noted_and_skipped",
    "ai 809 2085 567": "test_chat: test_retry_asks_the_same_again",
    "ai 696 386 16226": "test_conversation: test_clear_in_the_middle_of_an_answer",
}


def names(module: str) -> set[str]:
    """The tests of a module."""
    text = (HERE / f"{module}.py").read_text(encoding="utf-8")
    return set(re.findall(r"^ *(?:async )?def (test_\w+)", text, re.MULTILINE))


def test_every_point_of_the_list_is_a_test() -> None:
    shown: set[int] = set()
    for path in HERE.glob("test_*.py"):
        for name in names(path.stem):
            shown |= {int(number) for number in re.findall(r"_s(\d\d)(?=_)", name)}
    assert set(range(1, 21)) - shown == set()


def test_every_complaint_has_its_test() -> None:
    missing = [
        f"{number}: {where}"
        for number, where in COMPLAINTS.items()
        if where.split(": ")[1] not in names(where.split(": ")[0])
    ]
    assert missing == []


# Tools


async def test_s01_handlers_are_awaited_side_by_side() -> None:
    """In the AI SDK the first would wait for the second for ever, and a throw ends the stream."""
    tools = Toolkit()
    second_runs = asyncio.Event()

    @tools.tool("first")
    async def first() -> str:
        """Waits for the second."""
        await second_runs.wait()
        return "one"

    @tools.tool("second")
    async def second() -> str:
        """Lets the first go on."""
        second_runs.set()
        await asyncio.sleep(0)
        return "two"

    @tools.tool("broken")
    def broken() -> None:
        """Fails."""
        raise ToolError("No such thing.")

    calls = asked("first", "c1"), asked("second", "c2"), asked("broken", "c3")
    transport = ScriptedTransport(wants(*calls), answer(*said("Done"), message_id="m1"))
    chat = Chat(transport, Engine(tools))
    await asyncio.wait_for(chat.send("go"), 5)
    await asyncio.wait_for(chat.idle(), 5)
    assert chat.error is None
    sent = transport.bodies[1]["messages"][1]["parts"][1:]
    assert [part.get("output", part.get("errorText")) for part in sent] == [
        "one",
        "two",
        "No such thing.",
    ]


async def test_falsy_results_are_kept_and_sent_as_they_are() -> None:
    falsy: list[Any] = [False, 0, "", None, [], {}]
    done = [call("output-available", id=f"c{n}", output=value) for n, value in enumerate(falsy)]
    world = World(answer(*said("Hi")), messages=[assistant(*done).to_wire()])
    assert outputs(world) == falsy
    kept = World(answer(*said("Hi")), messages=world.chat.dump())
    await kept.say()
    sent = kept.bodies[0]["messages"][0]["parts"]
    assert [part["output"] for part in sent] == falsy


def test_arguments_of_several_calls_do_not_mix() -> None:
    state = reduce(
        c.ToolInputStart("a", "open"),
        c.ToolInputStart("b", "open"),
        c.ToolInputDelta("a", '{"url":'),
        c.ToolInputDelta("b", '{"url":"second'),
        c.ToolInputDelta("a", '"first"}'),
        c.ToolInputDelta("b", '"}'),
    )
    assert [part["input"] for part in parts(state)] == [{"url": "first"}, {"url": "second"}]


async def test_half_arguments_are_no_result_while_the_stream_goes_on() -> None:
    gate = asyncio.Event()
    engine = FakeEngine(open="opened")
    half = c.ToolInputStart("c1", "open"), c.ToolInputDelta("c1", '{"url": nonsense')
    world = World(
        wants(*half, gate, asked("open", url="x")),
        answer(*said("Done"), message_id="m1"),
        engine=engine,
    )
    task = asyncio.ensure_future(world.chat.send("Hello"))
    await turns()
    assert world.last.tool_parts()[0].state == "input-streaming"
    assert engine.started == []
    gate.set()
    await task
    await world.chat.idle()
    assert outputs(world) == ["opened"]


async def test_a_call_announced_again_in_another_order_of_keys_runs_once() -> None:
    engine = FakeEngine(open="opened")
    again = c.ToolInputAvailable("c1", "open", {"b": 2, "a": 1})
    first = Answer(
        c.Start("m1"),
        c.StartStep(),
        c.ToolInputAvailable("c1", "open", {"a": 1, "b": 2}),
        again,
        c.FinishStep(),
        again,
        c.Finish("tool-calls"),
    )
    world = World(first, answer(*said("Done"), message_id="m1"), engine=engine)
    await world.say()
    assert len(engine.started) == 1
    assert outputs(world) == ["opened"]
    assert len(world.bodies) == 2
