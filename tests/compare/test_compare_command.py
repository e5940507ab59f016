"""`graphaudit compare`, from the command line to the JSON: what is known of probes, bad pairs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "cases" / "pairs" / "hostile"
TABLE = ROOT / "tests" / "cases" / "pairs" / "ways_of_asking.py"


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run graphaudit to its end."""
    return subprocess.run(
        [sys.executable, "-m", "graphaudit", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def compared(*arguments: str, cwd: Path = ROOT, exits: int = 0) -> dict[str, Any]:
    """Compare, and read the JSON."""
    done = run("compare", *arguments, "--output-format", "json", cwd=cwd)
    assert done.returncode == exits, (done.returncode, done.stderr)
    comparison: dict[str, Any] = json.loads(done.stdout)
    return comparison


# Observed on torch 2.13 with torch.compile(f, backend="eager", fullgraph=True) alone. On each
# platform, by the state of torchada ("" where the pair does not depend on it): what the eager form
# answers, what stops fullgraph, and what its compiled code does after the pair's change.
EXPECTED: dict[str, dict[str, tuple[str, str, str]]] = {
    "is_musa": {
        "absent": ("False", "GB0069", "unchanged"),
        "broken": ("False", "GB0069", "unchanged"),
        "stubbed": ("False", "ok", "unchanged"),
        "musa absent": ("False", "GB0069", "cached"),
        "musa broken": ("False", "GB0069", "cached"),
        "musa present": ("True", "ok", "unchanged"),
    },
    "is_hip": {"": ("False", "ok", "ahead"), "hip ": ("True", "ok", "ahead")},
    "is_npu": {"": ("False", "ok", "cached"), "npu ": ("True", "ok", "unchanged")},
    "find_spec": {
        "absent": ("False", "ok", "stale"),
        "broken": ("True", "ok", "unchanged"),
        "stubbed": ("True", "ok", "unchanged"),
        "present": ("True", "ok", "unchanged"),
    },
    "sys_modules": {
        "absent": ("False", "ok", "follows"),
        "broken": ("False", "ok", "follows"),
        "stubbed": ("True", "ok", "unchanged"),
        "present": ("True", "ok", "unchanged"),
    },
    "environment": {"": ("False", "ok", "stale")},
    "attribute_value": {"": ("False", "ok", "follows"), "hip ": ("True", "ok", "follows")},
    "new_attribute": {"": ("False", "ok", "stale"), "npu ": ("True", "ok", "unchanged")},
    "import": {
        "absent": ("False", "GB0069", "follows"),
        "broken": ("False", "GB0069", "follows"),
        "stubbed": ("True", "ok", "unchanged"),
        "present": ("True", "ok", "unchanged"),
    },
    "version_first": {
        "absent": ("False", "ok", "unchanged"),
        "broken": ("False", "ok", "unchanged"),
        "stubbed": ("False", "ok", "unchanged"),
        "musa absent": ("False", "GB0069", "follows"),
        "musa broken": ("False", "GB0069", "follows"),
        "musa present": ("True", "ok", "unchanged"),
    },
    "cached_partial": {"": ("False", "GB0156", "")},
    "constant_result": {
        "absent": ("False", "ok", "stale"),
        "broken": ("False", "ok", "stale"),
        "stubbed": ("True", "ok", "unchanged"),
        "present": ("True", "ok", "unchanged"),
    },
    "constant": {"": ("False", "ok", "follows")},
    "cached_constant": {"": ("False", "ok", "ahead")},
}


def facts(pair: dict[str, Any], form: str) -> tuple[str, str, str]:
    """Shorten one form of a pair."""
    shown = pair[form]
    stops = "ok" if shown["fullgraph"]["ok"] else shown["fullgraph"]["gb"]
    return (
        shown["answer"]["text"],
        stops,
        "".join(later["following"] for later in shown["later"]),
    )


def check_facts(comparison: dict[str, Any], platforms: set[str]) -> None:
    """Hold the pairs of `probes/` against what is known."""
    for pair in comparison["pairs"]:
        name = pair["id"].removeprefix("probes/compare.py::compare_")
        state = pair["packages"].get("torchada", "")
        known = EXPECTED[name]
        where = f"{pair['platform']} {state}"
        expected = known.get(where) or known[state]
        assert facts(pair, "eager") == expected, (name, where)
        # the safe form was asked where the eager one was
        assert facts(pair, "safe")[:2] == (expected[0], "ok"), (name, where)
        assert set(facts(pair, "safe")[2:]) <= {"unchanged", ""}
        assert pair["outcome"] == "holds"
    assert {pair["platform"] for pair in comparison["pairs"]} == platforms
    assert {pair["id"].partition("compare_")[2] for pair in comparison["pairs"]} == set(EXPECTED)


def test_what_is_known_of_probes() -> None:
    """On this machine, and on a platform whose vendor's package is there."""
    comparison = compared("probes/", "--platform", "cpu", "--platform", "musa")
    check_facts(comparison, {"cpu", "musa"})
    states = {(one["platform"], one["packages"].get("torchada")) for one in comparison["pairs"]}
    assert states == {
        *(("cpu", state) for state in (None, "absent", "broken", "stubbed")),
        *(("musa", state) for state in (None, "absent", "broken", "present")),
    }


@pytest.mark.long
def test_what_is_known_of_probes_everywhere() -> None:
    """On all platforms."""
    check_facts(compared("probes/", "--platform", "all"), {"cpu", "cuda", "hip", "musa", "npu"})


@pytest.mark.long
def test_which_settings_reach_a_probe() -> None:
    """The decision on context parallelism in both orders, over platforms, ranks and packages."""
    comparison = compared("engine/", "--platform", "all")
    asked = {
        "cpu": ["is_hip", "is_npu", "is_musa"],
        "cuda": ["is_hip", "is_npu", "is_musa"],
        "hip": ["is_hip"],
        "musa": ["is_hip", "is_npu", "is_musa"],
        "npu": ["is_hip", "is_npu"],
    }
    assert len(comparison["pairs"]) == 30
    for pair in comparison["pairs"]:
        reached = asked[pair["platform"]]
        alone = pair["id"].endswith("one_rank")
        assert pair["eager"]["reached"] == [f"probes.eager.{name}" for name in reached]
        assert pair["safe"]["reached"] == [f"probes.safe.{name}" for name in reached if not alone]
        # an import that fails, where it is reached
        fails = pair["packages"]["torchada"] in ("absent", "broken") and "is_musa" in reached
        assert pair["eager"]["fullgraph"]["gb"] == ("GB0069" if fails else None)
        assert pair["outcome"] == "holds"


def test_ways_of_asking_the_host() -> None:
    """What stops fullgraph, form by form, as the comments of the file say."""
    expected = {}
    for line in TABLE.read_text().splitlines():
        if line.startswith("def compare_"):
            name = line.partition("(")[0].removeprefix("def ")
            expected[name] = line.rpartition("# ")[2]
    comparison = compared(TABLE.name, "--exit-zero", cwd=TABLE.parent)
    found = {
        pair["id"].partition("::")[2]: pair["eager"]["fullgraph"]["gb"] or "ok"
        for pair in comparison["pairs"]
    }
    assert found == expected
    assert len(found) > 20


HOSTILE_OUTCOMES = {
    "compare_good_1": ("holds", ""),
    "compare_gives_a_generator": ("error", "it returned a generator: expected (eager, safe, args)"),
    "compare_os_exit": ("crashed", "tracing compare_os_exit: the process ended with exit code 3"),
    "compare_sys_exit": ("error", "both forms raise SystemExit: 3"),
    "compare_factory_raises": ("error", "compare_factory_raises raised RuntimeError: no weights"),
    "compare_hangs": ("timeout", "compare_hangs was not traced within"),
    "compare_nonsense": ("error", "it returned 42: expected (eager, safe, args)"),
    "compare_unknown_attribute": ("error", "unknown attribute .change: did you mean .changes?"),
    "compare_change_raises": ("error", ".changes['it rains'] raised RuntimeError: no umbrella"),
    "compare_no_package": ("error", ".packages has 'not a name': it is no module name"),
    "compare_prints": ("breaks", "safe does not trace in one graph: GB0059 at bad.py:"),
    "compare_unspeakable": ("holds", ""),
    "compare_differs": ("differs", "eager gives 1, safe gives 2"),
    "compare_killed": ("crashed", "tracing compare_killed: the process was ended by SIGKILL"),
    "compare_good_2": ("holds", ""),
    "compare_half_written": ("error", "SyntaxError"),
    "compare_not_importable": ("error", "No module named 'no_such_package_anywhere'"),
}


def test_hostile_pairs() -> None:
    """Each costs itself and no other; the worst decides the exit code."""
    comparison = compared(".", "--timeout", "6", cwd=HOSTILE, exits=3)
    found = {pair["id"].partition("::")[2]: pair for pair in comparison["pairs"]}

    assert set(found) == set(HOSTILE_OUTCOMES)
    for name, (outcome, message) in HOSTILE_OUTCOMES.items():
        assert found[name]["outcome"] == outcome, (name, found[name]["message"])
        assert message in found[name]["message"], name
    assert len(comparison["pairs"]) == len(HOSTILE_OUTCOMES)
    (note,) = comparison["notes"]
    assert note.startswith("bad.py::compare_elsewhere is for cuda")


PAIRS = """
import os
from unittest.mock import patch

def asks():
    return os.environ.get("GRAPHAUDIT_X") == "1"

def compare_holds():
    return asks, (lambda: False), ()

def compare_stale():
    return asks, asks, ()

compare_stale.changes = {"it is set": lambda: patch.dict(os.environ, GRAPHAUDIT_X="1")}

def compare_elsewhere():
    return asks, asks, ()

compare_elsewhere.platforms = ("xpu",)

def has_kits():
    try:
        import graphaudit_kit
    except ImportError:
        return False
    try:
        import graphaudit_other_kit
    except ImportError:
        return True
    return False

def compare_kits():
    return has_kits, (lambda: True), ()

compare_kits.packages = ("graphaudit_kit", "graphaudit_other_kit")
"""
ON_A_DEVICE = """
import contextlib
import torch

def compare_where():
    return (lambda x: x.device.type), (lambda *, x: "musa"), (), {"x": torch.ones(2)}

def writes(x, held):
    held.append(x.add_(1))
    return len(held)

def compare_writes():
    return writes, writes, (torch.ones(2), [])

compare_writes.changes = {"nothing": contextlib.nullcontext}

def compare_item():
    return (lambda x: x.sum().item()), (lambda x: 2.0), (torch.ones(2),)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project with pairs, in a folder whose name has brackets."""
    folder = tmp_path_factory.mktemp("a[1]")
    (folder / "pairs.py").write_text(PAIRS)
    (folder / "on_a_device.py").write_text(ON_A_DEVICE)
    (folder / "empty.py").write_text("def f():\n    return 1\n")
    return folder


def test_a_stale_safe_form_fails(project: Path) -> None:
    """And a pair for another platform is noted; the stored JSON gives the same table again."""
    which = ("-k", "not kits", "--output-format", "json", "--output", "c.json")
    done = run("compare", "pairs.py", *which, cwd=project)
    shown = run("report", "c.json", cwd=project)

    assert done.returncode == 1
    assert "2 pairs, 2 comparisons: 1 hold, 1 differ" in done.stderr
    assert 'safe, compiled, gives False after "it is set", where eager gives True' in shown.stdout
    assert "pairs.py::compare_elsewhere is for xpu" in " ".join(shown.stdout.split())
    assert run("gate", "c.json", cwd=project).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["empty.py"], 2, "no pair in empty.py: write one beside your code"),
        (["pairs.py", "-k", "nothing"], 2, "-k 'nothing' selects no entry"),
        (["pairs.py::compare_gone"], 2, "pairs.py has no entry compare_gone; it has compare_else"),
        (["pairs.py::compare_elsewhere"], 2, "nothing can be traced here"),
        (["gone.py"], 2, "Path 'gone.py' does not exist"),
        (["pairs.py", "--platform", "cudo"], 2, "no platform 'cudo': did you mean cuda?"),
        (["pairs.py", "--output", "pairs.py"], 2, "is Python code that is there already"),
        (["pairs.py", "--baseline", "b.json"], 2, "No such option '--baseline'"),
    ],
)
def test_what_cannot_be_compared(
    project: Path, arguments: list[str], code: int, message: str
) -> None:
    """What, where, and the next step."""
    done = run("compare", *arguments, cwd=project)
    assert done.returncode == code
    assert message in done.stderr.replace("\n", " ")


def test_packages_that_are_asked_for_stay(project: Path) -> None:
    """Two pairs, as pytest names tests; what does not hold is shown and no more."""
    names = ("pairs.py::compare_kits", "pairs.py::compare_stale", "--exit-zero")
    options = ("--stub", "graphaudit_kit", "--without", "graphaudit_other_kit")
    found = compared(*names, *options, cwd=project)

    stale, pair = found["pairs"]
    assert (stale["id"], stale["outcome"]) == ("pairs.py::compare_stale", "differs")
    assert pair["id"] == "pairs.py::compare_kits"
    assert pair["packages"] == {"graphaudit_kit": "stubbed", "graphaudit_other_kit": "absent"}
    assert facts(pair, "eager") == ("True", "GB0069", "")
    assert found["environment"]["without"] == ["graphaudit_other_kit"]
    assert found["environment"]["stubs"] == ["graphaudit_kit"]


def test_pairs_on_a_device_that_is_not_there(project: Path) -> None:
    """Arguments stand on it, and have no values: what needs one is no fault of the pair's."""
    found = compared("on_a_device.py", "--platform", "musa", cwd=project, exits=3)

    by_name = {pair["id"].partition("compare_")[2]: pair for pair in found["pairs"]}
    assert facts(by_name["where"], "eager") == ("'musa'", "ok", "")
    assert facts(by_name["writes"], "safe") == ("1", "ok", "unchanged")
    assert {name: pair["outcome"] for name, pair in by_name.items()} == {
        "where": "holds",
        "writes": "holds",
        "item": "error",
    }
    assert by_name["item"]["message"].startswith("not the fault of your code: the audit cannot")
    assert by_name["writes"]["eager"]["nanoseconds"] is None
