"""Whether the target is still imported: a stub may be called then, and not afterwards."""

from __future__ import annotations


class _Phase:
    sealed = False
    imports = 0


def seal() -> None:
    """From now on a call of a stub raises, but at the level of modules that are imported later."""
    _Phase.sealed = True


def unseal() -> None:
    """Let calls give stubs, as at the start."""
    _Phase.sealed = False


class importing:  # noqa: N801 - reads as what happens inside of it
    """A module is executed: what it calls at its own level is no call of an entry."""

    def __enter__(self) -> None:
        _Phase.imports += 1

    def __exit__(self, *_: object) -> None:
        _Phase.imports -= 1


def is_sealed() -> bool:
    """Tell whether a call would raise now."""
    return _Phase.sealed and not _Phase.imports
