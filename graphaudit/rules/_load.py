"""Finds the rule modules of a package: one rule a file, no list to keep."""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from graphaudit.rules._page import PageError, parse
from graphaudit.rules._rule import UNKNOWN, Rule, without_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from graphaudit.model import Break

_ID: Final = re.compile(r"GA\d{3}")


class RuleError(Exception):
    """A rule file is not well formed. The message names the file and the line."""


def load(package: ModuleType) -> tuple[Rule, ...]:
    """Import every rule of a package, sorted by id, the unknown one last.

    Raises:
        RuleError: A file is no rule, or two rules have one id.
    """
    names = sorted(
        item.name for item in pkgutil.iter_modules(package.__path__) if item.name[:1] != "_"
    )
    return sort(rule_of(import_module(f"{package.__name__}.{name}")) for name in names)


def rule_of(module: ModuleType) -> Rule:
    """Read the rule of one module.

    Beside its function it may have `why_of` and `fix_of`: what they say of a found line goes before
    the page; "" says nothing. A rule that takes every site with one effect names it as `EFFECT`.

    Raises:
        RuleError: `ID` or the function is missing, or the manual page is not well formed.
    """
    name = module.__name__.rpartition(".")[2]
    rule_id = getattr(module, "ID", None)
    if not isinstance(rule_id, str) or not _ID.fullmatch(rule_id):
        raise RuleError(
            f'{module.__file__}:1: expected ID = "GA" and three digits, got {rule_id!r}'
        )
    matches = getattr(module, name, None)
    if not inspect.isfunction(matches):
        raise RuleError(f"{module.__file__}:1: there is no function {name}(found)")
    try:
        page = parse(matches.__doc__)
    except PageError as error:
        line = matches.__code__.co_firstlineno
        raise RuleError(f"{module.__file__}:{line}: {rule_id} {name}: {error}") from error
    return Rule(
        id=rule_id,
        name=name,
        title=page.title,
        why=page.why,
        fix=page.fix,
        bad=page.bad,
        good=page.good,
        covers=page.covers,
        notes=page.notes,
        page=without_names(page.text),
        matches=cast("Callable[[Break], bool]", matches),
        why_of=getattr(module, "why_of", None),
        fix_of=getattr(module, "fix_of", None),
        effect=getattr(module, "EFFECT", None),
    )


def sort(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Order rules as they are asked.

    Raises:
        RuleError: Two rules have one id.
    """
    by_id: dict[str, Rule] = {}
    for rule in rules:
        other = by_id.setdefault(rule.id, rule)
        if other is not rule:
            where = rule.matches.__code__
            raise RuleError(
                f"{where.co_filename}:{where.co_firstlineno}: {rule.id} is taken by {other.name}; "
                "give this rule an id that was never used"
            )
    return tuple(sorted(by_id.values(), key=lambda rule: (rule.id == UNKNOWN, rule.id)))
