"""Generators of random numbers on a simulated device: the processor's, which say they are on it.

`torch.Generator` stays the class that Dynamo knows; what makes its instances is replaced.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import torch

from graphaudit.platforms import native
from graphaudit.platforms.answers import unseen

_TYPE: Final = torch._C.Generator
_TP_NEW: Final = 65  # the number of `tp_new` in CPython's stable ABI
_WORD: Final = ctypes.sizeof(ctypes.c_void_p)
_SLOTS: Final = 64  # words of a type object, and less
_New = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.py_object)


def answer(device_type: str) -> None:
    """Let `torch.Generator` make those of the device as well; a process does so once.

    Raises:
        SimulationError: A small library cannot be built here.
    """
    slot = _slot()
    kind = torch.device(device_type).type
    original = _New(slot.value or 0)

    def make(*args: Any, **kwargs: Any) -> Any:
        device = _asked(kind, *args, **kwargs)
        if device is None:
            return original(_TYPE, args, kwargs)
        return _placed(original(_TYPE, (), {}), device)

    maker = unseen(make)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(maker))  # C++ refers to it from now on
    native.library().graphaudit_make_generators(
        ctypes.py_object(_TYPE), ctypes.byref(slot), ctypes.py_object(maker)
    )


def _asked(kind: str, *args: Any, **kwargs: Any) -> torch.device | None:
    """Give the device that is asked for, if it is the simulated one."""
    named = [*args, *kwargs.values()]
    if len(named) != 1 or kwargs.keys() - {"device"} or named[0] is None:
        return None
    (device,) = named
    if isinstance(device, int):
        return torch.device(kind, device)
    try:
        asked = torch.device(device)
    except (RuntimeError, TypeError):
        return None
    return asked if asked.type == kind else None


def _placed(generator: torch.Generator, device: torch.device) -> torch.Generator:
    """Let a generator of the processor's say that it is on a device."""
    address = ctypes.c_void_p(id(generator) + object.__basicsize__)  # behind Python's header
    index = -1 if device.index is None else device.index
    native.library().graphaudit_place_generator(address, native.type_number(device.type), index)
    return generator


def _slot() -> ctypes.c_void_p:
    """Find where the type keeps the function that makes its instances."""
    ask = ctypes.pythonapi.PyType_GetSlot
    ask.restype, ask.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_int)
    function = ask(_TYPE, _TP_NEW)
    words = (ctypes.c_void_p.from_address(id(_TYPE) + _WORD * at) for at in range(_SLOTS))
    return next(word for word in words if word.value == function)
