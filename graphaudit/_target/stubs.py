"""Stand-ins for packages that cannot be imported here, mostly native ones that need a device.

While the target is being imported everything can be asked of a stand-in, for libraries decorate,
subclass and call at module level. Once that is over a call raises `StubCalled`: no work is done, so
no result may be invented.
"""

from __future__ import annotations

import importlib.abc
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec

VERSION: Final = "0.0.0+stub"
_EXCEPTIONS: Final = {"Error": Exception, "Exception": Exception, "Warning": Warning}


class StubCalled(RuntimeError):  # noqa: N818 - says what happened
    """A stand-in was to do work: `stub called: NAME(...)`.

    It has no code of its own: Dynamo can trace where it is raised.
    """


class _Switch:
    """Whether the target is imported."""

    sealed = False


switch: Final = _Switch()


def stand_in(name: str) -> Any:
    """Make what an attribute of a stubbed module is; `name` is dotted, from the package on.

    Something that is named like an exception is an exception class, so that `except` takes it.
    """
    last = name.rpartition(".")[2]
    for ending, base in _EXCEPTIONS.items():
        if last.endswith(ending):
            return type(last, (base,), {"__module__": name.rpartition(".")[0]})
    return Stub(name)


class Stub:
    """A function, class, decorator, constant or enumeration of a stubbed package: all at once."""

    def __init__(self, name: str) -> None:
        """Be what `name` says."""
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._path = name

    def __getattr__(self, name: str) -> Any:
        """Give what is below; private names are asked for by those who inspect, not by users."""
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        found = stand_in(f"{self._path}.{name}")
        self.__dict__[name] = found
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give another stand-in while the target is imported; as a decorator, one of that name.

        Raises:
            StubCalled: The target is imported.
        """
        if switch.sealed:
            raise StubCalled(f"stub called: {self._path}(...); it needs the real package")
        if len(args) == 1 and not kwargs and isinstance(args[0], type):
            return args[0]
        decorated = (
            args[0] if len(args) == 1 and not kwargs and hasattr(args[0], "__code__") else None
        )
        made = Stub(self._path)
        if decorated is not None:
            made._path = f"{self._path}({decorated.__qualname__})"
            made.__name__, made.__qualname__ = decorated.__name__, decorated.__qualname__
            made.__module__, made.__doc__ = decorated.__module__, decorated.__doc__
        return made

    def __mro_entries__(self, _bases: tuple[object, ...]) -> tuple[type, ...]:
        """Be a base class: a plain one, which no metaclass is against."""
        return (type(self.__name__, (StubBase,), {"__module__": self._path.rpartition(".")[0]}),)

    def __instancecheck__(self, _instance: object) -> bool:
        """Tell that nothing is an instance."""
        return False

    def __subclasscheck__(self, _subclass: type) -> bool:
        """Tell that nothing is a subclass."""
        return False

    def __getitem__(self, _item: object) -> Stub:
        """Be generic, or a kernel with its grid."""
        return self

    def __iter__(self) -> Iterator[Any]:
        """Hold nothing."""
        return iter(())

    def __len__(self) -> int:
        """Hold nothing."""
        return 0

    def __bool__(self) -> bool:
        """Be there."""
        return True

    def __enter__(self) -> Stub:
        """Be a context manager."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Let errors pass."""

    def __or__(self, _other: object) -> Stub:
        """Be part of a union of types, or of flags."""
        return self

    __ror__ = __and__ = __rand__ = __or__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __or__
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __or__

    def __lt__(self, _other: object) -> bool:
        """Compare as nothing does: versions of a stand-in say nothing."""
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __index__(self) -> int:
        """Be a number where one is needed."""
        return 0

    __int__ = __index__

    def __float__(self) -> float:
        """Be a number where one is needed."""
        return 0.0

    def __repr__(self) -> str:
        """Say what it stands for."""
        return f"<stub of {self._path}>"


class StubBase:
    """What a class of the target has as its base in place of a native one."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Take what the native one would, and let the next base begin."""
        super().__init__()

    def __init_subclass__(cls, **_kwargs: Any) -> None:
        """Take what the native one would."""
        super().__init_subclass__()


class StubModule(ModuleType):
    """A module with any attribute."""

    def __getattr__(self, name: str) -> Any:
        """Give a stand-in, the same one each time."""
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = stand_in(f"{self.__name__}.{name}")
        setattr(self, name, found)
        return found


class StubLoader(importlib.abc.Loader):
    """Loads a stubbed module, and any below it."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the module."""
        return StubModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill in what packages are asked for."""
        vars(module).update(
            __version__=VERSION, __file__=f"<stub of {module.__name__}>", __path__=[]
        )


class OrStubLoader(importlib.abc.Loader):
    """Loads the real module, and a stand-in if that fails."""

    def __init__(self, real: importlib.abc.Loader) -> None:
        """Try `real` first."""
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the real module; a native one is loaded here."""
        try:
            return self._real.create_module(spec)
        except Exception:  # noqa: BLE001 - a native library fails in any way
            return StubModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run the real module; whatever it raises makes it a stand-in."""
        if not isinstance(module, StubModule):
            try:
                self._real.exec_module(module)
            except Exception:  # noqa: BLE001
                _empty(module)
                module.__class__ = StubModule
            else:
                return
        module.__loader__ = StubLoader()
        module.__loader__.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        """Answer for the rest as the real loader: `get_source`, `get_data`."""
        return getattr(self.__dict__["_real"], name)


def _empty(module: ModuleType) -> None:
    for name in [name for name in vars(module) if not name.startswith("__")]:
        delattr(module, name)


class StubOperators:
    """`torch.ops.X` of a stubbed package: the operators that are defined, and stand-ins.

    The native module would register its operators when it is imported, so each is taken to be
    there: `hasattr` says yes.
    """

    def __init__(self, namespace: Any, name: str) -> None:
        """Look into torch's own namespace first."""
        self._namespace = namespace
        self._name = name

    def __getattr__(self, operator: str) -> Any:
        """Give the operator that is defined by now, else a stand-in."""
        if operator.startswith("__"):
            raise AttributeError(operator)
        try:
            return getattr(self._namespace, operator)
        except AttributeError:
            return Stub(f"torch.ops.{self._name}.{operator}")
