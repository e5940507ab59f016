"""The order of the stages, and what is said when there is nothing to trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit import api
from graphaudit.errors import NoEntries, PathError
from graphaudit.model import (
    DEEPEST,
    EntryPoint,
    Environment,
    FullgraphVerdict,
    Report,
    Setting,
    Trace,
)
from graphaudit.selection import KeywordError
from graphaudit.trace import How, Places, Progress, Traces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

AUDIT = "def audit_prefill():\n    return len, ('',)\n\ndef audit_kda():\n    return len, ('',)\n"


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put a stage in the place of the children; gives the ids that it was asked for."""
    asked: list[str] = []

    def trace(
        entries: Sequence[EntryPoint],
        how: How,
        *,
        jobs: int,
        settings: Sequence[Setting],
        on_progress: Callable[[Progress], None],
    ) -> Traces:
        assert (jobs, how.timeout_s, how.depth, how.roots) == (2, 5.0, DEEPEST, ())
        assert settings == (Setting(),)
        asked.extend(entry.id for entry in entries)
        for entry in entries:
            on_progress(Progress(entry=entry.id, state="done", total=2))
        return Traces(
            environment=Environment(torch="2.13.0", python="3.11.7", graphaudit="0.1.0"),
            traces=tuple(
                Trace(entry=entry, platform="cpu", fullgraph=FullgraphVerdict(ok=True), graphs=1)
                for entry in entries
            ),
            places=Places(root=str(how.root)),
            platforms=("cpu",),
            notes=("engine/audit.py::audit_musa is not for cpu: not traced",),
        )

    monkeypatch.setattr("graphaudit.trace.trace", trace)
    return asked


def scan(root: Path, *paths: str, keyword: str | None = None) -> Report:
    """Scan with the arguments that these tests do not vary."""
    return api.scan(
        paths, root=root, keyword=keyword, jobs=2, timeout_s=5.0, on_progress=lambda _: None
    )


def test_scan(tmp_path: Path, traced: list[str]) -> None:
    """Entries are found, traced and reported with what the run looked at."""
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "audit.py").write_text(AUDIT)
    report = scan(tmp_path, "engine", str(tmp_path / "engine"))
    assert traced == ["engine/audit.py::audit_prefill", "engine/audit.py::audit_kda"]
    assert [entry.id for entry in report.entries] == traced
    assert {entry.outcome for entry in report.entries} == {"clean"}
    assert report.environment.torch == "2.13.0"
    assert report.scope.paths == ("engine",)
    assert report.scope.entries == (
        "engine/audit.py::audit_kda",
        "engine/audit.py::audit_prefill",
    )
    assert report.notes == ("engine/audit.py::audit_musa is not for cpu: not traced",)


def test_keyword_traces_less_and_hides_nothing(tmp_path: Path, traced: list[str]) -> None:
    """With `-k` one entry is traced, but the scope names all: no baseline line goes stale by it."""
    (tmp_path / "audit.py").write_text(AUDIT)
    report = scan(tmp_path, ".", keyword="kda")
    assert traced == ["audit.py::audit_kda"]
    assert report.scope.paths == (".",)
    assert report.scope.entries == ("audit.py::audit_kda", "audit.py::audit_prefill")


def test_keyword_leaves_out_unreadable_entries(tmp_path: Path, traced: list[str]) -> None:
    """An entry in a file that cannot be parsed is an error, but only where it is selected."""
    (tmp_path / "audit.py").write_text(AUDIT)
    (tmp_path / "bad.py").write_text("def audit_bad():\n    return (\n")
    assert [entry.outcome for entry in scan(tmp_path, ".").entries] == ["clean", "clean", "error"]
    assert [entry.id for entry in scan(tmp_path, ".", keyword="kda").entries] == [
        "audit.py::audit_kda"
    ]
    assert [entry.id for entry in scan(tmp_path, ".", keyword="bad").entries] == [
        "bad.py::audit_bad"
    ]
    assert "bad.py::audit_bad" not in traced


@pytest.mark.usefixtures("traced")
def test_no_entry(tmp_path: Path) -> None:
    """Without an entry the message has an example that can be copied, and the places for one."""
    (tmp_path / "model.py").write_text("import torch\n\n@torch.compile\ndef f(x):\n    return x\n")
    with pytest.raises(NoEntries) as refused:
        scan(tmp_path, ".")
    message = str(refused.value)
    assert message.startswith("no entry point in .: ")
    assert "These places could have one:\n    model.py:3: " in message
    lines = message.splitlines()
    example = lines[lines.index("    import torch") : lines.index("    def audit_forward():") + 2]
    compile("\n".join(line.removeprefix("    ") for line in example), "example", "exec")


@pytest.mark.usefixtures("traced")
def test_what_was_not_read_is_no_place_for_an_entry(tmp_path: Path) -> None:
    """It stands under a heading of its own."""
    (tmp_path / "bad.py").write_text("import torch\ntorch.compile(\n")
    with pytest.raises(NoEntries) as refused:
        scan(tmp_path, ".")
    message = str(refused.value)
    assert "These could not be looked at:\n    bad.py:2: not read: SyntaxError: " in message
    assert "These places could have one" not in message


@pytest.mark.usefixtures("traced")
def test_many_uncovered_places_are_counted(tmp_path: Path) -> None:
    """Ten places are listed, and how many more there are."""
    sites = "".join(f"@torch.compile\ndef f{number}(x):\n    return x\n" for number in range(14))
    (tmp_path / "model.py").write_text(f"import torch\n{sites}")
    with pytest.raises(NoEntries, match=r"\n    and 4 more$"):
        scan(tmp_path, ".")


@pytest.mark.usefixtures("traced")
def test_keyword_that_selects_nothing(tmp_path: Path) -> None:
    """The ids that there are stand in the message."""
    (tmp_path / "audit.py").write_text(AUDIT)
    with pytest.raises(NoEntries) as refused:
        scan(tmp_path, ".", keyword="qsa")
    assert str(refused.value) == (
        "-k 'qsa' selects no entry.\n"
        "The entries are:\n"
        "    audit.py::audit_kda\n"
        "    audit.py::audit_prefill"
    )


def test_bad_keyword_is_refused_before_the_scan(tmp_path: Path, traced: list[str]) -> None:
    """A malformed expression costs no trace."""
    with pytest.raises(KeywordError):
        scan(tmp_path, ".", keyword="(")
    assert traced == []


@pytest.mark.usefixtures("traced")
def test_path_that_is_not_there(tmp_path: Path) -> None:
    """A path that does not exist is an error, not an empty scan."""
    with pytest.raises(PathError, match="nowhere"):
        scan(tmp_path, "nowhere")
