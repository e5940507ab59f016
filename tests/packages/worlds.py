"""Packages in folders as an installer leaves them, and processes that import them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]


def write_package(
    folder: Path, name: str, files: dict[str, str], distribution: str | None = None
) -> None:
    """Write a package and what an installer notes of it.

    Args:
        folder: The world: packages go into its `site-packages`, the target lies beside it.
        name: The package's dotted name.
        files: Texts by their names in the package; "__init__.py" is added if it is not there.
        distribution: The name of its distribution, version 1.2; none is noted without it.
    """
    site = folder / "site-packages"
    for file, text in ({"__init__.py": ""} | files).items():
        path = site / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if distribution:
        notes = site / f"{distribution.replace('-', '_')}-1.2.dist-info"
        notes.mkdir()
        notes.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n"
        )
        record = "".join(f"{name}/{file},,\n" for file in {"__init__.py"} | set(files))
        notes.joinpath("RECORD").write_text(record)


def run(folder: Path, script: str) -> Any:
    """Run a script in a process of its own, and give what it puts into `told`.

    The script finds the world's packages, `packages` and `stubs` of ours, and an empty `told`.
    """
    whole = (
        "import sys, json\n"
        f"sys.path[:0] = [{str(folder)!r}, {str(folder / 'site-packages')!r}]\n"
        "from graphaudit._target import packages, stubs\n"
        f"told = {{}}\n{script}\n"
        "print('\\n' + json.dumps(told))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", whole],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
