"""Writes `audit_*` files for a folder of cases: one entry for a case, one for each variant.

A case file has `make()` -> (callable, args, kwargs) and may have `variants()` (name -> another
make), `later(call, fn)` (a generator of further calls on the compiled callable), `DYNAMIC`,
`AMBIENT` (a mode to hold while calling), `NO_REPEAT`, `REQUIRES` (packages).
What stands in `_thirdparty/site-packages` beside the cases plays installed libraries.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """\
from __future__ import annotations

import importlib.util
import sys

sys.path.insert(0, {library!r})


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _inputs(case):
    call, args, kwargs = case.make()
    yield call, args, kwargs
    given = []
    for _ in case.later(lambda *args, **kwargs: given.append((args, kwargs)), call):
        yield call, *given.pop()


def _declare(entry, case):
    entry.gate = {gate!r}
    if getattr(case, "DYNAMIC", False):
        entry.options = {{"dynamic": True}}
    if getattr(case, "NO_REPEAT", False):
        entry.repeat = False
    if getattr(case, "AMBIENT", None) is not None:
        entry.context = lambda: case.AMBIENT
"""

CASE = """

case_{stem} = _load("case_{stem}", {path!r})


def audit_{stem}():
    return case_{stem}.make()


_declare(audit_{stem}, case_{stem})
"""

LATER = """

case_{stem} = _load("case_{stem}", {path!r})


def audit_{stem}():
    yield from _inputs(case_{stem})


_declare(audit_{stem}, case_{stem})
audit_{stem}.repeat = False  # as it was observed
"""

VARIANT = """

def audit_{stem}__{variant}():
    return case_{stem}.variants()[{variant!r}]()


_declare(audit_{stem}__{variant}, case_{stem})
"""


def case_files(folder: Path) -> list[Path]:
    """List the case files of a folder, in order."""
    return sorted(path for path in folder.glob("*.py") if path.name[0].isdigit())


def constants(path: Path) -> dict[str, Any]:
    """Read the literal top-level constants of a case without running it."""
    found: dict[str, Any] = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def has_further_inputs(path: Path) -> bool:
    """Tell whether a case calls its callable again, with other inputs than at first."""
    body = ast.parse(path.read_text()).body
    later = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == "later"]
    return any(len(node.args.args) == 2 for node in later)


def missing(path: Path) -> list[str]:
    """Name the packages that a case requires and that are not installed."""
    return [name for name in constants(path).get("REQUIRES", []) if find_spec(name) is None]


def write(cases: list[Path], target: Path, *, gate: str = "default", per_file: int = 1) -> None:
    """Write the wrapper files.

    Args:
        cases: Case files, all of one folder.
        target: The folder to write to.
        gate: What each entry gates on.
        per_file: Cases that share a file, and so a process.
    """
    library = str((cases[0].parent / "_thirdparty" / "site-packages").resolve())
    for start in range(0, len(cases), per_file):
        group = cases[start : start + per_file]
        text = HEADER.format(library=library, gate=gate)
        for path in group:
            form = LATER if has_further_inputs(path) else CASE
            text += form.format(stem=path.stem, path=str(path.resolve()))
            for variant in constants(path)["EXPECT"].get("variants", {}):
                text += VARIANT.format(stem=path.stem, variant=variant)
        (target / f"wrap_{group[0].stem}.py").write_text(text)
