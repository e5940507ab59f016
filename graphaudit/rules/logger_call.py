"""Recognised by Dynamo's type for loggers; module functions such as logging.info come otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA003"


def logger_call(found: Break) -> bool:
    """Logging inside compiled code.

    Why: A logger writes to handlers outside the graph. Dynamo breaks at the call even if the level
        is off, and even at `isEnabledFor`.

    Fix: Guard it with `if not torch.compiler.is_compiling():`, or add the bound method once at
        start-up: `torch._dynamo.config.ignore_logging_functions.add(logger.info)`.

    Bad:
        import logging

        logger = logging.getLogger(__name__)

        def f(x):
            logger.debug("shape %s", x.shape)
            return x + 1

    Good:
        import logging

        import torch

        logger = logging.getLogger(__name__)

        def f(x):
            if not torch.compiler.is_compiling():
                logger.debug("shape %s", x.shape)
            return x + 1

    Dynamo:
        GB0291 logging.Logger method not supported for non-export cases

    Notes: `warning_once` of a library is a logger method too. If the line is a library's, see
        whether an argument or an input shape avoids the branch that logs.
    """
    return (
        is_type(found, "logging.Logger method not supported for non-export cases")
        or in_context(found, "LoggingLoggerVariable")
        or skips_from(found, "logging")
    )
