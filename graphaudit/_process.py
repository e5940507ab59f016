"""One child process, from start to the end of everything that it started.

A child leads a session of its own: killing its group takes along what the target forked. It holds
the read end of a pipe; when we die, however we die, it sees the end of the pipe and dies as well.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Final

import msgspec

from graphaudit import _protocol as protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_POLL_S: Final = 0.02
_TAIL_CHUNKS: Final = 4
_CHUNK_BYTES: Final = 16_384


class Child:
    """A running child. Use `started` to get one."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self._folder = folder
        self._process = process
        self._answers = (folder / "answers.jsonl").open("rb")
        self._rest = b""
        self._output: deque[bytes] = deque(maxlen=_TAIL_CHUNKS)
        self._reader = threading.Thread(target=self._drain, args=(process.stdout,), daemon=True)
        self._reader.start()

    def messages(
        self, timeout_s: float, stopping: Callable[[], bool]
    ) -> Iterator[protocol.Message | None]:
        """Give the child's messages as they come, and None when it was silent for too long.

        Args:
            timeout_s: The longest time between two messages.
            stopping: Asked now and then; once it says True the child is left alone.
        """
        deadline = time.monotonic() + timeout_s
        while not stopping():
            ended = self._process.poll() is not None
            for message in self._arrived():
                yield message
                deadline = time.monotonic() + timeout_s
            if ended:
                return
            if time.monotonic() > deadline:
                yield None
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_POLL_S)

    def death(self) -> str:
        """Say how the process ended, with the place if a signal ended it."""
        code = self._process.wait()
        if code >= 0:
            last = self._output_lines()[-1:]
            return f"the process ended with exit code {code}" + "".join(
                f": {line}" for line in last
            )
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"the process was ended by {name}{self._crash_place()}"

    def kill(self) -> None:
        """End the process and everything in its session's group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._answers.close()

    def _arrived(self) -> Iterator[protocol.Message]:
        *lines, self._rest = (self._rest + self._answers.read()).split(b"\n")
        for line in lines:
            # the target may write to any file that it finds
            with contextlib.suppress(msgspec.DecodeError):
                yield protocol.read(line)

    def _crash_place(self) -> str:
        text = (self._folder / "crash.txt").read_text(errors="replace")
        for line in text.splitlines():
            place = line.strip()
            if place.startswith("File ") and "/graphaudit/_" not in place:
                path, _, rest = place.removeprefix('File "').partition('", line ')
                return f" ({path}:{rest.split()[0]})"
        return ""

    def _output_lines(self) -> list[str]:
        self._reader.join(1)
        return b"".join(self._output).decode(errors="replace").strip().splitlines()

    def _drain(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
                self._output.append(chunk)


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
        lifeline, ours = os.pipe()
        try:
            child = Child(folder, _popen(job, folder, lifeline))
        finally:
            os.close(lifeline)
        try:
            yield child
        finally:
            child.kill()
            os.close(ours)


def _popen(job: protocol.Job, folder: Path, lifeline: int) -> subprocess.Popen[bytes]:
    # -B: nothing is written into the scanned tree; -P: its files shadow none of our imports
    command = [sys.executable, "-B", "-P", "-m", "graphaudit._child"]
    return subprocess.Popen(
        [*command, str(folder / "job.json"), str(folder / "crash.txt"), str(lifeline)],
        cwd=job.root,
        # iteration order of sets of strings must not differ between two runs
        env={"PYTHONHASHSEED": "0", **os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[lifeline],
        start_new_session=True,
    )
