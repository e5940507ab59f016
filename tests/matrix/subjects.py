"""Traces every function with masked breaks once: `python -m tests.matrix.subjects FILE`."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.tracing import see_through
from tests.scoring.versions import REFERENCE, here, holds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FOLDER: Final = Path(__file__).parents[1] / "cases" / "see_through"


def main() -> None:
    """Trace all and write the score."""
    known = json.loads((_FOLDER / "truth.json").read_text())
    module = _load(_FOLDER / "subjects.py")
    scored = {"functions": len(known), "exact": 0, "true": 0, "found": 0, "extra": 0}
    wrong: dict[str, list[str]] = {}
    for name, sites in known.items():
        true = lines(sites, here())
        seen, stopped = _seen(*module.subjects()[name])
        wrong[name] = [
            *(f"missing line {line}" for line in sorted(true - seen)),
            *(f"extra line {line}" for line in sorted(seen - true)),
            *([f"stopped at {stopped}"] if stopped else []),
        ]
        scored["exact"] += not wrong[name]
        scored["true"] += len(true)
        scored["found"] += len(true & seen)
        scored["extra"] += len(seen - true)
    conditional = [
        name for name, sites in known.items() if lines(sites, here()) != lines(sites, REFERENCE)
    ]
    only_wrong = {name: bad for name, bad in wrong.items() if bad}
    answer = {**scored, "conditional": conditional, "wrong": only_wrong}
    Path(sys.argv[1]).write_text(json.dumps(answer))


def lines(sites: list[list[Any]], versions: Mapping[str, str]) -> set[int]:
    """Give the lines that break on these versions: a site may bear a condition, its third part."""
    return {line for line, _, *only in sites if all(holds(one, versions) for one in only)}


def _seen(call: Any, args: Any) -> tuple[set[int], str]:
    torch.manual_seed(0)
    with _quiet():
        sight = see_through(call, args, {}, fullgraph=False, options={})
    stop = sight.stopped_at
    return (
        {preferred(site.stack).line for site in sight.sites},
        f"line {stop.line}: {stop.why}" if stop else "",
    )


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"see_through_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


if __name__ == "__main__":
    main()
