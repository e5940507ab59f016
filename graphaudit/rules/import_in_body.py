"""Recognised by Dynamo's own type for a failed import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA001"


def import_in_body(found: Break) -> bool:
    """Import that fails inside compiled code.

    Why: Dynamo runs the import while it traces. If the module is missing it reports its own error
        instead of ImportError, so the `except ImportError` around it never runs and the whole
        frame falls back to eager.

    Fix: Do the import once at module level inside try/except, keep the answer in a constant, and
        let the compiled code read that constant.

    Bad:
        def f(x):
            try:
                import package_that_is_missing
            except ImportError:
                return x
            return package_that_is_missing.run(x)

    Good:
        try:
            import package_that_is_missing
        except ImportError:
            package_that_is_missing = None

        def f(x):
            if package_that_is_missing is None:
                return x
            return package_that_is_missing.run(x)

    Dynamo:
        GB0069 Import failure
        GB0022 Bad import result

    Notes: Only a missing (or failing) module breaks; an import of an installed module in the body
        is traced through. So the same code can be clean on one machine and break on the next.
        Dynamo's hint that the code may also fail in eager is wrong for a guarded import.
        `functools.lru_cache` does not help: Dynamo looks through it.
    """
    return is_type(found, "Import failure", "Bad import result")
