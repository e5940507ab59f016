"""The table: its whole text once, then what must hold for any report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from graphaudit import reporters
from graphaudit.model import EagerLine, Finding, Report, StoppedAt, Uncovered

GOLDEN = """\
outcome   fullgraph=True  graphs  entry
clean     ok                   1  engine/audit.py::audit_dsa_context_parallel
breaks    stops: GB0069        2  engine/audit.py::audit_fa_forward
error     raises               0  engine/audit.py::audit_kda_verify
          ModuleNotFoundError: No module named 'flash_attn'
timeout   -                    0  engine/audit.py::audit_prefill
          no answer within 120 s
accepted  stops: GB0069        3  engine/audit.py::audit_qsa_indexer
clean     stops: GB0001        1  engine/audit.py::audit_y  (breaks under fullgraph are allowed)

engine/cache.py:114:17  GA004 scalar_read [GB0170]  the graph is split here  NEW
   114 | length = kv_cache[layer].item()
       |         ^ in Cache.length
  why     The value of a tensor decides what Python does next: kv_cache[layer].item() needs the
          number.
  fix     Keep kv_cache[layer] a tensor, or torch._check() it.
  who     you
  chain   root GB0170 Import failure
          then GB0059 Failed to trace builtin operator
  from    NEW       engine/audit.py::audit_fa_forward  (fullgraph only)

engine/indexer.py:30:16  GA010 disabled_callee [GB0098]  the callee runs eager  accepted
    30 | topk = select(scores, k)
       |            ^^ in Indexer.forward
  why     The callee is marked with torch.compiler.disable.
  fix     Give it a custom op.
  who     you
  from    accepted  engine/audit.py::audit_qsa_indexer
                    custom kernel, on purpose

engine/indexer.py:44  GA030  recompiles  note
    44 | self.calls += 1
       | in Indexer.forward
  why     An int that changes is a guard.
  fix     Make it a tensor.
  who     you
  from    note      engine/audit.py::audit_fa_forward  (second call)

probes/eager.py:9:9  GA001 import_in_body [GB0069]  the whole function runs eager  NEW
     9 | import torchada
       | ^^^^^^ in is_musa
  why     An import runs while Dynamo traces this function. Dynamo raises its own error for a module
          that is missing, so `except ImportError` never runs.
  fix     Import at module level and keep the answer in a constant:
              try:
                  import torchada
              except ImportError:
                  IS_MUSA = False
  who     you
  in      <site-packages>/torch/_dynamo/polyfills/__init__.py:487
  from    NEW       engine/audit.py::audit_fa_forward  (seen 3 times)
          accepted  engine/audit.py::audit_qsa_indexer  (the graph is split here)
                    waits for the probe rewrite

not covered by any audit_* factory
  engine/x.py:40  torch.compile(f)

stale baseline lines
  engine/audit.py::audit_gone  on *  GA001  probes/eager.py  the entry is gone
      import torchada
      accepted: old
  fix     graphaudit scan PATH... --update-baseline takes them out of the baseline

  note    torch 2.13.0: no hook for compile times

torch 2.13.0, python 3.11.7, graphaudit 0.1.0
6 entries: 2 clean, 1 with breaks, 1 with breaks (accepted), 1 with errors, 1 timed out; 2 new
findings, 1 stale line
`graphaudit explain GA004` tells more; `--update-baseline --reason "..."` accepts what is known
"""


def rendered(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Render `report` as a table."""
    return reporters.render("table", report, width=width, color=color)


def with_finding(report: Report, **changes: object) -> Report:
    """Give `report` with one finding, the import that is new, changed."""
    changed: Finding = replace(report.findings[-2], **changes)  # type: ignore[arg-type]
    return replace(report, findings=(changed,))


def test_whole_text(report: Report) -> None:
    """The table at 100 columns is, to the letter, this."""
    assert rendered(report) == GOLDEN


def test_same_bytes_whatever_the_clock_says(report: Report) -> None:
    """Two runs that differ in seconds alone look alike."""
    slower = tuple(replace(entry, seconds=entry.seconds + 1) for entry in report.entries)
    assert rendered(replace(report, entries=slower)) == rendered(report)


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_lines_fit(report: Report, width: int) -> None:
    """No line is wider than asked for, but for a path with nothing but its label beside it."""
    wide = [line for line in rendered(report, width=width).splitlines() if len(line) > width]
    assert [line for line in wide if len(line.split()) > 2] == []


@pytest.mark.parametrize("width", [60, 100, 200])
def test_long_paths_stay_whole(report: Report, width: int) -> None:
    """A path that is wider than the terminal is neither cut nor broken."""
    path = "engine/" + "very_long_folder_name/" * 12 + "attention.py"
    text = rendered(with_finding(report, path=path), width=width)
    assert f"{path}:9:9" in text


def test_long_fix_stays_whole(report: Report) -> None:
    """Every word of a fix is shown, however long the fix is."""
    words = [f"word{number}" for number in range(2_000)]
    text = rendered(with_finding(report, fix=" ".join(words)))
    assert set(words) <= set(text.split())


def test_code_in_a_fix_keeps_its_form(report: Report) -> None:
    """Indented lines of a fix are code: they are not filled."""
    fix = "Write:\n    try:\n        import torchada\n    except ImportError:\n        pass"
    text = rendered(with_finding(report, fix=fix), width=60)
    assert (
        "  fix     Write:\n"
        "              try:\n"
        "                  import torchada\n"
        "              except ImportError:\n"
        "                  pass\n"
    ) in text


def test_square_brackets_are_no_markup(report: Report) -> None:
    """An index keeps its brackets, and a tag of rich's is just text, wherever it stands."""
    code = "x = kv_cache[layer][/bold][red]"
    changed = with_finding(report, source=code, why=code, fix=code, who=code, entry=code)
    noted = replace(changed, notes=(code,), uncovered=(Uncovered(path="a.py", line=1, what=code),))
    for color in (False, True):
        assert rendered(noted, color=color).count("kv_cache[layer][/bold][red]") == 7


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\x00b\x07c\x7f", r"a\x00b\x07c\x7f"),
        ("over\rwritten", r"over\rwritten"),
        ("hidden \u202e code", r"hidden \u202e code"),
        ("lone \udc80 byte", r"lone \udc80 byte"),
        ("next\x85line\u2028sep", r"next\x85line\u2028sep"),
        ("c1 \x9b31m", r"c1 \x9b31m"),
    ],
)
@pytest.mark.parametrize("field", ["source", "why", "fix", "path", "qualname", "entry", "who"])
def test_control_characters_are_spelled_out(
    report: Report, field: str, raw: str, shown: str
) -> None:
    """What a terminal would obey or hide comes out as letters."""
    text = rendered(with_finding(report, **{field: raw}))
    assert shown in text
    assert all(char.isprintable() for char in text.replace("\n", ""))


def test_control_characters_in_messages(report: Report) -> None:
    """The message of an entry and a note are spelled out as well."""
    failed = replace(report.entries[2], message="\x1b]0;title\x07boom\r\nnext")
    text = rendered(replace(report, entries=(failed,), notes=("\x1b[2J",)))
    assert "          \\x1b]0;title\\x07boom\n          next\n" in text
    assert "  note    \\x1b[2J\n" in text
    assert "\x1b" not in text


def test_long_message_is_shortened(report: Report) -> None:
    """Of ten megabytes the two ends are shown, and how much is left out."""
    message = "first " + "x" * 10_000_000 + " last"
    failed = replace(report.entries[2], message=message)
    text = rendered(replace(report, entries=(failed,)))
    assert "[... 9,998,011 characters left out ...]" in text
    assert "          first\n          xxx" in text
    assert "xxx\n          last\n" in text
    assert len(text) < 10_000


def test_long_source_line_is_shortened_around_the_column(report: Report) -> None:
    """Of a generated line the part at the column is shown, and the caret points into it."""
    source = "a = [" + "1, " * 3_000 + "here(x), " + "2, " * 3_000 + "]"
    column = 8 + 5 + 9_000 + 1
    lines = rendered(with_finding(report, source=source, column=column)).splitlines()
    quote = next(index for index, line in enumerate(lines) if "here(x)" in line)
    assert len(lines[quote]) < 200
    assert lines[quote].startswith("     9 | [...] ")
    assert lines[quote].endswith(" [...]")
    assert lines[quote + 1].index("^^^^") == lines[quote].index("here")


def test_no_caret_where_the_column_is_unknown(report: Report) -> None:
    """Without a column, or without the indentation, the line is quoted and nothing is marked."""
    unknown: list[dict[str, object]] = [{"column": None}, {"detail": {}}, {"column": 900}]
    for changes in unknown:
        text = rendered(with_finding(report, **changes))
        assert "     9 | import torchada\n       | in is_musa\n" in text


def test_wide_characters_keep_the_caret_in_place(report: Report) -> None:
    """A character of two columns moves the caret by two."""
    text = rendered(with_finding(report, source='f("漢字", bad)', column=17))
    assert '     9 | f("漢字", bad)\n       |           ^^^ in is_musa\n' in text


def test_one_site_of_many_entries_is_shown_once(report: Report) -> None:
    """Entries that reach one site are listed under it, each with its own state."""
    text = rendered(replace(report, findings=report.findings[-2:]))
    assert text.count("import torchada\n") == 3  # quote, fix, stale line
    assert (
        "  from    NEW       engine/audit.py::audit_fa_forward  (seen 3 times)\n"
        "          accepted  engine/audit.py::audit_qsa_indexer  (the graph is split here)\n"
        "                    waits for the probe rewrite\n"
    ) in text


MATRIX = """\
cpu       musa      entry
clean     clean     engine/audit.py::audit_dsa_context_parallel
breaks    clean     engine/audit.py::audit_fa_forward
error     error     engine/audit.py::audit_kda_verify
          on cpu, musa: ModuleNotFoundError: No module named 'flash_attn'
timeout   -         engine/audit.py::audit_prefill
          on cpu: no answer within 120 s
accepted  accepted  engine/audit.py::audit_qsa_indexer
          breaks may be missing on musa: not seen through to the end: it ended
clean     clean     engine/audit.py::audit_y  (breaks under fullgraph are allowed)

"""


@pytest.fixture
def two_platforms(report: Report) -> Report:
    """Give the same entries on musa as well, but for one; one break is only on cpu."""
    musa = {
        entry.id: replace(entry, platform="musa")
        for entry in report.entries
        if entry.outcome != "timeout"
    }
    musa["engine/audit.py::audit_fa_forward"] = replace(
        musa["engine/audit.py::audit_fa_forward"], outcome="clean"
    )
    musa["engine/audit.py::audit_qsa_indexer"] = replace(
        musa["engine/audit.py::audit_qsa_indexer"],
        stopped_at=StoppedAt(path="", line=0, why="it ended"),
    )
    both = sorted((*report.entries, *musa.values()), key=lambda one: (one.id, one.platform))
    found = [
        replace(one, platform="musa")
        for one in report.findings
        if one.entry == "engine/audit.py::audit_qsa_indexer"
    ]
    return replace(report, entries=tuple(both), findings=(*report.findings, *found))


def test_several_platforms_make_a_matrix(two_platforms: Report) -> None:
    """A row for each entry, a column for each platform; equal messages stand once."""
    assert rendered(two_platforms).startswith(MATRIX)


def test_platforms_that_say_the_same_of_a_site_share_a_line(two_platforms: Report) -> None:
    """Where one differs it has a line of its own."""
    text = rendered(two_platforms)
    assert "engine/audit.py::audit_qsa_indexer on cpu, musa" in text
    assert "engine/audit.py::audit_fa_forward on cpu  (" in text
    assert " on cpu" not in rendered(replace(two_platforms, entries=two_platforms.entries[:1]))


def test_operators_of_an_entry_count_once_whatever_the_platforms(two_platforms: Report) -> None:
    """The total is of one platform: the sum over several would say nothing."""
    line = EagerLine(
        path="a.py", line=3, qualname="f", source="x.item()", ops=2, operators=("aten::item",)
    )
    entries = [
        replace(one, ops={"in_graph": 6, "eager": 2}, eager_at=(line,))
        for one in two_platforms.entries
        if one.id == "engine/audit.py::audit_y"
    ]
    text = rendered(replace(two_platforms, entries=tuple(entries), findings=()))
    assert len(entries) == 2
    assert "2 of 8 operators run outside graphs (25%)\n" in text


def test_surroundings_are_told(report: Report) -> None:
    """What a run made of the machine stands above the versions."""
    ran_on = replace(
        report.environment,
        without=("torchada",),
        broken=("triton",),
        stubs=("sgl_kernel", "vllm"),
        devices={"cuda": "H100", "musa": "S4000"},
    )
    text = rendered(replace(report, environment=ran_on), width=120)
    assert (
        "simulated: cuda (H100), musa (S4000)  without: torchada  broken: triton  "
        "stubs: sgl_kernel, vllm\ntorch 2.13.0"
    ) in text
    assert "simulated" not in rendered(report)


def test_circumstances(report: Report) -> None:
    """What is special about the way a finding was seen stands behind the entry."""
    text = rendered(
        with_finding(
            report, input=2, seen_by="see-through", confirmed=False, invented_data=True, count=1_200
        ),
        width=200,
    )
    assert (
        "(input 2, hidden behind another break, not confirmed, rests on invented values, "
        "seen 1,200 times)\n"
    ) in text


def test_notes_of_the_gate_stand_below_the_entry(report: Report) -> None:
    """A note on a finding is shown, also on one that is accepted."""
    text = rendered(
        with_finding(report, accepted="known", detail={"note": "moved from a.py::audit_a"})
    )
    assert "                    known\n                    moved from a.py::audit_a\n" in text


def test_accepted_site_is_dimmed(report: Report) -> None:
    """What the baseline accepts still says why and how to mend it, with less weight."""
    accepted = with_finding(report, accepted="known")
    assert "Dynamo raises its own error" in rendered(accepted)
    assert "\x1b[2m" in rendered(accepted, color=True)


def test_stopped_see_through_is_said(report: Report) -> None:
    """Where see-through ended early, the entry says so."""
    stop = StoppedAt(path="engine/a.py", line=7, why="an unknown context manager")
    stopped = replace(report.entries[1], complete=False, stopped_at=stop)
    text = rendered(replace(report, entries=(stopped,)))
    why = "not seen through past engine/a.py:7: an unknown context manager"
    assert f"          breaks may be missing: {why}\n" in text


def test_uncovered_list_is_short(report: Report) -> None:
    """Ten uncovered places are shown, and how many more there are."""
    places = tuple(Uncovered(path="a.py", line=line, what="@torch.compile") for line in range(35))
    text = rendered(replace(report, uncovered=places))
    assert "  a.py:9  @torch.compile\n  and 25 more, all in the JSON report\n" in text
    assert "a.py:10 " not in text


def test_no_color_no_escape_codes(report: Report) -> None:
    """Without color the text is plain."""
    assert "\x1b" not in rendered(report)


def test_color_changes_no_letter(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors are asked for by the caller alone, and taking them away gives the plain text."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    text = rendered(report, color=True)
    assert "\x1b[1;31mNEW" in text
    plain = "".join(part.partition("m")[2] for part in f"\x1b[m{text}".split("\x1b[") if part)
    assert plain == rendered(report)


def test_color_of_accepted_is_dim(report: Report) -> None:
    """An accepted site is dimmed, its path too."""
    text = rendered(with_finding(report, accepted="known"), color=True)
    assert "\x1b[2mprobes/eager.py:9:9" in text


def test_empty_report(report: Report) -> None:
    """A report without anything still says what it holds."""
    empty = Report(environment=report.environment, entries=(), findings=())
    assert rendered(empty) == (
        "torch 2.13.0, python 3.11.7, graphaudit 0.1.0\n"
        "0 entries: none traced; 0 new findings, 0 stale lines\n"
    )


def test_news(report: Report) -> None:
    """The gate's table leaves out what is clean, accepted, a note or uncovered."""
    text = reporters.render_news(report)
    assert "audit_dsa_context_parallel" not in text
    assert "GA010" not in text
    assert "GA030" not in text
    assert "engine/x.py" not in text
    assert "GA001 import_in_body [GB0069]" in text
    assert "stale baseline lines" in text
    assert "6 entries: 2 clean" in text


LIBRARY = "<site-packages>/transformers/generation/utils.py"


def test_own_files_come_before_libraries(report: Report) -> None:
    """Files in their order, lines in theirs; what lies in a library stands under a heading."""
    places = [(LIBRARY, 3), ("z.py", 20), ("<stdlib>/ast.py", 4), ("z.py", 9), ("b.py", 30)]
    found = report.findings[-2]
    findings = tuple(replace(found, path=path, line=line) for path, line in places)
    text = rendered(replace(report, findings=findings))
    heads = [line.split()[0] for line in text.splitlines() if line.endswith("  NEW")]
    assert heads == ["b.py:30:9", "z.py:9:9", "z.py:20:9", f"{LIBRARY}:3:9", "<stdlib>/ast.py:4:9"]
    assert f"\n\nin libraries\n\n{LIBRARY}:3:9  NEW\n    GA001 import_in_body [GB0069]  " in text
    assert "in libraries" not in rendered(replace(report, findings=findings[:1]))
    assert "in libraries" not in rendered(replace(report, findings=findings[1:2]))


def test_an_error_is_no_new_finding(report: Report) -> None:
    """What raised is called an error, in its head and in the summary, and the gate shows it."""
    failed = with_finding(report, effect="error", gb=None, rule="GA931")
    for text in (rendered(failed), reporters.render_news(failed)):
        assert "probes/eager.py:9:9  GA931  tracing fails  error\n" in text
        assert "  from    error     engine/audit.py::audit_fa_forward" in text
        assert "0 new findings, 1 error, 1 stale line\n" in text
        assert "tells more" not in text
        assert "NEW" not in text


def test_what_fullgraph_alone_raises(report: Report) -> None:
    """Where the default trace says nothing, fullgraph raises: else nothing is compiled."""
    alone = with_finding(report, effect="not_compiled", verdict="fullgraph")
    assert "[GB0069]  fullgraph raises here  NEW\n" in rendered(alone)
    both = with_finding(report, effect="not_compiled")
    assert "[GB0069]  nothing is compiled  NEW\n" in rendered(both)


def test_costly_effects_stand_out(report: Report) -> None:
    """What costs more than a split graph is bold; what is accepted has no color of its own."""
    dropped = rendered(report, color=True)
    assert "\x1b[1;35mthe whole function runs eager" in dropped
    assert "\x1b[35mthe graph is split here" in dropped
    accepted = rendered(with_finding(report, accepted="known"), color=True)
    assert "\x1b[2m  the whole function runs eager" in accepted


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
@pytest.mark.parametrize("before", [0, 10, 40, 70, 100, 500])
@pytest.mark.parametrize("after", [0, 10, 40, 70, 100, 500])
@pytest.mark.parametrize("filler", ["word ", "x", "漢", "\x1b"])
def test_source_fits_and_the_caret_points(
    report: Report, width: int, before: int, after: int, filler: str
) -> None:
    """Whatever stands around it, what is marked is shown whole, in a line that fits."""
    head, tail = (filler * 100)[:before], (filler * 100)[:after]
    source = f"{head};bad_name(1){tail}"
    changed = with_finding(report, source=source, column=len(head) + 2, detail={"indent": 0})
    lines = rendered(changed, width=width).splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("     9 | "))
    assert cell_len(lines[at]) <= width
    assert cell_len(lines[at + 1]) <= width
    found = lines[at].index("bad_name")
    assert lines[at + 1][: cell_len(lines[at][:found])].strip() == "|"
    assert lines[at + 1][cell_len(lines[at][:found]) :].split()[0] == "^" * len("bad_name")


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize(("field", "below"), [("why", "fix"), ("fix", "who")])
def test_code_in_advice_stays_in_its_column(
    report: Report, width: int, field: str, below: str
) -> None:
    """A code span, or a line of code, that is wider than the terminal is cut after punctuation."""
    span = "`torch._dynamo.config." + ".".join(f"option_{number}" for number in range(20)) + "`"
    code = f"    value = call({', '.join(f'argument_{number}' for number in range(20))})"
    text = rendered(with_finding(report, **{field: f"Set {span}:\n{code}"}), width=width)
    shown = text.partition(f"  {field}     ")[2].partition(f"\n  {below}")[0].splitlines()
    assert all(len(line) <= width for line in shown)
    assert all(line.startswith(" " * 10) for line in shown[1:])
    assert span in "".join(line.strip() for line in shown)
    assert "              value = call(argument_0," in text


def test_next_steps(report: Report) -> None:
    """After the summary: where to read on and how to accept, of the first that is new."""
    text = rendered(report)
    assert text.endswith(
        "`graphaudit explain GA004` tells more; "
        '`--update-baseline --reason "..."` accepts what is known\n'
    )
    assert "tells more" not in rendered(with_finding(report, accepted="known"))
