"""A real exception -> an exception that the trace observes, so that the user's handlers get it."""

from __future__ import annotations

import builtins
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from torch._dynamo import exc
from torch._dynamo.variables.base import AttributeMutationNew
from torch._dynamo.variables.user_defined import UserDefinedExceptionObjectVariable

from graphaudit._dynamo.see_through.signals import mark_real

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphaudit._dynamo.see_through.world import World


def raise_observed(world: World, tx: Any, error: Exception | SystemExit) -> NoReturn:
    """Raise in the trace what a step raised for real.

    Raises:
        ObservedException: Dynamo's own of `error`'s type.
    """
    args = [world.wrap(tx, arg) for arg in error.args]
    kind: Any = type(error)
    is_builtin = getattr(builtins, kind.__name__, None) is kind
    try:
        if is_builtin:
            exc.raise_observed_exception(kind, tx, args=args)
        _raise_instance(tx, error, args)
    except exc.ObservedException as observed:
        mark_real(observed)
        raise


@contextmanager
def kept(tx: Any) -> Iterator[None]:
    """Leave the exception that is under way as it is, whatever is raised in between.

    Dynamo hands what it observes from frame to frame beside the one that it notes as current, and
    fails where the two differ.
    """
    stack = tx.exn_vt_stack
    current = stack._current_exception
    try:
        yield
    finally:
        stack._current_exception = current


def exception(world: World, tx: Any, error: BaseException) -> Any:
    """Give the tracker of an exception that is not raised now."""
    return _instance(error, [world.wrap(tx, arg) for arg in error.args])


def _instance(error: BaseException, args: list[Any]) -> Any:
    return UserDefinedExceptionObjectVariable(
        error, init_args=args, mutation_type=AttributeMutationNew()
    )


def _raise_instance(tx: Any, error: Exception | SystemExit, args: list[Any]) -> NoReturn:
    """Raise the instance itself: a class of the user's may take other arguments than `args`."""
    vt = _instance(error, args)
    if hasattr(tx, "do_raise"):  # since torch 2.14
        tx.do_raise(vt, None)
    tx._attach_traceback_to_exception(vt)
    tx.exn_vt_stack.set_current_exception(vt)
    kind: Any = type(error)
    raise exc.get_dynamo_observed_exception(kind)
