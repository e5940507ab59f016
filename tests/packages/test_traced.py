"""What Dynamo makes of packages that are away, broken, present or stood in for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.packages.worlds import run, write_package

if TYPE_CHECKING:
    from pathlib import Path

TRACE = """
import importlib.util, warnings
import torch, torch._dynamo
import numpy
def traced(function, *arguments, fullgraph=True):
    torch._dynamo.reset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = torch.compile(function, backend="eager", fullgraph=fullgraph)(*arguments)
        return done.tolist()
    except BaseException as error:
        text = str(error)
        code = text.partition("/gb/")[2].partition(".html")[0]
        return f"{type(error).__name__} {code or text}"
x = torch.ones(1)
"""
PROBES = """
def imports_away(x):
    try:
        import away
    except ImportError:
        return x - 1
    return x + 1
def imports_broke(x):
    try:
        import broke
    except ImportError:
        return x - 1
    return x + 1
def imports_vendor(x):
    try:
        import torchada
    except ImportError:
        return x - 1
    return x + torchada.ADDED
def imports_stub(x):
    try:
        import native
    except ImportError:
        return x - 1
    return x + 1
def finds(name):
    return lambda x: x + 1 if importlib.util.find_spec(name) else x - 1
vendor = type(sys)("torchada")
vendor.ADDED = 2
vendor.__installed__ = lambda: setattr(torch, "vendor_is_here", True)
packages.install(without=["away", "numpy", "triton", "really_absent_too"], broken=["broke"],
    stub=["native"], present=[vendor])
told["names"] = {name: traced(finds(name), x)
    for name in ("away", "broke", "torchada", "native", "numpy", "really_absent")}
told["full"] = {f.__name__: traced(f, x)
    for f in (imports_away, imports_broke, imports_vendor, imports_stub)}
told["not full"] = {f.__name__: traced(f, x, fullgraph=False)
    for f in (imports_away, imports_broke, imports_vendor, imports_stub)}
told["again"] = {name: traced(finds(name), x) for name in ("torchada", "native")}
told["torch"] = torch.vendor_is_here
told["numpy stays torch's"] = traced(lambda x: torch.from_numpy(x.numpy()) * 3, x)
try:
    import numpy
except ModuleNotFoundError as error:
    told["numpy"] = error.name
"""
USES = """
from torch.library import register_fake
packages.install(without=[], broken=[], stub=["native", "vllm._C"])
import native, vllm._C
class Base(native.Base):
    def __init__(self):
        self.three = 3
@native.jit
def kernel(x): ...
register_fake("native::unknown")(lambda x: x)
library = torch.library.Library("native", "FRAGMENT")
library.define("known(Tensor x) -> Tensor")
library.impl("known", lambda x: x + 5, "CPU")
register_fake("native::known")(lambda x: torch.empty_like(x))
base, mode, space = Base(), native.Mode.FAST, dict(globals())
def falls_back(x):
    try:
        return native.fast(x)
    except Exception:
        return x
try:
    register_fake("elsewhere::unknown")(lambda x: x)
except RuntimeError:
    told["elsewhere"] = "raises"
told["has"] = [hasattr(torch.ops.native, "any"), hasattr(torch.ops._C, "any"),
    hasattr(torch.ops.other, "any"), hasattr(torch.ops.aten, "any_of_ours")]
packages.seal()
for text in TEXTS:
    told[text] = [traced(eval("lambda x: " + text, globals()), x, fullgraph=full)
        for full in (True, False)]
    told[text][1] = told[text][1][:80] if isinstance(told[text][1], str) else told[text][1]
import lazily
told["lazily"] = lazily.kernel.__name__
"""
CLEAN = {
    "x + isinstance(x, native.Type)": [1.0],
    "x + isinstance(3, (str, native.Type))": [1.0],
    "x + isinstance(base, native.Base)": [2.0],
    "x + base.three": [4.0],
    "x + Base().three": [4.0],
    "x + (mode is native.Mode.FAST)": [2.0],
    "x + (mode == native.Mode.SLOW)": [1.0],
    "x + hasattr(native, 'fast_path')": [2.0],
    "x + (kernel is None)": [1.0],
    "torch.ops.native.known(x)": [6.0],
}
CALLS = {
    "native.op(x)": "native.op",
    "native.Type(x)": "native.Type",
    "falls_back(x)": "native.fast",
    "kernel(x)": "native.jit(kernel)",
    "kernel[(1,)](x)": "native.jit(kernel)[...]",
    "x * native.SCALE": "native.SCALE.__rmul__",
    "torch.ops.native.any(x)": "torch.ops.native.any",
    "torch.ops._C.any(x)": "torch.ops._C.any",
}


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Probe for each package in a traced function."""
    folder = tmp_path_factory.mktemp("probed")
    write_package(folder, "away", {}, "away")
    write_package(folder, "broke", {}, "broke")
    return run(folder, TRACE + PROBES)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Use a stub in each way in a traced function."""
    folder = tmp_path_factory.mktemp("used")
    write_package(folder, "vllm", {})
    write_package(folder, "lazily", {"__init__.py": (
        "import native\nnative.init()\n@native.jit\ndef kernel(): ...\n"
    )})  # fmt: skip
    return run(folder, f"TEXTS = {[*CLEAN, *CALLS]!r}\n" + TRACE + USES)


def test_find_spec_in_a_trace(probed: Any) -> None:
    """As where the package is really there, or really is not; before and after its import."""
    assert probed["names"] == {
        "away": [0.0], "broke": [2.0], "torchada": [2.0], "native": [2.0], "numpy": [0.0],
        "really_absent": [0.0],
    }  # fmt: skip
    assert probed["again"] == {"torchada": [2.0], "native": [2.0]}


def test_an_import_in_a_trace(probed: Any) -> None:
    """Dynamo breaks at an import that fails, and runs one that does not."""
    assert probed["full"] == {
        "imports_away": "Unsupported gb0069",
        "imports_broke": "Unsupported gb0069",
        "imports_vendor": [3.0],
        "imports_stub": [2.0],
    }
    assert probed["not full"] == {
        "imports_away": [0.0],
        "imports_broke": [0.0],
        "imports_vendor": [3.0],
        "imports_stub": [2.0],
    }


def test_what_torch_has_imported(probed: Any) -> None:
    """Its numpy goes on, it does not ask for triton, and the target finds neither."""
    assert probed["numpy stays torch's"] == [3.0]
    assert probed["numpy"] == "numpy"


def test_a_vendor_module_changes_torch(probed: Any) -> None:
    """At its first import, in a trace as well."""
    assert probed["torch"] is True


@pytest.mark.parametrize("text", CLEAN)
def test_a_use_that_traces_clean(used: Any, text: str) -> None:
    """As with the real module: no break may come from the stub."""
    assert used[text] == [CLEAN[text], CLEAN[text]]


@pytest.mark.parametrize("text", CALLS)
def test_a_call_in_a_trace(used: Any, text: str) -> None:
    """Dynamo sees the error raised; without fullgraph it comes out as it is."""
    package = "vllm._C" if "_C" in text else "native"
    told = f"StubCalled the stub of {package} was called: {CALLS[text]}(...)"
    in_full, in_part = used[text]
    assert in_full.startswith("Unsupported gb")
    assert in_part.startswith(told)


def test_operators_of_a_stub(used: Any) -> None:
    """They seem to be registered, in the namespaces of the stub and in no other."""
    assert used["has"] == [True, True, False, False]
    assert used["elsewhere"] == "raises"


def test_a_module_that_an_entry_imports(used: Any) -> None:
    """Its own level may call a stub although the target's import is over."""
    assert used["lazily"] == "kernel"


def test_a_stub_of_a_package_that_torch_knows(tmp_path: Path) -> None:
    """Where triton is not installed it may be stood in for: torch found out before."""
    script = """
import importlib.machinery
real = importlib.machinery.PathFinder.find_spec
class Absent:
    @staticmethod
    def find_spec(name, *rest):
        return None if name.partition(".")[0] == "triton" else real(name, *rest)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Absent
""" + TRACE + """
packages.install(without=[], broken=[], stub=["triton"])
import triton, triton.language as tl
@triton.jit
def kernel(x, BLOCK: tl.constexpr): ...
told["used"] = packages.imported()
packages.seal()
told["plain"] = traced(lambda x: x + 1, x)
told["launch"] = traced(lambda x: kernel[(1,)](x, BLOCK=2), x, fullgraph=False)[:60]
"""  # fmt: skip
    assert run(tmp_path, script) == {
        "used": ["triton"],
        "plain": [2.0],
        "launch": "StubCalled the stub of triton was called: triton.jit(kernel)",
    }
