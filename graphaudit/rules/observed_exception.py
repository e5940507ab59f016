"""Recognised by the words in Dynamo's types about exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import is_type, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA900"

_WORDS: Final = (
    "bserved exception",
    "Failed to raise",
    "non-Exception value",
    "bad expected type",
    "non-type expectation",
)


def observed_exception(found: Break) -> bool:
    """The traced code raises an exception that nobody in it catches.

    Why: `{exception}` leaves the compiled function. Either the code really raises with these
        inputs, or it raises only while tracing, because a traced value has another type than the
        real one.

    Fix: Run the same call in eager. If it raises there, mend it, or move the check that raises in
        front of the compiled call; if not, rewrite the line named by the exception.

    Bad:
        def f(x):
            if x.shape[0] != 4:
                raise ValueError("expected 4 rows")
            return x + 1

    Good:
        def check(rows):
            if rows != 4:
                raise ValueError("expected 4 rows")

        def f(x):
            try:
                check(x.shape[0])
            except ValueError:
                return x
            return x + 1

    Dynamo:
        GB0088 Observed exception
        GB0089 Observed exception (EXCEPT_HANDLER)
        GB0111 TypeError from user code
        GB7312 failed to bind arguments when attempting to inline
        GB0193 invalid call to builtin op handler
        GB0057 Failed to raise exception
        GB0002 Assertion failed on symbolic shapes
        GB0196 key not found in dict
        GB0273 Keyword args passed to exception constructor

    Notes: Exceptions that are raised and caught inside the compiled code are traced.
    """
    return any(word in root(found).gb_type for word in _WORDS) or is_type(
        found,
        "TypeError from user code",
        "failed to bind arguments when attempting to inline",
        "invalid call to builtin op handler",
        "Assertion failed on symbolic shapes",
        "key not found in dict",
        "Keyword args passed to exception constructor",
    )
