"""What can go wrong before there is a result: one class for each thing a caller can do about it.

What goes wrong while an entry is traced is an outcome in the report, never one of these.
"""

from __future__ import annotations

import sys
from typing import ClassVar


class GraphauditError(Exception):
    """The message says what is wrong, where, and what to do next; it is shown as it stands."""

    exit_code: ClassVar[int] = 2


class ConfigError(GraphauditError):
    """The `[tool.graphaudit]` table cannot be used: mend the file."""


class PathError(GraphauditError):
    """A path that was asked for cannot be scanned or written: name another one."""


class BaselineError(GraphauditError):
    """The baseline cannot be read: mend the line that the message names."""


class ReportError(GraphauditError):
    """The stored report cannot be read: scan again."""


class NoEntries(GraphauditError):  # noqa: N818 - says what was found, as an `outcome` does
    """The scan found no `audit_*` factory: write one."""


class SettingError(GraphauditError):
    """A platform or a package that was asked for cannot be had: name another one."""


class TorchMissing(GraphauditError):  # noqa: N818 - says what is the case
    """The children cannot import torch: install it beside graphaudit."""

    def __init__(self, why: str) -> None:
        """Say which interpreter lacks it and `why`, in its own words."""
        super().__init__(
            f"torch cannot be imported by {sys.executable}: {why}. "
            "If it is missing, install it there: pip install 'graphaudit[torch]'"
        )


class UnknownVersion(GraphauditError):  # noqa: N818 - says what is the case
    """The children run on a Python or a torch that is not known: a list could be wrong."""

    def __init__(self, why: str) -> None:
        """Say which interpreter it is and `why` it is not known."""
        super().__init__(f"{sys.executable} cannot be used: {why}")


class CompileDisabled(GraphauditError):  # noqa: N818 - says what is the case
    """The environment switches torch.compile off: every entry would look clean."""

    def __init__(self, variable: str) -> None:
        """Name the `variable`."""
        super().__init__(
            f"{variable}=1 switches torch.compile off, so nothing can be traced: unset it"
        )
