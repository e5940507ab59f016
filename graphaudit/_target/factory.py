"""Entry points as the target declares them: the factory, its attributes, its inputs.

Everything here runs the target's code and believes nothing about what it returns.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import GeneratorType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from graphaudit.model import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_OF_LRU_CACHE: Final = ("cache_parameters", "cache_info", "cache_clear")
PLATFORMS: Final = ("cpu", "cuda", "hip", "musa", "npu", "xpu", "mps", "hpu", "mtia", "tpu")
_EXPECTED: Final = "expected (callable, args) or (callable, args, kwargs), or a generator of these"


class FactoryError(Exception):
    """The target's factory does not follow the convention. The message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One call to trace."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The optional attributes of a factory."""

    gate: Gate = "fullgraph"
    options: dict[str, Any] = field(default_factory=dict)
    context: Callable[[], Any] | None = None
    repeat: bool = True
    fake: bool = False
    platforms: tuple[str, ...] | None = None


_KNOWN: Final = tuple(Settings.__dataclass_fields__)
_TAKEN: Final = {"backend": "the audit brings its own", "fullgraph": "write .gate instead"}


def find_factory(module: ModuleType, name: str) -> Callable[[], Any]:
    """Get the factory out of its module.

    Raises:
        FactoryError: The name is gone, or it is no function any more (a decorator replaced it).
    """
    factory = getattr(module, name, None)
    if factory is None:
        raise FactoryError(f"{name} is gone once {module.__name__} is imported: is it deleted?")
    if not callable(factory):
        raise FactoryError(f"{name} is {_shown(factory)} once imported, not a function")
    return cast("Callable[[], Any]", factory)


def settings_of(factory: Callable[[], Any]) -> Settings:
    """Read the attributes that stand after a factory.

    Raises:
        FactoryError: An attribute is unknown or has a wrong type.
    """
    given = {
        name: value
        for name, value in vars(factory).items()
        if not name.startswith("_") and name not in _OF_LRU_CACHE
    }
    for name in given:
        if name not in _KNOWN:
            near = difflib.get_close_matches(name, _KNOWN, 1)
            hint = f"did you mean .{near[0]}?" if near else f"known are {', '.join(_KNOWN)}"
            raise FactoryError(f"unknown attribute .{name}: {hint}")
    settings = Settings(**given)
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    names = settings.platforms
    expectations = {
        "gate": (settings.gate in ("fullgraph", "default"), '"fullgraph" or "default"'),
        "options": (isinstance(settings.options, dict), "a dict for torch.compile"),
        "context": (
            settings.context is None or callable(settings.context),
            "a callable that gives a context manager" + made_already(settings.context),
        ),
        "platforms": (
            names is None
            or (isinstance(names, tuple | list) and all(isinstance(name, str) for name in names)),
            'a tuple of names such as ("cuda", "hip")',
        ),
        **{
            name: (isinstance(getattr(settings, name), bool), "True or False")
            for name in ("repeat", "fake")
        },
    }
    for name, (holds, expected) in expectations.items():
        if not holds:
            raise FactoryError(f".{name} is {_shown(getattr(settings, name))}, expected {expected}")
    for name in [name for name in names or () if name not in PLATFORMS]:
        near = difflib.get_close_matches(name, PLATFORMS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(PLATFORMS)}"
        raise FactoryError(f".platforms has {name!r}: {hint}")
    for name in _TAKEN.keys() & settings.options.keys():
        raise FactoryError(f'.options has "{name}": {_TAKEN[name]}')


def made_already(context: Any) -> str:
    """Say what to write in place of a context manager that is no callable of the kind; else ""."""
    if isinstance(context, type) or not hasattr(type(context), "__enter__"):
        return ""
    # what `@contextmanager` makes knows the function that made it
    name = getattr(getattr(context, "func", type(context)), "__qualname__", "it")
    return (
        f": it is a context manager itself; each call needs a new one, so write `{name}` without "
        f"`()`, or `lambda: {name}(...)`"
    )


def inputs_of(factory: Callable[[], Any]) -> Iterator[Input]:
    """Call the factory and give its inputs; a generator is advanced only when asked.

    Raises:
        FactoryError: What it returned is no input, or there is none.
    """
    made = factory()
    if not isinstance(made, GeneratorType):
        yield _input(made, "returned")
        return
    none = True
    for item in made:
        none = False
        yield _input(item, "yielded")
    if none:
        raise FactoryError(f"the generator yielded nothing: {_EXPECTED}")


def numbered(inputs: Iterable[Input]) -> Iterator[tuple[int, int, Input]]:
    """Give each input with the number of its callable, and its own among that callable's."""
    call: Callable[..., Any] | None = None
    which, index = -1, 0
    for item in inputs:
        if call is None or not same_call(call, item.call):
            call, which, index = item.call, which + 1, 0
        yield which, index, item
        index += 1


def same_call(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Tell whether two inputs are for the same callable (bound methods are made anew each time)."""
    return one is other or (isinstance(one, MethodType) and one == other)


def _input(made: Any, verb: str) -> Input:
    if not isinstance(made, tuple | list) or len(made) not in (2, 3):
        raise FactoryError(f"it {verb} {_shown(made)}: {_EXPECTED}")
    call, args, *rest = made
    kwargs = rest[0] if rest else {}
    if not callable(call):
        raise FactoryError(f"it {verb} {_shown(call)} as the callable: {_EXPECTED}")
    if not isinstance(args, tuple | list):
        raise FactoryError(
            f"it {verb} {_shown(args)} as args: write a tuple, (x,) for one argument"
        )
    if not isinstance(kwargs, dict) or not all(isinstance(name, str) for name in kwargs):
        raise FactoryError(
            f"it {verb} {_shown(kwargs)} as kwargs: expected a dict with names as keys"
        )
    return Input(call=call, args=tuple(args), kwargs=kwargs)


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float | str):
        return f"{value!r:.60}"
    return f"a {type(value).__name__}" + (
        f" of {len(value)}" if isinstance(value, tuple | list) else ""
    )
