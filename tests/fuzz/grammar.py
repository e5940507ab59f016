"""The strategy of whole programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from tests.fuzz.builder import Builder, Lines, Scope, indented
from tests.fuzz.callables import CALLABLES
from tests.fuzz.compounds import COMPOUNDS
from tests.fuzz.kinds import PRELUDE
from tests.fuzz.program import Program
from tests.fuzz.protocols import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Callable

_ENTRIES: Final = ("function", "module", "method", "instance", "closure", "partial")


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Program:
    """Draw a program with planted statements, or with their look-alikes alone."""
    builder = Builder(draw, plants=draw(st.sampled_from((True, True, True, True, False))))
    builder.compounds = (*COMPOUNDS, *CALLABLES, *PROTOCOLS)
    form = builder.pick(_ENTRIES)
    body = ["n = 1", *builder.statements(Scope()), "return x * 2"]
    lines = [*builder.definitions, "", "", *_entry(form, body)]
    return Program(PRELUDE + "\n".join(lines) + "\n")


def _entry(form: str, body: Lines) -> Lines:
    if form == "function":
        return ["def entry(x):", *indented(body)]
    if form == "closure":
        inner = ["def inner(x):", *indented(["x = x + cell", *body])]
        return [
            "def make():",
            *indented(["cell = 1", *inner, "return inner"]),
            "",
            "entry = make()",
        ]
    if form == "partial":
        function = ["def whole(x, k):", *indented(["x = x + k", *body])]
        return [*function, "", "entry = functools.partial(whole, k=1)"]
    if form == "module":
        init = [
            "def __init__(self):",
            "    super().__init__()",
            "    self.layer = torch.nn.Linear(3, 3)",
        ]
        forward = ["def forward(self, x):", *indented(["x = self.layer(x)", *body])]
        start = ["torch.manual_seed(0)", "entry = Model()"]
        return ["class Model(torch.nn.Module):", *indented([*init, *forward]), "", *start]
    name = "go" if form == "method" else "__call__"
    cls = [
        "class Entry:",
        *indented([f"def {name}(self, x):", *indented(["self.count = 1", *body])]),
    ]
    return [*cls, "", f"entry = Entry(){'.go' if form == 'method' else ''}"]
