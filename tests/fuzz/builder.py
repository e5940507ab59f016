"""What the productions of the grammar share: choices, names, definitions, blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hypothesis import strategies as st

from tests.fuzz.kinds import BODY, KINDS
from tests.fuzz.marking import clean, planted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Lines = list[str]
T = TypeVar("T")

_DEPTH: Final = 4
_STATEMENTS: Final = 14
_LEAVES: Final = ("simple", "plant", "plant")
_SORTS: Final = ("simple", "plant", "plant", "compound", "compound", "compound")
# each evaluates the expression, and makes no use of its value that could break
_FORMS: Final = (
    "{e}",
    "t = {e}",
    "t = [{e} for _ in range(2)]",
    "t = {k: {e} for k in range(2)}",
    "t = (lambda: {e})()",
    "t = ({e}, n)",
    "t = identity({e})",
    "t = n if {e} is None else x",
    "t = [n, {e}][0]",
    "t = (u := {e}) is u",
    "t = dict(k={e})",
    "t = {e} is not None and n > 0",
    "STATE.last = {e} is None",
    "t, *u = {e}, n, n",
    "def inner(a={e}): return a",
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement stands."""

    depth: int = 0
    is_loop: bool = False
    leave: str = "return x"  # how an early return is written
    own: str = ""  # the object whose attributes may be used, such as `self`


class Builder:
    """Draws one program."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], *, plants: bool) -> None:
        """Start with nothing defined.

        Args:
            draw: Hypothesis's own.
            plants: Plant what breaks, else look-alikes alone.
        """
        self._draw = draw
        self._plants = plants
        self._names = 0
        self._left = _STATEMENTS
        self.definitions: Lines = []
        self.compounds: Sequence[Callable[[Builder, Scope], Lines]] = ()

    def pick(self, options: Sequence[T]) -> T:
        """Choose; the first is the simplest."""
        chosen: T = self._draw(st.sampled_from(options))
        return chosen

    def chance(self) -> bool:
        """Toss a coin."""
        return self.pick((False, True))

    def fresh(self, prefix: str) -> str:
        """Give a new name."""
        self._names += 1
        return f"{prefix}{self._names}"

    def define(self, lines: Lines) -> None:
        """Put a definition at the top of the module; what it needs is there already."""
        self.definitions += ["", "", *lines]

    def block(self, scope: Scope) -> Lines:
        """Give the statements of a block, indented."""
        inner = replace(scope, depth=scope.depth + 1)
        return indented(self.statements(inner))

    def statements(self, scope: Scope) -> Lines:
        """Give a few statements."""
        count = self.pick((1, 2, 3) if scope.depth < 2 else (1, 2))
        return [line for _ in range(count) for line in self.statement(scope)]

    def statement(self, scope: Scope) -> Lines:
        """Give one statement, compound while there is room."""
        self._left -= 1
        deepest = scope.depth >= _DEPTH or self._left <= 0
        sort = self.pick(_LEAVES if deepest else _SORTS)
        if sort == "compound":
            return self.pick(self.compounds)(self, scope)
        return self.plant(scope) if sort == "plant" else [self.pick(_SIMPLE)]

    def plant(self, scope: Scope) -> Lines:
        """Give a breaking statement, or its look-alike in a clean program."""
        kind = self.pick(KINDS)
        number = int(self.fresh(""))
        form = self.pick(_FORMS) if kind.is_expression else ""
        lines = (planted if self._plants else clean)(kind, number, form).splitlines()
        return [part for line in lines for part in self._filled(line, scope)]

    def function(
        self, scope: Scope, name: str, *, params: str = "x", ends: str = "return x"
    ) -> Lines:
        """Give a function of a tensor with a body of its own."""
        inner = replace(scope, depth=scope.depth + 1, is_loop=False, leave=ends)
        body = self.statements(inner)
        return [f"def {name}({params}):", *indented(["n = 1", *body, ends])]

    def helper(
        self, scope: Scope, *, prefix: str = "f", params: str = "x", ends: str = "return x"
    ) -> str:
        """Define a function at the top of the module; its name."""
        name = self.fresh(prefix)
        self.define(self.function(replace(scope, own=""), name, params=params, ends=ends))
        return name

    def _filled(self, line: str, scope: Scope) -> Lines:
        return self.block(scope) if line.strip() == BODY else [line]


def indented(lines: Lines) -> Lines:
    """Shift lines to the right."""
    return [f"    {line}" if line else line for line in lines]


_SIMPLE: Final = (
    "x = x + n",
    "x = x.sin()",
    "n = n + 1",
    "x = x * 0.5",
    "x = torch.relu(x) + 0.1",
    "ITEMS.append(n)",
    "STATE.count += 1",
    'TABLE["k"] = n',
    "x = x.clone().add_(1)",
    "STATE.last = n",
    "x = torch.stack([x, x]).mean(0)",
    "ITEMS[0] = n",
    "ITEMS.insert(0, n)",
    "ITEMS.extend([n, 2])",
    'x = x + TABLE["a"]',
    "x = x + len(ITEMS)",
    "x = x + STATE.count",
    's = f"{n} and {len(ITEMS)}"',
)
