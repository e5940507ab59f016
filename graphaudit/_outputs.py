"""What a command may write over: refused before the long part, not found out after it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from graphaudit.errors import PathError

_SOURCE: Final = ".py"


def check_output(output: str | None, baseline: str | None = None) -> None:
    """Refuse a file that a report cannot be written to, or that it would destroy.

    Args:
        output: Where the report goes; None or "-" is standard output.
        baseline: The one in use, which need not be there yet.

    Raises:
        PathError: There is no folder for it.
        UsageError: It is the baseline, or a file of Python code.
    """
    if output is None or output == "-":
        return
    check_folder(output)
    if baseline is not None and _same(output, baseline):
        raise click.UsageError(
            f"--output {output} and --baseline {baseline} are one file: "
            "the report would take the place of the baseline."
        )
    if Path(output).resolve().suffix == _SOURCE and Path(output).exists():
        raise click.UsageError(
            f"--output {output} is Python code that is there already, and PATH... names such "
            "files: the report would take its place. Name another file, or delete it first."
        )


def check_folder(name: str) -> None:
    """Refuse a file that has no folder.

    Raises:
        PathError: It says which one is missing.
    """
    if not Path(name).parent.is_dir():
        raise PathError(f"{name}: there is no folder {Path(name).parent}; create it first")


def _same(one: str, other: str) -> bool:
    if Path(one).exists() and Path(other).exists():
        return Path(one).samefile(other)
    return Path(one).resolve() == Path(other).resolve()
