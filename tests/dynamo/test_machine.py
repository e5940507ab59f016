"""What a pass leaves behind: nothing of Dynamo's in the target, no state of torch's."""

from __future__ import annotations

import math
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from graphaudit._dynamo.machine import prepared
from graphaudit._target.module import import_file

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

LAZY = """
    import sys
    import torch

    def kernel(x):
        import lazily_imported
        return lazily_imported.run(x)

    def make():
        sys.modules.pop("lazily_imported", None)
        return kernel
"""


@pytest.fixture
def lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module whose function imports another one at its first call."""
    (tmp_path / "lazily_imported.py").write_text("TABLE = [2]\n\ndef run(x): return x * TABLE[0]\n")
    (tmp_path / "lazy.py").write_text(textwrap.dedent(LAZY))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lazily_imported", raising=False)
    return import_file(tmp_path / "lazy.py")


def test_a_first_import_can_be_traced_again_and_again(lazy: Any) -> None:
    """Each time with the module of that time, and without a name of Dynamo's in the globals."""
    for _ in range(3):
        with prepared(fake=False):
            compiled = torch.compile(lazy.make(), backend="eager", fullgraph=True)
            assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]
            assert [name for name in vars(lazy) if name.startswith("__import_")]
        assert [name for name in vars(lazy) if name.startswith("__import_")] == []


def test_a_name_of_the_targets_that_looks_like_dynamos_stays(lazy: Any) -> None:
    """Whether it was there before, or came in the pass."""
    vars(lazy)["__import_error"] = None
    vars(lazy)["__import_math"] = math
    with prepared(fake=False):
        vars(lazy)["__import_late"] = "not a module"

    found = {name: one for name, one in vars(lazy).items() if name.startswith("__import_")}
    assert found == {"__import_error": None, "__import_math": math, "__import_late": "not a module"}


class Left(TorchFunctionMode):
    """A function mode that nobody leaves."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what is asked for."""
        return func(*args, **(kwargs or {}))


def shown() -> dict[str, Any]:
    """Give the state of torch's that a program can change for the whole process."""
    return {
        "anomaly": (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        "autocast dtype": torch.get_autocast_dtype("cpu"),
        "autocast cache": torch.is_autocast_cache_enabled(),
        "default device": torch.get_default_device(),
        "made on": torch.ones(1).device,
        "default dtype": torch.get_default_dtype(),
        "function modes": torch._C._len_torch_function_stack(),
        "dispatch modes": torch._C._len_torch_dispatch_stack(),
        "mkldnn": torch.backends.mkldnn.enabled,
        "cudnn": torch.backends.cudnn.benchmark,
        "sdp": torch.backends.cuda.math_sdp_enabled(),
        "warn always": torch.is_warn_always_enabled(),
        "setting": config.suppress_errors,
        "threads": torch.get_num_threads(),
    }


@pytest.mark.parametrize("fake", [False, True])
def test_state_of_torch_is_put_back(fake: bool) -> None:
    """All of it, modes that were left in place above ours included."""
    before = shown()
    with prepared(fake=fake):
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        torch.set_autocast_dtype("cpu", torch.float16)
        torch.set_autocast_cache_enabled(False)
        torch.set_default_device("meta")
        torch.set_default_dtype(torch.float64)
        Left().__enter__()
        FakeTensorMode().__enter__()
        torch.backends.mkldnn.enabled = False
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.enable_math_sdp(False)
        torch.set_warn_always(True)
        torch.set_num_threads(torch.get_num_threads() + 1)
        config.suppress_errors = True
        changed = shown()

    assert [name for name in before if changed[name] == before[name]] == []
    assert shown() == before
