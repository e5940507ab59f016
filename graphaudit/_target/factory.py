"""Entry points as the target declares them: the factory, its attributes, its inputs.

Everything here runs the target's code and believes nothing about what it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import GeneratorType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from graphaudit._target.attributes import FactoryError, check, check_call, given, of_a_call, shown
from graphaudit.model import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_EXPECTED: Final = "expected (callable, args) or (callable, args, kwargs), or a generator of these"


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


def find_factory(module: ModuleType, name: str) -> Callable[[], Any]:
    """Get the factory out of its module.

    Raises:
        FactoryError: The name is gone, or it is no function any more (a decorator replaced it).
    """
    factory = getattr(module, name, None)
    if factory is None:
        raise FactoryError(f"{name} is gone once {module.__name__} is imported: is it deleted?")
    if not callable(factory):
        raise FactoryError(f"{name} is {shown(factory)} once imported, not a function")
    return cast("Callable[[], Any]", factory)


def settings_of(factory: Callable[[], Any]) -> Settings:
    """Read the attributes that stand after a factory.

    Raises:
        FactoryError: An attribute is unknown or has a wrong type.
    """
    settings = Settings(**given(factory, _KNOWN))
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    check(
        settings,
        {
            "gate": (settings.gate in ("fullgraph", "default"), '"fullgraph" or "default"'),
            **of_a_call(settings.options, settings.context, settings.platforms),
            **{
                name: (isinstance(getattr(settings, name), bool), "True or False")
                for name in ("repeat", "fake")
            },
        },
    )
    check_call(settings.options, settings.platforms)


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
        raise FactoryError(f"it {verb} {shown(made)}: {_EXPECTED}")
    call, args, *rest = made
    kwargs = rest[0] if rest else {}
    if not callable(call):
        raise FactoryError(f"it {verb} {shown(call)} as the callable: {_EXPECTED}")
    if not isinstance(args, tuple | list):
        raise FactoryError(f"it {verb} {shown(args)} as args: write a tuple, (x,) for one argument")
    if not isinstance(kwargs, dict) or not all(isinstance(name, str) for name in kwargs):
        raise FactoryError(
            f"it {verb} {shown(kwargs)} as kwargs: expected a dict with names as keys"
        )
    return Input(call=call, args=tuple(args), kwargs=kwargs)
