import pytest

from engine.helpers import Bench, turns
from pagehand.chat.gates import state_of


class Part:
    """A message's tool part, as the chat has it."""

    suspension = ran = None
    card = {}  # noqa: RUF012

    @property
    def question(self):
        return self.approval

    @property
    def gate(self):
        return state_of(self.approval)

    def __init__(self, state, **fields):
        self.tool_call_id = "c1"
        self.tool_name = "search"
        self.state = state
        self.input = fields.get("input")
        self.args_text = fields.get("args_text", "")
        self.output = fields.get("output")
        self.error_text = fields.get("error_text")
        self.approval = fields.get("approval")
        self.preliminary = fields.get("preliminary")


@pytest.fixture
def bench():
    return Bench()


@pytest.mark.parametrize(
    ("state", "fields", "status", "is_error"),
    [
        ("input-streaming", {"input": {"q": "a"}}, "running", False),
        ("input-available", {"input": {}}, "running", False),
        ("approval-requested", {"approval": {"id": "ap"}}, "requires-action", False),
        ("approval-responded", {"approval": {"id": "ap", "approved": True}}, "running", False),
        ("output-available", {"output": 0}, "complete", False),
        ("output-available", {"output": 0, "preliminary": True}, "running", False),
        ("output-error", {"error_text": "no"}, "complete", True),
        ("output-denied", {}, "complete", True),
    ],
)
def test_a_part_is_shown_as_it_is(bench, state, fields, status, is_error):
    handle = bench.engine.show(Part(state, **fields))
    assert (handle.state, handle.status, handle.is_error) == (state, status, is_error)
    assert handle.result == fields.get("output")
    assert handle.args == (fields.get("input") or {})


def test_one_handle_for_one_call_and_revisions_only_for_changes(bench):
    handle = bench.engine.show(Part("input-streaming", args_text='{"q'))
    revision = handle.revision
    assert bench.engine.show(Part("input-streaming", args_text='{"q')) is handle
    assert handle.revision == revision
    bench.engine.show(Part("input-available", input={"q": 1}, args_text='{"q":1}'))
    assert handle.revision == revision + 1
    assert bench.engine.handle("c1") is handle


async def test_a_call_that_runs_here_knows_better_than_its_part(bench):
    bench.toolkit.tool("search")(lambda: "found")
    streaming = bench.engine.show(Part("input-streaming"))
    bench.start("search", {}, tool_call_id="c1")
    await turns()
    handle = bench.engine.show(Part("input-available"))
    assert handle is streaming
    assert (handle.state, handle.result) == ("output-available", "found")


def test_a_server_call_is_not_answered_here(bench):
    handle = bench.engine.show(Part("input-available"))
    assert not handle.add_result(1)
    assert not handle.add_error("no")
    assert not handle.resume()


def test_the_answer_to_a_gate_is_passed_on(bench):
    passed = []
    bench.engine.respond_port = lambda *answer: passed.append(answer)
    handle = bench.engine.show(Part("approval-requested", approval={"id": "ap"}))
    handle.respond_to_approval(False, reason="too risky", option_id="no")
    assert passed == [("c1", {"approved": False, "reason": "too risky", "optionId": "no"})]


def test_a_gate_that_is_not_open_takes_no_answer(bench):
    bench.engine.respond_port = lambda *answer: pytest.fail("must not be called")
    handle = bench.engine.show(Part("approval-responded", approval={"id": "ap", "approved": True}))
    with pytest.raises(LookupError, match="no approval gate is open"):
        handle.respond_to_approval(True)


async def test_times_are_kept(bench):
    bench.toolkit.tool("search")(lambda: bench.clock.advance(2))
    tool_call_id = bench.start("search")
    await turns()
    handle = bench.engine.handle(tool_call_id)
    assert handle.ended_at - handle.started_at == 2


class Pause:
    """A server's suspended run, as the chat has it."""

    def __init__(self):
        self.approval = False
        self.payload = {"question": "Which city?"}
        self.schema = {"type": "object"}


def test_a_suspended_run_is_answered_like_a_question_of_ours(bench):
    passed = []
    bench.engine.resume_port = lambda *answer: passed.append(answer)
    part = Part("input-available")
    part.suspension, part.asks_person = Pause(), True
    handle = bench.engine.show(part)
    assert handle.interrupt == {
        "type": "suspend",
        "payload": {"question": "Which city?"},
        "schema": {"type": "object"},
    }
    assert handle.resume({"city": "Oslo"})
    assert passed == [("c1", {"city": "Oslo"})]
    part.asks_person = False
    assert not bench.engine.show(part).resume({"city": "Rome"})
    assert len(passed) == 1
