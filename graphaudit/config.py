"""`[tool.graphaudit]` of `pyproject.toml` as a record."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from graphaudit.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "pyproject.toml"

_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0, le=sys.float_info.max)]
_Count = Annotated[int, msgspec.Meta(ge=1)]


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """What a project has set. None: not set, the command line's own default holds."""

    baseline: _Text | None = None  # relative to the folder of the pyproject.toml
    timeout: _Seconds | None = None  # seconds for one entry
    jobs: _Count | None = None  # children at a time
    roots: tuple[_Text, ...] | None = None  # packages that count as the project's own
    platforms: tuple[_Text, ...] | None = None  # to simulate
    without: tuple[_Text, ...] | None = None  # packages that are not found
    broken: tuple[_Text, ...] | None = None  # packages that fail at import
    stub: tuple[_Text, ...] | None = None  # packages with a stand-in, or "auto"


def load(folder: Path) -> Config:
    """Read the table from `folder`'s own `pyproject.toml`; no other folder is looked at.

    Returns:
        The defaults where there is no such file or no such table in it.

    Raises:
        ConfigError: The file is not readable TOML, a key is unknown, or a value has a wrong type.
    """
    path = folder / FILE
    table = _table(path)
    known = [field.encode_name for field in msgspec.structs.fields(Config)]
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise ConfigError(
            f"{path}: unknown key {', '.join(map(repr, unknown))} in [tool.graphaudit]; "
            f"the keys are {', '.join(known)}"
        )
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: [tool.graphaudit]: {error}; correct the value") from error


def _table(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(path.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; check the file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error}; TOML has to be") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}; correct that line") from error
    tool = document.get("tool", {})
    table = tool.get("graphaudit", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.graphaudit is a value; write a table, [tool.graphaudit]")
    return table
