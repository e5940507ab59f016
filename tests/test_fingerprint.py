"""Fingerprints: what changes them, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphaudit.fingerprint import fingerprint, normalised

# Pieces of code that close what they open, and have no space or comment outside a string.
_PIECES = st.sampled_from(
    ["x", "=", "foo(", ")", "'a  b'", '"# no"', "'''it''s # x'''", r"r'\\'", "+", "[0]", "'\\''"]
)
_LINES = st.lists(_PIECES, min_size=1, max_size=8)
_SPACES = st.text(" \t\f", min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("   ", ""),
        ("  x = 1  ", "x = 1"),
        ("x  =\t 1", "x = 1"),
        ("x = 1  # why", "x = 1"),
        ("x = 1# why", "x = 1"),
        ("# only a comment", ""),
        ("print('a  #  b')  # c", "print('a  #  b')"),
        ('print("it\'s  # x",  y)  # c', 'print("it\'s  # x", y)'),
        ("print('a\\'  # b')  # c", "print('a\\'  # b')"),
        ("foo(a,  # first", "foo(a,"),
        ("if  x:  \\", "if x: \\"),
        ('s = """a  # b', 's = """a  # b'),
        ('s = """a  b"""  +  t  # c', 's = """a  b""" + t'),
        ("s = 'open  # x", "s = 'open  # x"),
        ("s = '\\", "s = '\\"),
        ('s = ""  +  x', 's = "" + x'),
        ("s = f'{x:>  4}  {y}'  # c", "s = f'{x:>  4}  {y}'"),
        ("a = (1,  # one\n     2)  # two", "a = (1, 2)"),
        ("größe  =  'ä  ö'  # ü", "größe = 'ä  ö'"),
        ("))  +  ]", ")) + ]"),
    ],
)
def test_normalised(source: str, expected: str) -> None:
    """Comment and outer white space go, literals stay, unfinished lines are fine."""
    assert normalised(source) == expected


def test_fingerprint_is_pinned() -> None:
    """Baselines hold these for years: the recipe must not change."""
    assert fingerprint("is_musa", "import torchada", "GA001") == "495863a16282cbef"


def test_fingerprint_ignores_layout() -> None:
    """A comment, an indent and a wider gap leave the name as it is."""
    assert fingerprint("f", "   x =  y.item()  # sync", "GA1") == fingerprint(
        "f", "x = y.item()", "GA1"
    )


@pytest.mark.parametrize(
    "other",
    [("g", "x = 1", "GA1"), ("f", "x = 2", "GA1"), ("f", "x = 1", "GA2"), ("f", "x = '1'", "GA1")],
)
def test_fingerprint_has_three_parts(other: tuple[str, str, str]) -> None:
    """Function, line and rule each count."""
    assert fingerprint("f", "x = 1", "GA1") != fingerprint(*other)


def test_parts_do_not_run_together() -> None:
    """What stands at the end of one part is not the start of the next."""
    assert fingerprint("ab", "c", "d") != fingerprint("a", "bc", "d")


def test_any_text_has_a_fingerprint() -> None:
    """Lone surrogates come in with file names and exception texts."""
    assert len(fingerprint("f", "x = '\udc80'", "GA1")) == 16


@given(_LINES, st.data())
@settings(deadline=None)
def test_white_space_is_of_no_account(pieces: list[str], data: st.DataObject) -> None:
    """Any gap is one space."""
    wide = "".join(piece + data.draw(_SPACES) for piece in pieces)
    assert normalised(wide) == " ".join(pieces)


@given(_LINES, st.text(st.characters(exclude_characters="\n")))
@settings(deadline=None)
def test_a_comment_is_of_no_account(pieces: list[str], comment: str) -> None:
    """Whatever a comment says, the line is the same."""
    line = " ".join(pieces)
    assert fingerprint("f", f"{line}  # {comment}", "GA1") == fingerprint("f", line, "GA1")


@given(st.text())
@settings(deadline=None)
def test_normalised_twice_is_normalised(source: str) -> None:
    """What a baseline shows can be fingerprinted again."""
    assert normalised(normalised(source)) == normalised(source)


@given(st.text(), st.text(), st.text())
@settings(deadline=None)
def test_fingerprints_are_hex(qualname: str, source: str, rule: str) -> None:
    """Any three texts give 16 hex digits."""
    name = fingerprint(qualname, source, rule)
    assert len(name) == 16
    assert set(name) <= set("0123456789abcdef")
