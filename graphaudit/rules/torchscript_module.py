"""Recognised by the words in Dynamo's types, or torch.jit in the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root, says, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA072"


def torchscript_module(found: Break) -> bool:
    """A TorchScript module or function is called.

    Why: Scripted and traced modules run in their own interpreter; there is no Python for Dynamo to
        trace.

    Fix: Call the original `nn.Module`; drop `torch.jit.script`, `trace` and `freeze` where
        `torch.compile` is used.

    Bad:
        import torch

        layer = torch.jit.trace(torch.nn.Linear(3, 3), torch.ones(3))

        def f(x):
            return layer(x)

    Good:
        import torch

        layer = torch.nn.Linear(3, 3)

        def f(x):
            return layer(x)

    Dynamo:
        GB4695 torch.jit.script/freeze modules unsupported
        GB0357 UnspecializedNNModuleVariable wrapped around ScriptModules unsupported
        GB2977 wrap_jit_function: missing _torchdynamo_inline
        GB0265 FakeScriptObject missing method implementation
        GB0266 Weird method call on TorchScript object
        GB0267 Attempted to access non-callable attribute of TorchScript object
        GB0008 Attempted to inline function marked as skipped
        RuntimeError
    """
    return (
        _is_refused(found)
        or any(
            word in root(found).gb_type
            for word in (
                "torch.jit",
                "ScriptModule",
                "TorchScript",
                "FakeScriptObject",
                "jit_function",
            )
        )
        or skips_from(found, "torch.jit")
        or in_context(found, "torch/jit/")
    )


def _is_refused(found: Break) -> bool:
    """Tell whether torch.compile took such a module for itself, and would not have it."""
    return found.effect == "error" and says(found, "torch.jit.script or torch.jit.freeze models")
