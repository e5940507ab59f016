"""The main job on a copy of the engine: what must fail the gate, and what must not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUARDED_IMPORT = """
{indent}try:
{indent}    import not_there
{indent}except ImportError:
{indent}    pass
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy the engine and what it stands on, with the baseline of this repository."""
    for name in ("engine", "kernels", "probes"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "graphaudit-baseline.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def scan(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Scan the copy."""
    command = [sys.executable, "-m", "graphaudit", "scan", *arguments]
    wide = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(command, cwd=clone, env=wide, capture_output=True, text=True, check=False)


def edit(file: Path, old: str, new: str) -> None:
    """Replace a text that stands in a file exactly once."""
    text = file.read_text()
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new))


def import_before(file: Path, line: str) -> None:
    """Put an import of a missing module before a line, as careful people write it."""
    indent = line[: len(line) - len(line.lstrip())]
    edit(file, line, GUARDED_IMPORT.format(indent=indent).strip("\n") + "\n" + line)


def new_lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Pick the places that the table marks as new."""
    return [line.split()[0] for line in done.stdout.splitlines() if line.endswith("  NEW")]


def test_the_engine_is_as_its_baseline_says(clone: Path) -> None:
    """A baseline made here holds in the copy; two scans give the same bytes but for seconds."""
    before = sorted(path.relative_to(clone) for path in clone.rglob("*"))
    reports = []
    for _ in range(2):
        done = scan(clone, "engine/", "--output-format", "json")
        assert done.returncode == 0, done.stdout + done.stderr
        report = json.loads(done.stdout)
        for entry in report["entries"]:
            entry["seconds"] = 0
        reports.append(json.dumps(report))

    assert reports[0] == reports[1]
    entries = json.loads(reports[0])["entries"]
    outcomes = [entry["outcome"] for entry in entries]
    assert len(entries) >= 8
    assert outcomes.count("clean") >= 5
    assert {entry["id"] for entry in entries if entry["outcome"] == "breaks"} == {
        "engine/audit.py::audit_dsa_context_parallel_reverted",
        "engine/audit.py::audit_is_musa_eager",
        "engine/audit.py::audit_prefill_forward_reverted",
    }
    assert str(clone) not in reports[0]
    assert sorted(path.relative_to(clone) for path in clone.rglob("*")) == before


def test_an_import_in_a_traced_function_fails_and_is_named(clone: Path) -> None:
    """In three functions that entries trace."""
    import_before(
        clone / "engine/dsa_context_parallel.py",
        "    if get_parallel().attn_cp_size <= 1:\n        return False\n    if is_hip() or",
    )
    import_before(clone / "engine/layers.py", "        wide = x.float()")
    import_before(
        clone / "kernels/varlen_attention/ops.py",
        "    check_arguments(q, k, v, cu_seqlens_q, cu_seqlens_k)",
    )
    done = scan(clone, "engine/")

    assert done.returncode == 1
    places = [place.rpartition(":")[0].rpartition(":")[0] for place in new_lines(done)]
    assert places == [
        "engine/dsa_context_parallel.py",
        "engine/layers.py",
        "kernels/varlen_attention/ops.py",
    ]


def test_an_import_in_a_custom_op_changes_nothing(clone: Path) -> None:
    """Its body is never traced."""
    import_before(
        clone / "kernels/varlen_attention/ops.py",
        "    spans = read_spans(cu_seqlens_q, cu_seqlens_k)",
    )

    assert scan(clone, "engine/").returncode == 0


def test_a_fixed_entry_on_the_eager_probe_is_new(clone: Path) -> None:
    """Its site is accepted, but for another entry."""
    edit(
        clone / "engine/audit.py",
        "return _branch_on(safe.is_musa)",
        "return _branch_on(eager.is_musa)",
    )
    done = scan(clone, "engine/", "-k", "is_musa")

    assert done.returncode == 1
    (place,) = new_lines(done)
    assert place.startswith("probes/eager.py:")
    assert "NEW       engine/audit.py::audit_is_musa_safe" in done.stdout


def test_a_reverted_form_that_is_gone_leaves_a_stale_line(clone: Path) -> None:
    """Its baseline line would accept whatever comes back under that name."""
    edit(clone / "engine/audit.py", "def audit_is_musa_eager", "def _was_is_musa_eager")
    assert scan(clone, "engine/", "-k", "is_hip").returncode == 0

    done = scan(clone, "engine/", "-k", "is_musa")

    assert done.returncode == 1
    assert "the entry is gone" in done.stdout
    assert "engine/audit.py::audit_is_musa_eager" in done.stdout


def test_a_reverted_form_that_is_mended_leaves_a_stale_line(clone: Path) -> None:
    """The entry stands, its site does not."""
    edit(
        clone / "engine/audit.py",
        "return _branch_on(eager.is_musa)",
        "return _branch_on(safe.is_musa)",
    )
    done = scan(clone, "engine/", "-k", "is_musa_eager")

    assert done.returncode == 1
    assert "the site is gone" in done.stdout


@pytest.mark.parametrize(
    "arguments", [("engine/", "-k", "is_hip_safe"), ("kernels/", "probes/", "more.py")]
)
def test_what_was_not_looked_at_is_not_stale(clone: Path, arguments: tuple[str, ...]) -> None:
    """With -k, or on another path."""
    (clone / "more.py").write_text(
        "import torch\n\n\ndef audit_sin():\n    return torch.sin, (torch.ones(3),)\n"
    )

    done = scan(clone, *arguments)

    assert done.returncode == 0, done.stdout
    assert "0 stale lines" in done.stdout
