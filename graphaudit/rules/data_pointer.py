"""Recognised by the variable that stands for a pointer, a storage's method, or the user's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, in_source, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA032"


def data_pointer(found: Break) -> bool:
    """The address or the storage of a tensor is used.

    Why: While tracing there is no memory, so `data_ptr()` and the methods of `untyped_storage()`
        have no value.

    Fix: Decide by something that is known (shape, stride, a flag set where the buffer is made); do
        alignment and alias checks once, outside. Make a kernel wrapper that needs the address a
        custom operator (`torch.library.custom_op`).

    Bad:
        def f(x):
            if x.data_ptr() % 16 == 0:
                return x + 1
            return x

    Good:
        ALIGNED = True

        def f(x):
            return x + 1 if ALIGNED else x

    Dynamo:
        GB5976 Data pointer comparison
        GB0088 Observed exception
        GB0156 Unsupported method call
        GB0055 Failed to convert args/kwargs to proxy

    Notes: `data_ptr() % 16` is reported with a misleading TypeError about 'int' and 'int'
        (GB0088).
    """
    return (
        is_type(found, "Data pointer comparison")
        or in_context(found, "DataPtrVariable", "UntypedStorageVariable", "TypedStorage")
        or in_source(found, ".data_ptr()")
    )
