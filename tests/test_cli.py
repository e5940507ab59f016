"""The command line: exit codes, what goes where, and how errors are said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from graphaudit import api, reporters, trace
from graphaudit.cli import cli
from graphaudit.errors import NoEntries
from graphaudit.model import (
    DEEPEST,
    Depth,
    Entry,
    Environment,
    Finding,
    FullgraphVerdict,
    Outcome,
    Packages,
    Report,
    Scope,
)
from graphaudit.store import decode_baseline, decode_report, encode_report
from graphaudit.trace import Progress

STORED = Path(__file__).with_name("reporters") / "report.json"


def entry(outcome: Outcome, name: str = "audit_a") -> Entry:
    """Give an entry of `a.py`."""
    return Entry(
        id=f"a.py::{name}",
        path="a.py",
        line=1,
        platform="cpu",
        gate="fullgraph",
        outcome=outcome,
        message="",
        fullgraph=FullgraphVerdict(ok=outcome == "clean"),
        graphs=1,
    )


FINDING = Finding(
    rule="GA999",
    entry="a.py::audit_a",
    platform="cpu",
    input=0,
    verdict="default",
    gates=True,
    accepted=None,
    path="b.py",
    line=3,
    end_line=3,
    column=None,
    qualname="f",
    source="print(kv_cache[layer])",
    gb="GB0059",
    chain=("GB0059",),
    gb_type="print",
    effect="resumes",
    why="It prints.",
    fix="Do not.",
    who="you",
    count=1,
    fingerprint="f|print(kv_cache[layer])|GA999",
)


def report(*entries: Entry, findings: tuple[Finding, ...] = ()) -> Report:
    """Give a report of a scan of everything."""
    return Report(
        environment=Environment(torch="2.13.0", python="3.11.7", graphaudit="0.1.0"),
        entries=entries,
        findings=findings,
        scope=Scope(paths=(".",), entries=tuple(one.id for one in entries)),
    )


CLEAN = report(entry("clean"))
BREAKS = report(entry("breaks"), findings=(FINDING,))
BOTH = report(entry("timeout", "audit_b"), entry("breaks"), findings=(FINDING,))

Scans = Callable[[Report], dict[str, object]]


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, whatever the environment says of terminals."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Scans:
    """Let each scan find a report; gives the arguments that it was called with."""

    def set_up(found: Report) -> dict[str, object]:
        given: dict[str, object] = {}

        def scan(paths: tuple[str, ...], **arguments: object) -> Report:
            given.update(arguments, paths=paths)
            return found

        monkeypatch.setattr(api, "scan", scan)
        return given

    return set_up


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli, arguments, prog_name="graphaudit", input=stdin)


def baseline_of(found: Report, scans: Scans) -> None:
    """Write `base.json`, which accepts what `found` shows."""
    scans(found)
    result = run("scan", ".", "--baseline", "base.json", "--update-baseline", "--reason", "known")
    assert result.exit_code in (0, 3)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (CLEAN, 0),
        (BREAKS, 1),
        (report(entry("error")), 3),
        (report(entry("timeout")), 3),
        (report(entry("crashed")), 3),
        (BOTH, 3),
        (report(entry("clean"), findings=(replace(FINDING, gates=False),)), 0),
    ],
)
def test_scan_exit_code(found: Report, code: int, scans: Scans) -> None:
    """0 is clean, 1 new findings, 3 something that could not be traced, and 3 outranks 1."""
    scans(found)
    assert run("scan", ".").exit_code == code


@pytest.mark.parametrize(("found", "code"), [(CLEAN, 0), (BREAKS, 0), (BOTH, 3)])
def test_exit_zero_changes_1_alone(found: Report, code: int, scans: Scans) -> None:
    """`--exit-zero` does not hide what could not be traced."""
    scans(found)
    assert run("scan", ".", "--exit-zero").exit_code == code


def test_exit_zero_changes_no_usage_error() -> None:
    """A scan that cannot start exits with 2 whatever was asked for."""
    assert run("scan", "nowhere", "--exit-zero").exit_code == 2


def test_accepted_findings_are_clean(scans: Scans) -> None:
    """A baseline that accepts all makes the scan exit with 0 and show the reason."""
    baseline_of(BREAKS, scans)
    result = run("scan", ".", "--baseline", "base.json")
    assert result.exit_code == 0
    assert "known" in result.stdout
    assert result.stdout.endswith(
        "1 entry: 1 with breaks (accepted); 0 new findings, 0 stale lines\n"
    )


def test_stale_line_fails(scans: Scans) -> None:
    """A baseline line that nothing needs any more exits with 1, until it is taken out."""
    baseline_of(BREAKS, scans)
    scans(CLEAN)
    result = run("scan", ".", "--baseline", "base.json")
    assert result.exit_code == 1
    assert "stale baseline lines" in result.stdout
    again = run("scan", ".", "--baseline", "base.json", "--update-baseline")
    assert again.exit_code == 0
    assert "base.json: 0 accepted, 1 before" in again.stderr


def test_update_baseline_writes_reason(scans: Scans) -> None:
    """Lines that `--update-baseline` adds carry the reason; old lines keep theirs."""
    baseline_of(BREAKS, scans)
    more = replace(FINDING, fingerprint="other", line=9)
    scans(replace(BREAKS, findings=(FINDING, more)))
    run("scan", ".", "--baseline", "base.json", "--update-baseline")
    lines = decode_baseline(Path("base.json").read_bytes(), "base.json")
    assert {line.fingerprint: line.reason for line in lines} == {
        FINDING.fingerprint: "known",
        "other": "no reason given",
    }


def test_update_baseline_without_a_reason(scans: Scans) -> None:
    """How to give one is said, until there is one."""
    scans(BREAKS)
    arguments = ["scan", ".", "--baseline", "base.json", "--update-baseline"]
    hint = (
        "graphaudit: 1 of them without a reason: scan again with "
        '`--update-baseline --reason "..."` to say why, or write it into base.json\n'
    )
    assert hint in run(*arguments).stderr
    assert hint in run(*arguments).stderr
    assert "without a reason" not in run(*arguments, "--reason", "known").stderr
    assert "without a reason" not in run(*arguments).stderr


def test_update_baseline_does_not_hide_the_untraced(scans: Scans) -> None:
    """What could not be traced cannot be accepted by the way."""
    scans(BOTH)
    result = run("scan", ".", "--baseline", "base.json", "--update-baseline")
    assert result.exit_code == 3


@pytest.mark.parametrize("configured", [True, False])
def test_missing_baseline(configured: bool, scans: Scans) -> None:
    """A baseline that is not there is an error with the command that writes it, before tracing."""
    given = scans(CLEAN)
    arguments = [] if configured else ["--baseline", "base.json"]
    if configured:
        Path("pyproject.toml").write_text('[tool.graphaudit]\nbaseline = "base.json"\n')
    result = run("scan", ".", *arguments)
    assert result.exit_code == 2
    assert result.stderr == (
        "graphaudit: error: base.json: there is no such baseline; write it with "
        "graphaudit scan PATH... --baseline base.json --update-baseline\n"
    )
    assert given == {}
    assert run("scan", ".", *arguments, "--update-baseline").exit_code == 0
    assert Path("base.json").exists()
    assert run("scan", ".", *arguments).exit_code == 0


def test_broken_baseline(scans: Scans) -> None:
    """A baseline that cannot be read is an error, also for `--update-baseline`."""
    scans(CLEAN)
    Path("base.json").write_text("{")
    for more in ([], ["--update-baseline"]):
        result = run("scan", ".", "--baseline", "base.json", *more)
        assert result.exit_code == 2
        assert result.stderr.startswith("graphaudit: error: base.json: not JSON")
    assert Path("base.json").read_text() == "{"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scan"], "Missing argument 'PATH...'"),
        (["scan", "nowhere"], "'nowhere' does not exist"),
        (["scan", ".", "--output-format", "xml"], "'xml' is not one of 'table', 'json'"),
        (["scan", ".", "--jobs", "0"], "0 is not in the range x>=1"),
        (["scan", ".", "--timeout", "0"], "is not in the range x>0"),
        (["scan", ".", "--timeout", "nan"], "nan is no number of seconds"),
        (["scan", ".", "--timeout", "inf"], "inf is no number of seconds"),
        (["scan", ".", "--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["scan", ".", "--reason", "x"], "--reason is for what --update-baseline adds"),
        (["scan", ".", "--platform", ""], "'--platform': the name is empty"),
        (["scan", ".", "--stub", ""], "'--stub': the name is empty"),
        (["scan", ".", "--output", "no/such/r.json"], "there is no folder no/such"),
        (["gate", "nowhere.json"], "'nowhere.json' does not exist"),
        (["report", "."], "is a directory"),
        (["diff", "a.json"], "No such command 'diff'"),
        (["scan", ".", "--output", ""], "'--output': the name is empty"),
        (["scan", ".", "--baseline", ""], "'--baseline': the name is empty"),
        (
            ["scan", ".", "--baseline", "b.json", "--update-baseline", "--reason", ""],
            "'--reason': the reason is empty",
        ),
        (
            ["scan", ".", "--baseline", "b.json", "--update-baseline", "--reason", " "],
            "'--reason': the reason is empty",
        ),
        (["explain", ""], "The id is empty"),
        (["explain", " "], "The id is empty"),
        (["--platform"], "No such option '--platform'"),
        (["scan", "a.py::audit_a"], "'a.py' does not exist"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be done as asked exits with 2 before the scan, and says which part."""
    monkeypatch.setattr(api, "scan", None)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("graphaudit: error: ")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_help_after_a_usage_error() -> None:
    """The message names the command whose help would have said it."""
    assert run("gate", "--bogus").stderr == (
        "graphaudit: error: No such option '--bogus'.\n"
        "`graphaudit gate --help` shows what there is\n"
    )
    assert run("--bogus").stderr.endswith("\n`graphaudit --help` shows what there is\n")


def test_no_command() -> None:
    """Without a command there is the help, and the exit code of a usage error."""
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: graphaudit")


ENTRIES = """
def audit_x(): ...
def audit_x_more(): ...
def audit_y(): ...
"""


@pytest.mark.parametrize(
    ("names", "paths", "only"),
    [
        (["a.py::audit_y"], ["a.py"], ("a.py::audit_y",)),
        (["a b.py::audit_x"], ["a b.py"], ("a b.py::audit_x",)),
        (
            ["a.py::audit_y", "./a.py::audit_x"],
            ["a.py", "./a.py"],
            ("a.py::audit_y", "./a.py::audit_x"),
        ),
        (["a.py"], ["a.py"], ()),
    ],
)
def test_entries_by_name(
    names: list[str], paths: list[str], only: tuple[str, ...], scans: Scans
) -> None:
    """An entry is named as pytest names a test."""
    for name in ("a.py", "a b.py"):
        Path(name).write_text(ENTRIES)
    given = scans(CLEAN)
    assert run("scan", *names).exit_code == 0
    assert (list(given["paths"]), given["only"]) == (paths, only)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.py::audit_z"], "a.py has no entry audit_z; it has audit_x, audit_x_more, audit_y."),
        (["a.py::audit_x", "a b.py"], "Name entries (a.py::audit_x) or paths, not both"),
        (["a.py::audit_x", "-k", "x and"], "-k: expected"),
        (["a.py::audit_x", "-k", "more"], "-k 'more' selects no entry"),
    ],
)
def test_entries_that_cannot_be_named(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no entry of the file is refused before anything is traced."""
    monkeypatch.setattr(trace, "trace", None)
    for name in ("a.py", "a b.py"):
        Path(name).write_text(ENTRIES)
    result = run("scan", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_of_such_a_name_is_a_path(scans: Scans) -> None:
    """A path that exists is that path, whatever it looks like."""
    Path("a.py::audit_x").mkdir()
    given = scans(CLEAN)
    assert run("scan", "a.py::audit_x").exit_code == 0
    assert (given["paths"], given["only"]) == (("a.py::audit_x",), ())


def test_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to trace exits with 2, the message whole on standard error."""

    def scan(*_: object, **__: object) -> Report:
        raise NoEntries("nothing here\n\n    def audit_x(): \x1b[31m...")

    monkeypatch.setattr(api, "scan", scan)
    result = run("scan", ".")
    assert result.exit_code == 2
    assert result.stderr == ("graphaudit: error: nothing here\n\n    def audit_x(): \\x1b[31m...\n")
    assert result.stdout == ""


def test_bad_keyword() -> None:
    """A malformed `-k` is shown with its place."""
    result = run("scan", ".", "-k", "fp8 and")
    assert result.exit_code == 2
    assert result.stderr == (
        "graphaudit: error: -k: expected a part of an entry id, 'not' or '(', "
        "found the end at column 8\n    fp8 and\n           ^\n"
    )


def test_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception keeps its traceback and never exits with 1."""

    def scan(*_: object, **__: object) -> Report:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(api, "scan", scan)
    result = run("scan", ".")
    assert result.exit_code == 70
    assert "ZeroDivisionError: ours\n" in result.stderr
    assert "this is a bug in graphaudit" in result.stderr


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt exits with 130 and one line."""

    def scan(*_: object, **__: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "scan", scan)
    result = run("scan", ".")
    assert (result.exit_code, result.stderr) == (130, "graphaudit: interrupted\n")


def test_defaults(scans: Scans, tmp_path: Path) -> None:
    """Without configuration: 120 seconds, at least one child, no selection."""
    given = scans(CLEAN)
    Path("a").mkdir()
    run("scan", "a", ".")
    assert given.pop("jobs") in range(1, 9)
    assert callable(given.pop("on_progress"))
    assert (given.pop("keyword"), given.pop("only")) == (None, ())
    assert given == {
        "paths": ("a", "."),
        "root": tmp_path,
        "timeout_s": 120.0,
        "depth": DEEPEST,
        "platforms": (),
        "packages": Packages(),
        "roots": (),
    }


def test_surroundings(scans: Scans) -> None:
    """Platforms and packages are options that repeat, or lists of the configuration."""
    Path("pyproject.toml").write_text(
        '[tool.graphaudit]\nplatforms = ["hip"]\nwithout = ["a"]\nroots = ["lib"]\n'
    )
    given = scans(CLEAN)
    run("scan", ".", "--broken", "b", "--stub", "c", "--stub", "auto", "--stub", "d.e")
    assert given["packages"] == Packages(
        without=("a",), broken=("b",), stub=("c", "d.e"), auto=True
    )
    assert (given["platforms"], given["roots"]) == (("hip",), ("lib",))
    run("scan", ".", "--platform", "cuda:B200", "--platform", "musa", "--root", "other")
    assert (given["platforms"], given["roots"]) == (("cuda:B200", "musa"), ("other",))


def test_depth(scans: Scans) -> None:
    """Each step beyond stock Dynamo can be left out."""
    given = scans(CLEAN)
    run("scan", ".", "--no-see-through", "--no-confirm", "--no-coverage")
    assert given["depth"] == Depth(see_through=False, confirm=False, coverage=False)
    run("scan", ".", "--no-confirm")
    assert given["depth"] == Depth(confirm=False)


def test_configuration_is_between_command_line_and_default(scans: Scans) -> None:
    """The command line wins over `[tool.graphaudit]`, which wins over the default."""
    Path("pyproject.toml").write_text("[tool.graphaudit]\ntimeout = 7.5\njobs = 3\n")
    given = scans(CLEAN)
    run("scan", ".")
    assert (given["timeout_s"], given["jobs"]) == (7.5, 3)
    run("scan", ".", "--timeout", "2", "-j", "1", "-k", "fp8")
    assert (given["timeout_s"], given["jobs"], given["keyword"]) == (2.0, 1, "fp8")


def test_baseline_of_the_command_line_wins(scans: Scans) -> None:
    """A configured baseline that is not there is not looked for when another is named."""
    baseline_of(BREAKS, scans)
    Path("pyproject.toml").write_text('[tool.graphaudit]\nbaseline = "other.json"\n')
    assert run("scan", ".", "--baseline", "base.json").exit_code == 0
    assert run("scan", ".").exit_code == 2


def test_bad_configuration(scans: Scans) -> None:
    """An unknown key is an error for the commands that read it, not for help or manual pages."""
    Path("pyproject.toml").write_text("[tool.graphaudit]\nbasline = 1\n")
    scans(CLEAN)
    Path("r.json").write_bytes(encode_report(CLEAN))
    for arguments in (["scan", "."], ["gate", "r.json"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "unknown key 'basline'" in result.stderr
    assert run("scan", "--help").exit_code == 0
    assert run("report", "r.json").exit_code == 0


def test_json_on_standard_output(scans: Scans) -> None:
    """JSON alone goes to standard output, the summary to standard error."""
    scans(BREAKS)
    result = run("scan", ".", "--output-format", "json")
    assert json.loads(result.stdout)["findings"][0]["source"] == "print(kv_cache[layer])"
    assert result.stderr == "1 entry: 1 with breaks; 1 new finding, 0 stale lines\n"


def test_table_on_standard_output(scans: Scans) -> None:
    """The table has its summary, so standard error is silent."""
    scans(BREAKS)
    result = run("scan", ".")
    assert result.stdout.endswith(
        "1 entry: 1 with breaks; 1 new finding, 0 stale lines\n"
        '`graphaudit explain GA999` tells more; `--update-baseline --reason "..."` accepts what is '
        "known\n"
    )
    assert "print(kv_cache[layer])" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["table", "json"])
def test_output_file(name: str, scans: Scans) -> None:
    """With `--output` the file holds it all, and the summary still goes to standard error."""
    scans(BREAKS)
    result = run("scan", ".", "--output-format", name, "--output", "out.txt")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "1 entry: 1 with breaks; 1 new finding, 0 stale lines\n"
    assert Path("out.txt").read_text() == reporters.render(name, BREAKS)
    assert os.listdir() == ["out.txt"]  # noqa: PTH208 - names are what is asked


@pytest.mark.parametrize("more", [[], ["--update-baseline"]])
@pytest.mark.parametrize("output", ["base.json", "./base.json", "link.json", "hard.json"])
def test_output_is_not_the_baseline(output: str, more: list[str], scans: Scans) -> None:
    """A report in its place would lose every reason."""
    baseline_of(BREAKS, scans)
    before = Path("base.json").read_bytes()
    Path("link.json").symlink_to("base.json")
    Path("hard.json").hardlink_to("base.json")
    Path("pyproject.toml").write_text('[tool.graphaudit]\nbaseline = "base.json"\n')
    result = run("scan", ".", "--output-format", "json", "--output", output, *more)
    assert result.exit_code == 2
    assert f"--output {output} and --baseline base.json are one file" in result.stderr
    assert Path("base.json").read_bytes() == before


def test_output_is_not_the_baseline_that_is_made(scans: Scans) -> None:
    """Nor where neither is there yet."""
    scans(BREAKS)
    result = run("scan", ".", "--baseline", "b.json", "--update-baseline", "--output", "./b.json")
    assert result.exit_code == 2
    assert "--output ./b.json and --baseline b.json are one file" in result.stderr
    assert not Path("b.json").exists()


@pytest.mark.parametrize("output", ["model.py", "link.txt"])
@pytest.mark.parametrize("command", [["scan", "model.py"], ["report", str(STORED)]])
def test_output_is_no_source_file(command: list[str], output: str, scans: Scans) -> None:
    """A slip of the hand must not cost somebody's code."""
    scans(CLEAN)
    Path("model.py").write_text("def audit_a(): ...\n")
    Path("link.txt").symlink_to("model.py")
    result = run(*command, "--output", output)
    assert result.exit_code == 2
    assert f"--output {output} is Python code that is there already, and PATH..." in result.stderr
    assert Path("model.py").read_text() == "def audit_a(): ...\n"


def test_output_dash(scans: Scans) -> None:
    """`--output -` is standard output."""
    scans(CLEAN)
    assert run("scan", ".", "--output", "-").stdout == run("scan", ".").stdout


def test_lone_surrogates_are_written(scans: Scans) -> None:
    """A text that UTF-8 cannot hold ends no scan."""
    scans(report(entry("breaks"), findings=(replace(FINDING, source="x = '\udc80'"),)))
    for name in ("table", "json"):
        result = run("scan", ".", "--output-format", name)
        assert result.exit_code == 1
        assert "udc80" in result.stdout


def test_color_and_width_of_the_environment(scans: Scans, monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR colors a pipe, NO_COLOR wins over it, COLUMNS gives the width."""
    scans(BREAKS)
    assert "\x1b[" not in run("scan", ".").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31mNEW" in run("scan", ".").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("scan", ".").stdout
    monkeypatch.setenv("COLUMNS", "45")
    narrow = run("scan", ".").stdout
    assert max(map(len, narrow.splitlines())) <= 45


def test_gate(scans: Scans) -> None:
    """A stored report is gated without the tree: the exit codes are those of a scan."""
    Path("r.json").write_bytes(encode_report(BREAKS))
    assert run("gate", "r.json").exit_code == 1
    assert "GA999 [GB0059]" in run("gate", "r.json").stdout
    baseline_of(BREAKS, scans)
    accepted = run("gate", "r.json", "--baseline", "base.json")
    assert accepted.exit_code == 0
    assert accepted.stdout == (
        "torch 2.13.0, python 3.11.7, graphaudit 0.1.0\n"
        "1 entry: 1 with breaks (accepted); 0 new findings, 0 stale lines\n"
    )
    Path("r.json").write_bytes(encode_report(CLEAN))
    stale = run("gate", "r.json", "--baseline", "base.json")
    assert stale.exit_code == 1
    assert "stale baseline lines" in stale.stdout
    Path("r.json").write_bytes(encode_report(BOTH))
    assert run("gate", "r.json", "--baseline", "base.json").exit_code == 3


def test_gate_takes_the_configured_baseline(scans: Scans) -> None:
    """`gate` reads the baseline that a plain scan reads."""
    baseline_of(BREAKS, scans)
    Path("r.json").write_bytes(encode_report(BREAKS))
    Path("pyproject.toml").write_text('[tool.graphaudit]\nbaseline = "base.json"\n')
    assert run("gate", "r.json").exit_code == 0


def test_standard_input() -> None:
    """`-` reads the report from standard input."""
    stdin = encode_report(BREAKS)
    assert run("gate", "-", stdin=stdin).exit_code == 1
    assert run("report", "-", stdin=stdin).exit_code == 0
    broken = run("gate", "-", stdin="{")
    assert broken.exit_code == 2
    assert broken.stderr.startswith("graphaudit: error: standard input: not JSON")


def test_report() -> None:
    """A stored report is rendered again, byte for byte, whatever it found."""
    as_json = run("report", str(STORED), "--output-format", "json")
    assert as_json.exit_code == 0
    assert as_json.stdout == STORED.read_text()
    written = run("report", str(STORED), "--output-format", "json", "--output", "copy.json")
    assert written.exit_code == 0
    assert Path("copy.json").read_bytes() == STORED.read_bytes()
    table = run("report", str(STORED))
    assert table.stdout == reporters.render(
        "table", decode_report(STORED.read_bytes(), STORED.name)
    )


def test_version() -> None:
    """`--version` names tool and version."""
    assert run("--version").stdout == "graphaudit 0.1.0\n"


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn where standard error is no terminal."""

    def scan(*_: object, on_progress: Callable[[Progress], None], **__: object) -> Report:
        on_progress(Progress(entry="a.py::audit_a", state="trace", total=2))
        return CLEAN

    monkeypatch.setattr(api, "scan", scan)
    assert run("scan", ".").stderr == ""


SLEEPS = """
import sys, time
from graphaudit import api, cli
def scan(*_, **__):
    print("started", flush=True)
    time.sleep(60)
api.scan = scan
sys.argv = ["graphaudit", "scan", "."]
cli.main()
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals(number: signal.Signals, code: int) -> None:
    """A signal ends the scan as an interrupt does, with its own exit code."""
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(number)
        _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (code, "graphaudit: interrupted\n")


CLEANS_UP = """
import sys, time
from graphaudit import api, cli
def scan(*_, **__):
    try:
        print("started", flush=True)
        time.sleep(60)
    finally:
        print("cleaning", flush=True)
        sys.stdin.readline()
        print("clean", flush=True)
api.scan = scan
sys.argv = ["graphaudit", "scan", "."]
cli.main()
"""


def test_impatient_signals() -> None:
    """After the first signal others do not disturb the clean-up, nor change the exit code."""
    with subprocess.Popen(
        [sys.executable, "-c", CLEANS_UP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "cleaning\n"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            process.send_signal(number)
        stdout, stderr = process.communicate("\n", timeout=30)
    assert (process.returncode, stdout, stderr) == (130, "clean\n", "graphaudit: interrupted\n")


@pytest.mark.parametrize(
    ("command", "code", "stderr"),
    [
        ("gate r.json >&-", 1, ""),
        ("gate r.json >&- 2>&-", 1, ""),
        ("gate r.json <&- >/dev/null", 1, ""),
        ("gate - <&-", 2, "graphaudit: error: standard input: not JSON"),
    ],
)
def test_closed_streams(command: str, code: int, stderr: str) -> None:
    """A standard stream that the caller closed is an empty one, no bug of ours."""
    Path("r.json").write_bytes(encode_report(BREAKS))
    result = subprocess.run(
        ["/bin/sh", "-c", f'"{sys.executable}" -m graphaudit {command}'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == code
    assert result.stderr.startswith(stderr)
    assert bool(result.stderr) == bool(stderr)


def test_reader_that_closes_the_pipe() -> None:
    """A reader who has seen enough leaves the exit code as it is, and no traceback."""
    many = tuple(replace(FINDING, line=line, fingerprint=str(line)) for line in range(2_000))
    Path("r.json").write_bytes(encode_report(replace(BREAKS, findings=many)))
    with subprocess.Popen(
        [sys.executable, "-m", "graphaudit", "gate", "r.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "outcome   fullgraph=True  graphs  entry\n"
        process.stdout.close()
        stderr = process.stderr.read()
    assert (process.returncode, stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_full_disk() -> None:
    """Output that cannot be written is an error of one line, not exit code 0 or 1."""
    Path("r.json").write_bytes(encode_report(BREAKS))
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "graphaudit", "gate", "r.json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr == (
        "graphaudit: error: standard output cannot be written: No space left on device\n"
    )


@pytest.mark.parametrize("ident", ["GA001", "GB0069"])
def test_explain(ident: str) -> None:
    """A rule and one of Dynamo's ids have a page, which ends with one line end."""
    result = run("explain", ident)
    assert result.exit_code == 0
    assert "import" in result.stdout
    assert result.stdout == result.stdout.rstrip("\n") + "\n"


def test_explain_lists_all() -> None:
    """Without an id the pages that there are are listed."""
    result = run("explain")
    assert result.exit_code == 0
    assert "GA001" in result.stdout


def test_explain_unknown() -> None:
    """An id that has no page is a usage error which names it."""
    result = run("explain", "GA998")
    assert result.exit_code == 2
    assert result.stderr.startswith("graphaudit: error: ")
    assert "GA998" in result.stderr


def test_rules_have_their_names() -> None:
    """The table names a rule, where this version has it, beside its id."""
    text = run("report", str(STORED)).stdout
    assert "probes/eager.py:9:9  GA001 import_in_body [GB0069]" in text
