"""Recognised by the word in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA056"


def opaque_object(found: Break) -> bool:
    """An object that torch treats as opaque.

    Why: Opaque objects (process groups, generators, script objects) are only handed through the
        graph: they cannot be made in it, and their attributes cannot be read.

    Fix: Make the object before the compiled call, read what you need from it there, and pass the
        plain values in.

    Bad (not run):
        import torch.distributed as dist

        def f(x, group):
            return x * len(group._device_types)

    Good (not run):
        import torch.distributed as dist

        def f(x, group_size):
            return x * group_size

    Dynamo:
        GB0362 Attempted to access attributes/methods on an OpaqueObject
        GB0363 An opaque object was created in the middle of the program.
        GB1739 Unsupported member type on OpaqueObject
        GB2078 Attempted to access unregistered member on an OpaqueObject
        GB7685 Attribute not found on opaque class
        GB8656 Opaque object with custom __getattr__ not supported
        GB9567 Unsupported descriptor on opaque class
    """
    return "opaque" in root(found).gb_type.lower()
