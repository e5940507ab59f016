"""Recognised by the text of the internal error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA019"


def module_not_importable(found: Break) -> bool:
    r"""A function whose module cannot be imported by its name.

    Why: Dynamo reaches the globals of an inlined function by importing its module. A module that
        was loaded from a path, or deleted from `sys.modules`, is not found by that name, and
        Dynamo ends with an internal error.

    Fix: Register the module when you load it: `sys.modules[module.__name__] = module`, before the
        compiled call.

    Bad:
        import types

        plugin = types.ModuleType("plugin_loaded_by_path")
        exec("GAIN = 3.0\ndef apply(x): return x * GAIN", plugin.__dict__)

        def f(x):
            return plugin.apply(x)

    Good:
        import sys
        import types

        plugin = types.ModuleType("plugin_that_is_registered")
        sys.modules[plugin.__name__] = plugin
        exec("GAIN = 3.0\ndef apply(x): return x * GAIN", plugin.__dict__)

        def f(x):
            return plugin.apply(x)

    Dynamo:
        InternalTorchDynamoError

    Notes: With `torch._dynamo.config.suppress_errors` the error is swallowed and the function runs
        eager without a break.
    """
    return is_type(found, "InternalTorchDynamoError") and says(found, "ModuleNotFoundError")
