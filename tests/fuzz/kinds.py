"""Statements that break the graph, each beside a look-alike that does not.

Every kind is proved alone with stock Dynamo (`test_kinds.py`) before the grammar may use it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

BODY: Final = "{body}"  # stands in a line of its own for a block

PRELUDE: Final = """\
import array
import collections
import contextlib
import contextvars
import copy
import datetime
import decimal
import enum
import functools
import gc
import hashlib
import heapq
import importlib
import io
import itertools
import json
import logging
import math
import os
import pickle
import random
import sys
import threading
import time
import types
import uuid
import warnings
import zlib
from dataclasses import dataclass

import torch

LOCK = threading.Lock()
LOGGER = logging.getLogger("graphaudit.fuzz")
VARIABLE = contextvars.ContextVar("variable", default=1)
NAMESPACE = types.SimpleNamespace(a=1)
PRICE = decimal.Decimal("1.5")
ARRAY = array.array("i", [1])
GENERATOR = torch.Generator()
ITEMS = [1, 2]
TABLE = {"a": 1}
COUNT = 0


class State:
    def __init__(self):
        self.count = 0
        self.last = None


class Error(Exception):
    pass


class Ctx:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is Error


@torch.compiler.disable
def opaque(x):
    print("opaque")
    return x * 0.5


@torch.compiler.disable
def opaque_number():
    print("number")
    return 3


@torch.compiler.disable
def opaque_fault():
    print("fault")
    raise Error("opaque")


@torch.compiler.disable
def opaque_write(state, items):
    print("write")
    state.count += 10
    items.append(7)


@torch.compiler.disable
def opaque_next(items):
    print("next")
    return next(items)


def plain(x):
    return x * 0.5


def plain_number():
    return 3


def plain_fault():
    raise Error("plain")


def plain_write(state, items):
    state.count += 10
    items.append(7)


def identity(value):
    return value


class Adder:
    def __add__(self, other):
        return other


STATE = State()
ADDER = Adder()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A way to break a graph."""

    name: str
    gbs: tuple[str, ...]  # Dynamo's ids of its sites, in order
    code: str  # the line that ends in `#!` is the site; an expression needs no such mark
    look: str  # the same shape, clean
    is_expression: bool = False
    captured: bool = False  # passes under fullgraph, which captures scalars and dynamic shapes


def _expression(name: str, gbs: str, code: str, look: str, *, captured: bool = False) -> Kind:
    made = _statement(name, gbs, code, look, captured=captured)
    return replace(made, is_expression=True)


def _statement(name: str, gbs: str, code: str, look: str, *, captured: bool = False) -> Kind:
    return Kind(name=name, gbs=tuple(gbs.split()), code=code, look=look, captured=captured)


KINDS: Final = (
    _expression("print", "GB0059", 'print("p{i}")', 'len("p{i}")'),
    _expression("graph_break", "GB0025", "torch._dynamo.graph_break()", "torch.is_grad_enabled()"),
    _expression("clock", "GB0007", "time.perf_counter()", "math.sqrt(4.0)"),
    _expression("sleep", "GB0007", "time.sleep(0)", "math.floor(0.5)"),
    _expression("disabled", "GB0098", "opaque_number()", "plain_number()"),
    _statement("disabled_tensor", "GB0098", "x = opaque(x)  #!", "x = plain(x)"),
    _statement(
        "disabled_write",
        "GB0098",
        "opaque_write(STATE, ITEMS)  #!",
        "plain_write(STATE, ITEMS)",
    ),
    _statement(
        "disabled_fault",
        "GB0098",
        "try:\n    opaque_fault()  #!\nexcept Error:\n    {body}",
        "try:\n    plain_fault()\nexcept Error:\n    {body}",
    ),
    _statement(
        "missing_import",
        "GB0069",
        "try:\n    import no_such_module  #!\nexcept ImportError:\n    {body}",
        "try:\n    import math as installed\nexcept ImportError:\n    {body}",
    ),
    _statement(
        "missing_from",
        "GB0069",
        "try:\n    from no_such_package import thing  #!\nexcept ImportError:\n    thing = None",
        "try:\n    from os.path import join as thing\nexcept ImportError:\n    thing = None",
    ),
    _expression("item", "GB0124", "x.sum().item()", "x.shape[0]", captured=True),
    _statement(
        "item_used",
        "GB0124",
        "x = x * 0.5 + x.sum().item()  #!",
        "x = x * 0.5 + x.dim()",
        captured=True,
    ),
    _expression("float", "GB0124", "float(x.sum())", "float(x.shape[0])", captured=True),
    _expression("nonzero", "GB0036", "x.nonzero()", "x.abs()", captured=True),
    _expression("mask", "GB0036", "x[x > 0]", "x[0:1]", captured=True),
    _expression("tolist", "GB0109", "x.tolist()", "list(x.shape)"),
    _statement(
        "branch", "GB0170", "if x.sum() * 0 == 0:  #!\n    {body}", "if x.dim() > 0:\n    {body}"
    ),
    _statement(
        "branch_not",
        "GB0170",
        "if not (x.sum() * 0 > 1):  #!\n    {body}\nelse:\n    {body}",
        "if not (x.dim() > 1):\n    {body}\nelse:\n    {body}",
    ),
    _statement(
        "ternary",
        "GB0170",
        "x = x + 1 if x.sum() * 0 == 0 else x.cos()  #!",
        "x = x + 1 if x.dim() == 1 else x.cos()",
    ),
    _statement(
        "while_tensor",
        "GB0170",
        "w{i} = 0\nwhile w{i} < 2 + x.sum() * 0:  #!\n    w{i} = w{i} + 1\n    {body}",
        "w{i} = 0\nwhile w{i} < 1 + x.dim():\n    w{i} = w{i} + 1\n    {body}",
    ),
    _expression("text", "GB0059", "str(x)", "str(n)"),
    _expression("percent", "GB0208", '"%s" % x', '"%s" % n'),
    _expression("open", "GB0059 GB0156", "open(os.devnull).close()", 'os.path.join("a", "b")'),
    _expression("list_folder", "GB0007", 'len(os.listdir("/"))', 'len(os.path.split("/"))'),
    _expression("process", "GB0007", "os.getpid()", "abs(-3)"),
    _expression("folder", "GB0007", "os.getcwd()", 'str("a")'),
    _expression("shuffle", "GB0007", "random.shuffle([1, 2])", "[1, 2].reverse()"),
    _expression("seed", "GB0007", "torch.manual_seed(0)", "torch.is_tensor(0)"),
    _expression("log", "GB0291", 'LOGGER.debug("p{i}")', "LOGGER.name"),
    _expression("warn", "GB0007", 'warnings.warn("p{i}")', "warnings.__name__"),
    _expression("uuid", "GB0007", "uuid.uuid4().int", "identity(4)"),
    _expression("checksum", "GB0007", 'zlib.crc32(b"a")', 'len(b"a")'),
    _statement(
        "digest",
        "GB0007 GB0156",
        't{i} = hashlib.sha1(b"a").hexdigest()  #!',
        't{i} = str("a").upper()',
    ),
    _expression("now", "GB0156", "datetime.datetime.now()", "datetime.datetime.__name__"),
    _expression("heap", "GB0007", "heapq.heappush([], 1)", "[].append(1)"),
    _expression("frame", "GB0007", "sys._getframe().f_lineno", "sys.maxsize"),
    _expression("collect", "GB0007", "gc.collect()", "bool(1)"),
    _expression("import_module", "GB0007", 'importlib.import_module("math").pi', "math.pi"),
    _expression("pickle", "GB0007", "pickle.dumps(1)", "repr(1)"),
    _expression("deepcopy", "GB4198", "copy.deepcopy(x.detach())", "copy.deepcopy([n])"),
    _expression("context_variable", "GB0156", "VARIABLE.get()", 'TABLE.get("a")'),
    _expression("namespace", "GB0147", "types.SimpleNamespace(a=1).a", "State().count"),
    _statement("set_odd", "GB0156", "NAMESPACE.a = n  #!", "STATE.a = n"),
    _expression("array", "GB0156", "ARRAY.count(1)", "ITEMS.count(1)"),
    _expression("price", "GB0005", "str(PRICE)", "str(1.5)"),
    _expression("generator", "GB7650", "GENERATOR.initial_seed()", "TABLE.keys()"),
    _expression("execute", "GB0059", 'exec("1")', 'int("1")'),
    _expression("scope", "GB0059", "len(globals())", "len(TABLE)"),
    _expression("dir", "GB0059", "dir(STATE)", "vars(STATE)"),
    _expression("buffer", "GB0059", 'bytearray(b"a")', 'list(b"a")'),
    _expression("hex", "GB0156", 'b"a".hex()', '"a".upper()'),
    _expression("json", "GB0156", 'json.loads("1")', 'int("1")'),
    _statement(
        "lock",
        "GB0142",
        "with LOCK:  #!\n    x = x + 1",
        "with Ctx():\n    x = x + 1",
    ),
    _statement(
        "file",
        "GB0059 GB0142",
        "with open(os.devnull):  #!\n    {body}",
        "with contextlib.nullcontext():\n    {body}",
    ),
    _statement(
        "class_body",
        "GB8977",
        "class Local{i}:  #!\n    pass",
        "def local{i}():\n    pass",
    ),
    _statement(
        "assertion",
        "GB0034",
        "try:\n    assert n < -99  #!\nexcept AssertionError:\n    {body}",
        "try:\n    assert n > -99\nexcept AssertionError:\n    {body}",
    ),
    _expression("write", "GB0156", 'sys.stdout.write("p{i}")', '"p{i}".strip()'),
    _expression(
        "key_on_tensor",
        "GB0193",
        "max([1, 2], key=lambda k: 0 if x.sin() is None else k)",
        "max([1, 2], key=lambda k: 0 if n is None else k)",
    ),
    _expression("object_first", "GB0055", "ADDER + x", "ADDER + n"),
    _expression("thread", "GB0007", "threading.get_ident()", "identity(1)"),
    _statement(
        "batched",
        "GB0059",
        "def row{i}(v):\n    print(v)  #!\n    return v * 0.5\nx = torch.func.vmap(row{i})(x)",
        "def row{i}(v):\n    len('p')\n    return v * 0.5\nx = torch.func.vmap(row{i})(x)",
    ),
    _statement(
        "differentiated",
        "GB0170",
        "def loss{i}(v):\n    return v.sum() if v.sum() * 0 == 0 else v.sin().sum()  #!\n"
        "x = x + torch.func.grad(loss{i})(x)",
        "def loss{i}(v):\n    return v.sum() if v.dim() == 1 else v.sin().sum()\n"
        "x = x + torch.func.grad(loss{i})(x)",
    ),
    _statement(
        "starred",
        "GB0082",
        "try:\n    raise Error(n)\nexcept* Error:  #!\n    x = x + 1",
        "try:\n    raise Error(n)\nexcept Error:\n    x = x + 1",
    ),
    _statement(
        "eaten",
        "GB0098",
        "t{i} = list(map(abs, [-1, -2]))\nu{i} = iter(t{i})\nopaque_next(u{i})  #!\n"
        "if list(u{i}) == [2]:\n    {body}",
        "t{i} = list(map(abs, [-1, -2]))\nu{i} = iter(t{i})\nnext(u{i})\n"
        "if list(u{i}) == [2]:\n    {body}",
    ),
)
