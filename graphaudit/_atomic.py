"""Files that are either as before or complete, never half written."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from graphaudit.errors import PathError


def write_atomic(path: Path, data: bytes) -> None:
    """Put `data` at `path`; who reads it meanwhile sees the old file or the new one.

    A link stays a link, a file keeps its mode; what is no file (a pipe, `/dev/stdout`) is written
    to as it is. Nothing is left behind when the writing is interrupted.

    Raises:
        PathError: There is no such folder, it cannot be written to, or `path` is a folder.
    """
    try:
        mode = _mode(path)
        if mode is None or stat.S_ISREG(mode):
            _replace(Path(os.path.realpath(path)), data, mode)
        else:
            path.write_bytes(data)
    except OSError as error:
        raise PathError(
            f"{path}: cannot be written: {error.strerror or error}; "
            "name a file in a folder that exists and that you may write to"
        ) from error


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    # Beside the file, as only a rename within one file system is atomic.
    temporary = path.with_name(f".graphaudit-{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
