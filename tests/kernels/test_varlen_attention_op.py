"""The operator as torch sees it: registration, tracing, and what its door refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from torch.library import opcheck

from kernels.varlen_attention import varlen_attention

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

ROOT = Path(__file__).parents[2]


def arguments(rows: int = 6, dtype: torch.dtype = torch.float32) -> dict[str, object]:
    """Two sequences, of 2 and 3 queries on 4 and 5 keys, and padding up to `rows`."""
    return {
        "q": torch.randn(rows, 4, 8).to(dtype),
        "k": torch.randn(9, 2, 8).to(dtype),
        "v": torch.randn(9, 2, 5).to(dtype),
        "cu_seqlens_q": torch.tensor([0, 2, 5], dtype=torch.int32),
        "cu_seqlens_k": torch.tensor([0, 4, 9], dtype=torch.int32),
        "max_seqlen_q": 3,
        "max_seqlen_k": 5,
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(("scale", "causal"), [(None, True), (0.5, False)])
def test_opcheck(dtype: torch.dtype, scale: float | None, *, causal: bool) -> None:
    """Schema, fake and dispatch agree with what is computed."""
    given = (*arguments(dtype=dtype).values(), scale, causal)
    opcheck(torch.ops.kernels.varlen_attention.default, given)


def test_schema() -> None:
    """Lengths may be symbolic, nothing is mutated."""
    assert str(torch.ops.kernels.varlen_attention.default._schema) == (
        "kernels::varlen_attention(Tensor q, Tensor k, Tensor v, Tensor cu_seqlens_q, "
        "Tensor cu_seqlens_k, SymInt max_seqlen_q, SymInt max_seqlen_k, float? softmax_scale, "
        "bool causal) -> (Tensor, Tensor)"
    )


def test_one_dynamic_graph_for_all_lengths() -> None:
    """Other token counts need no second trace, and give what the plain call gives."""
    graphs = []

    def count(graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> Callable[..., object]:
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(varlen_attention, backend=count, fullgraph=True, dynamic=True)
    for rows in (6, 7, 63):
        given = arguments(rows)
        result, expected = compiled(**given), varlen_attention(**given)
        assert torch.equal(result.out, expected.out)
        assert torch.equal(result.lse, expected.lse)
    assert len(graphs) == 1


def test_the_graph_holds_one_operator() -> None:
    """The checks leave nothing behind, and the operator is not opened."""
    targets = []

    def note(graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> Callable[..., object]:
        targets.extend(str(node.target) for node in graph.graph.nodes if node.op.startswith("call"))
        return graph.forward

    torch.compile(varlen_attention, backend=note, fullgraph=True)(**arguments())
    calls = [target for target in targets if "getitem" not in target]
    assert calls == ["kernels.varlen_attention"]


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("q", torch.zeros(6, 32), ValueError, "q has 2 dimensions; pack the sequences"),
        ("q", torch.zeros(6, 4, 8).double(), TypeError, "q is torch.float64; use float32"),
        ("k", torch.zeros(9, 2, 8).half(), TypeError, "k is torch.float16 but q is torch.float32"),
        (
            "k",
            torch.zeros(8, 2, 8),
            ValueError,
            r"k has \(tokens, heads\) \(8, 2\), v has \(9, 2\)",
        ),
        ("k", torch.zeros(9, 2, 7), ValueError, "head size of q is 8 and that of k is 7"),
        ("q", torch.zeros(6, 3, 8), ValueError, "3 query heads cannot share 2 key heads"),
        ("v", torch.zeros(9, 2, 5, device="meta"), ValueError, "v is on meta but q is on cpu"),
        ("cu_seqlens_q", torch.tensor([0, 2, 5]), TypeError, "int64; cast it to torch.int32"),
        ("cu_seqlens_k", torch.tensor(0), ValueError, "cu_seqlens_k has 0 dimensions"),
        ("cu_seqlens_k", torch.zeros(4).int(), ValueError, "q has 3 entries, cu_seqlens_k has 4"),
        ("cu_seqlens_q", torch.tensor([0, 3, 2]).int(), ValueError, r"\[0, 3, 2\]; it starts at 0"),
        ("cu_seqlens_q", torch.tensor([1, 2, 5]).int(), ValueError, "starts at 0 and never falls"),
        ("cu_seqlens_k", torch.tensor([0, 5, 10]).int(), ValueError, "10, but there are 9 rows"),
        ("max_seqlen_q", 2, ValueError, "a sequence has 3 rows, but max_seqlen_q is 2"),
    ],
)
def test_refused(name: str, value: object, error: type[Exception], message: str) -> None:
    """Each wrong argument is named, with what it has and what it needs."""
    with pytest.raises(error, match=f"varlen_attention: .*{message}"):
        varlen_attention(**arguments() | {name: value})


def test_no_sequences() -> None:
    """A batch of none is all padding."""
    none = torch.zeros(1, dtype=torch.int32)
    given = arguments() | {"cu_seqlens_q": none, "cu_seqlens_k": none}
    assert varlen_attention(**given).out.count_nonzero() == 0


def test_first_call_of_a_process_is_compiled() -> None:
    """Importing the door registers the operator; nothing has to run before the trace."""
    code = (
        "import torch; from kernels.varlen_attention import varlen_attention\n"
        "one = torch.tensor([0, 1], dtype=torch.int32); x = torch.ones(1, 1, 1)\n"
        "compiled = torch.compile(varlen_attention, backend='eager', fullgraph=True)\n"
        "assert compiled(x, x, x, one, one, 1, 1).lse.item() == 1.0"
    )
    subprocess.run([sys.executable, "-B", "-W", "error", "-c", code], cwd=ROOT, check=True)
