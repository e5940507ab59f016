"""`[tool.graphaudit]`: what is read, and how a mistake is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit.config import Config, load
from graphaudit.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def _write(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    """A folder without pyproject.toml is no mistake."""
    assert load(tmp_path) == Config(baseline=None, timeout=None, jobs=None)


def test_no_folder_gives_the_defaults(tmp_path: Path) -> None:
    """A folder that does not exist has no configuration."""
    assert load(tmp_path / "none") == Config()


@pytest.mark.parametrize("text", ["", "[project]\nname = 'x'\n", "[tool.ruff]\n", "tool = 3\n"])
def test_no_table_gives_the_defaults(tmp_path: Path, text: str) -> None:
    """A pyproject.toml that says nothing of us is no mistake."""
    _write(tmp_path, text)
    assert load(tmp_path) == Config()


def test_every_key_is_read(tmp_path: Path) -> None:
    """All keys, a whole number of seconds included."""
    _write(tmp_path, "[tool.graphaudit]\nbaseline = 'b.json'\ntimeout = 90\njobs = 3\n")
    assert load(tmp_path) == Config(baseline="b.json", timeout=90.0, jobs=3)


def test_only_that_folder_is_read(tmp_path: Path) -> None:
    """The parent's file says nothing about a folder below it."""
    _write(tmp_path, "[tool.graphaudit]\njobs = 3\n")
    (tmp_path / "below").mkdir()
    assert load(tmp_path / "below") == Config()


def test_unknown_key_is_named_with_those_that_exist(tmp_path: Path) -> None:
    """A misspelt key is never taken for none."""
    _write(tmp_path, "[tool.graphaudit]\nbasline = 'b.json'\njobs = 1\n")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/pyproject.toml: unknown key 'basline' in [tool.graphaudit]; "
        "the keys are baseline, timeout, jobs, roots, platforms, without, broken, stub"
    )


def test_broken_toml_names_the_line(tmp_path: Path) -> None:
    """The parser's own place is in the message."""
    _write(tmp_path, "[tool.graphaudit]\nbaseline = \n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml: not TOML: .*line 2"):
        load(tmp_path)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    """TOML is UTF-8."""
    (tmp_path / "pyproject.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path)


def test_a_folder_of_that_name_is_refused(tmp_path: Path) -> None:
    """What cannot be read is not taken for absent."""
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jobs = 'two'", r"Expected `int.*`, got `str` - at `\$.jobs`"),
        ("jobs = true", r"Expected `int.*`, got `bool` - at `\$.jobs`"),
        ("jobs = 0", r"Expected `int` >= 1 - at `\$.jobs`"),
        ("timeout = 0", r"Expected `float` > 0.* - at `\$.timeout`"),
        ("timeout = inf", r"Expected `float` <= .* - at `\$.timeout`"),
        ("timeout = nan", r"Expected `float` .* - at `\$.timeout`"),
        ("baseline = 3", r"Expected `str.*`, got `int` - at `\$.baseline`"),
        ("baseline = ''", r"Expected `str` of length >= 1 - at `\$.baseline`"),
    ],
)
def test_wrong_value_names_its_key(tmp_path: Path, line: str, message: str) -> None:
    """Types and limits are checked when the file is read."""
    _write(tmp_path, f"[tool.graphaudit]\n{line}\n")
    with pytest.raises(ConfigError, match=message):
        load(tmp_path)


def test_a_value_in_place_of_the_table_is_refused(tmp_path: Path) -> None:
    """`tool.graphaudit = 1` is a mistake, not an empty table."""
    _write(tmp_path, "[tool]\ngraphaudit = 1\n")
    with pytest.raises(ConfigError, match="write a table"):
        load(tmp_path)


def test_exit_code_is_that_of_usage() -> None:
    """A configuration that cannot be used ends with 2."""
    assert ConfigError.exit_code == 2
