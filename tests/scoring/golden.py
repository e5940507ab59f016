"""Golden files: the expectation stands on the line that it is about.

`# break: GA001 frame_dropped` claims a gating finding of that rule and effect, `# note: ...` one
that does not gate; a line may have both, `|` separates several. Every finding must be claimed,
every claim met. Where versions truly differ, a claim names its own: `# break: GA001 resumes
[torch>=2.14]`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.scoring.versions import here, holds

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER: Final = Path(__file__).parents[1] / "cases" / "golden"
FILES: Final = sorted(path.name for path in FOLDER.glob("*.py"))
_CLAIM: Final = re.compile(r"# (break|note): ([^#]+)")
_PART: Final = re.compile(r"(?P<what>[^\[\]]+?)(\s*\[(?P<condition>[^\[\]]+)\])?")


def scan() -> dict[str, Any]:
    """Scan the folder; the report, as JSON has it.

    Raises:
        RuntimeError: The scan made no report.
    """
    done = subprocess.run(
        [sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 1:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def claimed(name: str, versions: Mapping[str, str]) -> Counter[str]:
    """Read what a file expects of these versions."""
    found: Counter[str] = Counter()
    for number, line in enumerate((FOLDER / name).read_text().splitlines(), start=1):
        for claim in _CLAIM.finditer(line):
            parts = [_part(text.strip()) for text in claim[2].split("|")]
            found.update(
                f"{number} {claim[1]}: {what}"
                for what, condition in parts
                if not condition or holds(condition, versions)
            )
    return found


def shown(report: dict[str, Any], name: str) -> Counter[str]:
    """Say in the same words what a report has of a file."""
    return Counter(
        f"{found['line']} {'break' if found['gates'] else 'note'}: "
        f"{found['rule']} {found['effect']}"
        for found in report["findings"]
        if found["path"] == name
    )


def disagreements(report: dict[str, Any], name: str) -> list[str]:
    """List where a report of this interpreter differs from the claims of a file."""
    claims, got = claimed(name, here()), shown(report, name)
    lost = [f"missing {claim}" for claim in sorted((claims - got).elements())]
    return lost + [f"extra {found}" for found in sorted((got - claims).elements())]


def _part(text: str) -> tuple[str, str]:
    part = _PART.fullmatch(text)
    if part is None:
        raise ValueError(f"{text!r} is no claim: write it as GA001 resumes [torch>=2.14]")
    return part["what"], part["condition"] or ""
