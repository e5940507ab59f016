"""The progress line: only on a terminal, never wider than it, gone at the end."""

from __future__ import annotations

import io

import pytest

from graphaudit import progress
from graphaudit.trace import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be at an ordinary terminal of 30 columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.delenv("CI", raising=False)


def drawn(stream: io.StringIO) -> str:
    """Show three progresses on `stream`."""
    with progress.shown(stream) as on_progress:
        on_progress(Progress(entry="a.py", state="import", total=2))
        on_progress(Progress(entry="a.py::audit_\x1b[31m_long_name", state="trace", total=2))
        on_progress(Progress(entry="a.py::audit_a", state="done", total=2))
    return stream.getvalue()


def test_line_on_a_terminal() -> None:
    """Each progress replaces the last, cut before the edge; in the end there is none."""
    assert drawn(Terminal()).split("\r\x1b[2K") == [
        "",
        "0/2  import  a.py",
        "0/2  trace   a.py::audit_\\x1b",
        "1/2  done    a.py::audit_a",
        "",
    ]


def test_nothing_in_a_pipe() -> None:
    """A stream that is no terminal gets nothing."""
    assert drawn(io.StringIO()) == ""


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_nothing_where_nobody_watches(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """A terminal of a CI machine, or one that cannot rewrite a line, gets nothing."""
    monkeypatch.setenv(name, value)
    assert drawn(Terminal()) == ""


def test_cleared_after_an_interrupt() -> None:
    """The line is gone also when the scan does not end well."""
    stream = Terminal()

    def interrupted() -> None:
        with progress.shown(stream) as on_progress:
            on_progress(Progress(entry="a.py", state="import", total=2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stream.getvalue().endswith("\r\x1b[2K")
