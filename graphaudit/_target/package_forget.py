"""Modules that were imported before it was said that they are away."""

from __future__ import annotations

import sys
from functools import _lru_cache_wrapper
from typing import TYPE_CHECKING, Any, Final

from graphaudit._target.package_rules import Rules, Treatment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import ModuleType

_GONE: Final = (Treatment.WITHOUT, Treatment.BROKEN, Treatment.PRESENT)
# native code may go on with what it took from them
_kept_alive: Final[list[ModuleType]] = []


def imported_already(rules: Rules) -> None:
    """Take what is away, broken or replaced out of `sys.modules`.

    Whoever imported such a module before keeps it: torch's own functions go on with numpy. What
    torch remembers of whether a module is there, it is made to find out again: it would import
    triton while it traces.
    """
    gone = [name for name in sys.modules if rules.treatment(name) in _GONE]
    for name in gone:
        _delete(name)
    for cache in _answers_about({name.partition(".")[0] for name in gone}):
        cache.cache_clear()


def _delete(name: str) -> None:
    module = sys.modules.pop(name)
    _kept_alive.append(module)
    parent, _, last = name.rpartition(".")
    package = sys.modules.get(parent)
    if package is not None and vars(package).get(last) is module:
        delattr(package, last)


def _answers_about(modules: Collection[str]) -> Iterator[_lru_cache_wrapper[Any]]:
    """Give the caches of torch's functions whose code speaks of one of the modules."""
    for name, module in list(sys.modules.items()):
        if not modules or name.partition(".")[0] != "torch":
            continue
        for value in list(vars(module).values()):
            if type(value) is _lru_cache_wrapper and hasattr(value.__wrapped__, "__code__"):
                words = " ".join(value.__wrapped__.__code__.co_names)
                if any(one in words for one in modules):
                    yield value
