"""The options of the command line, and where their defaults come from."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

FORMATS: Final = ("table", "json")  # reporters.NAMES, without the import
TIMEOUT_S: Final = 120.0

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Value = TypeVar("_Value", str | None, tuple[str, ...])

# parameters that take their default from the key of the same name
_CONFIGURED: Final = (
    *("baseline", "timeout", "jobs"),
    *("roots", "platforms", "without", "broken", "stub"),
)


class Configured(click.Command):
    """A command whose options have defaults in `[tool.graphaudit]`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the configuration first, but not for `--help`, which works whatever it holds."""
        if not ctx.resilient_parsing and not set(args) & set(ctx.help_option_names):
            from graphaudit import config

            found = config.load(Path.cwd())
            given = {name: getattr(found, name) for name in _CONFIGURED}
            ctx.default_map = {name: value for name, value in given.items() if value is not None}
        return super().parse_args(ctx, args)


class _Place(click.Path):
    """A file or a folder, or an entry of a file as pytest names a test: `a.py::audit_x`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Refuse what does not exist; the name of an entry is looked at later."""
        path = super().convert(_file(value) or value, param, ctx)
        return value if _file(value) else path


def _file(place: str) -> str:
    """Give the file of `a.py::audit_x`; "" for a path."""
    path, _, name = place.partition("::")
    return path if name and not Path(place).exists() else ""


def with_entries(paths: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Give the files of the entries that `paths` names, and the entries; none for plain paths.

    Raises:
        UsageError: Entries stand beside paths.
    """
    files = [_file(place) for place in paths]
    if not any(files):
        return paths, ()
    if not all(files):
        raise click.UsageError("Name entries (a.py::audit_x) or paths, not both; see -k.")
    return files, tuple(paths)


def _not_empty(_ctx: click.Context, _param: click.Parameter, value: _Value) -> _Value:
    """Refuse a name that a shell's empty variable left, also among several."""
    if "" in (value if isinstance(value, tuple) else (value,)):
        raise click.BadParameter("the name is empty.")
    return value


def _repeatable(option: str, help_: str, *name: str) -> Callable[[_Command], _Command]:
    """Make an option that takes the name of a package, as often as it is given."""
    return click.option(
        option, *name, metavar="NAME", multiple=True, callback=_not_empty, help=help_
    )


def _says_why(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Refuse a reason without words."""
    if value is not None and not value.strip():
        raise click.BadParameter("the reason is empty; say why, or leave the option out.")
    return value


def _finite(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    """Refuse what no clock can wait for."""
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number of seconds.")
    return value


def _usable_cpus() -> int:
    """Count the processors that we may use; a child takes half a gigabyte for torch alone."""
    return min(8, len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)


report_argument = click.argument(
    "report", type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
baseline_option = click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    callback=_not_empty,
    help="What is accepted, and why.",
)
_OUTPUT: Final = (
    click.option(
        "--output-format", type=click.Choice(FORMATS), default="table", help="Default: table."
    ),
    click.option(
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False, allow_dash=True),
        callback=_not_empty,
        help="Write there instead of to standard output.",
    ),
)
_PATHS: Final = (
    click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=_Place(exists=True)),
)
_BASELINE: Final = (
    baseline_option,
    click.option(
        "--update-baseline", is_flag=True, help="Accept what this scan shows; drop stale lines."
    ),
    click.option(
        "--reason",
        metavar="TEXT",
        callback=_says_why,
        help="Why --update-baseline accepts what it adds.",
    ),
)
_SURROUNDINGS: Final = (
    click.option(
        "--platform",
        "platforms",
        metavar="NAME",
        multiple=True,
        callback=_not_empty,
        help="Trace as if on cpu, cuda, hip, musa or npu; cuda:B200 names a device, all is each. "
        "Repeatable. Default: this machine's own.",
    ),
    _repeatable("--without", "As if the package NAME were not installed."),
    _repeatable("--broken", "As if the package NAME failed at import."),
    _repeatable(
        "--stub", "A stand-in for the package NAME if it cannot be imported; auto: whatever cannot."
    ),
    _repeatable("--root", "Take the installed package NAME for your own code.", "roots"),
)
_RUN: Final = (
    click.option("--exit-zero", is_flag=True, help="Exit with 0 where it would be 1."),
    click.option(
        "-j",
        "--jobs",
        metavar="N",
        type=click.IntRange(min=1),
        default=_usable_cpus,
        help="Children at a time. Default: the processors, at most 8.",
    ),
    click.option(
        "-k", "keyword", metavar="EXPR", help='Only entries that match: "prefill and not fp8".'
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        default=TIMEOUT_S,
        callback=_finite,
        help="For each step of an entry. Default: 120.",
    ),
)
_DEPTH: Final = (
    click.option(
        "--no-see-through",
        is_flag=True,
        help="Do not look for what a break hides: only what stock Dynamo shows.",
    ),
    click.option(
        "--no-confirm",
        is_flag=True,
        help="Do not prove what only see-through saw; such findings then never gate.",
    ),
    click.option(
        "--no-coverage",
        is_flag=True,
        help="Do not count operators, nor look for what is left to eager without a word.",
    ),
)
_SCAN: Final = (*_PATHS, *_OUTPUT, *_BASELINE, *_SURROUNDINGS, *_RUN, *_DEPTH)
_COMPARE: Final = (*_PATHS, *_OUTPUT, *_SURROUNDINGS, *_RUN)


def output_options(command: _Command) -> _Command:
    """Add where a report goes, and in which format."""
    return _with(command, _OUTPUT)


def scan_options(command: _Command) -> _Command:
    """Add all that `scan` takes."""
    return _with(command, _SCAN)


def compare_options(command: _Command) -> _Command:
    """Add all that `compare` takes."""
    return _with(command, _COMPARE)


def _with(command: _Command, options: tuple[Callable[[_Command], _Command], ...]) -> _Command:
    # Decorators apply from the last to the first, and --help shows them in the order written.
    for option in reversed(options):
        command = option(command)
    return command
