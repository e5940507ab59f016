"""Reports and baselines as bytes: the contract, what is refused, and how files are written."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphaudit import store
from graphaudit.errors import BaselineError, PathError, ReportError
from graphaudit.model import (
    Accepted,
    Entry,
    Environment,
    Finding,
    FullgraphVerdict,
    LibraryFrame,
    Report,
    Scope,
    Stale,
    Uncovered,
)

LINE = Accepted(
    entry="a.py::audit_f",
    platform="cpu",
    fingerprint="0123456789abcdef",
    effect="resumes",
    reason="waits for 2.14",
    rule="GA001",
    path="a.py",
    qualname="f",
    source="import x",
    gb="GB0069",
    torch="2.13.0",
)

FINDING = Finding(
    rule="GA001",
    entry="a.py::audit_f",
    platform="cpu",
    input=0,
    verdict="default",
    gates=True,
    accepted=None,
    path="a.py",
    line=9,
    end_line=9,
    column=5,
    qualname="f",
    source="import x",
    gb="GB0069",
    chain=("GB0069",),
    gb_type="Import failure",
    effect="resumes",
    why="why",
    fix="fix",
    who="you",
    count=1,
    fingerprint="0123456789abcdef",
    detail={"warm": True},
    library=LibraryFrame(path="<site-packages>/torch/x.py", line=3),
)

REPORT = Report(
    environment=Environment(torch="2.13.0", python="3.11.7", graphaudit="0.1.0"),
    entries=(
        Entry(
            id="a.py::audit_f",
            path="a.py",
            line=2,
            platform="cpu",
            gate="fullgraph",
            outcome="breaks",
            message="",
            fullgraph=FullgraphVerdict(
                ok=False, gb="GB0069", gb_type="Import failure", path="a.py", line=9
            ),
            graphs=2,
            ops={"in_graph": 31, "eager": 4},
            seconds=0.25,
        ),
    ),
    findings=(FINDING,),
    uncovered=(Uncovered(path="b.py", line=40, what="torch.compile(f)"),),
    stale=(Stale(line=LINE, why="the site is gone"),),
    scope=Scope(paths=(".",), entries=("a.py::audit_f",)),
    notes=("a note",),
)

REPORT_TEXT = """\
{
  "schema": 1,
  "environment": {
    "torch": "2.13.0",
    "python": "3.11.7",
    "graphaudit": "0.1.0",
    "options": {},
    "without": [],
    "broken": [],
    "stubs": [],
    "devices": {}
  },
  "entries": [
    {
      "id": "a.py::audit_f",
      "path": "a.py",
      "line": 2,
      "platform": "cpu",
      "gate": "fullgraph",
      "outcome": "breaks",
      "message": "",
      "fullgraph": {
        "ok": false,
        "gb": "GB0069",
        "gb_type": "Import failure",
        "path": "a.py",
        "line": 9
      },
      "graphs": 2,
      "ops": {
        "eager": 4,
        "in_graph": 31
      },
      "complete": null,
      "stopped_at": null,
      "eager_at": [],
      "seconds": 0.25
    }
  ],
"""

BASELINE_TEXT = """\
{"schema": 1,
 "accepted": [
  {"entry": "a.py::audit_f", "platform": "*", "fingerprint": "0123456789abcdef", \
"effect": "resumes", "reason": "", "rule": "", "path": "", "qualname": "", "source": "", \
"gb": null, "torch": null},
  {"entry": "a.py::audit_f", "platform": "cpu", "fingerprint": "0123456789abcdef", \
"effect": "resumes", "reason": "waits for 2.14", "rule": "GA001", "path": "a.py", \
"qualname": "f", "source": "import x", "gb": "GB0069", "torch": "2.13.0"}
 ]}
"""

STAR = Accepted(
    entry="a.py::audit_f",
    platform="*",
    fingerprint="0123456789abcdef",
    effect="resumes",
    reason="",
)


def _document(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(store.encode_report(REPORT))
    return document | changes


def test_report_has_the_keys_of_the_contract_in_its_order() -> None:
    """The start is compared as text, the findings by their keys."""
    text = store.encode_report(REPORT).decode()
    assert text.startswith(REPORT_TEXT)
    assert text.endswith("\n}\n")
    document = json.loads(text)
    assert [*document] == [
        "schema",
        "environment",
        "entries",
        "findings",
        "uncovered",
        "stale",
        "scope",
        "notes",
    ]
    assert [*document["findings"][0]] == [
        *("rule", "entry", "platform", "input", "verdict", "gates", "accepted"),
        *("path", "line", "end_line", "column", "qualname", "source"),
        *("gb", "chain", "gb_type", "effect", "seen_by", "confirmed", "invented_data"),
        *("why", "fix", "who", "count", "fingerprint", "detail", "library"),
    ]
    assert document["uncovered"] == [
        {"path": "b.py", "line": 40, "what": "torch.compile(f)", "kind": "site"}
    ]


def test_report_comes_back() -> None:
    """Reading gives what was written."""
    assert store.decode_report(store.encode_report(REPORT), "r.json") == REPORT


def test_same_report_same_bytes() -> None:
    """The order in which a dictionary was filled does not show."""
    one = replace(FINDING, detail={"a": 1, "b": {"c": 2, "d": 3}})
    two = replace(FINDING, detail={"b": {"d": 3, "c": 2}, "a": 1})
    assert store.encode_report(replace(REPORT, findings=(one,))) == store.encode_report(
        replace(REPORT, findings=(two,))
    )


def test_texts_are_not_escaped_beyond_need() -> None:
    """Other alphabets stay readable."""
    report = replace(REPORT, notes=("größe 张量",))
    assert '"größe 张量"' in store.encode_report(report).decode()


def test_lone_surrogates_are_spelt_out() -> None:
    """A message that UTF-8 cannot carry does not lose the report."""
    report = replace(REPORT, notes=("bad \udc80",))
    assert store.decode_report(store.encode_report(report), "r").notes == ("bad \\udc80",)


def test_unknown_fields_are_ignored_when_read() -> None:
    """Additions keep schema 1."""
    document = _document(later={"x": 1})
    document["findings"][0]["later"] = [1]
    document["entries"][0]["fullgraph"]["later"] = None
    assert store.decode_report(json.dumps(document).encode(), "r.json") == REPORT


def test_fields_with_a_default_may_be_absent() -> None:
    """A report without our additions to the contract is read."""
    document = _document()
    del document["scope"], document["notes"]
    read = store.decode_report(json.dumps(document).encode(), "r.json")
    assert read == replace(REPORT, scope=Scope(), notes=())


def test_byte_order_mark_is_tolerated() -> None:
    """Some editors leave one."""
    assert store.decode_report(b"\xef\xbb\xbf" + store.encode_report(REPORT), "r") == REPORT


def test_other_schema_is_refused() -> None:
    """The message has both numbers."""
    data = json.dumps(_document(schema=2)).encode()
    with pytest.raises(ReportError) as caught:
        store.decode_report(data, "r.json")
    assert str(caught.value) == (
        "r.json: this graphaudit reads schema 1, the file has schema 2; "
        "write it again with this version, or read it with the one that wrote it"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "r.json: not JSON: Input data was truncated"),
        (b"hello", r"r.json: not JSON: .*byte 0.*line 1"),
        (b'{"schema": 1,\n"entries": x}', r"r.json: not JSON: .*\(byte \d+\), line 2"),
        pytest.param(b'{"schema": 1, "x": ' + b"[" * 100_000, "r.json: .*recursion", id="deep"),
        (b"[]", r"r.json: no schema 1 file of graphaudit: Expected `object`, got `array`"),
        (b"{}", r"r.json: no schema 1 file of graphaudit: Object missing .*`schema`"),
        (b'{"schema": "1"}', r"Expected `int`, got `str` - at `\$.schema`"),
        (b'{"schema": 1}', r"r.json: not a report: Object missing required field `environment`"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, message: str) -> None:
    """Empty, cut, other documents: each says what it is."""
    with pytest.raises(ReportError, match=message):
        store.decode_report(data, "r.json")


def test_other_encodings_are_refused() -> None:
    """JSON is UTF-8: also where a text of the report is not."""
    data = store.encode_report(REPORT).replace(b"a note", b"a n\xf6te")
    with pytest.raises(ReportError, match=r"r\.json: .*UTF-8"):
        store.decode_report(data, "r.json")


def test_every_cut_is_noticed() -> None:
    """A report that was not written to its end is never read as a shorter one."""
    data = store.encode_report(REPORT).rstrip()
    for length in range(0, len(data), 7):
        with pytest.raises(ReportError):
            store.decode_report(data[:length], "r.json")


def test_wrong_type_names_the_place() -> None:
    """The path leads to the value."""
    document = _document()
    document["entries"][0]["line"] = "two"
    with pytest.raises(ReportError, match=r"Expected `int`, got `str` - at `\$.entries\[0\].line`"):
        store.decode_report(json.dumps(document).encode(), "r.json")


def test_unknown_effect_is_refused() -> None:
    """A value outside a closed list is an error, with its place."""
    document = _document()
    document["findings"][0]["effect"] = "melts"
    with pytest.raises(ReportError, match=r"'melts' - at `\$.findings\[0\].effect`"):
        store.decode_report(json.dumps(document).encode(), "r.json")


def test_baseline_text() -> None:
    """One accepted site a line, sorted, every key."""
    assert store.encode_baseline((LINE, STAR)).decode() == BASELINE_TEXT


def test_empty_baseline_text() -> None:
    """Nothing accepted is a file too."""
    assert store.encode_baseline(()) == b'{"schema": 1,\n "accepted": []}\n'
    assert store.decode_baseline(store.encode_baseline(()), "b.json") == ()


def test_one_more_line_changes_one_line() -> None:
    """A review sees what was accepted, and nothing else but the comma before it."""
    later = replace(LINE, entry="z.py::audit_z")
    before = store.encode_baseline((LINE,)).decode().splitlines()
    after = store.encode_baseline((later, LINE)).decode().splitlines()
    assert [line.rstrip(",") for line in after if line not in before] == [
        before[2],
        before[2].replace("a.py::audit_f", "z.py::audit_z"),
    ]


def test_twice_the_same_line_stays_twice() -> None:
    """Two identical sites need two lines."""
    assert store.decode_baseline(store.encode_baseline((LINE, LINE)), "b") == (LINE, LINE)


def test_baseline_by_hand() -> None:
    """Only what decides is required; the reason may be empty, other keys are ignored."""
    data = b"""{"accepted": [{"entry": "a.py::audit_f", "platform": "*", "who": "me",
        "fingerprint": "0123456789abcdef", "effect": "resumes", "reason": ""}], "schema": 1}"""
    assert store.decode_baseline(data, "b.json") == (STAR,)


@pytest.mark.parametrize("key", ["entry", "platform", "fingerprint", "effect", "reason"])
def test_missing_key_names_the_line(key: str) -> None:
    """The second site lacks a key: line 4 of the file, with its text."""
    lines = store.encode_baseline((LINE, LINE)).decode().splitlines(keepends=True)
    lines[3] = lines[3].replace(f'"{key}":', '"other":')
    with pytest.raises(BaselineError) as caught:
        store.decode_baseline("".join(lines).encode(), "b.json")
    message = str(caught.value)
    assert message.startswith(f"b.json: line 4: Object missing required field `{key}`, in {{")
    assert "a.py::audit_f" in message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"schema": 3, "accepted": []}', "reads schema 1, the file has schema 3"),
        (b'{"schema": 1}', "b.json: not a baseline: Object missing required field `accepted`"),
        (b'{"schema": 1, "accepted": {}}', r"Expected `array`, got `object` - at `\$.accepted`"),
        (b'{"schema": 1, "accepted": [3]}', "b.json: line 1: Expected `object`, got `int`"),
        (b'{"schema": 1,\n<<<<<<< HEAD\n', r"b.json: not JSON: .*line 2"),
        (b'{"schema": 1, "accepted": [', "b.json: not JSON: Input data was truncated"),
    ],
)
def test_what_is_no_baseline_is_refused(data: bytes, message: str) -> None:
    """A merge conflict, another schema, a wrong shape."""
    with pytest.raises(BaselineError, match=message):
        store.decode_baseline(data, "b.json")


_texts = st.text(max_size=20)
_lines = st.builds(
    Accepted,
    entry=_texts,
    platform=_texts,
    fingerprint=_texts,
    effect=st.sampled_from(["resumes", "frame_dropped", "error"]),
    reason=_texts,
    source=_texts,
    gb=st.none() | _texts,
    torch=st.none() | _texts,
)


@given(st.lists(_lines, max_size=5), st.randoms())
@settings(deadline=None)
def test_baseline_round_trip(lines: list[Accepted], random: Any) -> None:
    """Any lines come back, and their order does not show in the bytes."""
    data = store.encode_baseline(lines)
    read = store.decode_baseline(data, "b.json")
    assert sorted(map(repr, read)) == sorted(map(repr, lines))
    random.shuffle(lines)
    assert store.encode_baseline(lines) == data
    assert data.count(b"\n") == (len(lines) + 3 if lines else 2)


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(_texts, _json, max_size=4), _texts, st.sampled_from(["clean", "crashed"]))
@settings(deadline=None)
def test_report_round_trip(
    detail: dict[str, Any], text: str, outcome: Literal["clean", "crashed"]
) -> None:
    """Whatever a detail or a message holds comes back."""
    report = replace(
        REPORT,
        findings=(replace(FINDING, detail=detail, source=text),),
        entries=(replace(REPORT.entries[0], message=text, outcome=outcome),),
    )
    assert store.decode_report(store.encode_report(report), "r.json") == report


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_write_makes_a_file_with_the_usual_mode(tmp_path: Path) -> None:
    """A new file has the mode that any program would give it."""
    before = os.umask(0o027)
    try:
        store.write_atomic(tmp_path / "r.json", b"one")
    finally:
        os.umask(before)
    assert (tmp_path / "r.json").read_bytes() == b"one"
    assert stat.S_IMODE((tmp_path / "r.json").stat().st_mode) == 0o640
    assert _names(tmp_path) == ["r.json"]


def test_write_keeps_the_mode(tmp_path: Path) -> None:
    """A file that others may not read stays so."""
    path = tmp_path / "r.json"
    path.write_bytes(b"before")
    path.chmod(0o600)
    store.write_atomic(path, b"after")
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_write_goes_through_a_link(tmp_path: Path) -> None:
    """The link stays, its target is replaced, in the target's folder."""
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "b.json"
    target.write_bytes(b"before")
    link = tmp_path / "b.json"
    link.symlink_to("real/b.json")
    store.write_atomic(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    assert _names(target.parent) == ["b.json"]


def test_write_through_a_link_to_nothing_makes_its_target(tmp_path: Path) -> None:
    """A link may be there before the file is."""
    (tmp_path / "b.json").symlink_to("c.json")
    store.write_atomic(tmp_path / "b.json", b"x")
    assert (tmp_path / "c.json").read_bytes() == b"x"


def test_write_to_a_device_leaves_it_a_device() -> None:
    """`--output /dev/null` must not put a file in its place."""
    store.write_atomic(Path(os.devnull), b"x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    """The old file is replaced, not written over."""
    path = tmp_path / "r.json"
    path.write_bytes(b"before")
    with path.open("rb") as reader:
        store.write_atomic(path, b"after")
        assert reader.read() == b"before"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupted_write_leaves_all_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """What interrupts goes on to the caller; the old file is whole and alone."""
    path = tmp_path / "r.json"
    path.write_bytes(b"before")

    def interrupt(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(error):
        store.write_atomic(path, b"after")
    assert path.read_bytes() == b"before"
    assert _names(tmp_path) == ["r.json"]


def test_a_full_disk_leaves_all_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the system is told with the path."""
    path = tmp_path / "r.json"

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(PathError, match=r"r\.json: cannot be written: No space left on device"):
        store.write_atomic(path, b"after")
    assert _names(tmp_path) == []


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """No folder is made on the way."""
    with pytest.raises(PathError, match=r"none/r\.json: cannot be written: No such file"):
        store.write_atomic(tmp_path / "none" / "r.json", b"x")
    assert _names(tmp_path) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The path of a folder is refused."""
    with pytest.raises(PathError, match="Is a directory"):
        store.write_atomic(tmp_path, b"x")


def test_a_folder_that_may_not_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said by the system, since a superuser may write anywhere."""

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PathError, match="cannot be written: Permission denied"):
        store.write_atomic(tmp_path / "r.json", b"x")
