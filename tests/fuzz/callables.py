"""Statements that call what the program defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.fuzz.builder import Builder, Lines, Scope, indented

if TYPE_CHECKING:
    from collections.abc import Callable


def called(b: Builder, scope: Scope) -> Lines:
    """Call a function."""
    name = b.helper(scope)
    return [
        b.pick(
            (
                "x = {f}(x)",
                "x = {f}(x=x)",
                "x = {f}(*(x,))",
                'x = {f}(**{"x": x})',
                "x = {f}({f}(x))",
                "x = (lambda y: {f}(y))(x)",
                "x = functools.partial({f}, x)()",
                "x = {f}(x) if n else x",
                "x = n and {f}(x)",
                "t = {f}(x), n",
                "x = identity({f})(x)",
                'x = {"k": {f}}["k"](x)',
            )
        ).replace("{f}", name)
    ]


def comprehended(b: Builder, scope: Scope) -> Lines:
    """Call a function for each of several items."""
    name = b.helper(scope)
    return [
        b.pick(
            (
                "x = sum([{f}(x) for _ in range(2)])",
                "t = {k: {f}(x) for k in range(2)}",
                "x = [{f}(x) for k in range(4) if k > 1][0]",
                "x = sum({f}(x) for _ in range(2))",
                "x = torch.stack([{f}(y) for y in (x, x)]).mean(0)",
                "x = list(map({f}, [x, x]))[1]",
                "x = tuple({f}(x) for _ in range(1))[0]",
                "x = [[{f}(x) for _ in range(1)] for _ in range(2)][1][0]",
                "x = functools.reduce(lambda y, _: {f}(y), range(2), x)",
                "t = any({f}(x) is None for _ in range(2))",
                "x, *t = ({f}(x) for _ in range(2))",
                "t = list(filter(lambda k: {f}(x) is not None, [1, 2]))",
                "t = sorted([2, 1], key=lambda k: (0 if {f}(x) is None else k))",
                "t = list(zip([1, 2], ({f}(x) for _ in range(2))))",
            )
        ).replace("{f}", name)
    ]


def nested(b: Builder, scope: Scope) -> Lines:
    """Define a function inside."""
    name = b.fresh("inner")
    inner = Scope(depth=scope.depth)
    params = b.pick(("x", "x, k=1", "x, *rest", "x, *, k=n", "x, **more"))
    return [*b.function(inner, name, params=params), f"x = {name}(x)"]


def closure(b: Builder, scope: Scope) -> Lines:
    """Share a cell with a function inside."""
    name, cell = b.fresh("inner"), b.fresh("cell")
    body = b.statements(Scope(depth=scope.depth + 1, leave="return"))
    inner = [f"nonlocal {cell}", "n = 1", f"x = {cell}", *body, f"{cell} = x"]
    if b.chance():
        inner = [f"nonlocal {cell}", "n = 1", f"x = {cell}", f"{cell} = x + 1", *body]
    return [f"{cell} = x", f"def {name}():", *indented(inner), f"{name}()", f"x = {cell}"]


def recursion(b: Builder, scope: Scope) -> Lines:
    """Call a function that calls itself."""
    name = b.fresh("f")
    body = b.statements(Scope(depth=scope.depth + 1))
    end = ["if d == 0:", "    return x", *body, f"return {name}(x, d - 1)"]
    b.define([f"def {name}(x, d):", *indented(["n = 1", *end])])
    return [f"x = {name}(x, 2)"]


def method(b: Builder, scope: Scope) -> Lines:
    """Call a method, or use an object that has one."""
    cls = b.fresh("Thing")
    form, head, use = b.pick(
        (
            ([], "def go(self, x):", "{o}.go(x)"),
            ([], "def __call__(self, x):", "{o}(x)"),
            (["@staticmethod"], "def go(x):", "{o}.go(x)"),
            (["@classmethod"], "def go(cls, x):", "{c}.go(x)"),
            (["@property"], "def go(self):", "{o}.go"),
            ([], "def __getitem__(self, x):", "{o}[x]"),
            ([], "def __add__(self, other):", "{o} + n"),
        )
    )
    start = ["n = 1"] if "x)" in head else ["n = 1", "x = torch.ones(3)"]
    body = b.statements(Scope(depth=scope.depth + 1))
    name = b.fresh("THING")
    b.define([f"class {cls}:", *indented([*form, head, *indented([*start, *body, "return x"])])])
    b.define([f"{name} = {cls}()"])
    owner = b.pick((name, f"{cls}()"))
    return [f"x = {use.replace('{o}', owner).replace('{c}', cls)}"]


def constructed(b: Builder, scope: Scope) -> Lines:
    """Make an object."""
    cls = b.fresh("Made")
    body = b.statements(Scope(depth=scope.depth + 1, leave="pass"))
    b.define(
        [
            f"class {cls}:",
            *indented(["def __init__(self, x):", *indented(["n = 1", *body, "self.x = x"])]),
        ]
    )
    return [f"x = {cls}(x).x"]


def inherited(b: Builder, scope: Scope) -> Lines:
    """Call a method and the one above it."""
    base, cls = b.fresh("Base"), b.fresh("Derived")
    above = b.statements(Scope(depth=scope.depth + 1))
    below = b.statements(Scope(depth=scope.depth + 1))
    b.define(
        [
            f"class {base}:",
            "    def go(self, x):",
            *indented(indented(["n = 1", *above, "return x"])),
        ]
    )
    inner = ["n = 1", "x = super().go(x)", *below, "return x"]
    b.define([f"class {cls}({base}):", "    def go(self, x):", *indented(indented(inner))])
    return [f"x = {cls}().go(x)"]


def attribute_set(b: Builder, scope: Scope) -> Lines:
    """Set a property."""
    cls, name = b.fresh("Box"), b.fresh("BOX")
    body = b.statements(Scope(depth=scope.depth + 1, leave="return"))
    setter = ["n = 1", "self._v = x", *body]
    b.define(
        [
            f"class {cls}:",
            *indented(["_v = None", "@property", "def v(self):", "    return self._v"]),
            *indented(["@v.setter", "def v(self, x):", *indented(setter)]),
        ]
    )
    b.define([f"{name} = {cls}()"])
    return [f"{name}.v = x"]


def module(b: Builder, scope: Scope) -> Lines:
    """Call a module, or several in a container."""
    cls, name = b.fresh("Layer"), b.fresh("LAYER")
    body = b.statements(Scope(depth=scope.depth + 1))
    init = [
        "super().__init__()",
        "self.scale = torch.nn.Parameter(torch.ones(3))",
        "self.calls = 0",
    ]
    forward = ["n = 1", "x = x * self.scale", *body, "return x"]
    b.define(
        [
            f"class {cls}(torch.nn.Module):",
            *indented(["def __init__(self):", *indented(init)]),
            *indented(["def forward(self, x):", *indented(forward)]),
        ]
    )
    made, use = b.pick(
        (
            ("{c}()", "x = {m}(x)"),
            ("torch.nn.Sequential({c}(), {c}())", "x = {m}(x)"),
            ("torch.nn.ModuleList([{c}(), {c}()])", "for layer in {m}: x = layer(x)"),
            ('torch.nn.ModuleDict({"a": {c}()})', 'x = {m}["a"](x)'),
        )
    )
    b.define([f"{name} = {made.replace('{c}', cls)}"])
    return [use.replace("{m}", name)]


def generator(b: Builder, scope: Scope) -> Lines:
    """Use the items of a generator."""
    name = b.fresh("g")
    inner = Scope(depth=scope.depth + 1, leave="return")
    first, second = b.statements(inner), b.statements(inner)
    items = ["yield x", *first, "yield x + 1", *second]
    if b.chance():
        items = [*first, "for i in range(2):", "    yield x + i", *indented(second)]
    b.define([f"def {name}(x):", *indented(["n = 1", *items])])
    loop = [f"for y in {name}(x):", "    x = y", *b.block(scope)]
    use = b.pick(
        (None, "x = sum({g}(x))", "x = list({g}(x))[1]", "x = next({g}(x))", "x, t = {g}(x)")
    )
    return [use.replace("{g}", name)] if use else loop


def delegated(b: Builder, scope: Scope) -> Lines:
    """Use a generator that yields from another."""
    name, outer = b.fresh("g"), b.fresh("g")
    inner = Scope(depth=scope.depth + 1, leave="return")
    b.define([f"def {name}(x):", *indented(["n = 1", *b.statements(inner), "yield x"])])
    b.define(
        [f"def {outer}(x):", *indented(["n = 1", f"yield from {name}(x)", *b.statements(inner)])]
    )
    return [f"for y in {outer}(x):", "    x = y"]


def decorated(b: Builder, scope: Scope) -> Lines:
    """Call a decorated function."""
    outer, name = b.fresh("decorate"), b.fresh("f")
    body = b.statements(Scope(depth=scope.depth + 1))
    wrapper = ["n = 1", *body, "return function(x)"]
    inner = ["@functools.wraps(function)", "def wrapper(x):", *indented(wrapper), "return wrapper"]
    b.define([f"def {outer}(function):", *indented(inner)])
    b.define([f"@{outer}", *b.function(Scope(depth=scope.depth), name)])
    return [f"x = {name}(x)"]


def guarded(b: Builder, scope: Scope) -> Lines:
    """A decorator of torch's own."""
    name = b.fresh("f")
    decorator = b.pick(("torch.no_grad()", "functools.lru_cache", "torch.enable_grad()"))
    b.define([f"@{decorator}", *b.function(Scope(depth=scope.depth), name)])
    return [f"x = {name}(x)"]


def faulty(b: Builder, scope: Scope) -> Lines:
    """A callee that raises in the end."""
    name = b.helper(scope, ends="raise Error(n)")
    return ["try:", f"    {name}(x)", "except Error:", *b.block(scope)]


def record(b: Builder, scope: Scope) -> Lines:
    """Call a method of a record."""
    cls = b.fresh("Record")
    body = b.statements(Scope(depth=scope.depth + 1))
    head, made = b.pick(
        (
            (["@dataclass", f"class {cls}:", "    a: int = 1"], "{c}(a=2)"),
            (["@dataclass(frozen=True)", f"class {cls}:", "    a: int = 1"], "{c}()"),
            ([f'class {cls}(collections.namedtuple("{cls}", "a")):'], "{c}(2)"),
            ([f"class {cls}(enum.Enum):", "    A = 1"], "{c}.A"),
            ([f"class {cls}(dict):"], "{c}(a=1)"),
            ([f"class {cls}(list):"], "{c}([1])"),
        )
    )
    b.define([*head, *indented(["def go(self, x):", *indented(["n = 1", *body, "return x"])])])
    return [f"x = {made.replace('{c}', cls)}.go(x)"]


CALLABLES: Final[tuple[Callable[[Builder, Scope], Lines], ...]] = (
    called,
    comprehended,
    nested,
    closure,
    recursion,
    method,
    constructed,
    inherited,
    attribute_set,
    module,
    generator,
    delegated,
    decorated,
    guarded,
    faulty,
    record,
)
