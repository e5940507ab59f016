"""Import of one file of the target, under the name that its own package gives it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


def import_root(file: Path) -> Path:
    """Give the folder that a file's dotted name starts in: the nearest without `__init__.py`."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def import_file(file: Path) -> ModuleType:
    """Import a file by its dotted name; by its path where another module has that name.

    Args:
        file: Absolute; its `import_root` stands on `sys.path`.

    Raises:
        BaseException: Whatever the file raises.
    """
    parts = _name_parts(file)
    if all(part.isidentifier() for part in parts):
        module = importlib.import_module(".".join(parts))
        found = getattr(module, "__file__", None)
        if found and file.samefile(found):
            return module
    return _by_path(f"{'_'.join(parts)}__audited", file)


def _name_parts(file: Path) -> tuple[str, ...]:
    parts = file.relative_to(import_root(file)).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


def _by_path(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python source")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
