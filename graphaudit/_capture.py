"""What `fullgraph=True` lets through and a plain compile does not.

It switches on `capture_scalar_outputs` and `capture_dynamic_output_shape_ops`. Dynamo names the
setting in the text of a break that depends on it (torch/_dynamo/variables, 2.11 to 2.14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from graphaudit.model import Cause

_SETTINGS: Final = ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")


def depends_on_capture(cause: Cause) -> bool:
    """Tell whether a break would look different under fullgraph's capture settings."""
    text = " ".join((cause.gb_type, cause.explanation, *cause.hints))
    return any(setting in text for setting in _SETTINGS)
