"""Scores see-through, the stock default trace and `explain` on functions with masked breaks.

    python -m tests.scoring.masked [--prove | --write] [FILE ...]

Prints a table; exits 1 if see-through lacks a site, has one too many, or leaves more than a round.
`--prove` proves the marks with stock Dynamo first and compares them with `truth.json`; `--write`
writes it. Both take minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from typing import TYPE_CHECKING

import torch

from tests.scoring.masked.files import MaskedFile, masked_files
from tests.scoring.masked.proof import prove, read_truth, write_truth
from tests.scoring.masked.table import Row, rendered, row

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> int:
    """Prove what is asked for and print the table; the exit code."""
    options = _options()
    asked = options.files
    files = [file for file in masked_files() if not asked or file.path.stem in asked]
    wrong = _proved(files, write=options.write) if options.prove or options.write else 0
    sys.stdout.write(
        f"torch {torch.__version__}, Python {platform.python_version()}, {platform.machine()}, "
        f"{platform.system()}, {os.cpu_count()} cores\n"
    )
    rows: list[Row] = []
    for line in rendered(_rows(files, rows)):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 1 if wrong or not all(one.is_won for one in rows) else 0


def _rows(files: list[MaskedFile], into: list[Row]) -> Iterator[Row]:
    truth = read_truth()
    for file in files:
        for name in file.names:
            into.append(row(file, name, truth[file.path.stem][name]))
            yield into[-1]


def _proved(files: list[MaskedFile], *, write: bool) -> int:
    """Prove the marks of files; how many do not hold."""
    wrong, truth = 0, read_truth()
    for file in files:
        proof = prove(file)
        if write:
            truth[file.path.stem] = proof.truth
        elif truth[file.path.stem] != proof.truth:
            proof.wrong.append("truth.json says otherwise")
        for what in proof.wrong:
            sys.stdout.write(f"WRONG {file.path.name}: {what}\n")
        sites = sum(map(len, proof.truth.values()))
        sys.stdout.write(f"proved {file.path.name}: {sites} sites\n")
        sys.stdout.flush()
        wrong += len(proof.wrong)
    if write:
        write_truth(truth)
    return wrong


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.scoring.masked", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="stems; all if none is named")
    parser.add_argument("--prove", action="store_true", help="prove the marks with stock Dynamo")
    parser.add_argument("--write", action="store_true", help="write what is proved to truth.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
