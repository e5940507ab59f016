"""Stand-ins of a native module: whatever code does with names at import works, no call does."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import json
import pickle
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

import pytest

from graphaudit._target import package_phase as phase
from graphaudit._target import package_serialised
from graphaudit._target.stubs import Stub, StubCalled, StubFunction, StubModule

T = TypeVar("T")


@pytest.fixture
def native() -> Iterator[Any]:
    """Give a stub of a module, at import time."""
    phase.unseal()
    yield StubModule("native", "native")
    phase.unseal()


def test_a_decorator_keeps_the_name(native: Any) -> None:
    """With and without options, on functions and methods."""

    @native.jit
    def plain() -> None:
        """Say what it is for."""

    @native.jit(fast=True)
    def with_options() -> None: ...

    class Owner:
        @native.op("x")
        @staticmethod
        def method() -> None: ...

    names = [one.__name__ for one in (plain, with_options, Owner.method)]
    assert names == ["plain", "with_options", "method"]
    assert plain.__doc__ == "Say what it is for."
    assert isinstance(plain, StubFunction)


def test_a_decorated_class_stays_the_class(native: Any) -> None:
    """Such decorators note it somewhere."""

    class Layer: ...

    assert native.register("layer")(Layer) is Layer


def test_a_base_class(native: Any) -> None:
    """Alone, generic, abstract, with arguments, beside other bases, and from an object."""

    class Alone(native.Base): ...

    class WithArguments(native.Base, frozen=True): ...

    class Subscripted(native.Base[int]): ...

    class GenericToo(native.Base, Generic[T]): ...

    class AbstractToo(native.Base, ABC):
        @abstractmethod
        def run(self) -> None: ...

    class FromObject(native.make_base()): ...

    @dataclasses.dataclass
    class Fields(native.Base):
        size: int
        name: str = "x"

    assert issubclass(Alone, native.Base)
    assert issubclass(Subscripted, native.Base)
    assert WithArguments.__name__ == "WithArguments"
    assert isinstance(Alone(1, x=2), native.Base)
    assert GenericToo[int]() is not None
    assert Fields(3) == Fields(3, "x")
    assert isinstance(FromObject(), Alone) is False
    with pytest.raises(TypeError, match="abstract"):
        AbstractToo()


def test_a_mixin_hands_on_to_the_next_constructor(native: Any) -> None:
    """`torch.nn.Module` may stand behind it."""

    class Module:
        def __init__(self) -> None:
            self.ready = True

    class Layer(native.Mixin, Module):
        def __init__(self) -> None:
            super().__init__()

    assert Layer().ready


def test_a_class_of_the_target_is_its_own(native: Any) -> None:
    """What it does not define it does not have, and instances are no stubs."""

    class Own(native.Base):
        def __init__(self) -> None:
            self.size = 3

    phase.seal()
    assert Own().size == 3
    assert not hasattr(Own(), "missing")
    assert not hasattr(Own, "missing")


def test_a_metaclass(native: Any) -> None:
    """The class is made as if there were none."""

    class Made(metaclass=native.Meta):
        size = 4

    class MadeByObject(metaclass=native.meta):
        size = 5

    assert (Made.size, MadeByObject.size) == (4, 5)


@pytest.mark.parametrize("name", ["LaunchError", "CompileException", "SlowWarning"])
def test_an_exception(native: Any, name: str) -> None:
    """It can be named in `except`, raised and caught; it is the same each time."""
    kind = getattr(native, name)
    assert getattr(native, name) is kind
    with pytest.raises(kind):
        raise kind("full")
    assert not issubclass(ValueError, (native.sub.LaunchError, kind))


@pytest.mark.parametrize(
    "use",
    [
        lambda x: isinstance(3, x.Type) is False,
        lambda x: isinstance(3, (str, x.Type)) is False,
        lambda x: isinstance(3, x.handle) is False,
        lambda x: isinstance(3, x.Type | None) is False,
        lambda x: issubclass(int, x.Type) is False,
        lambda x: issubclass(int, x.handle) is False,
        lambda x: inspect.isclass(x.Type),
        lambda x: typing.get_args(x.Type | None) == (x.Type, type(None)),
        lambda x: typing.get_args(x.handle | None) == (x.handle, type(None)),
        lambda x: typing.get_args(None | x.handle) == (type(None), x.handle),
        lambda x: typing.get_args(x.handle | int)[0] is x.handle,
        lambda x: typing.get_args(Callable[[x.Type], x.handle])[1] is x.handle,
        lambda x: x.Mode.FAST is x.Mode.FAST and x.Mode.FAST == x.Mode.FAST,
        lambda x: x.Mode.FAST != x.Mode.SLOW,
        lambda x: x.Mode["FAST"] is x.Mode.FAST and x.modes["FAST"] is x.modes["FAST"],
        lambda x: {x.Mode.FAST: 1}[x.Mode.FAST] == 1,
        lambda x: list(x.things) == list(x.Mode) == [],
        lambda x: 3 not in x.things and len(x.things) == 0 and bool(x.things),
        lambda x: x.version >= (3, 1) and not x.version < (3, 1),
        lambda x: isinstance(x.WARP * 32 + 1, Stub),
        lambda x: isinstance(1 | x.FLAG, Stub) and isinstance(x.FLAG | x.OTHER, Stub),
        lambda x: list(range(x.COUNT)) == [0],
        lambda x: isinstance(x.Thing(3).part.go(), Stub),
        lambda x: copy.copy(x.a) is x.a and copy.deepcopy([x.a])[0] is x.a,
        lambda x: repr(pickle.loads(pickle.dumps(x.a.b))) == "<stub native.a.b>",  # noqa: S301
        lambda x: functools.wraps(x.op)(lambda: 1).__name__ == "op",
        lambda x: inspect.unwrap(x.op) is x.op,
        lambda x: x.op.__name__ == "op" and x.op.__module__ == "native",
        lambda x: functools.partial(x.op, 1).func is x.op,
        lambda x: x.Tensor.__getitem__.__name__ == "__getitem__",
        lambda x: x.Kind.__values__.__name__ == "__values__" and x.op.__native__(1) is not None,
        lambda x: getattr(x.Kind, "__values__", None) is None,
        lambda x: x.__version__ == "9999.0.0+stub",
        lambda x: x.__file__ == "<stub>/native/__init__.py",
    ],
)
def test_a_use_at_import(native: Any, use: Callable[[Any], bool]) -> None:
    """It is answered as code that only names things needs it, sealed or not."""
    assert use(native)


def test_a_context_manager_and_a_registry(native: Any) -> None:
    """Both work at import, and are calls afterwards."""
    with native.scope() as inner:
        native.registry["a"] = inner
    scope = native.scope()
    phase.seal()
    with pytest.raises(StubCalled, match=r"native\.registry\.__setitem__"):
        native.registry["a"] = 1
    with pytest.raises(StubCalled, match=r"native\.scope\(\.\.\.\)\.__enter__"), scope:
        pass


@pytest.mark.parametrize(
    "name",
    ["__all__", "__wrapped__", "__torch_function__", "__warningregistry__", "__array__",
     "_torchdynamo_orig_callable", "__code__", "__class_getitem__", "__set_name__"],
)  # fmt: skip
@pytest.mark.parametrize("where", ["native", "native.op", "native.op()"])
def test_what_tools_probe_for_is_not_there(native: Any, where: str, name: str) -> None:
    """Else they would see a proxy, a tensor or a wrapper in it."""
    assert not hasattr(eval(where, {"native": native}), name)  # noqa: S307


def test_a_loop_over_attributes_comes_to_an_end(native: Any) -> None:
    """`while hasattr` unwraps; a chain of calls may be as long as it likes."""
    found, steps = native, 0
    while hasattr(found, "inner"):
        found, steps = found.inner, steps + 1
    for _ in range(50):
        found = found().then
    assert steps == 8


@pytest.mark.parametrize(
    ("call", "expression"),
    [
        (lambda x: x.op(1), "native.op"),
        (lambda x: x.a.b(1, two=2), "native.a.b"),
        (lambda x: x.Thing(), "native.Thing"),
        (lambda x: x.Mode.of("a"), "native.Mode.of"),
        (lambda x: x(), "native"),
        (lambda x: x.table["a"](), "native.table['a']"),
        (lambda x: x.WARP * 2, "native.WARP.__mul__"),
        (lambda x: int(x.WARP), "native.WARP.__index__"),
        (lambda x: x.jit(lambda: 1), "native.jit"),
    ],
)
def test_a_call_afterwards(native: Any, call: Callable[[Any], Any], expression: str) -> None:
    """It works while the target is imported, and raises once it is not."""
    call(native)
    phase.seal()
    with pytest.raises(StubCalled) as raised:
        call(native)
    assert str(raised.value).startswith(f"the stub of native was called: {expression}(...). Only")


def test_no_fallback_of_the_target_goes_on_after_a_call(native: Any) -> None:
    """It would be taken where the real one works."""
    phase.seal()
    with pytest.raises(StubCalled), suppress(Exception):
        native.kernel()


def test_a_decorated_function_afterwards(native: Any) -> None:
    """Launched as a kernel, or called."""

    @native.jit
    def kernel() -> None: ...

    phase.seal()
    with pytest.raises(StubCalled, match=r"called: native\.jit\(kernel\)\(\.\.\.\)"):
        kernel()
    with pytest.raises(StubCalled, match=r"called: native\.jit\(kernel\)\[\.\.\.\]\(\.\.\.\)"):
        kernel[(1, 2)](3)


def test_a_module_that_is_imported_later(native: Any) -> None:
    """Its own level calls what it likes; the next line of the entry does not."""
    phase.seal()
    with phase.importing():
        assert isinstance(native.init(), Stub)
    with pytest.raises(StubCalled):
        native.init()


def test_a_class_of_the_target_begins_afterwards(native: Any) -> None:
    """What it inherits from a stub is nothing; the base behind the stub begins as well."""

    class Behind:
        def __init__(self) -> None:
            self.began = True

    class Own(native.Base, Behind):
        pass

    phase.seal()
    assert Own(1, two=2).began


def test_json_takes_a_stub_for_its_text_while_the_target_is_imported(native: Any) -> None:
    """A module may write down at import what a library gave it."""
    package_serialised.as_text()
    assert json.loads(json.dumps({"made": native.dumps(3).hex()})) == {
        "made": "<stub native.dumps(...).hex(...)>"
    }
    with pytest.raises(TypeError):
        json.dumps(object())
    phase.seal()
    with pytest.raises(TypeError):
        json.dumps(native.op)
