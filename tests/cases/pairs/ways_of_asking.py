"""Ways in which code asks about its host. Behind each: what stops fullgraph on torch 2.13, or ok.

Observed with `torch.compile(f, backend="eager", fullgraph=True)` alone.
"""

import functools
import importlib
import logging
import os
import platform
import shutil
import sys
import time
import types
import warnings
from contextvars import ContextVar

import torch

LOGGER = logging.getLogger(__name__)
CONTEXT = ContextVar("CONTEXT", default=False)
LAZY = None


def against(form, *args):
    """Compare with a constant of the same answer; here only what the form shows matters."""
    return form, lambda *_: True, args


def imports():
    try:
        import torchada_is_not_here
    except ImportError:
        return True
    return False


def compare_import():  # GB0069
    return against(imports)


def compare_import_of_what_is_there():  # ok
    def asks():
        import json

        return json is not None

    return against(asks)


def compare_import_module():  # GB0007
    return against(lambda: importlib.import_module("json") is not None)


def compare_find_spec():  # ok
    return against(lambda: importlib.util.find_spec("torchada_is_not_here") is None)


def compare_sys_modules():  # ok
    return against(lambda: "torchada_is_not_here" not in sys.modules)


def compare_environ_get():  # ok
    return against(lambda: os.environ.get("NOT_SET_HERE") is None)


def compare_getenv():  # ok
    return against(lambda: os.getenv("NOT_SET_HERE", "false").lower() not in ("true", "1"))


def compare_in_environ():  # ok
    return against(lambda: "NOT_SET_HERE" not in os.environ)


def compare_version_hip():  # ok
    return against(lambda: torch.version.hip is None)


def compare_cuda_is_available():  # ok
    return against(lambda: not torch.cuda.is_available())


def compare_accelerator_is_available():  # ok
    return against(lambda: not torch.accelerator.is_available())


def compare_hasattr():  # ok
    return against(lambda: not hasattr(torch, "npu"))


def compare_mps_backend():  # GB0208
    return against(lambda: not torch.backends.mps.is_available())


def compare_mps():  # GB0007
    return against(lambda: not torch.mps.is_available())


def compare_cpu_is_available():  # GB0208
    return against(lambda: torch.cpu.is_available())


def compare_device_count():  # GB0208
    return against(lambda: torch.cuda.device_count() == 0)


def compare_machine():  # ok
    return against(lambda: platform.machine() != "")


def compare_path_exists():  # GB0007
    return against(lambda: os.path.exists("/"))


def compare_which():  # GB0007
    return against(lambda: shutil.which("sh") is not None)


def compare_open():  # GB0059
    def asks():
        with open(os.devnull) as file:
            return file is not None

    return against(asks)


def is_above(least, given=1):
    return given > least


CACHED_PARTIAL = functools.lru_cache(maxsize=1)(functools.partial(is_above, 0))


def compare_cached_partial():  # GB0156
    return against(CACHED_PARTIAL)


CACHED = functools.cache(is_above)


def compare_cache_with_arguments():  # ok
    return against(lambda: CACHED(0))


class Machine:
    @functools.cached_property
    def is_ready(self):
        return True


def compare_cached_property():  # ok
    machine = Machine()
    machine.is_ready  # the first time takes a lock, on Python 3.11
    return against(lambda: machine.is_ready)


def lazy():
    global LAZY
    if LAZY is None:
        LAZY = True
    return LAZY


def compare_lazy_global():  # ok
    return against(lazy)


def fails():
    raise ImportError("not here")


def compare_raise_in_a_callee():  # ok
    def asks():
        try:
            fails()
        except ImportError:
            return True
        return False

    return against(asks)


def compare_context_variable():  # GB0156
    return against(lambda: not CONTEXT.get())


@torch._dynamo.disable
def disabled():
    return True


def compare_disabled():  # GB0098
    return against(disabled)


def compare_simple_namespace():  # GB0147
    return against(lambda: types.SimpleNamespace(ready=True).ready)


def compare_logger():  # GB0291
    return against(lambda: LOGGER.warning("asked") is None)


def compare_warning():  # GB0007
    return against(lambda: warnings.warn("asked", stacklevel=1) is None)


def compare_print():  # GB0059
    return against(lambda: print("asked") is None)


def compare_time():  # GB0007
    return against(lambda: time.time() > 0)


def compare_branch_on_a_tensor():  # GB0170
    return against(lambda x: True if x.sum() > 0 else False, torch.ones(2))


def compare_item():  # ok
    return against(lambda x: x.item() is not None, torch.ones(()))


def compare_data_pointers():  # GB5976
    return against(lambda x, y: x.data_ptr() != y.data_ptr(), torch.ones(2), torch.ones(2))
