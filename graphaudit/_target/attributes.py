"""The attributes that may stand after a factory: which are known, and what each must be."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_OF_LRU_CACHE: Final = ("cache_parameters", "cache_info", "cache_clear")
PLATFORMS: Final = ("cpu", "cuda", "hip", "musa", "npu", "xpu", "mps", "hpu", "mtia", "tpu")
_TAKEN: Final = {"backend": "the audit brings its own", "fullgraph": "write .gate instead"}

Expectation = tuple[bool, str]


class FactoryError(Exception):
    """The target's factory does not follow the convention. The message says how."""


def given(factory: Callable[[], Any], known: Sequence[str]) -> dict[str, Any]:
    """Read the attributes of a factory.

    Raises:
        FactoryError: One of them is unknown.
    """
    found = {
        name: value
        for name, value in vars(factory).items()
        if not name.startswith("_") and name not in _OF_LRU_CACHE
    }
    for name in found:
        if name not in known:
            raise FactoryError(f"unknown attribute .{name}: {near(name, known, mark='.')}")
    return found


def check(attributes: Any, expectations: Mapping[str, Expectation]) -> None:
    """Hold attributes against what each must be.

    Raises:
        FactoryError: One is something else.
    """
    for name, (holds, expected) in expectations.items():
        if not holds:
            value = shown(getattr(attributes, name))
            raise FactoryError(f".{name} is {value}, expected {expected}")


def of_a_call(options: Any, context: Any, platforms: Any) -> dict[str, Expectation]:
    """Say what the attributes must be that tell how and where to call."""
    return {
        "options": (isinstance(options, dict), "a dict for torch.compile"),
        "context": (
            context is None or callable(context),
            "a callable that gives a context manager" + made_already(context),
        ),
        "platforms": (
            platforms is None or is_names(platforms),
            'a tuple of names such as ("cuda", "hip")',
        ),
    }


def check_call(options: Mapping[str, Any], platforms: Sequence[str] | None) -> None:
    """Refuse platforms that are none, and options that are not the target's to give.

    Raises:
        FactoryError: It says which.
    """
    for name in [name for name in platforms or () if name not in PLATFORMS]:
        raise FactoryError(f".platforms has {name!r}: {near(name, PLATFORMS)}")
    for name in _TAKEN.keys() & options.keys():
        raise FactoryError(f'.options has "{name}": {_TAKEN[name]}')


def is_names(value: Any) -> bool:
    """Tell whether a value is a tuple or list of texts."""
    return isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)


def near(name: str, known: Sequence[str], *, mark: str = "") -> str:
    """Say which name may have been meant."""
    found = difflib.get_close_matches(name, known, 1)
    return f"did you mean {mark}{found[0]}?" if found else f"known are {', '.join(known)}"


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


def shown(value: Any) -> str:
    """Say what a value is, in a few words."""
    if value is None or isinstance(value, bool | int | float | str):
        return f"{value!r:.60}"
    return f"a {type(value).__name__}" + (
        f" of {len(value)}" if isinstance(value, tuple | list) else ""
    )
