"""The decision whether prefills are split over ranks, in its fixed and its reverted order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from engine import dsa_context_parallel, model_config
from engine.audit_inputs import NUM_TOKENS, prefill
from engine.context_parallel_split import InterleaveSplit
from engine.dsa_context_parallel import (
    dsa_use_prefill_cp,
    is_dsa_enable_prefill_cp,
    is_dsa_enable_prefill_cp_reverted,
)
from engine.forward_batch import ForwardBatch, ForwardMode
from engine.model_config import ModelConfig, publish_model_config
from engine.parallel import get_parallel
from probes import eager

if TYPE_CHECKING:
    from collections.abc import Callable

PROBES = ("is_hip", "is_npu", "is_musa")
both = pytest.mark.parametrize(
    "decide", [is_dsa_enable_prefill_cp, is_dsa_enable_prefill_cp_reverted]
)


@pytest.fixture(autouse=True)
def _same_config_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the model config of this process back."""
    monkeypatch.setattr(model_config._Published, "config", model_config.process_model_config())


def answer_probes(monkeypatch: pytest.MonkeyPatch, positive: str | None) -> None:
    """Let one probe say yes and the others no, in both forms."""
    for probe in PROBES:
        for module in (dsa_context_parallel, eager):
            monkeypatch.setattr(module, probe, lambda probe=probe: probe == positive)


@both
@pytest.mark.parametrize(("cp_size", "expected"), [(1, False), (2, True), (8, True)])
def test_ranks_decide(decide: Callable[[], bool], cp_size: int, *, expected: bool) -> None:
    """A DSA model is split as soon as there are two ranks."""
    with get_parallel().override(attn_cp_size=cp_size):
        assert decide() is expected


@both
@pytest.mark.parametrize("positive", PROBES)
def test_platforms_without_the_split(
    monkeypatch: pytest.MonkeyPatch, decide: Callable[[], bool], positive: str
) -> None:
    """Any of the three platforms says no."""
    answer_probes(monkeypatch, positive)
    with get_parallel().override(attn_cp_size=4):
        assert decide() is False


@both
@pytest.mark.parametrize(
    ("architecture", "expected"), [("DeepseekV4ForCausalLM", True), ("LlamaForCausalLM", False)]
)
def test_the_model_decides(
    decide: Callable[[], bool], architecture: str, *, expected: bool
) -> None:
    """V4 is split too, a model with dense attention is not."""
    publish_model_config(ModelConfig({"architectures": [architecture]}))
    with get_parallel().override(attn_cp_size=4):
        assert decide() is expected


def test_one_rank_asks_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be split, neither platform nor model is looked at."""

    def fail() -> bool:
        raise AssertionError("asked")

    for name in (*PROBES, "process_model_config"):
        monkeypatch.setattr(dsa_context_parallel, name, fail)
    assert is_dsa_enable_prefill_cp() is False


def test_no_model_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several ranks and no model is an error, not a no."""
    monkeypatch.setattr(model_config._Published, "config", None)
    with (
        get_parallel().override(attn_cp_size=4),
        pytest.raises(ValueError, match="no model config is published; call"),
    ):
        is_dsa_enable_prefill_cp()


@pytest.mark.parametrize("cp_size", [1, 4])
def test_fixed_order_traces(cp_size: int) -> None:
    """One graph, whether the platform is asked or not."""

    def branch(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if is_dsa_enable_prefill_cp() else x - 1

    compiled = torch.compile(branch, backend="eager", fullgraph=True)
    with get_parallel().override(attn_cp_size=cp_size):
        assert compiled(torch.zeros(1)).item() == (1.0 if cp_size == 4 else -1.0)


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools")
def test_reverted_order_breaks_on_one_rank() -> None:
    """The trace ends at the import in the probe, though nothing is to be split."""

    def branch(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if is_dsa_enable_prefill_cp_reverted() else x - 1

    with pytest.raises(RuntimeError, match="module_name: torchada") as caught:
        torch.compile(branch, backend="eager", fullgraph=True)(torch.zeros(1))
    assert caught.value.gb_type == "Import failure"
    assert Path(caught.value.real_stack[-1].filename).parts[-2:] == ("probes", "eager.py")


def forward(mode: ForwardMode, split: InterleaveSplit | None) -> ForwardBatch:
    """A forward of that mode and split."""
    _input_ids, batch = prefill(split=split)
    return ForwardBatch(
        forward_mode=mode,
        positions=batch.positions,
        out_cache_loc=batch.out_cache_loc,
        attention=batch.attention,
        attn_cp_metadata=split,
    )


SPLIT = InterleaveSplit(total_tokens=NUM_TOKENS, cp_size=4)


@pytest.mark.parametrize(
    ("mode", "split", "enabled", "expected"),
    [
        (ForwardMode.EXTEND, SPLIT, True, True),
        (ForwardMode.EXTEND, SPLIT, None, True),
        (ForwardMode.EXTEND, SPLIT, False, False),
        (ForwardMode.EXTEND, None, True, False),
        (ForwardMode.DECODE, SPLIT, True, False),
    ],
)
def test_use_needs_plan_decision_and_mode(
    mode: ForwardMode, split: InterleaveSplit | None, *, enabled: bool | None, expected: bool
) -> None:
    """All three have to agree."""
    with get_parallel().override(attn_cp_size=4):
        assert dsa_use_prefill_cp(forward(mode, split), enabled) is expected


def test_use_asks_before_it_looks_at_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision is asked for even where no split is planned: it has to trace everywhere."""
    asked = []
    monkeypatch.setattr(
        dsa_context_parallel, "is_dsa_enable_prefill_cp", lambda: bool(asked.append("once"))
    )
    assert dsa_use_prefill_cp(forward(ForwardMode.EXTEND, None)) is False
    assert asked == ["once"]
