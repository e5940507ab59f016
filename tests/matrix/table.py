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
    "platforms",
    "pairs",
    "truly differ",
)
_NOT_SCORED: Final = "-"
_LEGEND: Final = """\
cases, golden: as expected, of all; subjects: sites that one run finds, of the true ones, and extra
ones; engine: entries clean + accepted by the baseline + new, here and on all simulated platforms;
pairs: comparisons of probes that hold there; truly differ: expectations that are other than the
reference's, each seen with stock Dynamo."""


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


_PARTS: Final = ("cases", "golden", "subjects", "engine", "platforms", "pairs")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    subjects = row["subjects"]
    differ = sum(len(row[part].get("conditional", ())) for part in _PARTS if part in row)
    return (
        row["python"],
        row["torch"],
        _right(row, "cases"),
        _right(row, "golden"),
        f"{subjects['found']}/{subjects['true']}",
        str(subjects["extra"]),
        _gated(row, "engine"),
        _gated(row, "platforms"),
        _right(row, "pairs"),
        str(differ),
    )


def _right(row: dict[str, Any], part: str) -> str:
    return f"{row[part]['right']}/{row[part]['total']}" if part in row else _NOT_SCORED


def _gated(row: dict[str, Any], part: str) -> str:
    if part not in row:
        return _NOT_SCORED
    return "+".join(str(row[part][what]) for what in ("clean", "accepted", "new"))


def _wrong(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        for part in _PARTS:
            for name, lines in _part_wrong(row, part).items():
                yield f"WRONG python {row['python']}, torch {row['torch']}: {part}: {name}: " + (
                    "; ".join(lines)
                )


def _part_wrong(row: dict[str, Any], part: str) -> dict[str, list[str]]:
    # a version that was scored elsewhere may lack a part that came later
    wrong: dict[str, list[str]] = row.get(part, {}).get("wrong", {})
    return wrong
