"""Statements with blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tests.fuzz.builder import Builder, Lines, Scope, indented

if TYPE_CHECKING:
    from collections.abc import Callable

_ITERABLES: Final = (
    "i in range(2)",
    "i in (1, 2)",
    "i in [n, n]",
    "i, _ in enumerate('ab')",
    "i, _ in zip((1, 2), (3, 4))",
    "_, i in {'a': 1, 'b': 2}.items()",
    "i in reversed([1, 2])",
    "i in itertools.chain([1], [2])",
    "i in [1, 2, 3][1:]",
    "i in sorted([2, 1])",
    "i in map(identity, [1, 2])",
    "i in iter([1, 2])",
    "i in list(TABLE.values())",
)
_MANAGERS: Final = (
    "contextlib.nullcontext()",
    "Ctx()",
    "torch.no_grad()",
    "Ctx() as c",
    "contextlib.suppress(ValueError)",
    "Ctx(), Ctx()",
    "torch.enable_grad()",
    "contextlib.ExitStack()",
    "Swallow()",
)
_FAULTS: Final = (
    ("raise ValueError(n)", "ValueError"),
    ("raise Error", "Error"),
    ("raise Error(n) from None", "(Error, KeyError) as error"),
    ('TABLE["absent"]', "KeyError"),
    ("[][1]", "IndexError"),
    ("STATE.absent", "AttributeError"),
    ("plain_fault()", "Error as error"),
    ("next(iter(()))", "StopIteration"),
    ("raise KeyError(n)", "LookupError"),
)


def condition(b: Builder, scope: Scope) -> Lines:
    """Branch on what Dynamo knows."""
    test = b.pick(
        ("n > 0", "n < 0", "x.dim() == 1", "not ITEMS and n", "0 < n < 99", "STATE.last is None")
    )
    lines = [f"if {test}:", *b.block(scope)]
    if b.chance():
        lines += ["elif n == 7:", *b.block(scope)]
    return [*lines, "else:", *b.block(scope)] if b.chance() else lines


def for_loop(b: Builder, scope: Scope) -> Lines:
    """Loop over something known."""
    inner = replace(scope, is_loop=True)
    lines = [f"for {b.pick(_ITERABLES)}:", *b.block(inner)]
    return [*lines, "else:", *b.block(scope)] if b.chance() else lines


def while_loop(b: Builder, scope: Scope) -> Lines:
    """Count up."""
    name = b.fresh("w")
    inner = replace(scope, is_loop=True)
    return [f"{name} = 0", f"while {name} < 2:", f"    {name} += 1", *b.block(inner)]


def leave_loop(b: Builder, scope: Scope) -> Lines:
    """Leave a loop early, or go on with it."""
    if not scope.is_loop:
        return for_loop(b, scope)
    test = b.pick(("n > 0", "n > 99", "x.dim() == 1"))
    return [f"if {test}:", *b.block(scope), "    " + b.pick(("break", "continue"))]


def early_return(b: Builder, scope: Scope) -> Lines:
    """Return from the function, perhaps."""
    test = b.pick(("n > 99", "n > 0", "x.dim() == 1"))
    return [f"if {test}:", *b.block(scope), f"    {scope.leave}"]


def with_block(b: Builder, scope: Scope) -> Lines:
    """Hold a context manager."""
    return [f"with {b.pick(_MANAGERS)}:", *b.block(scope)]


def swallowed(b: Builder, scope: Scope) -> Lines:
    """Raise what the manager swallows."""
    manager, fault = b.pick(
        (("Swallow()", "raise Error"), ("contextlib.suppress(KeyError)", "raise KeyError"))
    )
    return [f"with {manager}:", *b.block(scope), "    if n:", f"        {fault}"]


def own_manager(b: Builder, scope: Scope) -> Lines:
    """Hold a manager whose methods have bodies."""
    name = b.fresh("Manager")
    top = Scope(depth=scope.depth + 1, leave="return")
    enter = ["x = torch.ones(3)", "n = 1", *b.statements(top)]
    leave = ["x = torch.ones(3)", "n = 1", *b.statements(top), "return False"]
    b.define(
        [
            f"class {name}:",
            *indented(["def __enter__(self):", *indented(enter), "    return self"]),
            *indented(["def __exit__(self, *exc):", *indented(leave)]),
        ]
    )
    return [f"with {name}():", *b.block(scope)]


def generated_manager(b: Builder, scope: Scope) -> Lines:
    """Hold a manager made of a generator."""
    name = b.fresh("manage")
    top = Scope(depth=scope.depth + 1, leave="pass")
    before, after = b.statements(top), b.statements(top)
    inner = ["yield n", *after]
    if b.chance():
        inner = ["try:", "    yield n", "finally:", *indented(after)]
    b.define(
        ["@contextlib.contextmanager", f"def {name}(x):", *indented(["n = 1", *before, *inner])]
    )
    return [f"with {name}(x):", *b.block(scope)]


def try_except(b: Builder, scope: Scope) -> Lines:
    """Handle an exception, perhaps one that is raised."""
    fault, caught = b.pick(_FAULTS)
    lines = ["try:", *b.block(scope)]
    if b.chance():
        lines.append(f"    {fault}")
    lines += [f"except {caught}:", *b.block(scope)]
    if b.chance():
        lines += ["else:", *b.block(scope)]
    return [*lines, "finally:", *b.block(scope)] if b.chance() else lines


def try_finally(b: Builder, scope: Scope) -> Lines:
    """Clean up."""
    return ["try:", *b.block(scope), "finally:", *b.block(scope)]


def raised_again(b: Builder, scope: Scope) -> Lines:
    """Raise an exception again."""
    inner = [
        "try:",
        *b.block(scope),
        "    raise Error",
        "except Error:",
        *b.block(scope),
        "    raise",
    ]
    return ["try:", *indented(inner), "except Error:", *b.block(scope)]


def matched(b: Builder, scope: Scope) -> Lines:
    """Match a pattern."""
    subject, pattern = b.pick(
        (
            ("n", "int()"),
            ("(n, 1)", "(a, 1)"),
            ("[n, 2, 3]", "[a, *rest]"),
            ("{'k': n}", "{'k': a}"),
            ("n", "a if a > 99"),
            ("'a'", "'b' | 'a'"),
        )
    )
    body = [f"case {pattern}:", *b.block(scope), "case _:", *b.block(scope)]
    return [f"match {subject}:", *indented(body)]


COMPOUNDS: Final[tuple[Callable[[Builder, Scope], Lines], ...]] = (
    condition,
    for_loop,
    while_loop,
    leave_loop,
    early_return,
    with_block,
    swallowed,
    own_manager,
    generated_manager,
    try_except,
    try_finally,
    raised_again,
    matched,
)
