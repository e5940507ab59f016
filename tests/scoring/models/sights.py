"""What the see-through trace alone lists of some runs: a scan merges it with the stock traces.

Run as a program on names of runs, it prints one JSON object a line.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
import sys
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.tracing import see_through
from tests.scoring.models.runs import AFTER_A_CALL, FOLDER, Site

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.scoring.models.runs import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What one see-through trace lists."""

    name: str
    sites: list[Site]
    errors: list[Site]
    stopped: str  # where and why; empty if it did not


def listed(chosen: Sequence[Run]) -> dict[str, Listed]:
    """Trace some runs, in a process of their own."""
    if not chosen:
        return {}
    command = [sys.executable, "-m", "tests.scoring.models.sights", *(run.name for run in chosen)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [Listed(**json.loads(line)) for line in done.stdout.splitlines()]
    return {one.name: one for one in found}


def _trace(name: str) -> Listed:
    from hf_models import build  # type: ignore[import-not-found] # needs FOLDER on the path

    torch.manual_seed(0)
    random.seed(0)
    call, args, kwargs = build(*name.split("/"))
    if name in AFTER_A_CALL:
        call(*args, **kwargs)
    sight = see_through(call, args, kwargs, fullgraph=False, options={})
    stop = sight.stopped_at
    return Listed(
        name=name,
        sites=sorted(set(map(_site, sight.sites)), key=str),
        errors=sorted(set(map(_site, sight.errors)), key=str),
        stopped=f"{_short(stop.path)}:{stop.line} {stop.why}" if stop else "",
    )


def _site(seen: Any) -> Site:
    place = preferred(seen.stack)
    return _short(place.path), place.line, seen.causes[0].gb


def _short(path: str) -> str:
    return path.rpartition("/site-packages/")[2]


def _main(names: Iterable[str]) -> None:
    sys.path.insert(0, str(FOLDER))
    for name in names:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = _trace(name)
        sys.stdout.write(json.dumps(asdict(found)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    _main(sys.argv[1:])
