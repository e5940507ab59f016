"""What the commands print, and how what they raise becomes a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, Final, NoReturn

import click

from graphaudit._terminal import Stopped
from graphaudit.errors import GraphauditError, PathError

_BUG: Final = 70
_INTERRUPTED: Final = 130


class Commands(click.Group):
    """The commands. What one raises becomes a message and an exit code, here alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what stands before the command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _refuse(ctx, error)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that `ctx` names."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            _refuse(ctx, error)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except GraphauditError as error:
            say(f"error: {error}")
            ctx.exit(error.exit_code)
        except KeyboardInterrupt as stop:
            say("interrupted")
            ctx.exit(stop.exit_code if isinstance(stop, Stopped) else _INTERRUPTED)
        except Exception:  # noqa: BLE001 - a failure of ours must not exit with 1, "new findings"
            click.echo(traceback.format_exc(), err=True, nl=False)
            say("this is a bug in graphaudit: please report it with the lines above")
            ctx.exit(_BUG)


def _refuse(ctx: click.Context, error: click.UsageError) -> NoReturn:
    """Say a usage error as we say our own errors, and how to get help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        raise error
    path = (error.ctx or ctx).command_path
    say(f"error: {error.format_message()}\n`{path} --help` shows what there is")
    ctx.exit(error.exit_code)


def say(message: str) -> None:
    """Tell the user, not the reader of the output."""
    from graphaudit.reporters import visible

    lines = [visible(line) for line in message.split("\n")]
    click.echo("graphaudit: " + "\n".join(lines), err=True)


def as_bytes(text: str) -> bytes:
    """Encode a text; what has no form in UTF-8 is spelled out."""
    return text.encode("utf-8", "backslashreplace")


def write(text: str) -> None:
    """Write to standard output. A reader who has seen enough, as `head`, changes nothing for us."""
    try:
        click.echo(as_bytes(text), nl=False)
    except OSError as error:
        # What is still buffered would fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise PathError(f"standard output cannot be written: {error.strerror}") from error
