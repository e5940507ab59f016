"""Public cases about devices, on a simulated one: as on the processor, or as a device has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.scoring import wrappers
from tests.scoring.expectations import expectations

ROOT = Path(__file__).parents[2]
CASES = [
    path
    for path in wrappers.case_files(ROOT / "tests" / "cases" / "public")
    if path.stem[:3] in ("068", "069", "071", "072", "073", "074", "075", "076")
]
TRUTH = expectations(CASES)
QUERY = "GB0208"  # torch.* op returned non-Tensor


@dataclass(frozen=True, slots=True)
class Shown:
    """What an entry shows: sites by line and id, graphs, and what stops fullgraph."""

    sites: tuple[tuple[int, str], ...] = ()
    graphs: int = 1
    fullgraph: str | None = None


# A device is there, and what a factory makes is on it: in these the answer is another than on the
# processor. `python -m tests.platforms.against_a_device` saw the same of each query on an H200.
CAPTURING = Shown(sites=((17, QUERY),), graphs=2, fullgraph=QUERY)
ON_A_DEVICE = {
    # the name is asked for, and is no tensor
    "071_device_name_query": Shown(sites=((13, QUERY),), fullgraph=QUERY),
    # so is whether a graph is captured; there is no driver that could fail to tell
    "073_stream_capturing_query": CAPTURING,
    "073_stream_capturing_query__fake_cuda": CAPTURING,
    # an H100 can do it
    "074_device_capability": Shown(),
    # there is a device to wait for
    "075_cuda_synchronize__fake_cuda": Shown(),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Scan all of them on one device."""
    folder = tmp_path_factory.mktemp("cases")
    wrappers.write(CASES, folder, per_file=len(CASES))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"),
            *("--platform", "cuda", "--no-see-through"),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 1, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def expected(name: str) -> Shown:
    """Give what is true on the device; what the case says where that makes no difference."""
    if name in ON_A_DEVICE:
        return ON_A_DEVICE[name]
    truth = TRUTH[name]
    stops = truth["fullgraph"]
    return Shown(
        sites=tuple((one["line"], one["gb"]) for one in truth["breaks"]),
        graphs=truth["graphs"],
        fullgraph=stops and stops["gb"],
    )


@pytest.mark.parametrize("name", TRUTH)
def test_a_case_on_a_device(report: dict[str, Any], name: str) -> None:
    """Sites, graphs and the fullgraph verdict; no entry errs for the simulation's sake."""
    (entry,) = [one for one in report["entries"] if one["id"].endswith(f"::audit_{name}")]
    sites = [
        (found["line"], found["gb"])
        for found in report["findings"]
        if found["entry"] == entry["id"] and found["gates"]
    ]
    truth = expected(name)

    assert entry["outcome"] == ("breaks" if truth.sites else "clean"), entry["message"]
    assert tuple(sites) == truth.sites
    assert entry["graphs"] == truth.graphs
    assert entry["fullgraph"]["gb"] == truth.fullgraph
    assert entry["message"] == ""
