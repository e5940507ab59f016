"""The form of a manual page: a title line, then headed sections, read into a record.

A heading starts a line and ends with a colon; its text stands behind it or indented below it.
A mark in round brackets says how an example behaves, for the reader and for the test that runs it:
the test calls its `f` with `torch.ones(3)`, or with each of `inputs`, under `context` and with
`backend` where the example defines them.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import Final

HEADINGS: Final = ("Why", "Fix", "Bad", "Good", "Dynamo", "Notes")
MARKS: Final = (
    "",
    "without fullgraph",  # passes under fullgraph's own settings, breaks under plain torch.compile
    "silent",  # compiles, and is wrong or slow all the same
    "not run",  # needs a device, a package or several processes
)
_HEADING: Final = re.compile(r"([A-Z]\w*)(?: \(([^)]*)\))?:(?: (.*))?$")
_CODE: Final = re.compile(r"GB\d{4}\b")


class PageError(ValueError):
    """A manual page is not well formed. The message says in what way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A piece of code that defines `f(x)`, and how it behaves (one of `MARKS`)."""

    code: str
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A manual page, taken apart."""

    title: str
    why: str
    fix: str
    bad: Example
    good: Example
    covers: tuple[tuple[str, str], ...]  # ("GB0069", "Import failure"); "" where there is no id
    notes: str
    text: str


def parse(docstring: str | None) -> Page:
    """Take a manual page apart.

    Raises:
        PageError: A section is missing, unknown, empty or written twice.
    """
    text = inspect.cleandoc(docstring or "")
    title, _, rest = text.partition("\n")
    if not title:
        raise PageError("there is no docstring")
    sections = _sections(rest)
    for name in HEADINGS[:-1]:
        if name not in sections:
            raise PageError(f"there is no section '{name}:'")
    return Page(
        title=title.removesuffix("."),
        why=_prose(sections["Why"].code),
        fix=_prose(sections["Fix"].code),
        bad=sections["Bad"],
        good=sections["Good"],
        covers=tuple(map(_covered, filter(None, sections["Dynamo"].code.splitlines()))),
        notes=_prose(sections["Notes"].code) if "Notes" in sections else "",
        text=text,
    )


def _sections(text: str) -> dict[str, Example]:
    bodies: dict[str, list[str]] = {}
    marks: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line[:1].strip():
            name, mark, first = _heading(line, bodies)
            bodies[name], marks[name] = [first], mark
        elif name:
            bodies[name].append(line)
    return {name: Example(code=_body(name, bodies[name]), mark=marks[name]) for name in bodies}


def _heading(line: str, before: dict[str, list[str]]) -> tuple[str, str, str]:
    match = _HEADING.match(line)
    if match is None or match[1] not in HEADINGS:
        raise PageError(f"expected one of {', '.join(HEADINGS)} or an indented line, got {line!r}")
    if match[1] in before:
        raise PageError(f"section '{match[1]}:' stands twice")
    if (match[2] or "") not in MARKS:
        raise PageError(f"unknown mark ({match[2]}), known are {', '.join(filter(None, MARKS))}")
    return match[1], match[2] or "", match[3] or ""


def _body(name: str, lines: list[str]) -> str:
    body = "\n".join(filter(None, (lines[0], textwrap.dedent("\n".join(lines[1:])).strip("\n"))))
    if not body.strip():
        raise PageError(f"section '{name}:' is empty")
    return body.rstrip()


def _prose(text: str) -> str:
    return " ".join(text.split())


def _covered(line: str) -> tuple[str, str]:
    code, _, gb_type = line.strip().partition(" ")
    return (code, gb_type) if _CODE.fullmatch(code) else ("", line.strip())
