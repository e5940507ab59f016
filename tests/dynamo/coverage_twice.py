"""Measures the coverage of every entry in some files by both methods, in a process of its own.

    python -m tests.dynamo.coverage_twice RESULT.json FILE...

An entry is called until it is warm, then once for the profiler and once for the dispatch count.
"""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo import machine
from graphaudit._dynamo.passes import Plan, compiled
from graphaudit._target.context import UserContext
from graphaudit._target.factory import inputs_of, settings_of
from graphaudit._target.module import import_file, import_root
from tests.dynamo.dispatch_count import backend, counting
from tests.dynamo.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.coverage.operators import Operator


def main(result: Path, files: list[Path]) -> None:
    """Write what both methods gave."""
    found: dict[str, Any] = {}
    for path in files:
        sys.path.insert(0, str(import_root(path)))
        module = import_file(path)
        for name, value in vars(module).copy().items():
            if name.startswith("audit_") and isinstance(value, FunctionType):
                found[f"{path.stem}::{name}"] = measured_twice(value)
    result.write_text(json.dumps(found))


def measured_twice(factory: Callable[[], Any]) -> dict[str, Any] | None:
    """Give the operators by both methods; None where an entry cannot be repeated."""
    settings = settings_of(factory)
    if not settings.repeat or machine.platform() not in (settings.platforms or ("cpu",)):
        return None
    plan = Plan(
        verdict="default",
        warm=True,
        options=settings.options,
        context=settings.context,
        fake=settings.fake,
    )
    with machine.prepared(fake=settings.fake):
        item = next(inputs_of(factory))
        meter = Meter(plan, item.call)
        meter.record(item)
        recorded = meter.record(item)
        told = ""
        torch.compiler.reset()
        call = compiled(plan, item.call, backend)
        with UserContext(plan.context), suppress(BaseException):
            call(*item.args, **item.kwargs)
        with UserContext(plan.context), counting() as counted:
            try:
                call(*item.args, **item.kwargs)
            # the target's code may raise anything
            except BaseException as error:  # noqa: BLE001
                told = f"{type(error).__name__}: {error}"
        return {
            "profiler": recorded
            and [
                (operator.name, operator.where, _line(operator)) for operator in recorded.operators
            ],
            "dispatch": list(counted),
            "raised": told,
        }


def _line(operator: Operator) -> int:
    lines = [line for path, line in operator.frames if not path.startswith(torch.__path__[0])]
    return lines[-1] if lines else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), [Path(name).resolve() for name in sys.argv[2:]])
