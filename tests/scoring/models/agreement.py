"""Compares what a scan and a see-through trace say of a run with its truth. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.scoring.models.proof import PROOFS
from tests.scoring.models.runs import CONSEQUENCES, Run, Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.scoring.models.sights import Listed

_SITE: Final = "<site-packages>/"
_BREAKS: Final = frozenset({"resumes", "rest_eager", "frame_dropped", "opaque", "not_compiled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What was found of one run."""

    run: Run
    wrong: list[str]  # where the reports differ from the truth; empty if nowhere
    seen: int  # sites that the see-through trace lists
    added: list[dict[str, Any]]  # findings beyond stock
    missed: list[Site]  # stock sites that the see-through trace does not list
    stopped: str


def score(run: Run, report: dict[str, Any], listed: Listed | None) -> Score:
    """Judge one run.

    Args:
        run: The run.
        report: A scan's report in which it is an entry.
        listed: What the see-through trace lists; None for a clean run, where none is made.
    """
    entries = [one for one in report["entries"] if one["id"].endswith(f"::{run.entry}")]
    if len(entries) != 1:
        return Score(
            run=run, wrong=["no entry in the report"], seen=0, added=[], missed=[], stopped=""
        )
    findings = [one for one in report["findings"] if one["entry"] == entries[0]["id"]]
    added = [one for one in findings if one.get("seen_by") == "see-through"]
    stock = [one for one in findings if one.get("seen_by") != "see-through"]
    missed = sorted(run.sites - {*map(tuple, listed.sites)}, key=str) if listed else []
    return Score(
        run=run,
        wrong=[
            *_fullgraph(run, entries[0]["fullgraph"]),
            *_stock(run, stock),
            *_differ("graphs", entries[0]["graphs"], run.graphs),
            *_complete(entries[0], listed),
            *(f"not seen through: {site}" for site in missed if site not in CONSEQUENCES),
            *(f"a finding in a clean run: {_site(one)}" for one in findings if run.is_clean),
            *(f"not proved: {_site(one)}" for one in added if not _is_proved(one)),
        ],
        seen=len(listed.sites) if listed else 0,
        added=added,
        missed=missed,
        stopped=listed.stopped if listed else "",
    )


def _is_proved(finding: dict[str, Any]) -> bool:
    """Tell whether stock Dynamo shows a site, in the scan or once the model's source is mended."""
    path, line, _ = _site(finding)
    return finding["confirmed"] or any(proof.place == (path, line) for proof in PROOFS)


def _fullgraph(run: Run, got: dict[str, Any]) -> list[str]:
    if got["ok"] or run.passes:
        return _differ("fullgraph.ok", got["ok"], run.passes)
    where = (_short(got["path"]), got["line"], got["gb"])
    return _differ("fullgraph", where, run.raised)


def _stock(run: Run, findings: Sequence[dict[str, Any]]) -> list[str]:
    got = {_site(one) for one in findings if one["effect"] in _BREAKS}
    lost = [f"stock site missing: {site}" for site in sorted(run.sites - got, key=str)]
    return lost + [f"no stock site: {site}" for site in sorted(got - run.sites, key=str)]


def _complete(entry: dict[str, Any], listed: Listed | None) -> list[str]:
    """A scan says that a list is incomplete where its trace stopped; there is none if clean."""
    expected = None if listed is None else not listed.stopped
    return _differ("complete", entry["complete"], expected)


def _site(finding: dict[str, Any]) -> Site:
    return _short(finding["path"]), finding["line"], finding["gb"]


def _short(path: str | None) -> str:
    return (path or "").removeprefix(_SITE)


def _differ(what: str, got: object, expect: object) -> list[str]:
    return [] if got == expect else [f"{what} is {got}, expected {expect}"]
