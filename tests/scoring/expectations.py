"""What the cases of a folder expect of given versions.

`EXPECT` holds for the versions that the cases were observed on. `EXPECT_BY` beside it, condition
-> what differs there, holds where stock Dynamo of other versions was seen to do something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.scoring.versions import here, holds
from tests.scoring.wrappers import constants, has_further_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def expectations(
    cases: Iterable[Path], versions: Mapping[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Give the expectation of each case and variant, by the name of its entry.

    Args:
        cases: Case files.
        versions: Of Python and torch; those of this interpreter if not given.
    """
    versions = versions or here()
    found: dict[str, dict[str, Any]] = {}
    for path in cases:
        known = constants(path)
        expect = known["EXPECT"]
        for other in _that_hold(known, versions):
            expect = _changed(expect, other)
        if not has_further_inputs(path):
            expect = {**expect, "later": [], "fullgraph_later": []}
        found[path.stem] = expect
        for name, other in expect.get("variants", {}).items():
            found[f"{path.stem}__{name}"] = other
    return found


def differing(cases: Iterable[Path], versions: Mapping[str, str]) -> list[str]:
    """Name the cases that expect something else of these versions than `EXPECT` says."""
    return [path.stem for path in cases if _that_hold(constants(path), versions)]


def _that_hold(known: dict[str, Any], versions: Mapping[str, str]) -> list[dict[str, Any]]:
    by = known.get("EXPECT_BY", {})
    return [other for condition, other in by.items() if holds(condition, versions)]


def _changed(expect: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    changed = {**expect, **other}
    if "variants" in expect:
        changes = other.get("variants", {})
        changed["variants"] = {
            name: {**variant, **changes.get(name, {})}
            for name, variant in expect["variants"].items()
        }
    return changed
