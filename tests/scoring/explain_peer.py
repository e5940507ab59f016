"""The peer: how many breaks `torch._dynamo.explain` counts in each case of a folder.

Run as a program, it prints one JSON object: entry name -> count, or the exception's type.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tests.scoring.wrappers import case_files, constants

if TYPE_CHECKING:
    from types import ModuleType


def counts(cases: list[Path]) -> dict[str, int | str]:
    """Ask `explain` about each case and each variant."""
    found: dict[str, int | str] = {}
    for path in cases:
        case = _load(path)
        found[path.stem] = _count(case.make, case)
        for name in constants(path)["EXPECT"].get("variants", {}):
            found[f"{path.stem}__{name}"] = _count(case.variants()[name], case)
    return found


def _count(make: Any, case: ModuleType) -> int | str:
    torch.compiler.reset()
    suppressed = torch._dynamo.config.suppress_errors
    mode = getattr(case, "AMBIENT", None) or contextlib.nullcontext()
    try:
        call, args, kwargs = make()
        with mode, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return int(torch._dynamo.explain(call)(*args, **kwargs).graph_break_count)
    except Exception as error:  # noqa: BLE001 - what the peer raises is its answer
        return type(error).__name__
    finally:
        torch._dynamo.config.suppress_errors = suppressed


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"case_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder / "_thirdparty" / "site-packages"))
    answer = counts(case_files(folder))
    sys.stdout.write("\n" + json.dumps(answer) + "\n")
