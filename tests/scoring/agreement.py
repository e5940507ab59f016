"""Compares what a scan reported of a case with what the case expects. Pure."""

from __future__ import annotations

from typing import Any, Final

_EFFECT: Final = {"resume": "resumes", "partial": "rest_eager", "skip_frame": "frame_dropped"}
_HARM: Final = ("resumes", "opaque", "rest_eager", "frame_dropped")
_DISABLED: Final = frozenset({"GB0098", "GB0099"})

Site = tuple[int, str, str]  # line, root id, effect


def disagreements(
    entry: dict[str, Any], findings: list[dict[str, Any]], expect: dict[str, Any]
) -> list[str]:
    """List where a report differs from an expectation; empty if nowhere.

    Args:
        entry: The case's entry, as in the JSON report, gated on the default verdict.
        findings: The findings of that entry.
        expect: The case's `EXPECT`, or a variant's.
    """
    return [
        *_sites(findings, expect),
        *_error(entry, findings, expect),
        *_fullgraph(entry["fullgraph"], expect["fullgraph"]),
        *_differ("graphs", entry["graphs"], expect["graphs"]),
    ]


def expected_sites(expect: dict[str, Any], *, secondary: bool) -> set[Site]:
    """Merge the expected breaks into sites; the worst effect at a site wins."""
    worst: dict[tuple[int, str], str] = {}
    for found in expect["breaks"]:
        if bool(found.get("secondary")) != secondary:
            continue
        root = found.get("chain", [found["gb"]])[0]
        effect = _EFFECT[found["kind"]]
        if effect == "resumes" and root in _DISABLED:
            effect = "opaque"
        key = (found["line"], root)
        worst[key] = max(worst.get(key, effect), effect, key=_HARM.index)
    return {(line, root, effect) for (line, root), effect in worst.items()}


def _sites(findings: list[dict[str, Any]], expect: dict[str, Any]) -> list[str]:
    got = {
        (found["line"], found["gb"], found["effect"])
        for found in findings
        if found["effect"] != "error"
    }
    must = expected_sites(expect, secondary=False)
    allowed = must | expected_sites(expect, secondary=True)
    lost = [f"missing {site}" for site in sorted(must - got)]
    return lost + [f"extra {site}" for site in sorted(got - allowed, key=str)]


def _error(
    entry: dict[str, Any], findings: list[dict[str, Any]], expect: dict[str, Any]
) -> list[str]:
    raised = "raises" in expect
    outcome = "error" if raised else ("breaks" if expect["breaks"] else "clean")
    errors = [found for found in findings if found["effect"] == "error"]
    return [
        *_differ("outcome", entry["outcome"], outcome),
        *_differ("error findings", len(errors), int(raised)),
    ]


def _fullgraph(got: dict[str, Any], expect: dict[str, Any] | None) -> list[str]:
    if expect is None:
        return _differ("fullgraph.ok", got["ok"], expect=True)
    wrong = _differ("fullgraph.ok", got["ok"], expect=False)
    wrong += _differ("fullgraph.gb", got["gb"], expect["gb"])
    # an exception without a stack gave the observer no line; we find one in its traceback
    if expect["line"] is not None:
        wrong += _differ("fullgraph.line", got["line"], expect["line"])
    return wrong


def _differ(what: str, got: object, expect: object) -> list[str]:
    return [] if got == expect else [f"{what} is {got}, expected {expect}"]
