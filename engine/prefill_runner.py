"""Runs prefills through one compiled callable, padded to a few token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.prefill_buffers import PrefillBuffers
from engine.token_buckets import pad_tokens, token_buckets

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from engine.forward_batch import ForwardBatch
    from engine.model import PrefillModel
    from engine.prefill_buffers import PrefillLimits

# A bucket of more than twice the tokens costs more in padding than the eager forward does.
_MAX_PADDING_FACTOR = 2


class PrefillRunner:
    """A model compiled once, in one graph, for all token buckets; `forward` runs every prefill.

    `warm_up` runs the model on padding alone, which touches slot 0 of the cache and no other.
    """

    def __init__(
        self,
        model: PrefillModel,
        limits: PrefillLimits,
        *,
        compile_backend: str | Callable[..., object] = "eager",
    ) -> None:
        """Allocate the buffers; the first call compiles, best that of `warm_up`.

        Args:
            model: what to run.
            limits: the largest prefill; `max_tokens` is cut to a bucket.
            compile_backend: the back end that `torch.compile` hands the graph to. "eager" runs it
                operator by operator, which needs no C++ compiler; "inductor" fuses.

        Raises:
            ValueError: `limits.max_tokens` is below the smallest bucket.
        """
        self.buckets = token_buckets(limits.max_tokens)
        self.model = model
        self._buffers = PrefillBuffers.allocate(limits)
        self._compiled = torch.compile(model, fullgraph=True, dynamic=True, backend=compile_backend)

    def warm_up(self) -> None:
        """Compile: run every bucket on padding alone, so that no prefill waits for it later.

        Raises:
            torch._dynamo.exc.Unsupported: the model does not trace in one graph.
        """
        # Largest first: memory that the largest takes is there for all others.
        for bucket in reversed(self.buckets):
            self._call(*self._buffers.padded(bucket))

    @torch.no_grad()
    def forward(self, input_ids: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """What the model gives for one prefill: compiled where `can_run` says so, else eagerly.

        Args:
            input_ids: int64 (n,).
            forward_batch: the forward of these n tokens, not padded.

        Returns:
            (n, hidden size); of a prefill that is split over ranks, the rows of this rank.
        """
        if self.can_run(input_ids, forward_batch):
            return self.replay(input_ids, forward_batch)
        hidden: Tensor = self.model(input_ids, forward_batch)
        return hidden

    def can_run(self, input_ids: Tensor, forward_batch: ForwardBatch) -> bool:
        """Whether the buffers hold this prefill, in a bucket that is not mostly padding.

        A prefill that is split over ranks has other rows in its output than in its input: no.
        """
        num_tokens = input_ids.shape[0]
        if not 1 <= num_tokens <= self.buckets[-1] or forward_batch.attn_cp_metadata is not None:
            return False
        if self._buffers.excess(input_ids, forward_batch):
            return False
        return self.pad(num_tokens) <= _MAX_PADDING_FACTOR * num_tokens

    def pad(self, num_tokens: int) -> int:
        """The token count that a prefill of `num_tokens` runs with.

        Raises:
            ValueError: no bucket is large enough.
        """
        return pad_tokens(self.buckets, num_tokens)

    def replay(self, input_ids: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """What the compiled model gives for one prefill, without the padding.

        Args:
            input_ids: int64 (n,).
            forward_batch: the forward of these n tokens, not padded.

        Returns:
            (n, hidden size).

        Raises:
            ValueError: the forward exceeds the limits, or is split over ranks.
        """
        inputs = self.prepare(input_ids, forward_batch)
        return self._call(*inputs)[: input_ids.shape[0]]

    def prepare(
        self, input_ids: Tensor, forward_batch: ForwardBatch
    ) -> tuple[Tensor, ForwardBatch]:
        """Fill the static buffers with one prefill: what the compiled model is called with.

        Args:
            input_ids: int64 (n,).
            forward_batch: the forward of these n tokens, not padded.

        Returns:
            Token ids (bucket,) and the forward, padded; views of buffers that every prefill shares.

        Raises:
            ValueError: the forward exceeds the limits, or is split over ranks.
        """
        if forward_batch.attn_cp_metadata is not None:
            raise ValueError("a prefill that is split over ranks has other rows; run it eagerly")
        bucket = self.pad(input_ids.shape[0])
        self._buffers.copy_from(input_ids, forward_batch)
        return self._buffers.padded(bucket)

    @torch.no_grad()
    def _call(self, input_ids: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """Hidden states (bucket, hidden size)."""
        hidden: Tensor = self._compiled(input_ids, forward_batch)
        return hidden
