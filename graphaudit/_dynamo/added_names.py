"""Globals that Dynamo puts into the target's modules under names of its own choice.

What it names with two underscores is known by that. The answer of a function that
`assume_constant_result` marks is kept as `name`, `name_0`, ...: only Dynamo can tell such a name.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import output_graph

from graphaudit._dynamo import hooks
from graphaudit._dynamo.hooks import Hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ADDED: Final = Hook(
    owner=output_graph,
    name="get_unique_name_wrt",
    parameters=("prefix", "containers", "requires_suffix"),
    loss="a global that Dynamo adds to a module is taken for the program's own",
)


@contextmanager
def noted() -> Iterator[set[tuple[int, str]]]:
    """Gather the names, each with the id of the globals that it is for."""
    names: set[tuple[int, str]] = set()

    def noting(original: Callable[..., str]) -> Callable[..., str]:
        def get_unique_name_wrt(prefix: str, *containers: Any, **options: bool) -> str:
            name = original(prefix, *containers, **options)
            names.update((id(container), name) for container in containers)
            return name

        return get_unique_name_wrt

    with hooks.installed({ADDED: noting}):
        yield names
