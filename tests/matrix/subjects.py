"""Traces a file of functions with masked breaks: `python -m tests.matrix.subjects STEM FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.scoring.masked.files import FOLDER, MaskedFile
from tests.scoring.masked.proof import read_truth
from tests.scoring.masked.views import by_see_through
from tests.scoring.versions import REFERENCE, here


def main(stem: str, answer: str) -> None:
    """Trace each once and write the score."""
    true, reference = read_truth(here())[stem], read_truth(REFERENCE)[stem]
    functions = {name: _scored(stem, name, {line for line, _ in true[name]}) for name in true}
    changed = [f"{stem}.{name}" for name in true if true[name] != reference[name]]
    Path(answer).write_text(json.dumps({"functions": functions, "conditional": changed}))


def _scored(stem: str, name: str, true: set[int]) -> dict[str, Any]:
    shown = by_see_through(MaskedFile(FOLDER / f"{stem}.py").call(name))
    extra = [*(f"line {line}" for line in sorted(shown.lines - true)), *sorted(shown.elsewhere)]
    wrong = [
        *(f"missing line {line}" for line in sorted(true - shown.lines)),
        *(f"extra {place}" for place in extra),
        *([f"stopped at {shown.stopped}"] if shown.stopped else []),
    ]
    return {
        "true": len(true),
        "found": len(shown.lines & true),
        "extra": len(extra),
        "wrong": wrong,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
