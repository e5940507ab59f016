"""The platform of this machine, and the state that every call of a factory starts from."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import torch
from torch._dynamo import config, eval_frame, symbolic_convert
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import _pop_mode

from graphaudit._dynamo.visible import target_modules
from graphaudit._target import ambient

if TYPE_CHECKING:
    from collections.abc import Iterator


def platform() -> str:
    """Name the platform: `cpu`, `cuda`, `hip`, or the accelerator's own name."""
    device = torch.accelerator.current_accelerator(check_available=True)
    if device is None:
        return "cpu"
    return "hip" if device.type == "cuda" and torch.version.hip else device.type


@contextmanager
def prepared(*, fake: bool) -> Iterator[None]:
    """Start a pass as if it were the first, and leave the process as it was found.

    Args:
        fake: Make fake tensors: no memory, no values, models of any size.
    """
    ambient.clear_caches()
    device = torch.accelerator.current_accelerator(check_available=True)
    with (
        ambient.kept(),
        _torch_kept(),
        torch.device(device) if device else nullcontext(),
        FakeTensorMode(allow_non_fake_inputs=True) if fake else nullcontext(),
    ):
        seed()
        yield


def seed(number: int = 0) -> None:
    """Seed the generators of Python, torch, and of numpy where the target uses it."""
    random.seed(number)
    torch.manual_seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)


@contextmanager
def _torch_kept() -> Iterator[None]:
    dtype, grad = torch.get_default_dtype(), torch.is_grad_enabled()
    device, stance = torch.get_default_device(), eval_frame._stance
    autocast = {kind: torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda")}
    precision, modes = torch.get_float32_matmul_precision(), torch._C._len_torch_dispatch_stack()
    deterministic = torch.get_deterministic_debug_mode()
    threads, settings = torch.get_num_threads(), config.get_config_copy()
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        if torch.get_default_device() != device:
            torch.set_default_device(None if device.type == "cpu" else device)
        eval_frame._set_stance(stance)
        for kind, enabled in autocast.items():
            torch.set_autocast_enabled(kind, enabled)
        torch.set_float32_matmul_precision(precision)
        while torch._C._len_torch_dispatch_stack() > modes:
            _pop_mode()
        torch.set_grad_enabled(grad)
        torch.set_deterministic_debug_mode(deterministic)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        now = config.get_config_copy()
        config.load_config({key: old for key, old in settings.items() if now.get(key) != old})
        torch.compiler.reset()
        _forget_imports()


def _forget_imports() -> None:
    """Have Dynamo import modules afresh: a factory may take one out, to show its first import.

    Dynamo keeps each for good, in a cache and by a name of its own in the globals of what it
    traced; 2.14 then guards on the one that is gone.
    """
    cache_clear = getattr(getattr(symbolic_convert, "_import_module", None), "cache_clear", None)
    if cache_clear is not None:
        cache_clear()
    for module in target_modules():
        held = vars(module)
        for name in [name for name in held if name.startswith("__import_")]:
            del held[name]
