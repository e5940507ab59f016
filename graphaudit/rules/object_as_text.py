"""Recognised by Dynamo's types about text, text builtins, and text that has no value yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, root, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA046"


def object_as_text(found: Break) -> bool:
    """An object is turned into text.

    Why: Text of strings, numbers, dtypes and shapes is made while tracing. `str()` or `repr()` of
        other objects (classes with C code, containers of tensors, an f-string of an object) is
        not.

    Fix: Make the text outside the compiled function and keep it, or use a plain attribute of the
        object as the key.

    Bad:
        import datetime

        day = datetime.date(2026, 1, 1)

        def f(x):
            return x + len(str(day))

    Good:
        import datetime

        DAY = str(datetime.date(2026, 1, 1))

        def f(x):
            return x + len(DAY)

    Dynamo:
        GB0005 Attempted to a str() method implemented in C/C++
        GB9198 Attempted to call repr() method implemented in C/C++
        GB0184 failed to call str() on user defined object
        GB2852 untraceable user-defined __repr__
        GB1275 repr() on non-constant dict view
        GB0459 repr() on non-constant defaultdict
        GB5380 repr() on non-constant set
        GB7968 repr() on non-constant list-like
        GB8315 repr() on non-constant dict
        GB0059 Failed to trace builtin operator
        GB0088 Observed exception
    """
    return (
        any(
            word in root(found).gb_type
            for word in ("repr()", "__repr__", "str() method", "call str()")
        )
        or builtin(found) in {"str", "repr", "format", "ascii"}
        or says(found, "object of type 'str' has no len()")
    )
