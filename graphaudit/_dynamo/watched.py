"""The leaf functions of Dynamo's that the watch wraps, and what is lost without each."""

from __future__ import annotations

from typing import Final

from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables import dicts, functions, misc
from torch._dynamo.variables import torch as in_graph

from graphaudit._dynamo.added_names import ADDED
from graphaudit._dynamo.hooks import Hook

_METHOD: Final = ("self", "tx", "name", "args", "kwargs")
_CALL: Final = ("self", "tx", "args", "kwargs")
GETITEM: Final = Hook(
    owner=dicts.ConstDictVariable,
    name="getitem_const_raise_exception_if_absent",
    parameters=("self", "tx", "arg"),
    loss="an environment variable that is baked into a graph is not seen",
)
DRAWN: Final = Hook(
    owner=misc.RandomVariable,
    name="call_method",
    parameters=_METHOD,
    loss="a random generator that is baked into a graph is not seen",
)
CACHE: Final = Hook(
    owner=functions,
    name="is_lru_cache_wrapper_trace_without_warning_allowed",
    parameters=("value",),
    loss="a cached function that is traced anew is not seen",
)
ASKED: Final = Hook(
    owner=InstructionTranslatorBase,
    name="mark_inconsistent_side_effects",
    parameters=("self",),
    loss="code that goes another way while it is compiled is not seen",
)
CONSTANT: Final = Hook(
    owner=functions,
    name="invoke_and_store_as_constant",
    parameters=("tx", "fn", "name", "args", "kwargs"),
    loss="a function that is called in the trace alone is not seen",
)
GRAPH_CALL: Final = Hook(
    owner=in_graph.TorchInGraphFunctionVariable,
    name="call_function",
    parameters=_CALL,
    loss="a function that is called in the graph as it is, is not seen",
)
IGNORING: Final = Hook(
    owner=misc.IgnoredFunctionVariable,
    name="call_function",
    parameters=_CALL,
    loss="a message that is ignored is not seen",
)
LOGGER: Final = Hook(
    owner=misc.LoggingLoggerVariable,
    name="call_method",
    parameters=_METHOD,
    loss="a log message that is ignored is not seen",
)
DEBUGGING: Final = Hook(
    owner=misc.DebuggingVariable,
    name="call_function",
    parameters=_CALL,
    loss="a message that is moved is not seen",
)
HOOKS: Final = (
    GETITEM,
    DRAWN,
    CACHE,
    ASKED,
    CONSTANT,
    GRAPH_CALL,
    IGNORING,
    LOGGER,
    DEBUGGING,
    ADDED,
)
