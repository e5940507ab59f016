"""`-k`: what an expression selects, and how it is refused."""

from __future__ import annotations

import pytest

from graphaudit.selection import KeywordError, matcher

IDS = {
    "engine/audit.py::audit_prefill",
    "engine/audit.py::audit_prefill_fp8",
    "engine/audit.py::audit_KDA_verify",
}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("prefill", {"prefill", "prefill_fp8"}),
        ("PreFill", {"prefill", "prefill_fp8"}),
        ("kda", {"KDA_verify"}),
        ("engine/audit.py::audit_prefill_fp8", {"prefill_fp8"}),
        ("prefill and not fp8", {"prefill"}),
        ("not prefill", {"KDA_verify"}),
        ("not not prefill and fp8", {"prefill_fp8"}),
        ("kda or prefill and fp8", {"KDA_verify", "prefill_fp8"}),
        ("(kda or prefill) and fp8", {"prefill_fp8"}),
        ("not(kda or fp8)", {"prefill"}),
        ("NOT kda AND NOT fp8", {"prefill"}),
        ("notation or android", set()),
        ("[0]", set()),
    ],
)
def test_selects(expression: str, names: set[str]) -> None:
    """`not` binds before `and`, `and` before `or`; words are parts of ids."""
    selects = matcher(expression)
    assert {ident.partition("::audit_")[2] for ident in IDS if selects(ident)} == names


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            "fp8 and",
            "-k: expected a part of an entry id, 'not' or '(', found the end at column 8\n"
            "    fp8 and\n"
            "           ^",
        ),
        (
            "fp8 kda",
            "-k: expected 'and', 'or' or the end, found 'kda' at column 5\n    fp8 kda\n        ^",
        ),
        (
            "(fp8 or kda",
            "-k: expected 'and', 'or' or ')', found the end at column 12\n"
            "    (fp8 or kda\n"
            "               ^",
        ),
        (
            "fp8)",
            "-k: expected 'and', 'or' or the end, found ')' at column 4\n    fp8)\n       ^",
        ),
        (
            "or fp8",
            "-k: expected a part of an entry id, 'not' or '(', found 'or' at column 1\n"
            "    or fp8\n"
            "    ^",
        ),
        (
            "",
            "-k: expected a part of an entry id, 'not' or '(', found the end at column 1\n"
            "    \n"
            "    ^",
        ),
    ],
)
def test_refuses(expression: str, message: str) -> None:
    """A malformed expression is shown with the place where it goes wrong."""
    with pytest.raises(KeywordError) as refused:
        matcher(expression)
    assert str(refused.value) == message
    assert refused.value.exit_code == 2


def test_deep_nesting_is_refused() -> None:
    """Ten thousand parentheses are an error of the user's, not of the interpreter's stack."""
    with pytest.raises(KeywordError, match="at most 50 parentheses"):
        matcher("(" * 10_000)


def test_long_expressions_are_read() -> None:
    """Words and negations are not limited."""
    assert matcher(" or ".join(["x"] * 5_000) + " or prefill")("PREFILL")
    assert matcher("not " * 10_000 + "prefill")("prefill")
