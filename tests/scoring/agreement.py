"""Compares what a scan reported of a case with what the case expects. Pure."""

from __future__ import annotations

from typing import Any, Final

_EFFECT: Final = {"resume": "resumes", "partial": "rest_eager", "skip_frame": "frame_dropped"}
_HARM: Final = ("resumes", "opaque", "rest_eager", "frame_dropped")
_DISABLED: Final = frozenset({"GB0098", "GB0099"})

_NO_BREAKS: Final = frozenset(
    {"error", "not_compiled", "recompile", "recompile_limit", "stale", "side_effect_lost"}
)
_AT_LIMIT: Final = "compilation failed with a custom frame execution strategy"

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
        *_fullgraph(entry["fullgraph"], _first_failure(expect)),
        *_differ("graphs", entry["graphs"], expect["graphs"]),
        *_recompilations(findings, expect),
        *_left_to_eager(findings, expect),
    ]


def expected_sites(expect: dict[str, Any], *, secondary: bool) -> set[Site]:
    """Merge the expected breaks into sites; the worst effect at a site wins."""
    worst: dict[tuple[int, str], str] = {}
    for found in _breaks(expect):
        if bool(found.get("secondary")) != secondary:
            continue
        root = found.get("chain", [found["gb"]])[0]
        effect = _EFFECT[found["kind"]]
        if effect == "resumes" and root in _DISABLED:
            effect = "opaque"
        key = (found["line"], root)
        worst[key] = max(worst.get(key, effect), effect, key=_HARM.index)
    return {(line, root, effect) for (line, root), effect in worst.items()}


def _calls(expect: dict[str, Any]) -> list[dict[str, Any]]:
    """Give what was observed of the first call and of each later one."""
    return [expect, *expect.get("later", [])]


def _breaks(expect: dict[str, Any]) -> list[dict[str, Any]]:
    return [found for call in _calls(expect) for found in call["breaks"]]


def _limit(expect: dict[str, Any]) -> int | None:
    """Find the call that met the recompile limit."""
    for index, call in enumerate(_calls(expect)):
        if any(one["why"] == _AT_LIMIT for one in call["skipped"]):
            return index
    return None


def _first_failure(expect: dict[str, Any]) -> dict[str, Any] | None:
    calls = [expect["fullgraph"], *expect.get("fullgraph_later", [])]
    return next(filter(None, calls), None)


def _recompilations(findings: list[dict[str, Any]], expect: dict[str, Any]) -> list[str]:
    """A later graph is a recompilation, but where the first call broke: it may go on elsewhere.

    What the second call with one input recompiles was not observed.
    """
    later = [index for index, call in enumerate(_calls(expect)) if index and call["graphs"]]
    got = [
        found["input"]
        for found in findings
        if found["effect"] == "recompile" and not found["detail"].get("warm")
    ]
    wrong = [f"recompilation of input {index} is extra" for index in got if index not in later]
    if later and not expect["breaks"]:
        wrong += _differ("first recompilation", min(got, default=None), later[0])
    limits = [found["input"] for found in findings if found["effect"] == "recompile_limit"]
    return wrong + _differ("recompile limit", min(limits, default=None), _limit(expect))


def _left_to_eager(findings: list[dict[str, Any]], expect: dict[str, Any]) -> list[str]:
    """Operators in eager, or a frame that was skipped without a word, were observed as well."""
    silent = any(one["silent"] for call in _calls(expect) for one in call["skipped"])
    lines = [found["line"] for found in findings if found["effect"] == "not_compiled"]
    known = silent or expect.get("eager_ops")
    return [] if known else [f"left to eager at {line} is extra" for line in lines]


def _sites(findings: list[dict[str, Any]], expect: dict[str, Any]) -> list[str]:
    """What stock traces show was observed; what they hide may be more, but on no other line."""
    breaks = [found for found in findings if found["effect"] not in _NO_BREAKS]
    got = {_site(found) for found in breaks if found["seen_by"] == "trace"}
    hidden = {_site(found) for found in breaks} - got
    must = expected_sites(expect, secondary=False)
    allowed = must | expected_sites(expect, secondary=True)
    lines = {line for line, _, _ in allowed}
    extra = (got - allowed) | {site for site in hidden if site[0] not in lines}
    lost = [f"missing {site}" for site in sorted(must - got)]
    return lost + [f"extra {site}" for site in sorted(extra, key=str)]


def _site(found: dict[str, Any]) -> Site:
    return found["line"], found["gb"], found["effect"]


def _error(
    entry: dict[str, Any], findings: list[dict[str, Any]], expect: dict[str, Any]
) -> list[str]:
    raised = expect.get("raises") is not None
    silent = any(found["effect"] == "not_compiled" for found in findings)
    breaks = bool(_breaks(expect)) or _limit(expect) is not None or silent
    outcome = "error" if raised else ("breaks" if breaks else "clean")
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
