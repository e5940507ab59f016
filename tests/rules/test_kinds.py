"""Which rule takes what the type alone does not tell: errors, lines, library frames, effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graphaudit.model import Cause
from graphaudit.rules import rule_for

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
