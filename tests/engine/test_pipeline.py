import asyncio

import pytest
from pydantic import BaseModel

from engine.helpers import Bench, turns
from pagehand.engine.outcome import Failure, Output
from pagehand.errors import ToolError
from pagehand.toolkit.context import ToolContext
from pagehand.toolkit.result import ToolResponse

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def bench():
    return Bench()


def echo(bench, **options):
    @bench.toolkit.tool("echo", **options)
    def run(n: int) -> int:
        return n


# parse


@pytest.mark.parametrize(
    "form",
    [
        {"arguments": {"n": 1}},
        {"arguments": {"n": 1}, "args_text": '{"n": 1}'},
        {"arguments": {"n": 1}, "args_text": '{"n": '},  # mended by the server
        {"args_text": '{"n":1}'},
        {"arguments": '{"n": 1}'},
        {"arguments": {"n": "1"}},
    ],
)
async def test_arguments_come_parsed_or_as_text(bench, form):
    echo(bench)
    assert await bench.run("echo", **form) == Output(1)


@pytest.mark.parametrize(
    "form", [{}, {"args_text": "  "}, {"arguments": ""}, {"args_text": "null"}, {"args_text": "{}"}]
)
async def test_no_arguments_is_an_empty_object(bench, form):
    bench.toolkit.tool("a")(lambda: "ok")
    assert await bench.run("a", **form) == Output("ok")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"args_text": '{"n": 1'}, "are not JSON"),
        ({"arguments": {}, "args_text": '{"n": '}, "are not JSON"),
        ({"arguments": "hello"}, "are not JSON"),
        ({"arguments": [1]}, "must be one JSON object, got [1]"),
        ({"args_text": "5"}, "must be one JSON object, got 5"),
        ({"arguments": False}, "must be one JSON object, got false"),
    ],
)
async def test_arguments_that_are_no_object_are_an_error_the_model_can_mend(bench, form, words):
    echo(bench)
    outcome = await bench.run("echo", **form)
    assert words in outcome.error_text
    assert "'echo'" in outcome.error_text


# validate


async def test_wrong_arguments_never_run(bench):
    ran = []

    @bench.toolkit.tool("a")
    def run(n: int) -> None:
        ran.append(n)

    outcome = await bench.run("a", {"n": "many"})
    assert outcome == Failure(
        "The arguments of 'a' do not fit. n: expected an integer, got \"many\"."
    )
    assert ran == []
    assert bench.record()["input"] == {"n": "many"}
    assert bench.record()["steps"][-1]["verdict"].startswith("InvalidArgumentsError")


async def test_repairs_are_logged_and_shown(bench):
    echo(bench)
    tool_call_id = bench.start("echo", {"n": "3"})
    await turns()
    assert bench.record()["steps"][2]["verdict"] == "ok; n: read from a text"
    assert bench.engine.handle(tool_call_id).args == {"n": 3}


async def test_a_tool_may_answer_wrong_arguments_itself(bench):
    bench.toolkit.tool("a", parameters=NUMBER, on_validation_error=lambda args: {"hint": args})(
        lambda n: n
    )
    assert await bench.run("a", {"n": "x"}) == Output({"hint": {"n": "x"}})
    assert await bench.run("a", {"n": 1}) == Output(1)


# guard


async def test_the_tools_own_check_goes_before_everything_else_and_changes_nothing(bench):
    asked = []

    def only_https(url):
        if not url.startswith("https:"):
            raise ToolError(f"{url} is not allowed: only https")

    @bench.toolkit.tool("open", validate=only_https, requires_confirmation=True)
    def open_(url: str) -> str:
        return url

    bench.engine.subscribe(lambda _: asked.extend(bench.engine.confirmations))
    outcome = await bench.run("open", {"url": "javascript:alert(1)"})
    assert outcome == Failure("javascript:alert(1) is not allowed: only https")
    assert asked == []


async def test_legitimate_text_is_never_altered(bench):
    bench.toolkit.tool("echo")(lambda text: text)
    text = "onion = 3, condition=new, <script>alert(1)</script>, javascript: pros, ../b"
    assert await bench.run("echo", {"text": text}) == Output(text)


async def test_an_async_check(bench):
    async def never(n):
        raise ToolError("no")

    echo(bench, validate=never)
    assert await bench.run("echo", {"n": 1}) == Failure("no")


# run


async def test_sync_async_and_awaitable_results(bench):
    future = asyncio.get_running_loop().create_future()
    future.set_result("future")

    @bench.toolkit.tool("async")
    async def run() -> str:
        return "async"

    bench.toolkit.tool("future")(lambda: future)
    assert await bench.run("async") == Output("async")
    assert await bench.run("future") == Output("future")


async def test_dates_enums_and_models_arrive_converted(bench):
    import datetime as dt
    import enum

    class Status(enum.Enum):
        OPEN = "open"

    class Item(BaseModel):
        name: str

    @bench.toolkit.tool("a")
    def run(day: dt.date, status: Status, items: list[Item]) -> dict:
        return {"year": day.year, "open": status is Status.OPEN, "item": items[0]}

    outcome = await bench.run(
        "a", {"day": "2026-01-31", "status": "open", "items": [{"name": "x"}]}
    )
    assert outcome == Output({"year": 2026, "open": True, "item": {"name": "x"}})


async def test_a_tool_error_is_the_models_to_read(bench):
    @bench.toolkit.tool("a")
    def run() -> None:
        raise ToolError("The order is shipped already; ask for a refund instead.")

    assert await bench.run("a") == Failure(
        "The order is shipped already; ask for a refund instead."
    )
    assert "traceback" not in bench.record()
    assert bench.reports == []


async def test_any_other_error_is_short_for_the_model_and_long_for_the_author(bench):
    @bench.toolkit.tool("a")
    def run() -> None:
        raise ValueError("no such row")

    assert await bench.run("a") == Failure("ValueError: no such row")
    trace = bench.record()["traceback"]
    assert "test_pipeline.py" in trace
    assert 'pipeline.py", line' in trace
    assert "pagehand/engine" not in trace
    assert bench.reports == [f"a failed\n{trace}"]


async def test_an_error_without_words(bench):
    @bench.toolkit.tool("a")
    def run() -> None:
        raise KeyError

    assert await bench.run("a") == Failure("KeyError")


@pytest.mark.parametrize(
    ("error", "text"),
    [(SystemExit(3), "SystemExit: 3"), (KeyboardInterrupt(), "KeyboardInterrupt")],
)
async def test_a_tool_that_exits_ends_its_call_and_nothing_else(bench, error, text):
    @bench.toolkit.tool("a")
    def run() -> None:
        raise error

    assert await bench.run("a") == Failure(text)


async def test_an_error_that_cannot_say_what_it_is(bench):
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    @bench.toolkit.tool("a")
    def run() -> None:
        raise MuteError

    assert await bench.run("a") == Failure("MuteError: <exception str() failed>")


async def test_generators_give_preliminary_results_and_the_last_is_the_result(bench):
    @bench.toolkit.tool("count")
    async def count(n: int):
        for done in range(n):
            yield {"done": done}

    tool_call_id = bench.start("count", {"n": 3})
    await turns()
    assert bench.sink.shown == [(tool_call_id, {"done": n}) for n in range(3)]
    assert bench.sink.outcomes[tool_call_id] == Output({"done": 2})


async def test_a_sync_generator_may_return_its_result(bench):
    @bench.toolkit.tool("count")
    def count():
        yield "half"
        return "whole"

    tool_call_id = bench.start("count")
    await turns()
    assert bench.sink.shown == [(tool_call_id, "half")]
    assert bench.sink.outcomes[tool_call_id] == Output("whole")


async def test_progress_is_shown_until_the_end(bench):
    gate = asyncio.Event()
    kept = []

    @bench.toolkit.tool("work")
    async def work(ctx: ToolContext) -> str:
        kept.append(ctx)
        ctx.progress({"percent": 50})
        await gate.wait()
        return "done"

    tool_call_id = bench.start("work")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert (handle.result, handle.is_preliminary, handle.status) == (
        {"percent": 50},
        True,
        "running",
    )
    gate.set()
    await turns()
    kept[0].progress("late")
    assert bench.sink.shown == [(tool_call_id, {"percent": 50})]
    assert (handle.result, handle.is_preliminary) == ("done", False)


async def test_the_context_knows_its_call(bench):
    seen = {}

    @bench.toolkit.tool("a")
    def run(ctx: ToolContext) -> None:
        seen.update(
            id=ctx.tool_call_id, name=ctx.tool_name, messages=ctx.messages, aborted=ctx.aborted
        )

    await bench.run("a", tool_call_id="x1", messages=[{"id": "m", "role": "user"}])
    assert seen == {
        "id": "x1",
        "name": "a",
        "messages": [{"id": "m", "role": "user"}],
        "aborted": False,
    }


async def test_page_tools_run_one_after_another_in_document_order(bench):
    events = []

    @bench.toolkit.tool("fill", category="form")
    async def fill(n: int) -> None:
        events.append(f"start {n}")
        await asyncio.sleep(0)
        events.append(f"end {n}")

    for n in (1, 2, 3):
        bench.start("fill", {"n": n})
    await turns(40)
    assert events == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]


async def test_a_failed_page_tool_does_not_hold_up_the_next(bench):
    @bench.toolkit.tool("fill", category="form")
    async def fill(n: int) -> int:
        if n == 1:
            raise ToolError("no such field")
        return n

    bench.start("fill", {"n": "wrong"})
    bench.start("fill", {"n": 1})
    last = bench.start("fill", {"n": 2})
    await turns()
    assert bench.sink.outcomes[last] == Output(2)


# settle


async def test_what_cannot_travel_is_an_error_with_its_place(bench):
    bench.toolkit.tool("a")(lambda: {"rows": [{"price": float("nan")}]})
    assert await bench.run("a") == Failure("result.rows[0].price: nan is not a JSON number")


async def test_a_result_that_is_too_long_says_what_to_do(bench):
    bench.toolkit.configure(longest_result=10)
    bench.toolkit.tool("a")(lambda: "x" * 50)
    assert (await bench.run("a")).error_text == (
        "The result of 'a' has 52 characters, more than the 10 that may be sent. "
        "Ask for less: a filter, a page."
    )


async def test_what_the_model_reads_may_differ_from_what_is_shown(bench):
    bench.toolkit.tool("a", to_model_output=lambda rows: f"{len(rows)} rows")(lambda: [1, 2, 3])
    tool_call_id = bench.start("a")
    await turns()
    outcome = bench.sink.outcomes[tool_call_id]
    assert (outcome.value, outcome.raw) == ("3 rows", [1, 2, 3])
    assert bench.engine.handle(tool_call_id).result == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\n\nb"),
        (
            [
                {"type": "text", "text": "a"},
                {"type": "file", "data": "QQ==", "mediaType": "image/png"},
            ],
            {
                "type": "content",
                "value": [
                    {"type": "text", "text": "a"},
                    {"type": "file", "data": "QQ==", "mediaType": "image/png"},
                ],
            },
        ),
        ([1, 2], [1, 2]),
    ],
)
async def test_texts_and_files_for_the_model(bench, content, sent):
    bench.toolkit.tool("a", to_model_output=lambda result: content)(lambda: "raw")
    assert (await bench.run("a")).value == sent


async def test_a_broken_to_model_output_sends_the_result_itself(bench):
    def broken(result):
        raise RuntimeError("oops")

    bench.toolkit.tool("a", to_model_output=broken)(lambda: [1])
    assert await bench.run("a") == Output([1])
    assert bench.reports == ["to_model_output of a failed: oops"]


async def test_a_tool_response_says_more(bench):
    bench.toolkit.tool("good")(
        lambda: ToolResponse([1, 2], artifact={"chart": 1}, model_content="two rows")
    )
    bench.toolkit.tool("bad")(lambda: ToolResponse({"code": 7}, is_error=True))
    tool_call_id = bench.start("good")
    await turns()
    outcome = bench.sink.outcomes[tool_call_id]
    assert (outcome.value, outcome.raw, outcome.artifact) == ("two rows", [1, 2], {"chart": 1})
    assert bench.engine.handle(tool_call_id).artifact == {"chart": 1}
    assert await bench.run("bad") == Failure('{"code":7}')


async def test_secrets_are_masked_before_they_leave(bench):
    bench.toolkit.tool("a")(lambda: {"user": "ada", "access_token": "s3cr3t-value"})
    tool_call_id = bench.start("a")
    await turns()
    expected = {"user": "ada", "access_token": "[masked access_token]"}
    assert bench.sink.outcomes[tool_call_id] == Output(expected)
    assert bench.engine.handle(tool_call_id).result == expected
    assert bench.record()["masked"] == 1
    assert "s3cr3t" not in str(bench.record())


async def test_masking_is_a_setting_of_the_tool_and_of_the_engine():
    secret = {"password": "hunter22"}
    bench = Bench()
    bench.toolkit.tool("a", mask=False)(lambda: secret)
    assert await bench.run("a") == Output(secret)
    assert "hunter22" not in str(bench.record()), "the log masks always"
    bench = Bench(mask_secrets=False)
    bench.toolkit.tool("a")(lambda: secret)
    assert await bench.run("a") == Output(secret)


async def test_secrets_in_errors_and_progress_are_masked_too(bench):
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk"

    @bench.toolkit.tool("a")
    def run(ctx: ToolContext) -> None:
        ctx.progress({"seen": token})
        raise ToolError(f"refused: {token}")

    outcome = await bench.run("a")
    assert outcome == Failure("refused: [masked jwt]")
    assert bench.sink.shown[0][1] == {"seen": "[masked jwt]"}


async def test_a_wrong_definition_found_late_is_reported_to_the_author(bench):
    def run(n: int) -> int:
        return n

    bench.toolkit.tool("a")(run)

    def broken():
        raise bench.toolkit.get("a").problem("cannot")

    bench.toolkit.get("a")._parameters = None
    run.__annotations__["n"] = "Nowhere"
    outcome = await bench.run("a", {"n": 1})
    assert outcome == Failure("'a' is defined wrongly on this page.")
    assert "Nowhere" in bench.reports[0]
