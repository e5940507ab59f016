"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA071"


def recurrent_module(found: Break) -> bool:
    """A `torch.nn.LSTM`, `GRU` or `RNN` is called.

    Why: Dynamo leaves these modules eager unless it is told otherwise.

    Fix: Set `torch._dynamo.config.allow_rnn = True`, write the step with `LSTMCell` or `GRUCell`,
        or accept the site: the module is one fused operator, so the break costs little.

    Bad:
        import torch

        rnn = torch.nn.GRU(3, 3)

        def f(x):
            return rnn(x[None])[0]

    Good:
        import torch

        cell = torch.nn.GRUCell(3, 3)

        def f(x):
            return cell(x[None])

    Dynamo:
        GB0014 Attempted to wrap RNN, GRU, or LSTM
    """
    return is_type(found, "Attempted to wrap RNN, GRU, or LSTM")
