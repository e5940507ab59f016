"""Steps done for real: results, exceptions, side effects, guesses."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo.see_through.record import preferred

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from graphaudit._dynamo.see_through.sight import Sight

LOCK = threading.Lock()


def test_exceptions_reach_the_users_handlers(
    sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """A builtin class, and one that cannot be made from its arguments."""

    def fails(x: torch.Tensor) -> torch.Tensor:
        try:
            import no_such_module_at_all  # noqa: F401
        except ImportError:
            x = x + 1
        try:
            json.JSONDecoder().decode("{")
        except json.JSONDecodeError as error:
            if error.pos == 1:
                time.sleep(0)
        return x

    assert sites(fails, ones) == [
        "import no_such_module_at_all  # noqa: F401",
        'json.JSONDecoder().decode("{")',
        "time.sleep(0)",
    ]


def test_one_with_is_one_site(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """A lock is taken and given back for real."""

    def locked(x: torch.Tensor) -> torch.Tensor:
        with LOCK:
            y = x + 1
        return y * 2

    assert sites(locked, ones) == ["with LOCK:"]
    assert not LOCK.locked()


def test_waiting_is_not_torn_apart(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """Half a call of `threading` would wait for ever."""

    def starts(x: torch.Tensor) -> torch.Tensor:
        thread = threading.Thread(target=len, args=((),))
        thread.start()
        thread.join()
        torch._dynamo.graph_break()
        return x

    assert sites(starts, ones)[-1] == "torch._dynamo.graph_break()"


def test_effects_happen_once(
    see: Callable[..., Sight], ones: torch.Tensor, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where Dynamo restarts its analysis at the return."""

    def prints(x: torch.Tensor) -> torch.Tensor:
        y = torch.ones(3)
        y.requires_grad_()
        print("once")  # noqa: T201
        return y * x

    see(prints, ones)

    assert capsys.readouterr().out == "once\n"


def test_an_object_that_dynamo_does_not_know(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Its uses are sites too, and are marked."""

    def hashes(x: torch.Tensor) -> torch.Tensor:
        made = hashlib.md5(b"key")  # noqa: S324
        made.update(b"more")
        return x + 1

    first, second = see(hashes, ones).sites

    assert preferred(first.stack).source == 'made = hashlib.md5(b"key")  # noqa: S324'
    assert (first.secondary, second.secondary) == (False, True)


def test_nested_compilation_is_left_to_python(
    see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """A backend of the user's is not called."""

    def backend(*_: Any) -> Any:
        raise AssertionError

    @torch.compile(backend=backend)
    def inner(x: torch.Tensor) -> torch.Tensor:
        time.sleep(0)
        return x + 1

    @torch.compiler.disable(recursive=False)
    def between(x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = inner(x)
        return result

    sight = see(lambda x: between(x) + 1, ones)

    assert sight.stopped_at is None
    assert [preferred(site.stack).source for site in sight.sites if site.below] == ["time.sleep(0)"]


def test_exit(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """The trace ends there, the process goes on."""

    def leaves(x: torch.Tensor) -> torch.Tensor:
        sys.exit(3)
        return x

    sight = see(leaves, ones)

    assert sight.stopped_at is not None
    assert "SystemExit(3)" in sight.stopped_at.why


def test_fullgraph_captures_scalars(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """As its verdict has it; a branch on the scalar is one."""

    def branches(x: torch.Tensor) -> torch.Tensor:
        number = x.sum().item()
        if number > 2:
            time.sleep(0)
        return x * number

    def lines(sight: Sight) -> list[str]:
        return [preferred(site.stack).source for site in sight.sites]

    assert lines(see(branches, ones, fullgraph=True)) == ["if number > 2:", "time.sleep(0)"]
    assert lines(see(branches, ones)) == ["number = x.sum().item()", "time.sleep(0)"]
