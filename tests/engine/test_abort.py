from pagehand.engine.abort import Abort


def test_an_abort_turns_once():
    abort = Abort()
    calls: list[str] = []
    abort.on_abort(lambda: calls.append("a"))
    undo = abort.on_abort(lambda: calls.append("b"))
    undo()
    undo()
    abort.abort("because")
    abort.abort("again")
    assert calls == ["a"]
    assert (abort.aborted, abort.reason) == (True, "because")
    abort.on_abort(lambda: calls.append("late"))
    assert calls == ["a", "late"]
