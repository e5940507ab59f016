"""Graph coverage in the table."""

from __future__ import annotations

from dataclasses import replace

from graphaudit import reporters
from graphaudit.model import EagerLine, Entry, Report


def line(number: int, ops: int) -> EagerLine:
    """Make a line."""
    names = ("aten::add", "aten::mul", "aten::relu", "aten::sum", "aten::view")
    return EagerLine(
        path="a.py", line=number, qualname="f", source="y = g(x)", ops=ops, operators=names[:ops]
    )


def counted(entry: Entry, in_graph: int, *lines: EagerLine) -> Entry:
    """Give an entry with coverage."""
    ops = {"in_graph": in_graph, "eager": sum(one.ops for one in lines)}
    return replace(entry, ops=ops, eager_at=lines)


def table(report: Report, *entries: Entry) -> str:
    """Draw a report with these entries."""
    return reporters.render("table", replace(report, entries=entries, findings=()))


def test_each_entry_says_its_share(report: Report) -> None:
    """A dash where nothing was counted; the numbers stand below each other."""
    first, second, third = report.entries[:3]
    text = table(report, counted(first, 1_200), counted(second, 3, line(4, 1)), third)

    assert text.startswith(
        "outcome   fullgraph=True  graphs  operators in graphs  entry\n"
        "clean     ok                   1       1,200 of 1,200  engine/audit.py::audit_dsa_context"
    )
    assert "stops: GB0069        2               3 of 4  engine/audit.py::audit_fa" in text
    assert "raises               0                    -  engine/audit.py::audit_kda" in text


def test_the_top_lines_of_all_entries(report: Report) -> None:
    """A line that several entries run is one; what is left is counted."""
    first, second = report.entries[:2]
    text = table(
        report,
        counted(first, 10, line(1, 5), line(2, 1)),
        counted(second, 12, *(line(number, 2) for number in range(2, 8))),
    )

    assert "18 of 40 operators run outside graphs (45%)\n" in text
    assert "       5  a.py:1  y = g(x)  aten::add, aten::mul, aten::relu, aten::sum, ...\n" in text
    assert "       3  a.py:2  y = g(x)  aten::add\n" in text
    assert "a.py:5" in text
    assert "a.py:6" not in text
    assert "       4  in 2 more lines, all in the JSON report\n" in text


def test_all_in_graphs_needs_no_list(report: Report) -> None:
    """There is nothing to look for."""
    text = table(report, counted(report.entries[0], 7))

    assert "7 of 7" in text
    assert "outside graphs" not in text
