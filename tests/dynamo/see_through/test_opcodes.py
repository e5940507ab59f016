"""The table of instructions: what each does to real objects. No trace."""

from __future__ import annotations

import dis
from types import SimpleNamespace
from typing import Any

import pytest

from graphaudit._dynamo.see_through.opcodes import emulation


def instruction(opname: str, arg: int | None = None, argval: Any = None) -> Any:
    """Make what the table reads of an instruction."""
    return SimpleNamespace(opname=opname, arg=arg, argval=argval)


def run(opname: str, *operands: Any, arg: int | None = None, argval: Any = None) -> Any:
    """Do an instruction on all operands that it takes."""
    known = emulation(instruction(opname, arg, argval), {"here": 5})
    assert known is not None
    assert known.operands == len(operands)
    return known.function(*operands)


def operator_number(symbol: str) -> int:
    """Give the argument of BINARY_OP."""
    return [one for _, one in dis._nb_ops].index(symbol)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("opname", "operands", "argument", "expected"),
    [
        ("BINARY_SLICE", ([1, 2, 3], 0, 2), {}, [1, 2]),
        ("BINARY_SUBSCR", ({"a": 1}, "a"), {}, 1),
        ("BUILD_MAP", ("a", 1, "b", 2), {"arg": 2}, {"a": 1, "b": 2}),
        ("BUILD_SET", (1, 2), {"arg": 2}, {1, 2}),
        ("BUILD_STRING", ("a", "b"), {"arg": 2}, "ab"),
        ("CALL_INTRINSIC_1", ([1],), {"arg": 6}, (1,)),
        ("COMPARE_OP", (1, 2), {"argval": "<"}, True),
        ("CONTAINS_OP", (1, [1]), {"arg": 0}, True),
        ("CONTAINS_OP", (1, [1]), {"arg": 1}, False),
        ("CONVERT_VALUE", ("a",), {"arg": 2}, "'a'"),
        ("FORMAT_SIMPLE", (1.5,), {}, "1.5"),
        ("FORMAT_VALUE", ("a",), {"arg": 2}, "'a'"),
        ("FORMAT_VALUE", (1.25, ".1f"), {"arg": 4}, "1.2"),
        ("FORMAT_WITH_SPEC", (1.25, ".1f"), {}, "1.2"),
        ("IS_OP", (None, None), {"arg": 1}, False),
        ("LIST_TO_TUPLE", ([1],), {}, (1,)),
        ("LOAD_ATTR", (1j,), {"argval": "imag"}, 1.0),
        ("LOAD_GLOBAL", (), {"argval": "here"}, 5),
        ("LOAD_GLOBAL", (), {"argval": "len"}, len),
        ("UNARY_NOT", (0,), {}, True),
    ],
)
def test_result(
    opname: str, operands: tuple[Any, ...], argument: dict[str, Any], expected: object
) -> None:
    """As CPython has it."""
    assert run(opname, *operands, **argument) == expected


@pytest.mark.parametrize(
    ("symbol", "expected"), [("+", 9), ("-", 5), ("//", 3), ("**", 49), ("&", 2), ("<<", 28)]
)
def test_binary_operator(symbol: str, expected: int) -> None:
    """By its symbol; the in-place form too."""
    assert run("BINARY_OP", 7, 2, arg=operator_number(symbol)) == expected
    assert run("BINARY_OP", 7, 2, arg=operator_number(f"{symbol}=")) == expected


def test_in_place_operator_keeps_the_object() -> None:
    """A list is extended, not replaced."""
    items = [1]

    assert run("BINARY_OP", items, [2], arg=operator_number("+=")) is items
    assert items == [1, 2]


def test_writes_have_no_result() -> None:
    """Nothing is pushed."""
    items = {"a": 1}
    known = emulation(instruction("STORE_SUBSCR"), {})
    assert known is not None

    known.function(2, items, "b")

    assert not known.has_result
    assert items == {"a": 1, "b": 2}


def test_import_runs_for_real() -> None:
    """The exception is Python's own."""
    with pytest.raises(ModuleNotFoundError):
        run("IMPORT_NAME", 0, None, argval="no_such_module_at_all")


@pytest.mark.parametrize("opname", ["SEND", "MATCH_CLASS", "A_FUTURE_INSTRUCTION"])
def test_unknown(opname: str) -> None:
    """Not in the table."""
    assert emulation(instruction(opname, 0), {}) is None
