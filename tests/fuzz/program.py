"""A fuzzed program: its text, and which of its marked lines a plain run comes by."""

from __future__ import annotations

import importlib.util
import io
import itertools
import linecache
import sys
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch

from tests.fuzz import marking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from tests.fuzz.kinds import Kind

_PREFIX: Final = "fuzzed_"
_CODE: Final = (type, ModuleType, FunctionType)
_LOADED: Final = itertools.count()


@dataclass(frozen=True, slots=True)
class Program:
    """A module with an `entry` that takes one tensor; a marked line breaks where it is run."""

    text: str

    @property
    def marks(self) -> dict[int, Kind]:
        """The marked lines."""
        return marking.marks(self.text)

    @property
    def mended(self) -> Program:
        """The same, line by line, with nothing planted."""
        return Program(marking.mended(self.text))


@dataclass(frozen=True, slots=True)
class Plain:
    """What a run without Dynamo does."""

    lines: tuple[int, ...]  # marked, in order of their first execution
    result: Any
    printed: tuple[str, ...]


def write(program: Program, folder: Path) -> Path:
    """Put a program into a file."""
    # one name for all: Dynamo takes equal code of two files for one
    path = folder / "fuzzed.py"
    path.write_text(program.text)
    linecache.checkcache(str(path))
    return path


class RaisesError(Exception):
    """A program that raises by itself: there is nothing to compare with."""


def load(path: Path) -> ModuleType:
    """Import a program afresh, out of its file: tracebacks and Dynamo read it."""
    # Dynamo keeps modules by name
    name = f"{_PREFIX}{next(_LOADED)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def argument() -> torch.Tensor:
    """Give what every entry is called with."""
    return torch.tensor([0.5, 1.0, 1.5])


def run_plain(program: Program, module: ModuleType) -> Plain:
    """Run a program and note what happens.

    Raises:
        RaisesError: The program does.
    """
    seen: dict[int, None] = {}
    marks, path = program.marks, module.__file__

    def trace(frame: FrameType, event: str, _arg: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != path:
            return None
        if event == "line" and frame.f_lineno in marks:
            seen.setdefault(frame.f_lineno)
        return trace

    with quiet() as output:
        sys.settrace(trace)
        try:
            result = module.entry(argument())
        except Exception as error:
            raise RaisesError from error
        finally:
            sys.settrace(None)
    return Plain(tuple(seen), described(result), printed(output))


@contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Catch what a program says."""
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield output


def printed(output: io.StringIO) -> tuple[str, ...]:
    """Give the printed lines."""
    return tuple(output.getvalue().splitlines())


def described(value: Any) -> Any:
    """Give a form of a value that can be compared, with what it holds."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), value.detach().tolist()
    if isinstance(value, dict):
        return [(described(key), described(one)) for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [described(one) for one in value]
    if isinstance(value, torch.nn.Module):
        own = {k: v for k, v in vars(value).items() if not k.startswith("_") and k != "training"}
        return described([dict(value.state_dict()), own])
    if type(value).__module__.startswith(_PREFIX) and hasattr(value, "__dict__"):
        return type(value).__name__, described(vars(value))
    return value if isinstance(value, int | float | str | bytes | None) else type(value).__name__


def state(module: ModuleType) -> Any:
    """Describe the objects of a program that a run may change."""
    own = [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
    return [(name, described(value)) for name, value in own if not isinstance(value, _CODE)]
