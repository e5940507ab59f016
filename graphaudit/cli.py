"""The command line: its commands, which alone write files and exit.

What a command needs is imported when it runs: `--help` costs what click costs. Nothing here
imports torch.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from graphaudit import __version__
from graphaudit._console import Commands, as_bytes, say, write
from graphaudit._options import (
    Configured,
    baseline_option,
    compare_options,
    output_options,
    report_argument,
    scan_options,
    with_entries,
)
from graphaudit._outputs import check_folder, check_output
from graphaudit._terminal import (
    catch_signals,
    has_color,
    open_closed_streams,
    terminal_width,
)
from graphaudit.errors import BaselineError, GraphauditError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Accepted, Comparison, Report

_EXIT_CODES: Final = """\b
Exit codes:
  0    clean, or all accepted
  1    findings that are not accepted, or stale lines in the baseline
  2    usage, configuration, or no entry found
  3    an entry could not be traced
  130  interrupted
"""


@click.group(
    cls=Commands,
    epilog=_EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="graphaudit %(version)s")
def cli() -> None:
    """Find every torch.compile graph break: where, why, who can mend it; gate CI on new ones."""


@cli.command(cls=Configured)
@scan_options
@click.pass_context
def scan(  # noqa: PLR0913 - click hands over each option
    ctx: click.Context,
    *,
    paths: Sequence[str],
    output_format: str,
    output: str | None,
    baseline: str | None,
    update_baseline: bool,
    reason: str | None,
    platforms: tuple[str, ...],
    without: tuple[str, ...],
    broken: tuple[str, ...],
    stub: tuple[str, ...],
    roots: tuple[str, ...],
    exit_zero: bool,
    jobs: int,
    keyword: str | None,
    timeout: float,
    no_see_through: bool,
    no_confirm: bool,
    no_coverage: bool,
) -> None:
    """Trace entries and report every graph break.

    PATH... are files and folders; the entries are the functions audit_* in them, and their code is
    run. a.py::audit_x is that entry alone.

    For --baseline, --timeout, --jobs, --platform, --without, --broken, --stub and --root the
    defaults can be set in [tool.graphaudit] of ./pyproject.toml.
    """
    from graphaudit import api, progress, surroundings
    from graphaudit.model import Depth

    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline FILE.")
    if reason is not None and not update_baseline:
        raise click.UsageError("--reason is for what --update-baseline adds.")
    check_output(output, baseline)
    if update_baseline and baseline is not None:
        check_folder(baseline)
    accepted = _accepted(baseline, may_be_missing=update_baseline)
    paths, only = with_entries(paths)
    with progress.shown(sys.stderr) as on_progress:
        report = api.scan(
            paths,
            root=Path.cwd(),
            keyword=keyword,
            only=only,
            jobs=jobs,
            timeout_s=timeout,
            depth=Depth(
                see_through=not no_see_through, confirm=not no_confirm, coverage=not no_coverage
            ),
            platforms=platforms,
            packages=surroundings.packages(without, broken, stub),
            roots=roots,
            on_progress=on_progress,
        )
    if update_baseline and baseline is not None:
        accepted = _updated(Path(baseline), report, accepted, reason)
    judged, verdict = api.judge(report, accepted)
    _deliver(judged, output_format, output)
    ctx.exit(0 if exit_zero and verdict.exit_code == 1 else verdict.exit_code)


@cli.command(cls=Configured)
@compare_options
@click.pass_context
def compare(  # noqa: PLR0913 - click hands over each option
    ctx: click.Context,
    *,
    paths: Sequence[str],
    output_format: str,
    output: str | None,
    platforms: tuple[str, ...],
    without: tuple[str, ...],
    broken: tuple[str, ...],
    stub: tuple[str, ...],
    roots: tuple[str, ...],
    exit_zero: bool,
    jobs: int,
    keyword: str | None,
    timeout: float,
) -> None:
    """Compare two forms of one function, eager and safe to compile.

    PATH... are files and folders; the pairs are the functions compare_* in them, each returns
    (eager, safe, args), and their code is run. a.py::compare_x is that pair alone. A pair holds if
    the safe form traces in one graph and answers as the eager one, compiled too, also after a
    change.
    """
    from graphaudit import api, pairs, progress, surroundings

    check_output(output)
    paths, only = with_entries(paths)
    with progress.shown(sys.stderr) as on_progress:
        comparison = api.compare(
            paths,
            root=Path.cwd(),
            keyword=keyword,
            only=only,
            jobs=jobs,
            timeout_s=timeout,
            platforms=platforms,
            packages=surroundings.packages(without, broken, stub),
            roots=roots,
            on_progress=on_progress,
        )
    _deliver(comparison, output_format, output)
    code = pairs.exit_code(comparison)
    ctx.exit(0 if exit_zero and code == 1 else code)


@cli.command(cls=Configured)
@report_argument
@baseline_option
@click.pass_context
def gate(ctx: click.Context, *, report: str, baseline: str | None) -> None:
    """Hold a stored report against a baseline.

    REPORT is a file, or - for standard input. Shows what is new, stale or untraced, and exits as
    scan does. Needs no torch.
    """
    from graphaudit import api, reporters
    from graphaudit.store import decode_report

    accepted = _accepted(baseline, may_be_missing=False)
    judged, verdict = api.judge(decode_report(*_read(report)), accepted)
    write(reporters.render_news(judged, width=terminal_width(), color=has_color(sys.stdout)))
    ctx.exit(verdict.exit_code)


@cli.command()
@report_argument
@output_options
def report(*, report: str, output_format: str, output: str | None) -> None:
    """Render a stored report, or comparison, in another format.

    REPORT is a file, or - for standard input. Needs no torch.
    """
    check_output(output)
    from graphaudit.store import decode_found

    _deliver(decode_found(*_read(report)), output_format, output)


@cli.command()
@click.argument("ident", metavar="[ID]", required=False)
def explain(*, ident: str | None) -> None:
    """Show the manual page of GA001 or GB0069.

    ID is a rule or one of Dynamo's own ids. Without it, all pages are listed.
    """
    from graphaudit import manual

    if ident is not None and not ident.strip():
        raise click.UsageError("The id is empty.")
    try:
        write(f"{manual.index() if ident is None else manual.page(ident)}".rstrip("\n") + "\n")
    except manual.UnknownId as error:
        raise GraphauditError(str(error)) from error


def _read(name: str) -> tuple[bytes, str]:
    """Read a file, or standard input for "-"; and say what it is called."""
    with click.open_file(name, "rb") as file:
        return file.read(), "standard input" if name == "-" else name


def _accepted(name: str | None, *, may_be_missing: bool) -> tuple[Accepted, ...]:
    """Read the baseline; no line without one."""
    if name is None or (may_be_missing and not Path(name).exists()):
        return ()
    from graphaudit.store import decode_baseline

    try:
        data = Path(name).read_bytes()
    except FileNotFoundError as error:
        raise BaselineError(
            f"{name}: there is no such baseline; write it with "
            f"graphaudit scan PATH... --baseline {name} --update-baseline"
        ) from error
    except OSError as error:
        raise BaselineError(f"{name}: cannot be read: {error.strerror}") from error
    return decode_baseline(data, name)


def _updated(
    path: Path, report: Report, accepted: tuple[Accepted, ...], reason: str | None
) -> tuple[Accepted, ...]:
    """Write the baseline that accepts what `report` shows, and give its lines."""
    from graphaudit import api
    from graphaudit.gate import NO_REASON
    from graphaudit.store import encode_baseline, write_atomic

    given = {} if reason is None else {"reason": reason}
    lines = api.accept(report, accepted, **given)
    write_atomic(path, encode_baseline(lines))
    say(f"{path}: {len(lines)} accepted, {len(accepted)} before")
    if without := sum(line.reason == NO_REASON for line in lines):
        say(
            f"{without} of them without a reason: scan again with "
            f'`--update-baseline --reason "..."` to say why, or write it into {path}'
        )
    return lines


def _deliver(found: Report | Comparison, name: str, output: str | None) -> None:
    """Write `found` where it is asked for, and say what it holds where that does not show it."""
    from graphaudit import reporters

    if output is None or output == "-":
        write(reporters.render(name, found, width=terminal_width(), color=has_color(sys.stdout)))
        shown = name == "table"
    else:
        from graphaudit.store import write_atomic

        write_atomic(Path(output), as_bytes(reporters.render(name, found)))
        shown = False
    if not shown:
        click.echo(reporters.summary(found), err=True)


def main() -> None:
    """Run the command line and exit."""
    catch_signals()
    open_closed_streams()
    with contextlib.suppress(BrokenPipeError):
        cli(prog_name="graphaudit")
