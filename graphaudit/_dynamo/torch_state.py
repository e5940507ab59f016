"""State of torch's for the whole process, which one entry must not hand on to the next."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._C._dynamo.eval_frame import reset_code
from torch._dynamo import config, decorators, eval_frame, guards, symbolic_convert
from torch.utils import _device
from torch.utils._python_dispatch import _pop_mode as _pop_dispatch_mode

from graphaudit._dynamo import hooks
from graphaudit._dynamo.hooks import Hook
from graphaudit._dynamo.visible import target_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Flag = tuple[Callable[[], Any], Callable[[Any], Any]]

_IMPORT: Final = "__import_"  # how Dynamo names a module in the globals of what it traced
_KINDS: Final = ("cpu", "cuda")
_CUDA: Final = torch.backends.cuda


_MARK: Final = Hook(
    owner=eval_frame,
    name="set_code_exec_strategy",
    parameters=None,
    loss="a function that Dynamo skips in one entry may be skipped in the next without a word",
)
# not among HOOKS: a report lacks nothing without it
_LATENCY: Final = Hook(owner=guards, name="profile_guard_manager", parameters=None, loss="")
HOOKS: Final = (_MARK,)
_DECORATORS: Final = decorators.__file__
_marked: list[CodeType] = []  # by Dynamo, in this pass


def reset() -> None:
    """Forget what is compiled, and which functions Dynamo has marked to be skipped.

    `torch.compiler.reset` does not know of a generator that was called in a trace and given up:
    Dynamo would never look at it again.
    """
    torch.compiler.reset()
    while _marked:
        reset_code(_marked.pop())


@contextmanager
def kept() -> Iterator[None]:
    """Put back flags, settings and what is compiled: each, whatever becomes of the others."""
    imports = _imports()
    with ExitStack() as undo:
        undo.callback(_forget_imports, imports)
        undo.enter_context(hooks.installed({_MARK: _noting_marks, _LATENCY: _unmeasured}))
        undo.callback(reset)
        undo.callback(_put_back_settings, config.get_config_copy())
        undo.callback(eval_frame._set_stance, eval_frame._stance)
        for get, put in _flags():
            undo.callback(_put_back, get, put, get())
        yield


@contextmanager
def modes_kept() -> Iterator[None]:
    """Take out the modes that are left in place, and a default device with them.

    It belongs inside every mode of ours: each is left by taking the topmost off its stack.
    """
    depth, device = torch._C._len_torch_function_stack(), _device.CURRENT_DEVICE
    functions = [torch._C._get_function_stack_at(at) for at in range(depth)]
    chosen = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    dispatch = torch._C._len_torch_dispatch_stack()
    try:
        yield
    finally:
        while torch._C._len_torch_function_stack():
            torch._C._pop_torch_function_stack()
        for mode in functions:
            torch._C._push_on_torch_function_stack(mode)
        _device.CURRENT_DEVICE = device
        torch._GLOBAL_DEVICE_CONTEXT.device_context = chosen
        while torch._C._len_torch_dispatch_stack() > dispatch:
            _pop_dispatch_mode()


def _noting_marks(original: Callable[..., None]) -> Callable[..., None]:
    def set_code_exec_strategy(code: CodeType, strategy: Any) -> None:
        # a decorator marks for good, as the target has it
        if sys._getframe(2).f_code.co_filename != _DECORATORS:
            _marked.append(code)
        original(code, strategy)

    return set_code_exec_strategy


def _unmeasured(_: Callable[..., float]) -> Callable[..., float]:
    """Spare Dynamo a statistic: it empties the processor's caches for it, at each compile."""
    return lambda *_: 0.0


def _flags() -> list[Flag]:
    return [
        (torch.get_default_dtype, torch.set_default_dtype),
        (torch.is_grad_enabled, torch.set_grad_enabled),
        (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
        (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
        (torch.get_num_threads, torch.set_num_threads),
        (torch.is_warn_always_enabled, torch.set_warn_always),
        (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
        (_anomaly, lambda told: torch.autograd.set_detect_anomaly(*told)),
        *(_autocast(kind) for kind in _KINDS),
        *(_of_backend("cudnn", name) for name in ("enabled", "benchmark", "deterministic")),
        _of_backend("mkldnn", "enabled"),
        *map(_sdp, ("flash", "mem_efficient", "math", "cudnn")),
    ]


def _anomaly() -> tuple[bool, bool]:
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def _autocast(kind: str) -> Flag:
    def put(told: tuple[bool, torch.dtype]) -> None:
        torch.set_autocast_enabled(kind, told[0])
        torch.set_autocast_dtype(kind, told[1])

    return lambda: (torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)), put


def _of_backend(backend: str, name: str) -> Flag:
    get = getattr(torch._C, f"_get_{backend}_{name}")
    return get, getattr(torch._C, f"_set_{backend}_{name}")


def _sdp(kind: str) -> Flag:
    return getattr(_CUDA, f"{kind}_sdp_enabled"), getattr(_CUDA, f"enable_{kind}_sdp")


def _put_back(get: Callable[[], Any], put: Callable[[Any], Any], told: Any) -> None:
    if get() != told:
        put(told)


def _put_back_settings(settings: dict[str, Any]) -> None:
    now = config.get_config_copy()
    config.load_config({key: old for key, old in settings.items() if now.get(key) != old})


def _imports() -> set[tuple[ModuleType, str]]:
    """Find the modules that stand in the target's globals under Dynamo's names."""
    return {
        (module, name)
        for module in target_modules()
        for name, value in vars(module).items()
        if name.startswith(_IMPORT) and type(value) is ModuleType
    }


def _forget_imports(before: set[tuple[ModuleType, str]]) -> None:
    """Have Dynamo import modules afresh: a factory may take one out, to show its first import.

    Dynamo keeps each for good, in a cache and by a name of its own in the globals of what it
    traced; 2.14 then guards on the one that is gone.
    """
    cache_clear = getattr(getattr(symbolic_convert, "_import_module", None), "cache_clear", None)
    if cache_clear is not None:
        cache_clear()
    for module, name in _imports() - before:
        del vars(module)[name]
