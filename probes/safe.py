"""Platform probes that can be traced: answered once, when this module is imported.

The functions at the end read constants and do nothing else, so a traced call costs one guard and
never breaks the graph. What they answer is what the eager forms answer: these are asked at import,
where nothing is traced.

Importing this module does not raise, whatever a plug-in does; only an interrupt from the keyboard
passes. Where the eager form raises, the safe form raises the same error when it is called, from
what was kept at import.

What torch knows is read at import too: a plug-in that adds `torch.npu` or `torch.version.musa`
has to be imported before this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from probes import eager

if TYPE_CHECKING:
    from collections.abc import Callable

# How to build an error again: what to call, and with what. A kept instance would do for plain
# Python, but Dynamo follows a `raise` into an `except` only when the error is built where it is
# raised.
Failure: TypeAlias = "tuple[Callable[..., BaseException], tuple[object, ...]]"


def _decide(probe: Callable[[], bool]) -> tuple[bool, Failure | None]:
    """The answer of `probe`, and how to build the error that it raised instead of answering."""
    try:
        return probe(), None
    except KeyboardInterrupt:
        raise
    # The probes import plug-ins and talk to drivers, which may raise anything, SystemExit
    # included; nothing is lost, the caller of the safe form gets the error.
    except BaseException as error:  # noqa: BLE001
        return False, _failure(error)


def _failure(error: BaseException) -> Failure:
    """How to build `error` again, or else `error` itself, which is raised as it was."""
    return (
        # `__reduce__` keeps what `args` drops, such as the file name of an OSError.
        _checked(error, lambda: error.__reduce__()[:2])
        or _checked(error, lambda: (type(error), error.args))
        or (_kept, (error.with_traceback(None),))
    )


def _checked(error: BaseException, give: Callable[[], Any]) -> Failure | None:
    """What `give` gives, if it builds an error of the same type, message and attributes."""
    try:
        kind, args = give()
        built = kind(*args)
        same = type(built) is type(error) and str(built) == str(error)
        return (kind, args) if same and vars(built) == vars(error) else None
    # A plug-in's own error class: each of its methods may raise anything.
    except BaseException:  # noqa: BLE001
        return None


def _kept(error: BaseException) -> BaseException:
    """An error that cannot be built again, without the frames of an earlier raise."""
    return error.with_traceback(None)


IS_MUSA, MUSA_FAILURE = _decide(eager.is_musa.__wrapped__)
IS_HIP, HIP_FAILURE = _decide(eager.is_hip.__wrapped__)
IS_NPU, NPU_FAILURE = _decide(eager.is_npu.__wrapped__)


def is_musa() -> bool:
    """Whether this process runs on Moore Threads GPUs.

    Raises:
        BaseException: what importing torchada raised, unless that was an ImportError.
    """
    if MUSA_FAILURE is not None:
        kind, args = MUSA_FAILURE
        raise kind(*args)
    return IS_MUSA


def is_hip() -> bool:
    """Whether this torch was built for AMD GPUs.

    Raises:
        AttributeError: torch does not say.
    """
    if HIP_FAILURE is not None:
        kind, args = HIP_FAILURE
        raise kind(*args)
    return IS_HIP


def is_npu() -> bool:
    """Whether this process runs on Ascend NPUs.

    Raises:
        RuntimeError: torch_npu has registered itself but sees no device.
        BaseException: what asking `torch.npu` raised.
    """
    if NPU_FAILURE is not None:
        kind, args = NPU_FAILURE
        raise kind(*args)
    return IS_NPU
