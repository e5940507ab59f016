"""The scores of all versions, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEADS: Final = (
    "python",
    "torch",
    "cases",
    "golden",
    "subjects",
    "extra",
    "engine",
    "truly differ",
)
_LEGEND: Final = """\
cases, golden: as expected, of all; subjects: sites that one run finds, of the true ones, and extra
ones; engine: entries clean + accepted by the baseline + new; truly differ: expectations that are
other than the reference's, each seen with stock Dynamo."""


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Render scores, a line for each version; under it what is not as expected."""
    cells = [_HEADS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([*lines, "", _LEGEND, *_wrong(rows)]) + "\n"


def is_right(row: dict[str, Any]) -> bool:
    """Tell whether nothing of a version's scores is other than expected."""
    return not any(_part_wrong(row, part) for part in _PARTS)


_PARTS: Final = ("cases", "golden", "subjects", "engine")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    subjects, engine = row["subjects"], row["engine"]
    differ = sum(len(row[part]["conditional"]) for part in _PARTS if part != "engine")
    return (
        row["python"],
        row["torch"],
        f"{row['cases']['right']}/{row['cases']['total']}",
        f"{row['golden']['right']}/{row['golden']['total']}",
        f"{subjects['found']}/{subjects['true']}",
        str(subjects["extra"]),
        f"{engine['clean']}+{engine['accepted']}+{engine['new']}",
        str(differ),
    )


def _wrong(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        for part in _PARTS:
            for name, lines in _part_wrong(row, part).items():
                yield f"WRONG python {row['python']}, torch {row['torch']}: {part}: {name}: " + (
                    "; ".join(lines)
                )


def _part_wrong(row: dict[str, Any], part: str) -> dict[str, list[str]]:
    wrong: dict[str, list[str]] = row[part]["wrong"]
    return wrong
