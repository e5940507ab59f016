"""Every command of the README is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    line.removeprefix("$ ").partition("    #")[0]
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
TIME = r"  [\d.]+ [num]s a call"
MAKE = [command for command in COMMANDS if command.startswith("make ")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the project that the README describes."""
    folder = tmp_path_factory.mktemp("readme")
    files = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", README, re.DOTALL)
    assert [name for name, _ in files] == ["my_model.py", "my_pairs.py"]
    for name, source in files:
        (folder / name).write_text(source)
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as it stands, with this environment's `graphaudit` on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_in_their_order(project: Path) -> None:
    """The reader's session: each builds on the one before, all succeed."""
    commands = [command for command in COMMANDS if command not in MAKE]
    assert len(commands) >= 8
    for command in commands:
        done = run(command, project)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_the_two_commands_for_a_fresh_machine() -> None:
    """What they do is tested elsewhere; here, that make knows them."""
    assert MAKE == ["make audit", "make test"]
    for command in MAKE:
        done = run(f"{command} --dry-run", ROOT)
        assert done.returncode == 0, done.stderr
        assert ".venv/bin/" in done.stdout


def test_the_sample_output_is_what_the_table_says() -> None:
    """The example must not drift from the rule."""
    shown = run("graphaudit explain GA001", ROOT).stdout
    sample = README.partition("```text\n")[2].partition("```")[0]
    words = sample.partition("why")[2].partition("fix")[0].split()

    assert " ".join(words) in " ".join(shown.split())


def test_the_sample_comparison_is_what_the_command_says(project: Path) -> None:
    """All but the times, which are another machine's."""
    (sample,) = re.findall(r"```text\n(my_pairs.*?)```", README, re.DOTALL)
    shown = run("graphaudit compare my_pairs.py --platform cpu --platform cuda", project).stdout

    assert re.sub(TIME, "", shown).startswith(re.sub(TIME, "", sample))
