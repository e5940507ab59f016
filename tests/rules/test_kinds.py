"""Which rule takes what the type alone does not tell: errors, lines, library frames, effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graphaudit.model import Cause
from graphaudit.rules import all_rules, rule_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.model import Break

SKIPPED = "Attempted to call function marked as skipped"
BUILTIN = "Failed to trace builtin operator"
PYBIND = (
    "module: <unknown module>, qualname: pybind11_object.__new__, skip reason: cannot determine"
)
FAKE = (
    "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with "
    "fake tensors: call_function {}: got {}\n  Developer debug context:"
)


# Rule, type, explanation: what a call raised without a logged break
ERRORS = [
    ("GA019", "InternalTorchDynamoError", "ModuleNotFoundError: No module named 'plugin_by_path'"),
    ("GA026", "GuardOnDataDependentSymNode", "Could not guard on data-dependent expression Eq(u4)"),
    (
        "GA026",
        "UserError",
        "Could not guard on data-dependent expression u0 > 2 (unhinted: u0 > 2)",
    ),
    ("GA045", "InternalTorchDynamoError", "ValueError: Unknown format code 'd' for object of type"),
    ("GA057", "RuntimeError", "Accelerator expected"),
    ("GA057", "AssertionError", "Torch not compiled with CUDA enabled"),
    (
        "GA057",
        "TorchRuntimeError",
        FAKE.format(
            "<function is_current_stream_capturing>",
            "RuntimeError('Tried to instantiate dummy base class _cuda_isCurrentStreamCapturing')",
        ),
    ),
    (
        "GA072",
        "RuntimeError",
        "torch.compile does not support compiling torch.jit.script or torch.jit.freeze models "
        "directly.",
    ),
    ("GA074", "UncapturedHigherOrderOpError", "This higher order operator doesn't work unless it"),
    (
        "GA076",
        "TorchRuntimeError",
        FAKE.format("ns.op.default", "RuntimeError('There was no fake impl registered for <op>')"),
    ),
    ("GA077", "TorchRuntimeError", "Tensor device mismatch\n  Explanation: Expected all tensors"),
    ("GA078", "TorchRuntimeError", FAKE.format("matmul", "RuntimeError('same reduction dim')")),
    ("GA086", "BackendCompilerFailed", "backend='inductor' raised: RuntimeError: no code"),
    ("GA087", "FailOnRecompileLimitHit", "Hard failure due to fullgraph=True"),
    ("GA088", "RuntimeError", "torch.compile with fullgraph=True found no compiled frames."),
    ("GA930", "InternalTorchDynamoError", "RecursionError: maximum recursion depth exceeded"),
    ("GA931", "ValueError", "no weights loaded"),
    ("GA931", "ZeroDivisionError", "division by zero"),
]

# Rule, the line of the user: what the break itself does not tell apart
LINES = [
    ("GA020", "GB0033", "Data dependent operator", "aten._local_scalar_dense", "n = c.tolist()"),
    ("GA007", "GB0033", "Data dependent operator", "aten._local_scalar_dense", "np.random.rand()"),
    ("GA023", "GB0170", "Data-dependent branching", "attempted to jump", "while y.sum() < 10:"),
    ("GA024", "GB0170", "Data-dependent branching", "attempted to jump", "assert x.sum(), f'{x}'"),
    ("GA032", "GB0088", "Observed exception", "raised exception TypeError()", "x.data_ptr() % 16"),
    (
        "GA062",
        "GB0007",
        SKIPPED,
        PYBIND,
        "dist.barrier()",
    ),
]


@pytest.mark.parametrize(("rule", "gb_type", "explanation"), ERRORS)
def test_error_gets_its_rule(
    make_break: Callable[..., Break], rule: str, gb_type: str, explanation: str
) -> None:
    """An exception without a logged break goes to the rule for its kind."""
    found = make_break(None, gb_type, explanation=explanation, effect="error")
    assert rule_for(found).id == rule


@pytest.mark.parametrize(("rule", "gb", "gb_type", "context", "source"), LINES)
def test_line_decides(
    make_break: Callable[..., Break],
    rule: str,
    gb: str,
    gb_type: str,
    context: str,
    source: str,
) -> None:
    """Where Dynamo's words are the same, the user's line tells the kinds apart."""
    assert rule_for(make_break(gb, gb_type, context, source=source)).id == rule


@pytest.mark.parametrize(
    ("rule", "library"),
    [
        ("GA051", "<site-packages>/torch/optim/optimizer.py"),
        ("GA052", "<site-packages>/other/model.py"),
    ],
)
def test_library_decides(make_break: Callable[..., Break], rule: str, library: str) -> None:
    """The break that torch.optim puts in front of a step is told apart from one of the user's."""
    found = make_break("GB0025", "Call to `torch._dynamo.graph_break()`", library=library)
    assert rule_for(found).id == rule


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        ("GA087", "recompile_limit"),
        ("GA088", "not_compiled"),
        ("GA089", "recompile"),
    ],
)
def test_effect_decides(make_break: Callable[..., Break], rule: str, effect: str) -> None:
    """What is no break is known by its effect alone."""
    assert rule_for(make_break(None, "", effect=effect)).id == rule


OWNERS = {
    "recompile": "GA089",
    "recompile_limit": "GA087",
    "stale": "GA090",
    "side_effect_lost": "GA091",
}
KINDS = sorted({kind for rule in all_rules() for _, kind in rule.covers if kind})


@pytest.mark.parametrize("effect", OWNERS)
def test_no_rule_about_breaks_takes_what_is_none(
    make_break: Callable[..., Break], effect: str
) -> None:
    """A guard on `requires_grad` is not the call that sets it, whatever words the two share."""
    guards = ["Recompilation: the requires_grad of `x`", "Recompilation: the keys of `handler`"]
    for kind in [*KINDS, *guards]:
        found = make_break(None, kind, "torch/jit/ (TextIOWrapper)", effect=effect)
        assert rule_for(found).id == OWNERS[effect], kind


@pytest.mark.parametrize(
    "context",
    ["raised by Dynamo's own code", "a generator became a plain iterator at a graph break"],
)
@pytest.mark.parametrize("effect", ["error", "not_compiled"])
def test_what_dynamo_made_is_no_error_of_the_program(
    make_break: Callable[..., Break], context: str, effect: str
) -> None:
    """Whatever its type is."""
    assert rule_for(make_break(None, "AssertionError", context, effect=effect)).id == "GA930"


def test_an_error_behind_a_break(make_break: Callable[..., Break]) -> None:
    """Eager may do without it: then the break is to blame."""
    plain = make_break(None, "ValueError", effect="error")
    behind = make_break(None, "ValueError", "raised behind a graph break", effect="error")
    rule = rule_for(behind)
    assert rule.id == rule_for(plain).id == "GA931"
    assert "mend the graph breaks of this entry first" in rule.fix_for(behind)
    assert "graph break" not in rule.fix_for(plain)


def test_fix_for_an_instruction(make_break: Callable[..., Break]) -> None:
    """It is about the instruction that is there."""
    star = make_break("GB0082", "Missing bytecode handler", "CHECK_EG_MATCH with args ()")
    name = make_break("GB0011", "Attempted to read undefined local variable", "LOAD_FAST x")
    assert rule_for(star).fix_for(star) == "Write `except` instead of `except*`."
    assert rule_for(name).fix_for(name) == "Give the name a value on every way to this line."


def test_fix_for_a_value_from_before_a_break(make_break: Callable[..., Break]) -> None:
    """Nobody passes it."""
    kind = "Recompilation: the number from before a graph break"
    found = make_break(None, kind, effect="recompile")
    assert rule_for(found).fix_for(found).startswith("Mend the graph break that it comes out of")


def test_not_compiled_is_not_the_kind_of_a_break(make_break: Callable[..., Break]) -> None:
    """Under fullgraph every break has this effect: its cause decides."""
    found = make_break("GB0147", "Unsupported function call", effect="not_compiled")
    assert rule_for(found).id == "GA912"


def test_root_cause_counts(make_break: Callable[..., Break]) -> None:
    """A loop around a print is not the cause of the break: the print is."""
    root = Cause(gb="GB0059", gb_type=BUILTIN, context="builtin print [] False")
    loop = Cause(gb="GB7000", gb_type="graph break in loop")
    fields: dict[str, Any] = {"causes": (root, loop), "effect": "frame_dropped"}
    assert rule_for(make_break("GB0059", BUILTIN, **fields)).id == "GA002"
    fields["causes"] = (loop,)
    assert rule_for(make_break("GB7000", BUILTIN, **fields)).id == "GA903"


def test_break_without_causes_is_unknown(make_break: Callable[..., Break]) -> None:
    """A record with nothing in it still gets a rule."""
    assert rule_for(make_break(None, "", causes=())).id == "GA000"
