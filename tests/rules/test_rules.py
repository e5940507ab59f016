"""The rules as a collection: how they are found, ordered, worded, and what a bad one says."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from graphaudit.rules import all_rules, rule_for, rule_with_id
from graphaudit.rules._load import RuleError, rule_of, sort

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphaudit.model import Break
    from graphaudit.rules._rule import Rule

# Several rules have these ids and types: the context, the line or the effect decides.
DECIDED_BY_MORE_THAN_THE_TYPE = {
    "GB0007 Attempted to call function marked as skipped",
    "GB0008 Attempted to inline function marked as skipped",
    "GB0025 Call to `torch._dynamo.graph_break()`",
    "GB0033 Data dependent operator",
    "GB0055 Failed to convert args/kwargs to proxy",
    "GB0059 Failed to trace builtin operator",
    "GB0079 Missing CALL_INTRINSIC_1 handler",
    "GB0082 Missing bytecode handler",
    "GB0088 Observed exception",
    "GB0090 Operator does not support running with fake tensors",
    "GB0142 Unsupported context manager",
    "GB0147 Unsupported function call",
    "GB0148 Unsupported function call (delayed)",
    "GB0156 Unsupported method call",
    "GB0170 Data-dependent branching",
    "GB0208 torch.* op returned non-Tensor",
    "GB0252 could not find name in object's mro",
    "GB0294 attempted to trace numpy function unsupported by PyTorch",
    "GB0363 An opaque object was created in the middle of the program.",
    "GB0467 setattr() on unsupported type",
    "GB0808 vectorcall_maybe on C method descriptor",
    "GB4315 RuntimeError when making fake tensor call",
}

PAGE = """A title.

Why: Because.

Fix: Do
    something.

Bad:
    def f(x):
        return 1

Good:
    def f(x):
        return 2

Dynamo:
    GB0069 Import failure
"""


def test_order_is_by_id_and_the_unknown_comes_last() -> None:
    """What is specific is asked first, GA000 when all others have declined."""
    ids = [rule.id for rule in all_rules()]
    assert ids[0] == "GA001"
    assert ids[-1] == "GA000"
    assert ids[:-1] == sorted(set(ids) - {"GA000"})
    assert len(ids) > 100


def test_rule_with_id() -> None:
    """A rule is found by its id."""
    assert rule_with_id("GA001").name == "import_in_body"
    with pytest.raises(KeyError):
        rule_with_id("GA999")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_texts_are_short(rule: Rule) -> None:
    """A rule says its matter in a line, a few sentences, and one for the reader to act on."""
    assert 10 < len(rule.title) < 80
    assert not rule.title.endswith(".")
    assert 20 < len(rule.why) < 360
    assert 20 < len(rule.fix) < 320
    assert "def f(x" in rule.bad.code or "f = " in rule.bad.code
    assert "`{" not in rule.page.partition("Bad")[0]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_covered_types_lead_to_the_rule(rule: Rule, make_break: Callable[..., Break]) -> None:
    """What a page says it covers is what its function takes."""
    for gb, gb_type in rule.covers:
        if gb and gb_type and f"{gb} {gb_type}" not in DECIDED_BY_MORE_THAN_THE_TYPE:
            assert rule_for(make_break(gb, gb_type)).id == rule.id, gb_type


def test_why_names_the_callee(make_break: Callable[..., Break]) -> None:
    """The name that Dynamo gives is put where the page says "the callee"."""
    context = "module: time, qualname: perf_counter, skip reason: cannot determine source file"
    found = make_break("GB0007", "Attempted to call function marked as skipped", context)
    rule = rule_with_id("GA005")
    assert rule.why_for(found).startswith("`time.perf_counter` is different on every call")
    assert "Why: The callee is different on every call" in rule.page
    assert rule.why_for(make_break(None, "")).startswith("The callee is different")


@pytest.mark.parametrize(
    ("context", "name"),
    [
        ("builtin memoryview [<class 'X'>] False", "memoryview"),
        ("call_method UserDefinedObjectVariable(Struct) unpack [] {}", "Struct.unpack"),
        ("call_function UserDefinedClassVariable(<class 'a.B'>) [] {}", "a.B"),
        ("example_value type: int; op: call_function; target: <function count at 0x1>", "count"),
    ],
)
def test_callee_is_read_from_the_context(
    make_break: Callable[..., Break], context: str, name: str
) -> None:
    """Each form of Dynamo's context gives the name of what was called."""
    assert f"`{name}`" in rule_with_id("GA911").why_for(make_break("GB0156", "", context))


@pytest.mark.parametrize(
    ("rule", "fields", "named"),
    [
        ("GA900", {"context": "raised exception KeyError('b')"}, "`KeyError('b')`"),
        ("GA931", {"explanation": "no weights\nat all"}, "`ValueError: no weights`"),
        ("GA078", {"explanation": "mm: got RuntimeError('a (3) b')"}, "`RuntimeError('a (3) b')`"),
        ("GA078", {"explanation": "x" * 400}, f"`ValueError: {'x' * 148}`"),
    ],
)
def test_why_names_the_exception(
    make_break: Callable[..., Break], rule: str, fields: dict[str, str], named: str
) -> None:
    """The exception stands in the cause, cut to a length that fits a line or two."""
    found = make_break(None, "ValueError", effect="error", **fields)
    assert named in rule_with_id(rule).why_for(found)


def test_unknown_break_speaks_in_dynamos_words(make_break: Callable[..., Break]) -> None:
    """Where we have no opinion, Dynamo's explanation and its first hint are shown."""
    told = make_break("GB9999", "New", explanation="It is\nnew.", hints=(" ", "Wait.", "Or not."))
    silent = make_break("GB9999", "New")
    rule = rule_for(told)
    assert (rule.id, rule.why_for(told), rule.fix_for(told)) == ("GA000", "It is new.", "Wait.")
    assert rule.why_for(silent) == "Dynamo could not trace this line."
    assert rule.fix_for(silent).startswith("Look at Dynamo's own reason")


def test_known_break_does_not(make_break: Callable[..., Break]) -> None:
    """Where we have an opinion, a wrong hint of Dynamo's is not shown."""
    found = make_break("GB0069", "Import failure", explanation="Fails.", hints=("Also in eager.",))
    rule = rule_for(found)
    assert "eager" in rule.why_for(found)
    assert rule.fix_for(found).startswith("Do the import once at module level")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (None, "there is no docstring"),
        (PAGE.replace("Fix: Do", "Fix it: Do"), "expected one of Why, Fix, .*got 'Fix it: Do'"),
        (PAGE.replace("    something.", "something."), "an indented line, got 'something.'"),
        (PAGE.replace("Fix: Do", "Why: Do"), "section 'Why:' stands twice"),
        (PAGE.replace("Bad:", "Bad (sometimes):"), r"unknown mark \(sometimes\)"),
        (PAGE.partition("Dynamo:")[0], "there is no section 'Dynamo:'"),
        (PAGE.replace("Why: Because.", "Why:"), "section 'Why:' is empty"),
    ],
)
def test_bad_page_names_file_and_line(page: str | None, message: str, tmp_path: Path) -> None:
    """A rule with a bad page says where it stands and what is wrong."""
    file = tmp_path / "some_rule.py"
    module = _module(file, "\n\ndef some_rule(found): return True\n", page)
    with pytest.raises(RuleError, match=message) as caught:
        rule_of(module)
    assert str(caught.value).startswith(f"{file}:3: GA001 some_rule: ")


@pytest.mark.parametrize(
    ("code", "rule_id", "message"),
    [
        ("def other(found): return True", "GA001", r"there is no function some_rule\(found\)"),
        ("def some_rule(found): return True", "GA1", 'expected ID = "GA" and three digits'),
        ("def some_rule(found): return True", None, "expected ID"),
    ],
)
def test_file_that_is_no_rule(code: str, rule_id: str | None, message: str, tmp_path: Path) -> None:
    """A file without an id of its own, or without its function, is named."""
    file = tmp_path / "some_rule.py"
    with pytest.raises(RuleError, match=message) as caught:
        rule_of(_module(file, code, PAGE, rule_id))
    assert str(file) in str(caught.value)


def test_one_id_for_two_rules(tmp_path: Path) -> None:
    """The second rule with an id is named, and the first."""
    code = "def {}(found): return True"
    first = rule_of(_module(tmp_path / "first.py", code.format("first"), PAGE))
    second = rule_of(_module(tmp_path / "second.py", code.format("second"), PAGE))
    with pytest.raises(RuleError, match=r"second\.py:1: GA001 is taken by first"):
        sort([first, second])


def test_page_is_read(tmp_path: Path) -> None:
    """The sections of a page become the fields of a rule."""
    rule = rule_of(_module(tmp_path / "some.py", "def some(found): return True", PAGE))
    assert (rule.title, rule.why, rule.fix) == ("A title", "Because.", "Do something.")
    assert rule.bad.code == "def f(x):\n    return 1"
    assert (rule.covers, rule.notes) == ((("GB0069", "Import failure"),), "")


def test_import_is_light() -> None:
    """Importing the package imports no rule, and asking for all of them imports no torch."""
    code = (
        "import sys, graphaudit.rules as r; few = len(sys.modules);"
        "r.all_rules(); print('graphaudit.rules.print_call' in sys.modules, 'torch' in sys.modules,"
        "len(sys.modules) - few > 100)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "True"]


def _module(file: Path, code: str, page: str | None, rule_id: str | None = "GA001") -> ModuleType:
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    exec(compile(code, str(file), "exec"), module.__dict__)  # noqa: S102 # the code stands above
    function = vars(module).get(file.stem)
    if function:
        function.__doc__ = page
    if rule_id:
        vars(module)["ID"] = rule_id
    return module
