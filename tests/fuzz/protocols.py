"""Bodies in places that Python calls by itself: iterators, descriptors, generators, operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.fuzz.builder import Builder, Lines, Scope, indented

if TYPE_CHECKING:
    from collections.abc import Callable

# a method of a class: its head, how it begins, how it ends, how an object is used
_METHODS: Final = (
    ("def __iter__(self):", "return iter([x, x])", "for y in {o}: x = y"),
    ("def __len__(self):", "return 3", "x = x + len({o})"),
    ("def __contains__(self, k):", "return True", "x = x + (n in {o})"),
    ("def __eq__(self, other):", "return True", "x = x + ({o} == n)"),
    ("def __lt__(self, other):", "return True", "t = {o} < n"),
    ("def __bool__(self):", "return True", "if {o}: x = x + 1"),
    ("def __getattr__(self, name):", "return n", "x = x + {o}.absent"),
    ("def __setitem__(self, k, v):", "self.v = v", "{o}[n] = x"),
    ("def __setattr__(self, k, v):", "object.__setattr__(self, k, v)", "{o}.v = n"),
    ("def __iadd__(self, other):", "return self", "t = {o}; t += n"),
    ("def __neg__(self):", "return x", "x = -{o}"),
    ("def __str__(self):", 'return "s"', "t = str({o})"),
    ("def __index__(self):", "return 1", "t = [1, 2][{o}]"),
    ("def __call__(self, *args, **kwargs):", "return x", "x = {o}(x, k=n)"),
)


def protocol(b: Builder, scope: Scope) -> Lines:
    """Define a special method and use it."""
    cls, name = b.fresh("Special"), b.fresh("SPECIAL")
    head, end, use = b.pick(_METHODS)
    body = ["n = 1", "x = torch.ones(3)", *b.statements(Scope(depth=scope.depth + 1, leave=end))]
    b.define([f"class {cls}:", *indented([head, *indented([*body, end])])])
    b.define([f"{name} = {cls}()"])
    return use.replace("{o}", name).split("; ")


def iterator(b: Builder, scope: Scope) -> Lines:
    """Iterate over an object of the program's own."""
    cls = b.fresh("Steps")
    body = b.statements(Scope(depth=scope.depth + 1, leave="raise StopIteration"))
    step = ["n = 1", "x = torch.ones(3)", "self.i += 1"]
    step += ["if self.i > 2:", "    raise StopIteration", *body, "return x"]
    b.define(
        [
            f"class {cls}:",
            *indented(["i = 0", "def __iter__(self):", "    return self"]),
            *indented(["def __next__(self):", *indented(step)]),
        ]
    )
    use = b.pick(("for y in {c}():", "for _, y in enumerate({c}()):", "for y in list({c}()):"))
    return [use.replace("{c}", cls), "    x = x + y"]


def generator_calls(b: Builder, scope: Scope) -> Lines:
    """Take from a generator by hand, perhaps not to its end.

    No `send`, `throw` or `close`: to leave a frame behind a break, stock Dynamo (2.13) puts an
    iterator over the remaining items in a generator's place, which has none of them. Nor does it
    keep what `yield from` returns.
    """
    name, made = b.fresh("g"), b.fresh("made")
    inner = Scope(depth=scope.depth + 1, leave="return")
    first, second = b.statements(inner), b.statements(inner)
    shape, use = b.pick(
        (
            ([*first, "yield x", *second], ["for y in {m}:", "    x = y", "    break"]),
            ([*first, "yield x", *second, "yield x"], ["next({m})", "x = next({m}, x)"]),
            (["yield x", *first, "yield n", *second], ["x, n = {m}"]),
        )
    )
    b.define([f"def {name}(x):", *indented(["n = 1", *shape])])
    return [f"{made} = {name}(x)", *(line.replace("{m}", made) for line in use)]


def factory(b: Builder, scope: Scope) -> Lines:
    """Call a function that a function has made, twice, with a cell of its own."""
    name, made = b.fresh("make"), b.fresh("made")
    body = b.statements(Scope(depth=scope.depth + 1))
    inner = ["nonlocal cell", "n = 1", "cell = cell + 1", *body, "return x + cell"]
    b.define(
        [
            f"def {name}():",
            *indented(["cell = 0", "def inner(x):", *indented(inner), "return inner"]),
        ]
    )
    return [f"{made} = {name}()", f"x = {made}({made}(x))"]


def hooked(b: Builder, scope: Scope) -> Lines:
    """Call a module below the entry that has a hook."""
    cls, name = b.fresh("Hooked"), b.fresh("HOOKED")
    hook = b.helper(scope, prefix="hook", params="m, args, x")
    forward = ["def forward(self, x):", "    return x + 1"]
    b.define([f"class {cls}(torch.nn.Module):", *indented(forward)])
    b.define([f"{name} = {cls}()", f"{name}.register_forward_hook({hook})"])
    return [f"x = {name}(x)"]


def managed_function(b: Builder, scope: Scope) -> Lines:
    """Decorate a function with a context manager."""
    manager, name = b.fresh("manage"), b.fresh("f")
    inner = Scope(depth=scope.depth + 1, leave="pass")
    body = ["n = 1", "x = torch.ones(3)", *b.statements(inner), "yield", *b.statements(inner)]
    b.define(["@contextlib.contextmanager", f"def {manager}():", *indented(body)])
    b.define([f"@{manager}()", *b.function(Scope(depth=scope.depth), name)])
    return [f"x = {name}(x)"]


def caught(b: Builder, scope: Scope) -> Lines:
    """Catch an exception of the program's own class, which does something when it is made."""
    cls = b.fresh("Fault")
    body = b.statements(Scope(depth=scope.depth + 1, leave="return"))
    init = ["n = 1", "x = torch.ones(3)", *body, "self.k = k"]
    b.define([f"class {cls}(Error):", "    def __init__(self, k):", *indented(indented(init))])
    use = ["try:", *b.block(scope), f"    raise {cls}(n)", f"except {cls} as error:"]
    return [*use, "    n = error.k", *b.block(scope)]


def counted(b: Builder, scope: Scope) -> Lines:
    """Write a global variable, an attribute of a class, a default that lives on."""
    name = b.fresh("f")
    body = b.statements(Scope(depth=scope.depth + 1))
    start = ["global COUNT", "COUNT += 1", "seen.append(COUNT)", "State.shared = n"]
    if b.chance():
        body = [*body, "x = x + COUNT + len(seen)"]
    b.define(
        [
            f"def {name}(x, seen=[]):",
            *indented([*start[:1], "n = 1", *start[1:], *body, "return x"]),
        ]
    )
    return [f"x = {name}(x)"]


PROTOCOLS: Final[tuple[Callable[[Builder, Scope], Lines], ...]] = (
    protocol,
    iterator,
    generator_calls,
    factory,
    hooked,
    managed_function,
    caught,
    counted,
)
