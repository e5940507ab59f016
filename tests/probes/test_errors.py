"""What a plug-in raises while a probe asks it: both forms raise the same, whatever it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, NoReturn

import pytest
import torch

import probes.safe

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


class PlainError(RuntimeError):
    """Built from what it is given."""


class DriverError(RuntimeError):
    """Takes other arguments than it hands on, and keeps one of them."""

    def __init__(self, device: int, status: int) -> None:
        """Put the message together."""
        super().__init__(f"device {device}: status {status}")
        self.status = status


class SealedError(RuntimeError):
    """Cannot be taken apart."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot pickle a device handle")


class NamedError(RuntimeError):
    """Says where it is found, as pickle allows, and not how it is built."""

    def __reduce__(self) -> str:
        return "NPU_LOST"


class OnceError(RuntimeError):
    """Takes the process down when it is built a second time."""

    built = 0

    def __init__(self, message: str) -> None:
        """Count."""
        super().__init__(message)
        type(self).built += 1
        if self.built > 1:
            raise SystemExit("built twice")


class MuteError(RuntimeError):
    """Fails to say what it is, unless it was told."""

    message = ""

    def __str__(self) -> str:
        return self.message or f"{1 // 0}"


class Stop(BaseException):
    """Gets past `except Exception`."""


def told(message: str) -> MuteError:
    """An error whose message was set once it was there."""
    error = MuteError()
    error.message = message
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            OSError("libascendcl.so: cannot open shared object file"),
            (OSError, "libascendcl.so: cannot open shared object file"),
        ),
        (PlainError("lost"), (PlainError, "lost")),
        (DriverError(3, 507), (DriverError, "device 3: status 507")),
        (SealedError("lost"), (SealedError, "lost")),
        (NamedError("lost"), (NamedError, "lost")),
        (OnceError("lost"), (OnceError, "lost")),
        (told("lost"), (MuteError, "lost")),
        (Stop("lost"), (Stop, "lost")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_npu_plugin_that_raises(
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    expected: object,
    outcomes: Callable[[str], list[object]],
) -> None:
    """What the plug-in raises is raised by the call, whatever it is."""

    def is_available() -> bool:
        raise error

    npu = SimpleNamespace(is_available=is_available)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    assert outcomes("is_npu") == [expected] * 4


def test_attributes_of_an_error_are_kept(
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[ModuleType], ModuleType]
) -> None:
    """A caller may look at more than the message."""

    def is_available() -> bool:
        raise DriverError(3, 507)

    npu = SimpleNamespace(is_available=is_available)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    safe = fresh(probes.safe)
    for _ in range(2):
        with pytest.raises(DriverError) as caught:
            safe.is_npu()
        assert caught.value.status == 507
        # The frames of this call: those of the raise at import, and of earlier calls, are gone.
        assert [entry.name for entry in caught.traceback] == [
            "test_attributes_of_an_error_are_kept",
            "is_npu",
        ]


def test_an_interrupt_ends_the_import(
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[ModuleType], ModuleType]
) -> None:
    """Who stops a program while a plug-in loads is obeyed."""

    def is_available() -> bool:
        raise KeyboardInterrupt

    npu = SimpleNamespace(is_available=is_available)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    with pytest.raises(KeyboardInterrupt):
        fresh(probes.safe)


def test_import_in_a_process_without_answers() -> None:
    """The modules that ask at import can be imported where every probe raises."""
    code = (
        "import torch; del torch.version.hip; torch.npu = None\n"
        "import engine.dsa_context_parallel; from probes import safe\n"
        "for probe in (safe.is_hip, safe.is_npu):\n"
        "    try: probe()\n"
        "    except AttributeError as error: print(error)\n"
        "    else: print('no error')"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        "module 'torch.version' has no attribute 'hip'",
        "'NoneType' object has no attribute 'is_available'",
    ]
