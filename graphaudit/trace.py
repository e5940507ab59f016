"""Tracing: schedules children, one a file, and takes whatever becomes of them as a result.

A child that ends or hangs costs the entry that it was at; another child goes on after that entry.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from graphaudit import __version__, _versions
from graphaudit import _protocol as protocol
from graphaudit._process import Child, started
from graphaudit._protocol import Places
from graphaudit.errors import CompileDisabled, SettingError, TorchMissing, UnknownVersion
from graphaudit.model import DEEPEST, Depth, EntryPoint, Environment, Setting, StoppedAt, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["How", "Places", "Progress", "Traces", "trace"]

Failure = Literal["error", "timeout", "crashed"]
_TORCH_S: Final = 300.0
_SWITCHES: Final = ("TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE")
_UNKNOWN: Final = ""  # until some child has said what the platform is
State = Literal["import", "trace", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A sign of life."""

    entry: str  # an id; the file while it is imported
    state: State
    total: int  # entries in this run, each counted once for every platform


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What holds for every child."""

    root: Path  # the folder of the scan
    timeout_s: float  # the longest time that one import, or one step of an entry, may take
    kind: protocol.Kind = "audit"
    depth: Depth = DEEPEST
    roots: tuple[str, ...] = ()  # installed packages that count as the target's own code


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What all children gave, in the order of the entries, then of the settings."""

    environment: Environment
    traces: tuple[Trace, ...]
    places: Places
    platforms: tuple[str, ...]  # in the order of the settings
    notes: tuple[str, ...] = ()  # entries that are not meant for this platform


def trace(
    entries: Sequence[EntryPoint],
    how: How,
    *,
    jobs: int,
    settings: Sequence[Setting] = (Setting(),),
    on_progress: Callable[[Progress], None],
) -> Traces:
    """Trace entries in each of some settings, each file in a child of its own.

    Args:
        entries: What to trace.
        how: What holds for every child.
        jobs: Children at a time.
        settings: Platforms and packages.
        on_progress: Told what goes on; called from several threads, one at a time.

    Raises:
        TorchMissing: The children cannot import torch.
        SettingError: A setting cannot be had on this machine.
        UnknownVersion: They run on a Python or torch that is not known.
        CompileDisabled: The environment switches torch.compile off.
        KeyboardInterrupt: Passed on once all children are gone.
    """
    for name in _SWITCHES:
        if os.environ.get(name) == "1":
            raise CompileDisabled(name)
    stop = threading.Event()
    lock = threading.Lock()

    def report(entry: str, state: State) -> None:
        with lock:
            on_progress(Progress(entry=entry, state=state, total=len(entries) * len(settings)))

    by_file = groupby(sorted(entries, key=_place), key=lambda entry: entry.path)
    files = [
        _File(path, group, how, setting, report, stop)
        for path, group in [(path, tuple(group)) for path, group in by_file]
        for setting in settings
    ]
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            futures = [pool.submit(file.run) for file in files]
            for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return _together(files, how)


def _place(entry: EntryPoint) -> tuple[str, int]:
    return entry.path, entry.line


def _together(files: Sequence[_File], how: How) -> Traces:
    ready = next((file.ready for file in files if file.ready), None)
    own = ready.platform if ready else "cpu"
    caution = _versions.caution(ready.environment.torch or "") if ready else ""
    platforms = tuple(dict.fromkeys(file.setting.platform or own for file in files))
    notes = (note for file in files for note in file.notes)
    return Traces(
        platforms=platforms,
        environment=_environment(files, ready),
        places=ready.places if ready else Places(root=str(how.root), roots=how.roots),
        traces=tuple(
            replace(trace, platform=file.setting.platform or own)
            if trace.platform == _UNKNOWN
            else trace
            for file in files
            for trace in file.traces
        ),
        notes=(*filter(None, [caution]), *_lost_everywhere(files, platforms), *notes),
    )


def _environment(files: Sequence[_File], ready: protocol.Ready | None) -> Environment:
    here = Environment(torch=None, python=platform.python_version(), graphaudit=__version__)
    simulated = [file.ready for file in files if file.ready and file.ready.device]
    return replace(
        ready.environment if ready else here,
        stubs=tuple(sorted({name for file in files for name in file.stubs})),
        devices={one.platform: one.device for one in simulated},
    )


def _lost_everywhere(files: Sequence[_File], platforms: tuple[str, ...]) -> Iterator[str]:
    """Say which entries are meant for none of the platforms of this run."""
    meant: dict[str, str] = {}
    traced = {trace.entry.id for file in files for trace in file.traces}
    for file in files:
        meant |= {one.entry: one.why for one in file.left if one.entry not in traced}
    here = (
        f"this machine is {platforms[0]}" if len(platforms) == 1 else "none of them was asked for"
    )
    for entry, why in meant.items():
        yield f"{entry} {why} and {here}: not traced"


@dataclass(slots=True)
class _File:
    """The entries of one file on their way through as many children as it takes."""

    path: str
    entries: tuple[EntryPoint, ...]
    how: How
    setting: Setting
    report: Callable[[str, State], None]
    stop: threading.Event
    ready: protocol.Ready | None = None
    started: bool = False  # this child has imported torch
    so_far: protocol.SoFar | None = None  # what holds if this child ends now
    traces: list[Trace] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left: list[protocol.Left] = field(default_factory=list)
    stubs: set[str] = field(default_factory=set)

    def run(self) -> None:
        left = self.entries
        while left and not self.stop.is_set():
            self.started = False
            self.report(self.path, "import")
            job = protocol.Job(
                root=str(self.how.root),
                path=self.path,
                entries=left,
                answers="",
                kind=self.how.kind,
                depth=self.how.depth,
                setting=self.setting,
                roots=self.how.roots,
            )
            with started(job) as child:
                left = self._follow(child, left)

    def _follow(self, child: Child, left: tuple[EntryPoint, ...]) -> tuple[EntryPoint, ...]:
        """Take a child's messages until it ends; give the entries that it did not get to."""
        imported = False
        for message in child.messages(self._limit_s, self.stop.is_set):
            if message is None:
                return self._timed_out(left, imported=imported)
            imported = imported or isinstance(message, protocol.Begin)
            left = self._take(message, left)
        return () if self.stop.is_set() else self._died(child, left, imported=imported)

    def _limit_s(self) -> float:
        """Give the longest silence: importing torch is not the target's doing."""
        limit_s = self.how.timeout_s
        return limit_s if self.started else max(limit_s, _TORCH_S)

    def _take(
        self, message: protocol.Message, left: tuple[EntryPoint, ...]
    ) -> tuple[EntryPoint, ...]:
        match message:
            case protocol.NoTorch(message=text):
                raise TorchMissing(text)
            case protocol.Refused(message=text):
                raise UnknownVersion(text)
            case protocol.Impossible(message=text):
                raise SettingError(text)
            case protocol.ImportFailed(message=text):
                return self._lost(left, "error", f"{self.path} {text}")
            case protocol.Left(entry=entry):
                self.left.append(message)
                return self._done(left, entry)
            case protocol.Done(entry=entry, traces=traces):
                # a copy of the child that the target forked may answer as well
                if any(one.id == entry for one in left):
                    self.traces += traces
                return self._done(left, entry)
            case _:
                self._note(message)
        return left

    def _note(self, message: protocol.Message) -> None:
        match message:
            case protocol.Ready():
                self.ready, self.started = message, True
            case protocol.Begin(entry=entry):
                self.report(entry, "trace")
            case protocol.SoFar():
                self.so_far = message
            case protocol.Stubbed(names=names):
                self.stubs.update(names)
            case _:
                pass

    def _done(self, left: tuple[EntryPoint, ...], entry: str) -> tuple[EntryPoint, ...]:
        self.report(entry, "done")
        return tuple(one for one in left if one.id != entry)

    def _timed_out(self, left: tuple[EntryPoint, ...], *, imported: bool) -> tuple[EntryPoint, ...]:
        limit = f"within {self.how.timeout_s:g} s; raise --timeout if it only needs longer"
        if not imported:
            return self._lost(left, "timeout", f"{self.path} was not imported {limit}")
        # empty where the child has answered everything and does not end
        for entry in left[:1]:
            message = f"{entry.name} was not traced {limit}"
            if not self._kept(entry, f"did not end {limit}", "timeout", message):
                self._lost((entry,), "timeout", message)
        return left[1:]

    def _died(
        self, child: Child, left: tuple[EntryPoint, ...], *, imported: bool
    ) -> tuple[EntryPoint, ...]:
        how = child.death()
        if not imported:
            return self._lost(left, "crashed", f"importing {self.path}: {how}")
        for entry in left[:1]:
            message = f"tracing {entry.name}: {how}"
            if not self._kept(entry, f"failed: {how}", "crashed", message):
                self._lost((entry,), "crashed", message)
        return left[1:]

    def _kept(self, entry: EntryPoint, how: str, failure: Failure, message: str) -> bool:
        """Take what an entry gave before the step that the child ended in."""
        so_far = self.so_far
        if so_far is None or so_far.entry != entry.id:
            return False
        self.traces += so_far.traces
        if so_far.next == "default trace":
            self.traces[-len(so_far.traces) :] = [
                replace(trace, failure=failure, message=message) for trace in so_far.traces
            ]
        elif so_far.next == "see-through":
            stop = StoppedAt(path="", line=0, why=f"{so_far.next} {how}")
            self.traces[-len(so_far.traces) :] = [
                trace if trace.complete is None else replace(trace, stopped_at=stop)
                for trace in so_far.traces
            ]
        else:
            self.notes.append(f"{entry.id}: its {so_far.next} {how}")
        self.report(entry.id, "done")
        return True

    def _lost(self, entries: Iterable[EntryPoint], failure: Failure, message: str) -> tuple[()]:
        for entry in entries:
            lost = Trace(
                entry=entry,
                platform=_UNKNOWN,
                failure=failure,
                message=message,
                simulated=bool(self.ready and self.ready.device),
            )
            self.traces.append(lost)
            self.report(entry.id, "done")
        return ()
