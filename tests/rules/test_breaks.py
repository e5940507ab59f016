"""Which rule takes which logged break: records as torch 2.13 gives them, and the id they get."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit.rules import rule_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.model import Break

SKIPPED = "Attempted to call function marked as skipped"
INLINED = "Attempted to inline function marked as skipped"
BUILTIN = "Failed to trace builtin operator"
METHOD = "Unsupported method call"
NO_SOURCE = "skip reason: cannot determine source file for {} (likely a C extension or builtin)"
IN_FOLDER = "skip reason: file is under skip directory (.../{})"


def _c_function(module: str, name: str) -> str:
    return f"module: {module}, qualname: {name}, {NO_SOURCE.format(module)}"


def _skipped(module: str, name: str) -> str:
    return f"module: {module}, qualname: {name}, {IN_FOLDER.format('x.py')}"


# Rule, Dynamo's id, its type, its context
BREAKS = [
    ("GA001", "GB0069", "Import failure", "module_name: torchada, fromlist: None, level=0"),
    ("GA002", "GB0059", BUILTIN, "builtin print [<class 'ConstantVariable'>] False"),
    (
        "GA003",
        "GB0291",
        "logging.Logger method not supported for non-export cases",
        "method: <Logger case002 (ERROR)>.info, args: [ConstantVariable(str: 'done')], kwargs: {}",
    ),
    (
        "GA003",
        "GB4841",
        "Unsupported python_type() call",
        "GetAttrVariable(LoggingLoggerVariable(), handlers) does not implement python_type()",
    ),
    ("GA004", "GB0007", SKIPPED, _c_function("_warnings", "warn")),
    ("GA005", "GB0007", SKIPPED, _c_function("time", "perf_counter")),
    ("GA005", "GB0007", SKIPPED, _c_function("time", "time")),
    (
        "GA005",
        "GB0156",
        METHOD,
        "call_method UserDefinedClassVariable(<class 'datetime.datetime'>) now [] {}",
    ),
    ("GA006", "GB0007", SKIPPED, _c_function("<unknown module>", "Random.random")),
    ("GA006", "GB0007", SKIPPED, _skipped("random", "Random.sample")),
    ("GA006", "GB0007", SKIPPED, _skipped("random", "Random.seed")),
    ("GA006", "GB0007", SKIPPED, _skipped("random", "Random.shuffle")),
    (
        "GA007",
        "GB0294",
        "attempted to trace numpy function unsupported by PyTorch",
        "numpy function: <cyfunction default_rng at 0x..>, args: [ConstantVariable(int: 0)]",
    ),
    ("GA008", "GB0007", SKIPPED, _skipped("importlib", "import_module")),
    ("GA008", "GB0007", SKIPPED, _skipped("importlib.util", "find_spec")),
    ("GA009", "GB0059", BUILTIN, "builtin open [<class 'ConstantVariable'>] False"),
    ("GA009", "GB0007", SKIPPED, _c_function("posix", "stat")),
    ("GA009", "GB0007", SKIPPED, _skipped("torch.serialization", "load")),
    ("GA009", "GB0156", METHOD, "call_method UserDefinedObjectVariable(TextIOWrapper) read [] {}"),
    ("GA010", "GB0059", BUILTIN, "builtin input [<class 'ConstantVariable'>] False"),
    ("GA010", "GB0059", BUILTIN, "builtin breakpoint [] False"),
    ("GA011", "GB0007", SKIPPED, _c_function("sys", "_getframe")),
    ("GA012", "GB0007", SKIPPED, _c_function("sys", "getswitchinterval")),
    ("GA012", "GB0007", SKIPPED, _c_function("posix", "getpid")),
    (
        "GA013",
        "GB0142",
        "Unsupported context manager",
        "Attempted SETUP_WITH on LazyVariableTracker(realized: UserDefinedObjectVariable(RLock))",
    ),
    ("GA013", "GB0156", METHOD, "call_method UserDefinedObjectVariable(lock) acquire [] {}"),
    ("GA014", "GB0007", SKIPPED, _c_function("_thread", "get_ident")),
    ("GA015", "GB0007", SKIPPED, _c_function("_weakref", "proxy")),
    (
        "GA015",
        "GB0252",
        "could not find name in object's mro",
        "name=gain, object type=<class 'weakref.ProxyType'>, mro=(<class 'weakref.ProxyType'>,)",
    ),
    ("GA016", "GB0007", SKIPPED, _c_function("zlib", "crc32")),
    ("GA016", "GB0156", METHOD, "call_method UserDefinedObjectVariable(Struct) unpack [] {}"),
    ("GA017", "GB0156", METHOD, "call_method UserDefinedObjectVariable(ContextVar) get [] {}"),
    (
        "GA018",
        "GB0156",
        METHOD,
        "call_method UserDefinedObjectVariable(_lru_cache_wrapper) __call__ [] {}",
    ),
    ("GA020", "GB0109", "Tensor.tolist() with non-integer tensor", "call_method x to_list"),
    (
        "GA021",
        "GB0124",
        "Unsupported Tensor.item() call with capture_scalar_outputs=False",
        "call_method TensorVariable() item () {}",
    ),
    ("GA021", "GB0033", "Data dependent operator", "aten._local_scalar_dense.default"),
    ("GA022", "GB0036", "Dynamic shape operator", "aten.nonzero.default"),
    ("GA022", "GB0036", "Dynamic shape operator", "aten.unique_consecutive.default"),
    ("GA022", "GB0036", "Dynamic shape operator", "aten.repeat_interleave.Tensor"),
    ("GA025", "GB0170", "Data-dependent branching", "attempted to jump with TensorVariable()"),
    (
        "GA025",
        "GB0170",
        "Data-dependent branching",
        "attempted to jump with NumpyNdarrayVariable()",
    ),
    ("GA027", "GB0059", BUILTIN, "builtin range [<class 'x.tensor.TensorVariable'>] False"),
    ("GA028", "GB0059", BUILTIN, "builtin str [<class 'x.tensor.TensorVariable'>] False"),
    ("GA032", "GB5976", "Data pointer comparison", "richcompare_impl DataPtrVariable() __eq__"),
    ("GA032", "GB0156", METHOD, "call_method UntypedStorageVariable() nbytes [] {}"),
    ("GA034", "GB0206", "setattr() on Tensor.requires_grad", "setattr(TensorVariable(), x, y)"),
    ("GA035", "GB0107", "Tensor.random_ op", "Tensor.random_(args=[], kwargs={})"),
    ("GA036", "GB0247", "Shape mismatch with out= tensor variant", "fn=<built-in method sum>"),
    ("GA039", "GB0007", SKIPPED, _skipped("torch.autograd", "backward")),
    ("GA040", "GB0033", "Data dependent operator", "aten.allclose.default"),
    ("GA045", "GB0059", BUILTIN, "builtin str [<class 'x.tensor.SymNodeVariable'>] False"),
    ("GA046", "GB0005", "Attempted to a str() method implemented in C/C++", ""),
    ("GA050", "GB0098", "Skip calling `torch.compiler.disable()`d function", "<function scale>"),
    ("GA050", "GB0099", "Skip inlining `torch.compiler.disable()`d function", "<function scale>"),
    ("GA052", "GB0025", "Call to `torch._dynamo.graph_break()`", "Called with args `[]`"),
    ("GA054", "GB0007", SKIPPED, _skipped("torch.random", "manual_seed")),
    (
        "GA055",
        "GB0363",
        "An opaque object was created in the middle of the program.",
        "Opaque object type: <class 'torch._C.Generator'>.",
    ),
    ("GA055", "GB7650", "torch.Generator method", "torch.Generator.manual_seed"),
    (
        "GA055",
        "GB0055",
        "Failed to convert args/kwargs to proxy",
        "call_function args: ConstantVariable(int: 3) UserDefinedObjectVariable(Generator)",
    ),
    (
        "GA056",
        "GB0363",
        "An opaque object was created in the middle of the program.",
        "Opaque object type: <class 'torch.distributed.ProcessGroup'>.",
    ),
    (
        "GA058",
        "GB0208",
        "torch.* op returned non-Tensor",
        "example_value type: int; op: call_function; target: <function device_count at 0x..>",
    ),
    ("GA058", "GB0007", SKIPPED, _skipped("torch.cuda", "set_device")),
    ("GA059", "GB0007", SKIPPED, _skipped("triton.backends.amd.driver", "HIPDriver.is_active")),
    (
        "GA061",
        "GB0172",
        "async_op=True for distributed collectives",
        "<function all_reduce at 0x..>, args=[], kwargs={}",
    ),
    ("GA061", "GB0156", METHOD, "call_method UserDefinedObjectVariable(Work) wait [] {}"),
    ("GA062", "GB0007", SKIPPED, _skipped("torch.distributed.distributed_c10d", "new_group")),
    (
        "GA063",
        "GB0264",
        "Attempted to use `torch.nn.Parameter()` constructor with Dynamo",
        "",
    ),
    (
        "GA064",
        "GB8977",
        "Invalid call to __build_class__",
        "Non-constant args to __build_class__: (NestedUserFunctionVariable(), 'Holder') {}",
    ),
    ("GA065", "GB3383", "Pydantic dataclass constructor", "<class 'case_037.Pair'>"),
    (
        "GA065",
        "GB0156",
        METHOD,
        "call_method UserDefinedClassVariable(<class 'pydantic_core._pydantic_core.ArgsKwargs'>) "
        "__new__ [] {}",
    ),
    (
        "GA066",
        "GB0147",
        "Unsupported function call",
        "call_function UserDefinedClassVariable(<class 'types.SimpleNamespace'>) [] {}",
    ),
    ("GA068", "GB0083", "Module-level backwards hooks require compiled autograd.", ""),
    ("GA070", "GB4347", "Missing tp_iternext", "next(generator)"),
    ("GA070", "GB4347", "Missing tp_iternext", "next(dict_keyiterator)"),
    ("GA071", "GB0014", "Attempted to wrap RNN, GRU, or LSTM", "LSTM(128, 128)"),
    ("GA075", "GB0007", SKIPPED, _c_function("<unknown>", "TensorBase._make_wrapper_subclass")),
    ("GA076", "GB0090", "Operator does not support running with fake tensors", "unsupported: a.b"),
    ("GA900", "GB0088", "Observed exception", "raised exception ValueError('bad')"),
    (
        "GA901",
        "GB0055",
        "Failed to convert args/kwargs to proxy",
        "call_function args: TensorVariable() UserDefinedObjectVariable(Layout)",
    ),
    ("GA902", "GB0142", "Unsupported context manager", "Attempted SETUP_WITH on Timer"),
    ("GA910", "GB0059", BUILTIN, "builtin memoryview [<class 'NumpyNdarrayVariable'>] False"),
    ("GA911", "GB0156", METHOD, "call_method UserDefinedObjectVariable(SimpleQueue) put [] {}"),
    (
        "GA912",
        "GB0147",
        "Unsupported function call",
        "call_function UserDefinedClassVariable(<class 'decimal.Decimal'>) [] {}",
    ),
    ("GA913", "GB0007", SKIPPED, _c_function("_bisect", "bisect_left")),
    ("GA914", "GB0007", SKIPPED, _skipped("torch.utils.dlpack", "from_dlpack")),
    ("GA914", "GB0008", INLINED, f"qualname: Graph.__init__, name: x, {IN_FOLDER.format('y')}"),
    ("GA915", "GB0082", "Missing bytecode handler", "CHECK_EG_MATCH with args ()"),
    ("GA915", "GB0079", "Missing CALL_INTRINSIC_1 handler", "CALL_INTRINSIC_1 operand: 1"),
    ("GA093", "GB0079", "Missing CALL_INTRINSIC_1 handler", "CALL_INTRINSIC_1 operand: 4"),
    ("GA093", "GB0082", "Missing bytecode handler", "ASYNC_GEN_WRAP with args ()"),
    ("GA093", "GB0082", "Missing bytecode handler", "GET_AWAITABLE with args ()"),
    ("GA093", "GB0082", "Missing bytecode handler", "BEFORE_ASYNC_WITH with args ()"),
    ("GA049", "GB0007", SKIPPED, _c_function("posix", "write")),
    ("GA049", "GB0156", METHOD, "call_method UserDefinedObjectVariable(TextIOWrapper) write [] {}"),
    ("GA049", "GB0156", METHOD, "call_method UserDefinedObjectVariable(TextIOWrapper) flush [] {}"),
    ("GA049", "GB0156", METHOD, "call_method UserDefinedObjectVariable(FileIO) write [] {}"),
    (
        "GA049",
        "GB0156",
        METHOD,
        "call_method UserDefinedObjectVariable(BufferedWriter) writelines [] {}",
    ),
    ("GA911", "GB0156", METHOD, "call_method UserDefinedObjectVariable(StringIO) write [] {}"),
    ("GA000", "GB9999", "Something that no version has said", "by a torch of the future"),
]


@pytest.mark.parametrize(("rule", "gb", "gb_type", "context"), BREAKS)
def test_break_gets_its_rule(
    make_break: Callable[..., Break], rule: str, gb: str, gb_type: str, context: str
) -> None:
    """A break that Dynamo logs goes to the rule for its kind."""
    assert rule_for(make_break(gb, gb_type, context)).id == rule
