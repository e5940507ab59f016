"""Texts that come from the target, in a size and form that a report can carry."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 2_000


def encodable(text: str) -> str:
    """Spell out what has no form in UTF-8: lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def short(text: str) -> str:
    """Keep both ends of a text that is too long, and say how much is left out."""
    text = encodable(text)
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters ...] {text[-half:]}"


def message_of(error: BaseException) -> str:
    """Give an exception's message; the target may have written its `__str__`."""
    try:
        return encodable(str(error))
    # it may raise anything as well
    except BaseException as again:  # noqa: BLE001
        return f"<its __str__ raised {type(again).__name__}>"


def described(error: BaseException) -> str:
    """Say in one line what was raised."""
    first = short(message_of(error).strip().partition("\n")[0])
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
