"""Proves with stock Dynamo which lines break in which function, independently of see-through.

With all other marked lines mended, the stock default trace shows a site's line and no other; with
all mended, stock fullgraph passes. A site about the object of another one is proved with that one
kept. The mark's line is a function's own if it shows there; each has to show in one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.scoring.masked.files import FOLDER, MaskedFile
from tests.scoring.masked.views import by_default_trace, by_fullgraph, quiet
from tests.scoring.versions import here

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from tests.scoring.masked.files import Mark

TRUTH: Final = FOLDER / "truth.json"

TraceFunction = Callable[..., Any]
Sites = list[tuple[int, str]]  # line and type of the root cause


@dataclass(slots=True)
class Proof:
    """What stock Dynamo shows of one file."""

    truth: dict[str, Sites] = field(default_factory=dict)  # by function
    wrong: list[str] = field(default_factory=list)  # marks that do not hold


def read_truth(versions: Mapping[str, str] | None = None) -> dict[str, dict[str, Sites]]:
    """Read the proved sites, by file and function.

    Args:
        versions: Of Python and torch; those of this interpreter if not given.
    """
    return _truth(lambda mark: mark.is_site(versions or here()))


def write_truth(truth: dict[str, dict[str, Sites]]) -> None:
    """Write the proved sites, one site a line; those of other versions alone are kept."""
    others = _truth(lambda mark: not mark.is_site(here()))
    for file, functions in truth.items():
        for name in functions:
            functions[name] = sorted({*functions[name], *others.get(file, {}).get(name, ())})
    files = (_file(name, truth[name]) for name in sorted(truth))
    TRUTH.write_text("{\n" + ",\n".join(files) + "\n}\n")


def _truth(which: Callable[[Mark], bool]) -> dict[str, dict[str, Sites]]:
    known = json.loads(TRUTH.read_text())
    marks = {file: MaskedFile(FOLDER / f"{file}.py").marks for file in known}
    return {
        file: {
            name: [(line, kind) for line, kind in sites if which(marks[file][line])]
            for name, sites in functions.items()
        }
        for file, functions in known.items()
    }


def _function(name: str, sites: Sites) -> str:
    rows = ",\n".join(f"   {json.dumps(site)}" for site in sites)
    return f"  {json.dumps(name)}: [\n{rows}\n  ]"


def _file(name: str, functions: dict[str, Sites]) -> str:
    rows = ",\n".join(_function(one, functions[one]) for one in sorted(functions))
    return f" {json.dumps(name)}: {{\n{rows}\n }}"


def prove(file: MaskedFile) -> Proof:
    """Prove each mark of a file in each of its functions."""
    proof = Proof()
    sites = {line: mark for line, mark in file.marks.items() if mark.is_site(here())}
    for name in file.names:
        clean = by_fullgraph(file.call(name, file.marks))
        if clean.lines or clean.elsewhere or clean.stopped:
            proof.wrong.append(f"{name}: not clean when mended: {clean}")
            continue
        reached = _reached(file, name)
        marks = (mark for mark in sites.values() if mark.line in reached or mark.needs)
        found = (_site(file, name, mark, proof) for mark in marks)
        proof.truth[name] = sorted(site for site in found if site)
    proved = {line for sites in proof.truth.values() for line, _ in sites}
    idle = sorted(sites.keys() - proved)
    proof.wrong += [f"line {line} shows in no function" for line in idle]
    return proof


def _site(file: MaskedFile, name: str, mark: Mark, proof: Proof) -> tuple[int, str] | None:
    kept = {mark.line, mark.needs or mark.line}
    raising = {line for line, needs in file.raising.items() if needs in kept}
    shown = by_default_trace(file.call(name, file.marks.keys() - kept))
    strange = shown.stopped and not (shown.raising and shown.raising <= raising)
    if shown.elsewhere or shown.lines - kept or strange:
        proof.wrong.append(f"{name}: with only {sorted(kept)} left, stock shows {shown}")
    kinds = [kind for line, kind in shown.types if line == mark.line]
    return (mark.line, min(kinds)) if kinds else None


def _reached(file: MaskedFile, name: str) -> set[int]:
    """Give the lines that a plain call runs when all is mended: no other can break."""
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, _arg: object) -> TraceFunction | None:
        if frame.f_code.co_filename != str(file.path):
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    given = file.call(name, file.marks)
    outer = sys.gettrace()
    with quiet():
        sys.settrace(trace)
        try:
            given.call(*given.args, **given.kwargs)
        finally:
            sys.settrace(outer)
    return lines
