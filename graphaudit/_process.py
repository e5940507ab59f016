"""One child process, from start to the end of everything that it started.

A child leads a session of its own: killing its group takes along what the target forked. What left
the group is known by a mark in its environment. The child holds the read end of a pipe; when we
die, however we die, it sees the end of the pipe and takes its group along.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Final

import msgspec

from graphaudit import _protocol as protocol
from graphaudit._strays import kill_marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CRASH_FRAME: Final = re.compile(r'File "(.+)", line (\d+) in ')
# whose frames do not tell where the target crashed
_NOT_THE_TARGETS: Final = (
    f"{Path(__file__).parent}{os.sep}",
    f"{sysconfig.get_path('stdlib')}{os.sep}",
    "<",
)
_MARK: Final = "GRAPHAUDIT_CHILD"
_POLL_S: Final = 0.02
_CHUNK_BYTES: Final = 65_536
_TAIL_BYTES: Final = 4_096
_QUOTED: Final = 200
_ERROR: Final = re.compile(r"[\w.]*(?:Error|Exception)\b")


class Child:
    """A running child. Use `started` to get one."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], mark: str) -> None:
        self._folder = folder
        self._process = process
        self._mark = mark
        self._answers = (folder / "answers.jsonl").open("rb")
        self._rest = b""
        self._output = b""
        self._reader = threading.Thread(target=self._drain, args=(process.stdout,), daemon=True)
        self._reader.start()

    def messages(
        self, limit_s: Callable[[], float], stopping: Callable[[], bool]
    ) -> Iterator[protocol.Message | None]:
        """Give the child's messages as they come, and None when it was silent for too long.

        Args:
            limit_s: The longest time until the next message; asked after each.
            stopping: Asked now and then; once it says True the child is left alone.
        """
        deadline = time.monotonic() + limit_s()
        while not stopping():
            ended = self._process.poll() is not None
            for message in self._arrived():
                yield message
                deadline = time.monotonic() + limit_s()
            if ended:
                return
            if time.monotonic() > deadline:
                yield None
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_POLL_S)

    def death(self) -> str:
        """Say how the process ended: the error it printed last, or the place of a signal."""
        code = self._process.wait()
        if code >= 0:
            last = self._last_line()
            return f"the process ended with exit code {code}" + (f": {last}" if last else "")
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"the process was ended by {name}{self._crash_place()}"

    def kill(self) -> None:
        """End the process, everything in its group, and what left the group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        kill_marked(self._mark)
        self._answers.close()
        if self._process.stdout:
            self._reader.join(1)
            self._process.stdout.close()

    def _arrived(self) -> Iterator[protocol.Message]:
        *lines, self._rest = (self._rest + self._answers.read()).split(b"\n")
        for line in lines:
            # the target may write to any file that it finds
            with contextlib.suppress(msgspec.DecodeError):
                yield protocol.read(line)

    def _crash_place(self) -> str:
        text = (self._folder / "crash.txt").read_text(errors="replace")
        places = _CRASH_FRAME.findall(text)
        own = [
            place
            for place in places
            if not place[0].startswith(_NOT_THE_TARGETS) and "/site-packages/" not in place[0]
        ]
        return "".join(f" ({path}:{line})" for path, line in (own or places)[:1])

    def _last_line(self) -> str:
        self._reader.join(1)
        lines = self._output.decode(errors="replace").strip().splitlines()
        return lines[-1][:_QUOTED] if lines and _ERROR.match(lines[-1]) else ""

    def _drain(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
                self._output = (self._output + chunk)[-_TAIL_BYTES:]


@contextlib.contextmanager
def started(job: protocol.Job) -> Iterator[Child]:
    """Start a child for a job, and end it whatever happens."""
    with TemporaryDirectory(prefix="graphaudit-") as name:
        folder = Path(name)
        answers = folder / "answers.jsonl"
        answers.touch()
        job = msgspec.structs.replace(job, answers=str(answers))
        (folder / "job.json").write_bytes(msgspec.json.encode(job))
        (folder / "crash.txt").touch()
        mark = f"{_MARK}={secrets.token_hex(16)}"
        with _lifeline() as lifeline:
            child = Child(folder, _popen(job, folder, lifeline, mark), mark)
            try:
                yield child
            finally:
                child.kill()


@contextlib.contextmanager
def _lifeline() -> Iterator[int]:
    """Give the read end of a pipe that sees its end when this process is gone."""
    pair = os.pipe()
    # where a standard stream is closed the pipe may get its number, which the child overwrites
    theirs, ours = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in pair)
    for fd in pair:
        os.close(fd)
    try:
        yield theirs
    finally:
        os.close(theirs)
        os.close(ours)


def _popen(job: protocol.Job, folder: Path, lifeline: int, mark: str) -> subprocess.Popen[bytes]:
    # -B: nothing is written into the scanned tree; -P: its files shadow none of our imports
    command = [sys.executable, "-B", "-P", "-m", "graphaudit._child"]
    name, _, value = mark.partition("=")
    return subprocess.Popen(
        [*command, str(folder / "job.json"), str(folder / "crash.txt"), str(lifeline)],
        cwd=job.root,
        env={
            **os.environ,
            # the order of sets of strings must not differ between two runs
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            name: value,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[lifeline],
        start_new_session=True,
    )
