"""Targets that crash, hang, leave, print and lie: nothing is lost, nothing outlives the scan."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = Path(__file__).parent / "cases" / "hostile"
GRAPHAUDIT = [sys.executable, "-m", "graphaudit"]
MARK = f"GRAPHAUDIT_TEST_RUN={uuid.uuid4()}"
ENVIRONMENT = {**os.environ, **dict([MARK.split("=")])}

OUTCOMES = {
    "audit_good_1": ("clean", ""),
    "audit_call_raises": ("error", "audit_call_raises: ValueError: wrong on purpose"),
    "audit_factory_raises": ("error", "audit_factory_raises raised RuntimeError: no weights here"),
    "audit_sys_exit": ("error", "audit_sys_exit: SystemExit: 3"),
    "audit_sys_exit_in_factory": ("error", "SystemExit: not today"),
    "audit_os_exit": ("crashed", "tracing audit_os_exit: the process ended with exit code 3"),
    "audit_good_2": ("clean", ""),
    "audit_segfault": ("crashed", "tracing audit_segfault: the process was ended by SIGSEGV"),
    "audit_hangs": ("timeout", "audit_hangs was not traced within"),
    "audit_prints_10_mb": ("breaks", ""),
    "audit_nonsense": ("error", "audit_nonsense: it returned 42: expected (callable, args)"),
    "audit_closes_everything": ("clean", ""),
    "audit_forks": ("clean", ""),
    "audit_leaves_a_daemon": ("clean", ""),
    "audit_prints_and_exits": (
        "crashed",
        "the process ended with exit code 4: ValueError: the last word",
    ),
    "audit_says_too_much": ("error", "characters ...]"),
    "audit_unspeakable": ("error", "Unspeakable: <its __str__ raised ValueError>"),
    "audit_meddles": ("clean", ""),
    "audit_changes_the_folder": ("clean", ""),
    "audit_leaves_in_a_further_trace": ("breaks", ""),
    "audit_hangs_in_a_further_trace": ("breaks", ""),
    "audit_hangs_beside_a_clean_one[0]": ("clean", ""),
    "audit_hangs_beside_a_clean_one[1]": ("breaks", ""),
    "audit_good_3": ("clean", ""),
    "audit_never": ("error", "No module named 'no_such_package_anywhere'"),
    "audit_half_written": ("error", "SyntaxError"),
    "audit_fine": ("clean", ""),
}


def scan(*arguments: str, cwd: Path = HOSTILE) -> subprocess.CompletedProcess[str]:
    """Run a scan to its end."""
    return subprocess.run(
        [*GRAPHAUDIT, "scan", *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Scan the hostile folder once."""
    output = tmp_path_factory.mktemp("hostile") / "report.json"
    before = tree(HOSTILE)
    arguments = [".", "--timeout", "20", "--output-format", "json", "--output", str(output)]
    with core_files_allowed():
        done = scan(*arguments)
    assert done.returncode == 3, done.stderr
    assert tree(HOSTILE) == before
    assert leftovers() == []
    loaded: dict[str, Any] = json.loads(output.read_bytes())
    return loaded


@contextmanager
def core_files_allowed() -> Iterator[None]:
    """Let a crash write its memory to a file, as some machines do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def tree(folder: Path) -> list[str]:
    """List every file below a folder."""
    return sorted(str(path) for path in folder.rglob("*"))


def leftovers() -> list[str]:
    """List processes that a scan of this test run started, by a variable that they inherit."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            marked = MARK.encode() in (path / "environ").read_bytes()
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it ended while we looked
            continue
        if marked and command:
            found.append(command)
    return found


def test_every_entry_has_its_outcome(report: dict[str, Any]) -> None:
    """Bad ones with a message that names them, good ones as if they were alone."""
    got = {entry["id"].partition("::")[2]: entry for entry in report["entries"]}

    assert len(report["entries"]) == len(got)
    assert set(got) == {*OUTCOMES, "audit_recurses"}
    for name, (outcome, message) in OUTCOMES.items():
        assert got[name]["outcome"] == outcome, (name, got[name])
        assert message in got[name]["message"]
        assert len(got[name]["message"]) < 3_000
    # how deep the stack is before C gives up differs between interpreters
    assert got["audit_recurses"]["outcome"] in ("error", "crashed")
    assert "audit_recurses" in got["audit_recurses"]["message"]


def test_a_crash_names_the_place(report: dict[str, Any]) -> None:
    """The stack at the moment of the signal."""
    (message,) = [one["message"] for one in report["entries"] if "segfault" in one["id"]]

    assert message.endswith("SIGSEGV (bad.py:29)")


@pytest.mark.parametrize("name", ["audit_hangs", "audit_segfault"])
def test_what_fullgraph_showed_outlives_the_default_trace(
    report: dict[str, Any], name: str
) -> None:
    """The pass raises at the break, before the entry does what ends its process."""
    ident = f"bad.py::{name}"
    (entry,) = [one for one in report["entries"] if one["id"] == ident]
    found = [one for one in report["findings"] if one["entry"] == ident]

    assert entry["fullgraph"]["ok"] is False
    assert [(one["verdict"], one["effect"]) for one in found] == [("fullgraph", "not_compiled")]
    assert (found[0]["line"], found[0]["gb"]) == (
        entry["fullgraph"]["line"],
        entry["fullgraph"]["gb"],
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("leaves", "see-through failed: the process ended with exit code 5"),
        ("hangs", "see-through did not end within 20 s"),
    ],
)
def test_what_stock_showed_outlives_see_through(
    report: dict[str, Any], name: str, why: str
) -> None:
    """The list is there, and says that it may not be all."""
    ident = f"bad.py::audit_{name}_in_a_further_trace"
    (entry,) = [one for one in report["entries"] if one["id"] == ident]
    found = [one for one in report["findings"] if one["entry"] == ident]

    assert (entry["complete"], entry["graphs"]) == (False, 1)
    assert entry["stopped_at"]["why"].startswith(why)
    assert [(one["gb"], one["effect"], one["seen_by"]) for one in found] == [
        ("GB0025", "resumes", "trace")
    ]


def test_what_needed_no_see_through_lacks_nothing(report: dict[str, Any]) -> None:
    """One callable of a factory hangs behind its break; the other has none."""
    name = "bad.py::audit_hangs_beside_a_clean_one"
    complete = {one["id"]: one["complete"] for one in report["entries"] if name in one["id"]}

    assert complete == {f"{name}[0]": None, f"{name}[1]": False}


def test_nothing_of_this_machine_is_in_a_message(report: dict[str, Any]) -> None:
    """Reports are compared between clones."""
    assert str(HOSTILE) not in json.dumps(report)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_an_interrupt_leaves_nothing(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """No process and no half-written file."""
    output = tmp_path / "report.json"
    arguments = ["scan", ".", "-k", "hangs", "--output-format", "json", "--output", str(output)]
    process = subprocess.Popen(
        [*GRAPHAUDIT, *arguments],
        cwd=HOSTILE,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for_sleep()
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == code, errors
    assert list(tmp_path.iterdir()) == []
    assert leftovers() == []
    assert b"Traceback" not in errors


def test_children_die_with_a_killed_scan() -> None:
    """Even when it cannot clean up."""
    process = subprocess.Popen(
        [*GRAPHAUDIT, "scan", ".", "-k", "hangs"],
        cwd=HOSTILE,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_sleep()
    process.kill()
    process.wait()

    deadline = time.monotonic() + 30
    while leftovers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert leftovers() == []


def wait_for_sleep() -> None:
    """Wait until the hanging entry has started its own child."""
    deadline = time.monotonic() + 120
    while not any(command.startswith("sleep") for command in leftovers()):
        assert time.monotonic() < deadline, "the entry never hung"
        time.sleep(0.05)


def test_a_python_without_torch_says_what_to_install(tmp_path: Path) -> None:
    """It is one message, not one for each entry."""
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')\n")
    (tmp_path / "audit.py").write_text("def audit_x():\n    return abs, (1,)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [*GRAPHAUDIT, "scan", "audit.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "torch cannot be imported" in done.stderr
    assert "pip install 'graphaudit[torch]'" in done.stderr
