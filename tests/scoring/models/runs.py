"""The runs of real transformers architectures, with what stock Dynamo was seen to do in each.

`tests/cases/models/hf_models.py` builds them: tiny, random weights, nothing downloaded. Each line
of `truth.jsonl` beside it is one run: the verdict of fullgraph, the sites of the default trace.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "cases" / "models"

# Stock shows it only where an earlier site has dropped the frame that makes the object it is
# about: a consequence, which goes when that site is mended.
CONSEQUENCES: Final = frozenset({("transformers/utils/output_capturing.py", 332, "GB4347")})
# Observed after an eager call of the same object: the first call of a fresh BigBird logs (a
# break) and turns itself to another attention.
AFTER_A_CALL: Final = frozenset({"big_bird/fwd"})

Site = tuple[str, int, str | None]  # path below site-packages, line, root id


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run and its truth."""

    name: str  # architecture/variant
    passes: bool  # fullgraph
    raised: Site | None  # what fullgraph raises, and where
    sites: frozenset[Site]  # of the default trace
    graphs: int

    @property
    def entry(self) -> str:
        """The name of its audit function."""
        return "audit_" + "".join(one if one.isalnum() else "_" for one in self.name)

    @property
    def is_clean(self) -> bool:
        """Whether nothing breaks."""
        return self.passes and not self.sites


def runs() -> list[Run]:
    """Read all runs, as they are listed."""
    lines = (FOLDER / "truth.jsonl").read_text().splitlines()
    return [_run(json.loads(line)) for line in lines]


def chosen(names: list[str]) -> list[Run]:
    """Give the runs of these names, all if there is none.

    Raises:
        ValueError: There is no such run.
    """
    every = {run.name: run for run in runs()}
    if unknown := [name for name in names if name not in every]:
        raise ValueError(f"no run {', '.join(unknown)}; there are {', '.join(every)}")
    return [every[name] for name in names] if names else list(every.values())


def _run(row: dict[str, Any]) -> Run:
    strict, default = row["fullgraph"], row["default"]
    return Run(
        name=f"{row['name']}/{row['variant']}",
        passes=strict["ok"],
        raised=None if strict["ok"] else (strict["file"], strict["line"], strict["gb"]),
        sites=frozenset((one["file"], one["line"], one["gb"]) for one in default["sites"]),
        graphs=default["graphs"],
    )
