"""The child: imports one file of the target, traces its entries, writes each answer at once.

torch lives here only. What the target does to the process (exit, crash, hang, print) is the
parent's business: it reads the answers that got through and starts another child for the rest.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import os
import platform
import resource
import sys
import threading
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from graphaudit import __version__, _versions
from graphaudit import _protocol as protocol
from graphaudit._target import packages
from graphaudit._target.attributes import FactoryError
from graphaudit._target.belongs import count_as_targets, is_ours
from graphaudit._target.factory import Settings, find_factory, settings_of
from graphaudit._target.module import import_file, import_root
from graphaudit._target.pair import PairSettings, pair_settings_of
from graphaudit._target.words import described
from graphaudit.model import AS_INSTALLED, EntryPoint, Environment, Setting, Trace
from graphaudit.platforms.names import autoloaded_packages, vendor_packages

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_Obstacle = protocol.NoTorch | protocol.Refused | protocol.Impossible


def main(job_file: str, crash_file: str, lifeline_fd: int) -> None:
    """Do a job and end the process.

    Args:
        job_file: An encoded `Job`.
        crash_file: Where the Python stack goes if the process dies by a signal.
        lifeline_fd: The read end of a pipe whose other end dies with the parent.
    """
    threading.Thread(target=_die_with_parent, args=(lifeline_fd,), daemon=True).start()
    faulthandler.enable(Path(crash_file).open("w"), all_threads=False)  # noqa: SIM115 - stays open
    # a crash must not leave a core file in the folder of the scan
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    job = msgspec.json.decode(Path(job_file).read_bytes(), type=protocol.Job)
    # threads and exit handlers that the target leaves behind must not keep or change anything
    end = os._exit
    _work(job)
    end(0)


def _work(job: protocol.Job) -> None:
    answers = Path(job.answers)
    obstacle = _obstacle(job.setting) or _take_on(job.setting)
    if obstacle is not None:
        protocol.send(obstacle, answers)
        return
    import torch

    count_as_targets(job.roots)
    ourselves = os.getpid()
    protocol.send(_ready(job, str(torch.__version__), Path(torch.__file__).parent), answers)
    # what is imported stays: the collector need not walk through it again and again
    gc.freeze()
    # only now: torch must not import a `queue.py` that stands beside the target
    sys.path[:0] = dict.fromkeys((str(import_root(Path(job.root, job.path))), job.root))
    file = Path(job.root, job.path)
    if job.setting.packages.auto:
        packages.stub_too(packages.find_missing(lambda: _imported(file)))
    try:
        module = _imported(file)
    # importing runs the target's code, which may raise anything, SystemExit included
    except BaseException as error:  # noqa: BLE001
        protocol.send(protocol.ImportFailed(message=f"cannot be imported: {_told(error)}"), answers)
        return
    packages.seal()
    _tell_stubs(answers)
    for entry in job.entries:
        protocol.send(protocol.Begin(entry=entry.id), answers)
        answer = _answer(entry, module, job)
        if os.getpid() != ourselves:
            # the target forked, and this is the copy
            os._exit(0)
        protocol.send(answer, answers)
    _tell_stubs(answers)


def _imported(file: Path) -> ModuleType:
    from graphaudit._dynamo import machine

    with machine.importing():
        return import_file(file)


def _tell_stubs(answers: Path) -> None:
    if stubs := packages.imported():
        protocol.send(protocol.Stubbed(names=stubs), answers)


def _obstacle(setting: Setting) -> _Obstacle | None:
    """Import torch, become the platform, import Dynamo; what keeps us from it, if anything does."""
    return _without_torch() or _without_platform(setting) or _without_dynamo()


def _without_torch() -> _Obstacle | None:
    python = platform.python_version()
    if why := _versions.refusal(python=python):
        return protocol.Refused(message=why)
    try:
        import torch
    # torch refuses some settings of its environment with other errors than ImportError
    except Exception as error:  # noqa: BLE001
        return protocol.NoTorch(message=described(error))
    version = str(getattr(torch, "__version__", "without a version"))
    why = _versions.refusal(python=python, torch=version)
    return protocol.Refused(message=why) if why else None


def _without_platform(setting: Setting) -> _Obstacle | None:
    """Simulate a platform, unless it is the machine's own. Dynamo must not be imported yet."""
    from graphaudit.platforms import current

    name, device = setting.platform, setting.device
    if not name or (name == current.platform() and not device):
        return None
    from graphaudit.platforms.errors import SimulationError
    from graphaudit.platforms.simulate import simulate

    asked = setting.packages
    vendor = not set(vendor_packages(name)) & {*asked.without, *asked.broken}
    try:
        simulate(name, device or None, vendor=vendor)
    except SimulationError as error:
        return protocol.Impossible(message=str(error))
    return None


def _without_dynamo() -> _Obstacle | None:
    import torch

    try:
        from graphaudit._dynamo import steps as _  # noqa: F401 - loads Dynamo
    # a Dynamo that we do not know may fail in any way
    except Exception as error:  # noqa: BLE001
        why = described(error)
        strange = _versions.stranger(str(torch.__version__), why)
        return protocol.Refused(message=strange) if strange else protocol.NoTorch(message=why)
    return None


def _take_on(setting: Setting) -> _Obstacle | None:
    """Let the target find the packages that it is to find."""
    from graphaudit.platforms import current

    asked, is_simulated = setting.packages, current.simulation() is not None
    if asked == AS_INSTALLED and not is_simulated:
        return None  # the import system stays as it was found
    present = _vendors_modules(setting.platform) if is_simulated else ()
    try:
        packages.install(
            without=asked.without, broken=asked.broken, stub=asked.stub, present=present
        )
    except packages.PackageNameError as error:
        return protocol.Impossible(message=str(error))
    for name in autoloaded_packages(setting.platform) if is_simulated else ():
        # whoever asked that it fails, or is not there, has it so
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return None


def _vendors_modules(name: str) -> tuple[ModuleType, ...]:
    from graphaudit.platforms.simulate import vendor_modules

    return vendor_modules(name)


def _answer(
    entry: EntryPoint, module: ModuleType, job: protocol.Job
) -> protocol.Done | protocol.Left:
    from graphaudit._dynamo import machine

    here = machine.platform()
    try:
        factory = find_factory(module, entry.name)
        settings = (pair_settings_of if job.kind == "compare" else settings_of)(factory)
        if settings.platforms is not None and here not in settings.platforms:
            why = f"is for {', '.join(settings.platforms)}"
            return protocol.Left(entry=entry.id, why=why)
        placed = machine.placed(factory)
        if isinstance(settings, PairSettings):
            traces = _pair_traces(entry, placed, settings)
        else:
            traces = _traces(entry, placed, settings, job)
    except FactoryError as error:
        traces = (_failed(entry, here, f"{entry.name}: {error}"),)
    # the factory is the target's code and may raise anything, SystemExit included
    except BaseException as error:  # noqa: BLE001
        traces = (_failed(entry, here, _raised(entry, error)),)
    return protocol.Done(entry=entry.id, traces=traces)


def _traces(
    entry: EntryPoint, factory: Callable[[], Any], settings: Settings, job: protocol.Job
) -> tuple[Trace, ...]:
    from graphaudit._dynamo import machine
    from graphaudit._dynamo.steps import steps

    settings = replace(settings, fake=settings.fake or machine.is_fake())
    for traces, step in steps(entry, factory, settings, job.depth):
        if step:
            so_far = protocol.SoFar(entry=entry.id, traces=traces, next=step)
            protocol.send(so_far, Path(job.answers))
    return traces


def _pair_traces(
    entry: EntryPoint, factory: Callable[[], Any], settings: PairSettings
) -> tuple[Trace, ...]:
    from graphaudit._dynamo.pair import pair_traces

    return pair_traces(entry, factory, settings)


def _raised(entry: EntryPoint, error: BaseException) -> str:
    from graphaudit._dynamo import machine
    from graphaudit._dynamo.valueless import lacking

    lacks = lacking(error) if machine.is_fake() else ""
    return f"{entry.name} raised {lacks or _told(error)}"


def _failed(entry: EntryPoint, here: str, message: str) -> Trace:
    from graphaudit._dynamo import machine

    return Trace(
        entry=entry,
        platform=here,
        failure="error",
        message=message,
        simulated=machine.is_fake(),
    )


def _ready(job: protocol.Job, torch: str, torch_folder: Path) -> protocol.Ready:
    import sysconfig

    from graphaudit._dynamo import machine

    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    paths |= {os.path.realpath(path) for path in paths}
    return protocol.Ready(
        platform=machine.platform(),
        device=machine.simulated_device(),
        environment=Environment(
            torch=torch, python=platform.python_version(), graphaudit=__version__
        ),
        places=protocol.Places(
            root=job.root, torch=str(torch_folder), stdlib=tuple(sorted(paths)), roots=job.roots
        ),
    )


def _told(error: BaseException) -> str:
    text = described(error)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{text} ({error.filename}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    # where a package is broken on our account, the line that imports it
    last = [frame for frame in frames if not is_ours(frame.filename)][-1:]
    return text + "".join(f" ({frame.filename}:{frame.lineno})" for frame in last)


def _die_with_parent(lifeline_fd: int) -> None:
    while os.read(lifeline_fd, 1):
        pass
    os.killpg(0, 9)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
