"""Files of functions with masked breaks, each possible break marked on its line.

A line `code  # B7 | replacement` is a site: the replacement is what stands there once it is mended.
`# B7<4 | replacement` says that site 7 is about an object which site 4 makes: where 4 is mended
there is no 7. `# raises <4`: while site 4 is there, Dynamo fails on this line, and raises to its
user, which is no break. Where versions truly differ, a mark names its own: `# B7 [torch>=2.14] |
replacement`, `# raises <4 [torch<2.14]`; a line may bear one of each. Such a file has `subjects()`,
which gives each function's call by its name.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from graphaudit._target.factory import Input
from tests.scoring.versions import here, holds

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FOLDER: Final = Path(__file__).parents[2] / "cases" / "see_through"
_ONLY: Final = r"( \[(?P<only>[^\]]+)\])?"
_MARK: Final = re.compile(rf"# B(?P<number>\d+)(<(?P<needs>\d+))?{_ONLY} \| (?P<replacement>.+)$")
_RAISES: Final = re.compile(rf"# raises <(?P<needs>\d+){_ONLY}(?=$|  # B)")
_MODULES: Final = count()


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that breaks, and what mends it."""

    line: int
    replacement: str
    needs: int | None  # the line of the site whose object this one is about
    only: str | None = None  # the condition on versions where it is a site

    def is_site(self, versions: Mapping[str, str]) -> bool:
        """Tell whether these versions break here."""
        return self.only is None or holds(self.only, versions)


@dataclass(frozen=True)
class MaskedFile:
    """One file of marked functions."""

    path: Path

    @cached_property
    def lines(self) -> list[str]:
        """Its text by line."""
        return self.path.read_text().splitlines()

    @cached_property
    def _found(self) -> dict[int, re.Match[str]]:
        return {n: m for n, text in enumerate(self.lines, 1) if (m := _MARK.search(text))}

    @cached_property
    def marks(self) -> dict[int, Mark]:
        """Its marks, by line."""
        line_of = {match["number"]: line for line, match in self._found.items()}
        if len(line_of) != len(self._found):
            raise ValueError(f"{self.path.name}: two marks have one number")
        return {
            line: Mark(line, match["replacement"], line_of.get(match["needs"]), match["only"])
            for line, match in self._found.items()
        }

    @cached_property
    def raising(self) -> dict[int, int]:
        """The lines on which this Dynamo fails, each with the line of the site that it needs."""
        numbers = {match["number"]: n for n, match in self._found.items()}
        found = {n: m for n, text in enumerate(self.lines, 1) if (m := _RAISES.search(text))}
        return {
            line: numbers[match["needs"]]
            for line, match in found.items()
            if match["only"] is None or holds(match["only"], here())
        }

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its functions."""
        return tuple(self._subjects(()))

    def call(self, name: str, mended: Collection[int] = ()) -> Input:
        """Import the file afresh, some of its lines mended, and give a function's call."""
        call, args = self._subjects(mended)[name]
        return Input(call=call, args=args, kwargs={})

    def _subjects(self, mended: Collection[int]) -> dict[str, tuple[object, tuple[object, ...]]]:
        module = ModuleType(f"masked_{self.path.stem}_{next(_MODULES)}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # as dataclasses and pickles look for it
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(self._text(mended), self.path, "exec"), vars(module))  # noqa: S102 - ours
            subjects: dict[str, tuple[object, tuple[object, ...]]] = module.subjects()
        return subjects

    def _text(self, mended: Collection[int]) -> str:
        lines = list(self.lines)
        for line in mended:
            text = lines[line - 1]
            indent = text[: len(text) - len(text.lstrip())]
            lines[line - 1] = indent + self.marks[line].replacement
        return "\n".join(lines) + "\n"


def masked_files() -> list[MaskedFile]:
    """Give all files, in order of their names."""
    return [MaskedFile(path) for path in sorted(FOLDER.glob("*.py"))]
