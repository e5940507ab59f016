"""Objects that stand in for what a native module would hold: they can be named, never run.

While modules are imported a call gives another stub, since libraries decorate, register and build
constants then. Afterwards nobody knows what a call would have given: it raises `StubCalled`.

A name in CapWords is a class, so that `isinstance` means to Dynamo what it means with the real
one; a name that ends in Error, Exception or Warning is an exception; any other is an object.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Union, get_origin

from graphaudit._target.package_asked import is_written_out
from graphaudit._target.package_marks import Mark
from graphaudit._target.package_phase import is_sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# code that asks for a least version is more common than code that asks for a last one
VERSION: Final = "9999.0.0+stub"
_FUNCTIONS: Final = (FunctionType, MethodType, staticmethod, classmethod)
_ARITHMETIC: Final = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"),
    *("and", "xor"),
)
_OTHERS: Final = ("lshift", "rshift", "neg", "pos", "abs", "invert")


class StubCalled(BaseException):
    """A stand-in was called where only the real module knows the answer.

    No Exception: code that falls back where a kernel fails would go on without it, and be told as
    what runs with the real one.
    """


class Stub:
    """An object of a package that is not there."""

    def __init__(self, mark: Mark) -> None:
        """Stand at a place."""
        owner, _, name = mark.path.rpartition(".")
        vars(self).update(
            __stub__=mark, __name__=name, __qualname__=name, __module__=owner or mark.package
        )

    def __getattr__(self, name: str) -> Any:
        # asked without it while a copy is built, and then it must not ask again
        mark = vars(self).get("__stub__")
        if mark is None or (_is_special(name) and not _is_meant(name)):
            raise AttributeError(f"the stub {mark.path if mark else '?'} has no attribute {name!r}")
        found = _attribute(mark, name)
        vars(self)[name] = found
        return found

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _called(vars(self)["__stub__"], arguments, named)

    def __getitem__(self, key: object) -> Any:
        found = Stub(vars(self)["__stub__"].item(key))
        # a member of an enumeration is the same each time
        return vars(self).setdefault(f"[{key!r}]", found) if isinstance(key, str) else found

    def __setitem__(self, key: object, value: object) -> None:
        _called(vars(self)["__stub__"].attribute("__setitem__"), (key, value), {})

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> int:
        _called(vars(self)["__stub__"].attribute("__index__"), (), {})
        return 1

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    # a version that is asked for is the newest, as `VERSION` is
    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return self is other

    def __gt__(self, other: object) -> bool:
        return self is not other

    def __ge__(self, other: object) -> bool:
        return True

    def __enter__(self) -> Any:
        return _called(vars(self)["__stub__"].attribute("__enter__"), (), {})

    def __exit__(self, *_: object) -> None:
        return None

    def __or__(self, other: Any) -> Any:
        if _is_annotation(other):
            return Union[self, other]  # noqa: UP007 - our own `|` would come back here
        return _called(vars(self)["__stub__"].attribute("__or__"), (other,), {})

    def __ror__(self, other: Any) -> Any:
        if _is_annotation(other):
            return Union[other, self]  # noqa: UP007 - as above
        return _called(vars(self)["__stub__"].attribute("__ror__"), (other,), {})

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self.__mro_entries__(()))

    def __subclasscheck__(self, subclass: type) -> bool:
        return issubclass(subclass, self.__mro_entries__(()))

    def __mro_entries__(self, _bases: tuple[Any, ...]) -> tuple[type, ...]:
        own = vars(self)
        if "__base__" not in own:
            own["__base__"] = _class_at(own["__stub__"])
        return (own["__base__"],)

    def __copy__(self) -> Stub:
        return self

    def __deepcopy__(self, _memo: object) -> Stub:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Stub, (vars(self)["__stub__"],)

    def __repr__(self) -> str:
        return f"<stub {vars(self)['__stub__'].path}>"


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: Stub, *others: object) -> Any:
        return _called(vars(self)["__stub__"].attribute(name), others, {})

    operate.__name__ = name
    return operate


for _name in _ARITHMETIC:
    setattr(Stub, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(Stub, f"__r{_name}__", _operator(f"__r{_name}__"))
for _name in _OTHERS:
    setattr(Stub, f"__{_name}__", _operator(f"__{_name}__"))


class StubFunction(Stub):
    """A function of the target that a stub decorated: what it has become is not known."""

    def __init__(self, mark: Mark, function: Any) -> None:
        """Keep what names the function."""
        super().__init__(mark)
        inner = getattr(function, "__func__", function)
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            vars(self)[name] = getattr(inner, name, None)


class StubModule(Stub, ModuleType):
    """A module of which no real one can be imported."""

    def __init__(self, name: str, package: str) -> None:
        """Stand in for a module, by its dotted name, in the topmost package that is stood in."""
        ModuleType.__init__(self, name, "A stub: the real module cannot be imported here.")
        vars(self).update(
            __stub__=Mark(package, name),
            __file__=f"<stub>/{name.replace('.', '/')}/__init__.py",
            __version__=VERSION,
        )


class StubType(ABCMeta):
    """The type of classes that stand in; of ABCMeta, so that bases may be abstract as well."""

    def __getattr__(cls, name: str) -> Any:
        # a class of the target that inherits has the attributes that it defines
        is_own = "__stub__" not in vars(cls)
        if is_own or (_is_special(name) and not _is_meant(name)):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        found = _attribute(vars(cls)["__stub__"], name)
        setattr(cls, name, found)
        return found

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if "__stub__" in vars(cls):
            return _called(vars(cls)["__stub__"], arguments, named)
        return super().__call__(*arguments, **named)

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class StubBase(metaclass=StubType):
    """What a class of the target inherits from a stub: nothing but a constructor."""

    def __init__(self, *_arguments: Any, **_named: Any) -> None:
        """Raise as any call does, but let a class of the target begin: it has work of its own."""
        # Dynamo makes an instance without asking the type's `__call__`
        mark = vars(type(self)).get("__stub__")
        if mark is not None and is_sealed():
            raise StubCalled(mark.told())
        super().__init__()

    def __init_subclass__(cls, **_: object) -> None:
        super().__init_subclass__()

    def __class_getitem__(cls, key: object) -> Any:
        if "__stub__" in vars(cls):
            # a member of an enumeration, or else a generic class, whose base is the class
            return getattr(cls, key) if isinstance(key, str) else cls
        # typing.Generic, where the target's class is of it as well
        inherited = getattr(super(), "__class_getitem__", None)
        return inherited(key) if inherited else cls


def attribute_at(package: str, path: str) -> Stub:
    """Give an object that stands at a place which is no attribute of a stub."""
    return Stub(Mark(package, path))


def _is_special(name: str) -> bool:
    return name.startswith("_torch") or (name.startswith("__") and name.endswith("__"))


def _is_meant(name: str) -> bool:
    """Tell whether the line that asks the caller for a special attribute counts on it."""
    # Dynamo traces what an entry asks, and no frame of its tells anything
    return not is_sealed() and is_written_out(sys._getframe(2), name)  # noqa: SLF001


def _attribute(mark: Mark, name: str) -> Any:
    if mark.is_deepest():
        raise AttributeError(f"the stub {mark.path} has no attribute {name!r}")
    below = mark.attribute(name)
    plain = name.lstrip("_")
    if name.endswith(("Error", "Exception")):
        return type(name, (Exception,), {"__module__": mark.path})
    if name.endswith("Warning"):
        return type(name, (Warning,), {"__module__": mark.path})
    if plain[:1].isupper() and (len(plain) == 1 or not plain.isupper()):
        return _class_at(below)
    return Stub(below)


def _class_at(mark: Mark) -> type:
    owner, _, name = mark.path.rpartition(".")
    return StubType(name, (StubBase,), {"__stub__": mark, "__module__": owner or mark.package})


def _called(mark: Mark, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if is_sealed():
        raise StubCalled(mark.told())
    if len(arguments) == 1 and not named:
        (only,) = arguments
        if isinstance(only, _FUNCTIONS):
            return StubFunction(mark.result(only.__name__), only)
        # a decorator of a class mostly notes it somewhere
        if type(only) is type and only.__module__ != "builtins":
            return only
    if _is_class_body(arguments):
        name, bases, body = arguments
        return type(name, bases, body)
    return Stub(mark.result())


def _is_class_body(arguments: tuple[Any, ...]) -> bool:
    """Tell whether a stub was named as the metaclass of a class."""
    if len(arguments) != 3 or not isinstance(arguments[2], dict):
        return False
    return "__qualname__" in arguments[2] and isinstance(arguments[1], tuple)


def _is_annotation(value: object) -> bool:
    return value is None or isinstance(value, type) or get_origin(value) is not None
