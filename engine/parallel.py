"""How this process takes part in parallel execution: one object for the whole process."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelConfig:
    """Sizes of the groups this process belongs to, and its rank in each.

    Raises:
        ValueError: a size below 1, or a rank outside its group.
    """

    tp_size: int = 1
    tp_rank: int = 0
    attn_cp_size: int = 1
    attn_cp_rank: int = 0

    def __post_init__(self) -> None:
        _check_rank("tp", self.tp_rank, self.tp_size)
        _check_rank("attn_cp", self.attn_cp_rank, self.attn_cp_size)


LEAVES = frozenset(field.name for field in fields(ParallelConfig))


class Parallel:
    """Reads the leaves of `ParallelConfig`: scoped overrides first, then what was published.

    Plain attributes and not a ContextVar, which Dynamo cannot read: an override holds for every
    thread of the process.
    """

    __slots__ = ("_overrides", "_published")

    def __init__(self) -> None:
        """Nothing overridden, nothing published."""
        self._overrides: dict[str, int] = {}
        self._published: ParallelConfig | None = None

    def __getattr__(self, leaf: str) -> int:
        if leaf not in LEAVES:
            raise AttributeError(f"parallel has no {leaf!r}; it has {', '.join(sorted(LEAVES))}")
        if leaf in self._overrides:
            return self._overrides[leaf]
        if self._published is None:
            raise ValueError(
                f"parallel.{leaf} is not published; call get_parallel().publish(ParallelConfig())"
            )
        value: int = getattr(self._published, leaf)
        return value

    def publish(self, config: ParallelConfig) -> None:
        """Make `config` what this process reads from now on."""
        self._published = config

    @contextmanager
    def override(self, **leaves: int) -> Iterator[None]:
        """Give some leaves other values inside a `with`; the innermost override wins.

        Raises:
            ValueError: a leaf that does not exist.
        """
        unknown = leaves.keys() - LEAVES
        if unknown:
            raise ValueError(
                f"parallel has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(LEAVES))}"
            )
        outer = self._overrides
        self._overrides = outer | leaves
        try:
            yield
        finally:
            self._overrides = outer


_PARALLEL = Parallel()


def get_parallel() -> Parallel:
    """The one object of this process."""
    return _PARALLEL


def _check_rank(group: str, rank: int, size: int) -> None:
    """Refuse a rank outside its group."""
    if not 0 <= rank < size:
        raise ValueError(f"{group}_rank is {rank}, {group}_size is {size}; rank is in [0, size)")
