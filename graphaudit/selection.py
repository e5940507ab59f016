"""`-k`: which entries a boolean expression over parts of their ids selects, as in pytest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NoReturn

from graphaudit.errors import GraphauditError

Matcher = Callable[[str], bool]

_TOKEN: Final = re.compile(r"[()]|[^\s()]+")
_DEEPEST: Final = 50


class KeywordError(GraphauditError):
    """The expression cannot be read: correct it at the position that the message shows."""


def matcher(expression: str) -> Matcher:
    """Give a function that says whether an entry id is selected.

    `and`, `or`, `not` and parentheses join words; a word matches where it is a part of the id,
    upper and lower case alike.

    Raises:
        KeywordError: `expression` is empty or malformed.
    """
    parser = _Parser(expression)
    selects = parser.either()
    parser.expect("", "'and', 'or' or the end")
    return lambda ident: selects(ident.lower())


class _Parser:
    """Reads one expression from left to right. After the last token there is an empty one."""

    def __init__(self, expression: str) -> None:
        """Start before the first token of `expression`."""
        self._expression = expression
        self._tokens = [(found[0], found.start()) for found in _TOKEN.finditer(expression)]
        self._tokens.append(("", len(expression)))
        self._next = 0
        self._depth = 0

    def either(self) -> Matcher:
        """Read operands of `or`."""
        operands = [self._both()]
        while self._take("or"):
            operands.append(self._both())
        return lambda ident: any(selects(ident) for selects in operands)

    def expect(self, token: str, wanted: str) -> None:
        """Read `token`, or refuse what stands there instead."""
        if not self._take(token):
            self._refuse(wanted)

    def _both(self) -> Matcher:
        operands = [self._one()]
        while self._take("and"):
            operands.append(self._one())
        return lambda ident: all(selects(ident) for selects in operands)

    def _one(self) -> Matcher:
        negated = False
        while self._take("not"):
            negated = not negated
        selects = self._nested() if self._take("(") else self._word()
        return lambda ident: selects(ident) != negated

    def _nested(self) -> Matcher:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._refuse(f"at most {_DEEPEST} parentheses in each other")
        selects = self.either()
        self.expect(")", "'and', 'or' or ')'")
        self._depth -= 1
        return selects

    def _word(self) -> Matcher:
        word = self._tokens[self._next][0].lower()
        if word in {"", "and", "or", ")"}:
            self._refuse("a part of an entry id, 'not' or '('")
        self._next += 1
        return lambda ident: word in ident

    def _take(self, token: str) -> bool:
        """Go past the next token if it is `token`."""
        if self._tokens[self._next][0].lower() != token:
            return False
        # The empty token at the end stays: whoever asks again finds the end again.
        self._next += bool(token)
        return True

    def _refuse(self, wanted: str) -> NoReturn:
        token, position = self._tokens[self._next]
        found = repr(token) if token else "the end"
        shown = re.sub(r"\s", " ", self._expression)
        raise KeywordError(
            f"-k: expected {wanted}, found {found} at column {position + 1}\n"
            f"    {shown}\n    {' ' * position}^"
        )
