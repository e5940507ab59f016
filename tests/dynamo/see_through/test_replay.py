"""Steps done before a restart are given again, in order; no trace."""

from __future__ import annotations

from graphaudit._dynamo.see_through.replay import Done, Replay


def done(name: str, result: int = 0) -> Done:
    """Make a step."""
    return Done(key=(name,), result=result)


def test_given_again_after_a_rewind() -> None:
    """The same key twice is two steps."""
    replay = Replay()
    for step in (done("a", 1), done("b", 2), done("a", 3)):
        replay.add(step)

    replay.rewind()

    assert [replay.take((key,)) for key in "aba"] == [done("a", 1), done("b", 2), done("a", 3)]
    assert replay.take(("a",)) is None


def test_a_step_left_out() -> None:
    """A restarted pass may come by fewer steps."""
    replay = Replay()
    for step in (done("a", 1), done("b", 2), done("c", 3)):
        replay.add(step)

    replay.rewind()

    assert replay.take(("a",)) == done("a", 1)
    assert replay.take(("c",)) == done("c", 3)


def test_a_step_more() -> None:
    """It is put in where the pass stands, and what follows is still known."""
    replay = Replay()
    replay.add(done("a", 1))
    replay.add(done("b", 2))
    replay.rewind()

    assert replay.take(("new",)) is None
    replay.add(done("new", 9))

    assert replay.take(("a",)) == done("a", 1)
    assert replay.take(("b",)) == done("b", 2)
    assert len(replay) == 3


def test_clear() -> None:
    """Another frame has other steps."""
    replay = Replay()
    replay.add(done("a"))

    replay.clear()

    assert len(replay) == 0
    assert replay.take(("a",)) is None
