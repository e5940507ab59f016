"""How a package is found in this process: not there, failing, stood in for, or there."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from graphaudit._target import package_finder as finder
from graphaudit._target.package_loaders import StubLoader
from graphaudit._target.package_rules import Treatment
from graphaudit._target.stubs import StubModule

if TYPE_CHECKING:
    from graphaudit.model import PackageState


def state(name: str) -> PackageState:
    """Say how a package is found; it is not imported for that.

    Args:
        name: The dotted name of a module.
    """
    treatment = finder.rules_in_place().treatment(name)
    if treatment is Treatment.WITHOUT:
        return "absent"
    if treatment is Treatment.BROKEN:
        return "broken"
    if name in sys.modules:
        return "stubbed" if type(sys.modules[name]) is StubModule else "present"
    try:
        spec = find_spec(name)
    except ModuleNotFoundError as error:
        # the package above it is not there; or it is, and lacks what it imports
        return "absent" if error.name and f"{name}.".startswith(f"{error.name}.") else "broken"
    # the package above it is imported, and may raise anything
    except Exception:  # noqa: BLE001
        return "broken"
    if spec is None:
        return "absent"
    return "stubbed" if isinstance(spec.loader, StubLoader) else "present"
