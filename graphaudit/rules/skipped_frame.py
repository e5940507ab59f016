"""Recognised by the type that we give to a frame which Dynamo skipped without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA092"

_TYPE: Final = "Skipped frame: "
# By words of Dynamo's reason, or of ours where it was not asked; the first that fits counts.
_FIXES: Final = {
    "no tensor-related objects": "Dynamo looks for tensors in arguments and plain containers "
    "alone. Mend the break above, so that the rest of the function is traced with it; or pass "
    "the tensors as arguments.",
    "dispatch mode": "Enter the mode inside the compiled function's caller only where nothing is "
    "compiled, or leave it: no frame below a mode is compiled.",
    "disabled for this frame": "Take off `torch.compiler.disable(recursive=False)`, or keep the "
    "tensor work out of this function.",
    "is disabled": "Take `torch._dynamo.config.disable` and TORCHDYNAMO_DISABLE back.",
    "the stance is": "Call it under the default stance: `torch.compiler.set_stance` is in force.",
    "told to leave": "Look for what marked it: `skip_code`, `torch._dynamo.skip`, "
    "`disable(recursive=False)`, or an earlier call of it that failed to compile.",
    "suppressed": "Take `torch._dynamo.config.suppress_errors` back, and mend the error it hides.",
}


def skipped_frame(found: Break) -> bool:
    """A function with tensor work was left to eager without a word.

    Why: Dynamo skipped this function and logged no break: its operators run outside of any graph.

    Fix: TORCH_LOGS="+dynamo" says why a frame was skipped. Take away what told Dynamo to skip it
        (a setting, a mode, a mark), or pass the tensors that it works on as arguments.

    Bad (silent):
        import torch

        def inner(x):
            return x.sin()

        def f(x):
            return inner(x) + 1

        torch._dynamo.eval_frame.skip_code(f.__code__)

    Good:
        def f(x):
            return x + 1

    Dynamo:
        Skipped frame

    Notes: Frames without tensor work are skipped as well; they give no finding.
    """
    return root(found).gb_type.startswith(_TYPE)


def why_of(found: Break) -> str:
    """Say which operators, and why they run in eager."""
    cause = root(found)
    return f"{cause.explanation}. Dynamo skipped the function: {cause.context}."


def fix_of(found: Break) -> str:
    """Say what to do about the reason; "" where that is not known."""
    context = root(found).context
    return next((fix for words, fix in _FIXES.items() if words in context), "")
