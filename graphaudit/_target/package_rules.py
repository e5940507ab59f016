"""Which module names a child treats otherwise than it finds them, and which it cannot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Final

# torch and Dynamo import these again while they trace; msgspec carries the answers
_NEEDED: Final = frozenset(
    ("functorch", "graphaudit", "mpmath", "msgspec", "sympy", "torch", "torchgen")
) | {"typing_extensions"}


class PackageNameError(ValueError):
    """The name cannot be given to an option: the message says why, and what to do."""


class Treatment(Enum):
    """What is done about a module name."""

    WITHOUT = "--without"
    BROKEN = "--broken"
    STUB = "--stub"
    PRESENT = "present"


@dataclass(frozen=True)
class Rules:
    """The names of one child, each with those below it.

    Attributes:
        without: They are not installed.
        broken: They raise ImportError when they are imported.
        stub: They are stood in for where they cannot be imported.
        present: Modules that are importable although they are on no disk.
    """

    without: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    stub: frozenset[str] = frozenset()
    present: Mapping[str, ModuleType] = field(default_factory=dict)

    def treatment(self, name: str) -> Treatment | None:
        """Say what is done about a module: the longest name that covers it decides."""
        while name:
            if name in self.without:
                return Treatment.WITHOUT
            if name in self.broken:
                return Treatment.BROKEN
            if name in self.stub:
                return Treatment.STUB
            if name in self.present:
                return Treatment.PRESENT
            name = name.rpartition(".")[0]
        return None


def checked(rules: Rules) -> Rules:
    """Give the rules back if all of their names can be honoured.

    Raises:
        PackageNameError: A name is none, is needed by the audit, or is given to two options.
    """
    options = {
        Treatment.WITHOUT: rules.without,
        Treatment.BROKEN: rules.broken,
        Treatment.STUB: rules.stub,
    }
    seen: dict[str, Treatment] = {}
    for option, names in options.items():
        for name in sorted(names):
            if why := refusal(name):
                raise PackageNameError(f"{option.value} {name}: {why}")
            if name in seen:
                first = f"{seen[name].value} and {option.value}"
                raise PackageNameError(f"{name} is named by {first}: keep one of the two")
            seen[name] = option
    return rules


def is_needed(name: str) -> bool:
    """Tell whether the audit itself stands on a module, by its dotted name."""
    top = name.partition(".")[0]
    # a module of the standard library that nobody has imported so far can be missed
    return top in _NEEDED or (top in sys.stdlib_module_names and top in sys.modules)


def refusal(name: str) -> str | None:
    """Say why a name cannot be treated otherwise than it is found; None if it can."""
    if not all(part.isidentifier() for part in name.split(".")):
        return "it is no module name: write it as `import` does, flash_attn and not flash-attn"
    if is_needed(name):
        top = name.partition(".")[0]
        return f"the audit itself runs on {top}, so it must stay as it is: name another module"
    return None
