"""A few runs of real models, scanned as a user would; `make accept` scans them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.scoring.models.__main__ import scored, table
from tests.scoring.models.proof import PROOFS, Proof, mended, source
from tests.scoring.models.runs import chosen, runs

if TYPE_CHECKING:
    from tests.scoring.models.agreement import Score

NAMES: Final = ["flava/fwd", "xlm/mask", "vit/fwd", "llama/decode"]


@pytest.fixture(scope="module")
def scores() -> dict[str, Score]:
    """Scan them, and see through those that break."""
    return {one.run.name: one for one in scored(chosen(NAMES), jobs=2)}


def test_truth() -> None:
    """All runs are there, of both kinds, each with an entry of its own."""
    every = runs()

    assert len(every) == 83
    assert sum(run.is_clean for run in every) == 66
    assert len({run.entry for run in every}) == 83


@pytest.mark.parametrize("name", NAMES)
def test_run(scores: dict[str, Score], name: str) -> None:
    """The verdict of fullgraph, the sites and the graphs; a clean one without a finding."""
    assert scores[name].wrong == []


def test_table(scores: dict[str, Score]) -> None:
    """Counts of the broken runs alone, and the sum of all."""
    head, *lines, last = table(list(scores.values()))

    assert head.split() == ["run", "stock", "seen", "added", "missed", "stopped"]
    assert [line.split() for line in lines] == [
        ["flava/fwd", "1", "1", "0", "0", "-"],
        ["xlm/mask", "1", "1", "0", "0", "-"],
    ]
    assert last == "4 of 4 runs right; 0 sites beyond stock's"


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.run)
def test_mended_source(proof: Proof) -> None:
    """Of the file that is installed, with other lines in the same places."""
    before, after = source(proof.module).splitlines(), mended(proof).splitlines()
    pairs = zip(before, after, strict=True)
    changed = [number for number, (old, new) in enumerate(pairs, 1) if old != new]

    assert len(changed) == len(proof.mends)
    assert max(changed) < proof.line
