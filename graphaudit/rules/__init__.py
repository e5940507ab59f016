"""Our opinion about a break: which rule it is, why it breaks, what to do.

A rule is a file of this package: `ID` and one function named as the file, which tells whether a
break is of its kind and whose docstring is the manual page. To add a rule, add a file. The rules
are asked in the order of their ids and the first match counts: what is specific has a low number,
what catches the rest of a family a high one, and GA000 takes what nobody knows. A rule about an
effect (`EFFECT`) comes before all. Modules that start with an underscore are no rules. An id is
never given to another rule.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphaudit.model import Break
    from graphaudit.rules._rule import Rule

__all__ = ["all_rules", "rule_for", "rule_with_id"]


@cache
def all_rules() -> tuple[Rule, ...]:
    """Get every rule in the order in which they are asked. The first call imports them.

    Raises:
        RuleError: A rule file is not well formed.
    """
    # Here and not above: a hundred files that only who asks should pay for.
    from graphaudit.rules._load import load

    return load(sys.modules[__name__])


def rule_for(found: Break) -> Rule:
    """Get the first rule that knows this break; GA000 if none does.

    A rule that stands for an effect is asked before all others: what Dynamo says of a recompile is
    a guard, in whose words a rule about breaks may find its own.
    """
    rules = all_rules()
    of_effect = (rule for rule in rules if rule.effect == found.effect)
    return next(of_effect, None) or next(rule for rule in rules if rule.matches(found))


def rule_with_id(rule_id: str) -> Rule:
    """Get the rule with this id, such as "GA001".

    Raises:
        KeyError: There is no such rule.
    """
    return {rule.id: rule for rule in all_rules()}[rule_id]
