"""Recognised by the module of the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA008"


def import_by_name(found: Break) -> bool:
    """A module is looked up by name inside compiled code.

    Why: `{callee}` is part of the import machinery, which Dynamo does not trace, whether the
        module is there or not.

    Fix: Import at module level and keep the module (or whether it is there) in a constant.

    Bad:
        import importlib

        def f(x):
            name = importlib.import_module("math")
            return x * name.pi

    Good:
        import importlib

        MATH = importlib.import_module("math")

        def f(x):
            return x * MATH.pi

    Dynamo:
        GB0007 Attempted to call function marked as skipped

    Notes: `importlib.util.find_spec` breaks in torch 2.11 and is traced in 2.13. It raises
        ValueError, also in eager, for a stub in `sys.modules` whose `__spec__` is None.
    """
    return skips_from(found, "importlib", "pkgutil", "pkg_resources")
