"""Other code in functions that exist already: whoever holds one, and by whatever name, calls it."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

_ANSWER: Final = "stands for what answers"


@contextmanager
def replaced(code: CodeType, answer: Callable[..., Any]) -> Iterator[None]:
    """Call `answer(function, *args, **kwargs)` instead of each function that has this code."""
    # not isinstance: it asks the object, and a proxy may answer with anything
    functions = [
        one for one in gc.get_objects() if type(one) is FunctionType and one.__code__ is code
    ]
    for function in functions:
        function.__code__ = _calling(answer, _copy(function), code)
    try:
        yield
    finally:
        for function in functions:
            function.__code__ = code


def _copy(function: FunctionType) -> FunctionType:
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _calling(answer: Callable[..., Any], function: FunctionType, code: CodeType) -> CodeType:
    def call(*args: Any, **kwargs: Any) -> Any:
        answering: Any = "stands for what answers"
        return answering(*args, **kwargs)

    def answering(*args: Any, **kwargs: Any) -> Any:
        return answer(function, *args, **kwargs)

    constants = tuple(answering if one == _ANSWER else one for one in call.__code__.co_consts)
    # as many cells as the function has
    return call.__code__.replace(
        co_consts=constants, co_freevars=code.co_freevars, co_name=code.co_name
    )
