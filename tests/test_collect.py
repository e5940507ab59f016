"""Collecting, on hand-made events."""

from __future__ import annotations

from typing import Any

from graphaudit._protocol import Places
from graphaudit.collect import collect
from graphaudit.model import Cause, EntryPoint, Event, FullgraphVerdict, Location, Trace

PLACES = Places(root="/repo", torch="/v/site-packages/torch", stdlib=("/usr/lib/python3.11",))
ENTRY = EntryPoint(id="audit.py::audit_f", path="audit.py", line=3, name="audit_f")
PRINT = Cause(gb="GB0059", gb_type="Failed to trace builtin operator")
LOOP = Cause(gb="GB7000", gb_type="graph break in loop")
ITEM = Cause(
    gb="GB0124", gb_type="Unsupported Tensor.item() call with capture_scalar_outputs=False"
)


def place(path: str, line: int) -> Location:
    """Make a location; names do not matter here."""
    return Location(path=path, line=line, end_line=line, column=5, qualname="f", source="s")


def event(*stack: Location, **fields: Any) -> Event:
    """Make an event of the default trace, unless said otherwise."""
    plain: dict[str, Any] = {"verdict": "default", "effect": "resumes", "causes": (PRINT,)}
    return Event(stack=stack, **(plain | fields))


def collected(*events: Event, **fields: Any) -> Trace:
    """Collect the events of one trace."""
    trace = Trace(entry=ENTRY, events=events, **({"platform": "cpu"} | fields))
    return collect([trace], PLACES)[0]


def test_the_deepest_user_frame_is_blamed() -> None:
    """A library below it is named as such."""
    found = collected(
        event(place("/repo/a.py", 3), place("/repo/b.py", 7), place("/v/site-packages/lib/c.py", 9))
    ).breaks

    assert [(one.site.path, one.site.line) for one in found] == [("b.py", 7)]
    assert found[0].library is not None
    assert (found[0].library.path, found[0].library.line) == ("<site-packages>/lib/c.py", 9)


def test_a_library_frame_traced_by_itself_takes_the_line_above_dynamo() -> None:
    """It merges with the event that the same call gave while it was inlined."""
    leaf = place("/v/site-packages/lib/c.py", 9)
    user = place("/repo/a.py", 3)

    found = collected(event(user, leaf), event(leaf, above=(user,))).breaks

    assert [(one.site.path, one.site.line, one.count) for one in found] == [("a.py", 3, 2)]


def test_without_a_user_frame_torch_and_the_standard_library_are_passed_over() -> None:
    """The entry may be a library's model."""
    found = collected(
        event(
            place("/v/site-packages/transformers/m.py", 4),
            place("/v/site-packages/torch/nn/module.py", 8),
            place("/usr/lib/python3.11/contextlib.py", 2),
        )
    ).breaks

    assert found[0].site.path == "<site-packages>/transformers/m.py"
    assert found[0].library is not None
    assert found[0].library.path == "<stdlib>/contextlib.py"


def test_only_torch_frames_blame_the_deepest() -> None:
    """Nothing better is to be had."""
    found = collected(event(place("/v/site-packages/torch/nn/module.py", 8))).breaks

    assert found[0].site.path == "<site-packages>/torch/nn/module.py"
    assert found[0].library is None


def test_the_worst_effect_wins_and_the_longest_chain_is_kept() -> None:
    """Three events of one print: inlined, in a dropped loop, in a frame of its own."""
    line = place("/repo/a.py", 10)
    found = collected(
        event(line),
        event(line, effect="frame_dropped", causes=(PRINT, LOOP)),
        event(line),
    ).breaks

    assert len(found) == 1
    assert found[0].effect == "frame_dropped"
    assert [cause.gb for cause in found[0].causes] == ["GB0059", "GB7000"]
    assert found[0].count == 3


def test_two_causes_on_one_line_are_two_sites() -> None:
    """Mending one leaves the other."""
    line = place("/repo/a.py", 10)

    assert len(collected(event(line), event(line, causes=(ITEM,))).breaks) == 2


def test_two_library_lines_below_one_call_are_two_sites() -> None:
    """A timing decorator reads its clock before and after."""
    user = place("/repo/a.py", 3)
    found = collected(
        event(user, place("/v/site-packages/lib/c.py", 9)),
        event(user, place("/v/site-packages/lib/c.py", 11)),
    ).breaks

    assert [one.library and one.library.line for one in found] == [9, 11]


def test_warm_and_input_are_those_of_the_first_sight() -> None:
    """A site that the first call shows is not warm, whatever the second shows."""
    line, other = place("/repo/a.py", 3), place("/repo/a.py", 5)
    found = collected(event(line), event(line, warm=True), event(other, warm=True, input=1)).breaks

    assert [(one.site.line, one.warm, one.input) for one in found] == [(3, False, 0), (5, True, 1)]


def test_a_capture_pass_tells_what_fullgraph_lets_through() -> None:
    """`.item()` passes under fullgraph; the guard on its value does not."""
    item, guard = place("/repo/a.py", 3), place("/repo/a.py", 4)
    found = collected(
        event(item, causes=(ITEM,)),
        event(guard, verdict="fullgraph", capture=True),
        captured=True,
    ).breaks

    assert [(one.site.line, one.verdict, one.fullgraph) for one in found] == [
        (3, "default", False),
        (4, "fullgraph", True),
    ]


def test_a_break_that_capture_does_not_touch_gates_though_the_capture_pass_missed_it() -> None:
    """That pass may have ended before it got there."""
    found = collected(event(place("/repo/a.py", 3)), captured=True).breaks

    assert found[0].fullgraph


def test_without_a_capture_pass_every_site_is_one_under_fullgraph_too() -> None:
    """The pass is only run where it could make a difference."""
    assert collected(event(place("/repo/a.py", 3))).breaks[0].fullgraph


def test_fullgraph_and_default_events_of_one_site_count_once() -> None:
    """The default trace's count is the site's."""
    line = place("/repo/a.py", 3)
    found = collected(event(line), event(line, verdict="fullgraph", effect="not_compiled")).breaks

    assert [(one.verdict, one.effect, one.count) for one in found] == [("default", "resumes", 1)]


def test_the_fullgraph_verdict_gets_the_user_line() -> None:
    """The same rule as for a finding."""
    raised = event(place("/repo/a.py", 3), place("/v/site-packages/torch/x.py", 8))
    trace = collected(fullgraph=FullgraphVerdict(ok=False), fullgraph_event=raised)

    assert (trace.fullgraph.path, trace.fullgraph.line) == ("a.py", 3)


def test_an_event_without_frames_stands_at_the_factory() -> None:
    """An entry that is built in has no line of its own."""
    found = collected(event()).breaks

    assert (found[0].site.path, found[0].site.line) == ("audit.py", 3)


def test_texts_are_scrubbed() -> None:
    """Two runs must give the same bytes."""
    cause = Cause(gb=None, gb_type="X", context="<f at 0x7f00aa11bb22>", hints=("see /repo/a.py",))
    trace = collected(event(place("/repo/a.py", 3), causes=(cause,)), message="in /repo/a.py:3")

    assert trace.breaks[0].causes[0].context == "<f at 0x..>"
    assert trace.breaks[0].causes[0].hints == ("see a.py",)
    assert trace.message == "in a.py:3"


def test_sites_are_in_the_order_of_the_files() -> None:
    """Whatever the order of the events."""
    found = collected(
        event(place("/repo/b.py", 1)), event(place("/repo/a.py", 9)), event(place("/repo/a.py", 2))
    ).breaks

    assert [(one.site.path, one.site.line) for one in found] == [
        ("a.py", 2),
        ("a.py", 9),
        ("b.py", 1),
    ]


def test_a_fullgraph_error_without_an_id_joins_the_site_on_its_line() -> None:
    """A guard on data is a break to a tolerant trace and a `UserError` to fullgraph."""
    line = place("/repo/a.py", 4)
    error = Cause(gb=None, gb_type="UserError")
    found = collected(
        event(line, verdict="fullgraph", capture=True),
        event(line, verdict="fullgraph", effect="not_compiled", causes=(error,)),
        captured=True,
    ).breaks

    assert [(one.causes, one.effect, one.count) for one in found] == [((PRINT,), "resumes", 1)]


def test_a_fullgraph_error_that_nothing_else_shows_is_a_site() -> None:
    """It is what the entry fails by."""
    error = Cause(gb=None, gb_type="UserError")
    found = collected(
        event(place("/repo/a.py", 4), verdict="fullgraph", effect="not_compiled", causes=(error,))
    ).breaks

    assert [(one.verdict, one.effect) for one in found] == [("fullgraph", "not_compiled")]


NO_DRIVER = Cause(
    gb="GB4315",
    gb_type="RuntimeError when making fake tensor call",
    explanation="not simulated: torch.cuda.memory_stats on cuda H100",
)


def test_what_the_simulation_cannot_do_is_no_fault_of_the_program() -> None:
    """The entry could not be traced; breaks of its own stay."""
    found = collected(
        event(place("/repo/a.py", 3)),
        event(place("/repo/a.py", 9), causes=(NO_DRIVER,)),
        event(place("/repo/a.py", 9), causes=(NO_DRIVER,)),
        simulated=True,
        platform="cuda",
    )

    assert [one.site.line for one in found.breaks] == [3]
    assert found.failure == "error"
    assert found.message == (
        "not the fault of your code: the audit cannot go on here: "
        "not simulated: torch.cuda.memory_stats on cuda H100"
    )


def test_a_crash_on_the_way_stays_a_crash() -> None:
    """How the entry ended is not lost in what the simulation cannot do."""
    found = collected(event(place("/repo/a.py", 9), causes=(NO_DRIVER,)), failure="crashed")

    assert (found.failure, found.breaks) == ("crashed", ())


def test_a_missing_driver_is_the_programs_matter_on_the_machine_itself() -> None:
    """Torch says the same of a device that is asked for and not there."""
    cause = Cause(gb=None, gb_type="AssertionError", context="Torch not compiled with CUDA enabled")

    real = collected(event(place("/repo/a.py", 9), causes=(cause,), effect="error"))
    simulated = collected(
        event(place("/repo/a.py", 9), causes=(cause,), effect="error"),
        simulated=True,
        platform="cuda",
    )

    assert (len(real.breaks), real.failure) == (1, None)
    assert (len(simulated.breaks), simulated.failure) == (0, "error")
