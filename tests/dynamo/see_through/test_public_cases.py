"""Every public case: exactly the expected lines, where nothing is expected none."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from torch._dynamo import config

from tests.scoring.expectations import expectations
from tests.scoring.explain_peer import _load
from tests.scoring.wrappers import case_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import SeenSite, Sight

FOLDER = Path(__file__).parents[2] / "cases" / "public"
CASES = {path.stem: path for path in case_files(FOLDER)}
EXPECTED = expectations(list(CASES.values()))
# the query of a device that is absent raises
STOPPED = {"073_stream_capturing_query__fake_cuda"}
# here torch.compile raises, or would without `suppress_errors`
RAISING = {
    "011_module_not_in_sysmodules",
    "050_fstring_symint_spec",
    "073_stream_capturing_query__fake_cuda",
    "074_device_capability",
    "100_error_on_graph_break",
    "112_suppress_errors_backend",
}


@pytest.fixture(autouse=True)
def _as_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(FOLDER / "_thirdparty" / "site-packages")
    suppressed = config.suppress_errors
    yield
    config.suppress_errors = suppressed


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_lines(name: str, see: Callable[..., Sight]) -> None:
    """The lines of the case's own file."""
    stem, _, variant = name.partition("__")
    case = _load(CASES[stem])
    call, args, kwargs = case.variants()[variant]() if variant else case.make()
    mode = getattr(case, "AMBIENT", None) or contextlib.nullcontext()
    options = {"dynamic": True} if getattr(case, "DYNAMIC", False) else {}

    with mode, contextlib.redirect_stdout(io.StringIO()):
        sight = see(call, *args, options=options, kwargs=kwargs)

    path = str(CASES[stem])
    assert {_line(site, path) for site in sight.sites} == {
        found["line"] for found in EXPECTED[name]["breaks"]
    }
    assert (sight.stopped_at is not None) == (name in STOPPED)
    assert bool(sight.errors) == (name in RAISING)


def test_sites_in_order_of_execution(see: Callable[..., Sight]) -> None:
    """Also where a frame below a real step breaks."""
    case = _load(CASES["058_wrapper_subclass_built_inside"])
    call, args, _ = case.make()

    first, second = see(call, *args).sites

    assert (first.below, second.below) == (False, True)
    assert "# B1" in first.stack[-1].source
    assert "# B2" in second.stack[-1].source
    assert "# B1" in "".join(place.source for place in second.above)


def _line(site: SeenSite, path: str) -> Any:
    for stack in (site.stack, site.above):
        for place in reversed(stack):
            if place.path == path:
                return place.line
    return site.stack[-1]


def test_all_third_party_code_is_here() -> None:
    """Cases import what plays an installed library."""
    assert str(FOLDER / "_thirdparty" / "site-packages") in sys.path
