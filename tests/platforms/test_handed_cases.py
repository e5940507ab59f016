"""Public cases on fake CUDA tensors and on device queries, where the simulation has a device.

Each expectation that differs from the case's own `EXPECT` was seen on a real H200 as well, but for
`synchronize`, which needs the newest Dynamo there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.scoring.__main__ import scan
from tests.scoring.agreement import disagreements
from tests.scoring.expectations import expectations
from tests.scoring.wrappers import case_files

FOLDER: Final = Path(__file__).parents[1] / "cases" / "public"
NUMBERS: Final = ("068", "069", "071", "072", "073", "074", "075", "076")
CASES: Final = [path for path in case_files(FOLDER) if path.name.startswith(NUMBERS)]

CLEAN: Final[dict[str, Any]] = {"raises": None, "breaks": [], "graphs": 1, "fullgraph": None}


def _query(line: int, **more: Any) -> dict[str, Any]:
    """Expect one break at a query whose answer is no tensor."""
    return {
        "raises": None,
        "breaks": [{"line": line, "gb": "GB0208", "kind": "resume"}],
        "fullgraph": {"gb": "GB0208", "line": line},
        **more,
    }


# what a device changes, and why
DIFFERENT: Final[dict[str, dict[str, Any]]] = {
    # there is a device, so its name is asked for
    "071_device_name_query": _query(13, graphs=1),
    # the factory's tensors are made on the device, so that it is the variant below
    "073_stream_capturing_query": _query(17, graphs=2),
    # the device answers the query instead of failing
    "073_stream_capturing_query__fake_cuda": _query(17, graphs=2),
    # the device has a capability, so that nothing is raised
    "074_device_capability": CLEAN,
    # the graph with the call in it runs
    "075_cuda_synchronize__fake_cuda": CLEAN,
}
EXPECTED: Final = {
    name: {**expect, **DIFFERENT.get(name, {})} for name, expect in expectations(CASES).items()
}
# operators in graphs, where they tell which way was gone
IN_GRAPHS: Final = {
    "071_device_name_query": 1,  # x * 128
    "074_device_capability": 1,  # the conversion to float16 alone
    "075_cuda_synchronize": 3,  # sin, synchronize, cos: made on the device
    "075_cuda_synchronize__fake_cuda": 3,
}
TWICE: Final = 2  # in the frame that inlines the query, then in the query's own


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """Scan all of them in one process, on a simulated H100."""
    return scan(CASES, "--platform", "cuda", per_file=len(CASES))


def _of(report: dict[str, Any], name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    (entry,) = [one for one in report["entries"] if one["id"].endswith(f"::audit_{name}")]
    return entry, [one for one in report["findings"] if one["entry"] == entry["id"]]


def test_none_is_left_out() -> None:
    """Eight cases, three of them with a variant."""
    assert len(CASES) == len(NUMBERS)
    assert len(EXPECTED) == len(NUMBERS) + 3
    assert EXPECTED.keys() >= DIFFERENT.keys()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_verdict_lines_and_ids(report: dict[str, Any], name: str) -> None:
    """As the case says, but where a device makes it another case."""
    assert disagreements(*_of(report, name), EXPECTED[name]) == []


@pytest.mark.parametrize("name", IN_GRAPHS)
def test_the_graphs_hold_the_way_of_the_device(report: dict[str, Any], name: str) -> None:
    """By the number of operators."""
    assert _of(report, name)[0]["ops"] == {"eager": 0, "in_graph": IN_GRAPHS[name]}


def test_a_query_in_an_inlined_function_breaks_twice(report: dict[str, Any]) -> None:
    """At one line."""
    (found,) = _of(report, "071_device_name_query")[1]
    assert found["count"] == TWICE
