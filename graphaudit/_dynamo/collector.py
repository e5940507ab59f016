"""The collector: every break that Dynamo reports while it is installed.

Three leaf hooks, each asked for at start (`losses`), each put back:

- `exc.format_graph_break_message` makes the text of every break; its arguments are the fields.
- `InstructionTranslatorBase.log_graph_break` sees every break that Dynamo handles.
- the logger `torch.__trace` carries the same breaks as text; one that the second hook did not
  see is read from the text, so a torch that logs elsewhere loses us detail but no break.

Wrapping anything nearer to the frame evaluation (`ConvertFrame.__call__` and its like) adds a
Python frame that changes what Dynamo does.
"""

from __future__ import annotations

import inspect
import logging
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from torch._dynamo import exc
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._dynamo import causes, stacks
from graphaudit._target.source import locate
from graphaudit.model import Cause, Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRACE_LOG: Final = logging.getLogger("torch.__trace")
ARTIFACT: Final = "dynamo_graph_break_reason"
_DROPPED: Final = "Failed to handle graph break gracefully"
_REST_EAGER: Final = "Encountered graph break that we cannot resume from"
_SITE: Final = re.compile(r"Graph break in user code at (.+):(\d+)\n")
_REASON: Final = re.compile(r"\nGraph Break Reason: (.*?)\nUser code traceback:", re.DOTALL)
_DISABLED: Final = frozenset({"GB0098", "GB0099"})

_HOOKS: Final = {
    "exc.format_graph_break_message": ("gb_type", "context", "explanation", "hints"),
    "InstructionTranslatorBase.log_graph_break": ("self", "code_options", "reason", "exc"),
    "exc.get_gbid_documentation_link": ("gb_type",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One break or error."""

    effect: Effect
    causes: tuple[Cause, ...]
    stack: stacks.Stack
    above: stacks.Stack
    soft: bool = True  # False for an error that a plain compile would not swallow


@dataclass(slots=True)
class Collector:
    """Keeps what the hooks saw."""

    breaks: list[Seen] = field(default_factory=list)
    _fields: dict[str, Cause] = field(default_factory=dict)
    _stacks: dict[str, tuple[stacks.Stack, stacks.Stack]] = field(default_factory=dict)
    _logging: bool = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Hold the hooks in place."""
        handler = _Artifacts(self._read)
        with ExitStack() as undo:
            for target, name, wrapped in self._wrappers():
                undo.enter_context(patch.object(target, name, wrapped))
            TRACE_LOG.addHandler(handler)
            undo.callback(TRACE_LOG.removeHandler, handler)
            yield

    def of_exception(self, error: BaseException) -> Seen:
        """Describe what a call raised: a break under fullgraph, or any other error."""
        text = getattr(error, "msg", None)
        if not isinstance(error, exc.Unsupported) or not isinstance(text, str):
            return _other(error)
        stack, above = self._place(text, error)
        return Seen(
            effect="error", causes=causes.chain(text, self._fields), stack=stack, above=above
        )

    def _wrappers(self) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
        missing = {name for name, _ in _absent()}
        if "exc.format_graph_break_message" not in missing:
            yield exc, "format_graph_break_message", self._format(exc.format_graph_break_message)
        if "InstructionTranslatorBase.log_graph_break" not in missing:
            original = InstructionTranslatorBase.log_graph_break
            yield InstructionTranslatorBase, "log_graph_break", self._log(original)

    def _format(self, original: Callable[..., str]) -> Callable[..., str]:
        def format_graph_break_message(
            gb_type: str, context: str, explanation: str, hints: list[str]
        ) -> str:
            text = original(gb_type, context, explanation, hints)
            key = text.strip("\n")
            self._fields[key] = Cause(
                gb=causes.gb_id(gb_type),
                gb_type=gb_type,
                context=str(context),
                explanation=str(explanation),
                hints=tuple(map(str, hints)),
            )
            self._stacks[key] = (stacks.of_running_translator(), stacks.above_dynamo())
            return text

        return format_graph_break_message

    def _log(self, original: Callable[..., None]) -> Callable[..., None]:
        def log_graph_break(tx: Any, code_options: Any, reason: str, exc: Any) -> None:
            if not exc.logged:
                self.breaks.append(self._handled(reason, exc))
            self._logging = True
            try:
                original(tx, code_options, reason, exc)
            finally:
                self._logging = False

        return log_graph_break

    def _handled(self, reason: str, error: Any) -> Seen:
        text = getattr(error, "msg", None) or str(error)
        found = (
            causes.chain(text, self._fields)
            if isinstance(error, exc.Unsupported)
            else (causes.of_exception(error),)
        )
        stack, above = self._place(text, error)
        return Seen(effect=_effect(reason, found), causes=found, stack=stack, above=above)

    def _place(self, text: str, error: BaseException) -> tuple[stacks.Stack, stacks.Stack]:
        root = text.split(causes.MARKER)[0].strip("\n")
        stack, above = self._stacks.get(root, ((), ()))
        return (stack, above) if stack else (stacks.of_exception(error), stacks.above_dynamo())

    def _read(self, text: str) -> None:
        """Read a break from the structured trace, unless the other hook sees it just now."""
        site = _SITE.match(text)
        if self._logging or site is None:
            return
        found = _REASON.search(text)
        reason = found[1] if found else text
        chain = causes.chain(reason.rpartition(":\n\n")[2] or reason, self._fields)
        self.breaks.append(
            Seen(
                effect=_effect(reason, chain),
                causes=chain,
                stack=(locate(site[1], int(site[2])),),
                above=stacks.above_dynamo(),
            )
        )


class _Artifacts(logging.Handler):
    """Hands on the text of each break reason in the structured trace."""

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._take = take

    def emit(self, record: logging.LogRecord) -> None:
        metadata = getattr(record, "metadata", None) or {}
        payload = getattr(record, "payload", None)
        if isinstance(payload, str) and metadata.get("artifact", {}).get("name") == ARTIFACT:
            self._take(payload)


def losses() -> tuple[str, ...]:
    """Name each hook that this torch lacks, with what is lost; empty if all are there."""
    return tuple(
        f"{name} {why}: breaks are read from the log, with less detail" for name, why in _absent()
    )


def _absent() -> Iterator[tuple[str, str]]:
    places = {"exc": exc, "InstructionTranslatorBase": InstructionTranslatorBase}
    for name, expected in _HOOKS.items():
        owner, _, attribute = name.partition(".")
        hook = getattr(places[owner], attribute, None)
        if hook is None:
            yield name, "is gone"
        elif tuple(inspect.signature(hook).parameters) != expected:
            yield name, f"takes other arguments than {expected}"


def _effect(reason: str, chain: tuple[Cause, ...]) -> Effect:
    if reason.startswith(_DROPPED):
        return "frame_dropped"
    if reason.startswith(_REST_EAGER):
        return "rest_eager"
    return "opaque" if chain[0].gb in _DISABLED else "resumes"


def _other(error: BaseException) -> Seen:
    return Seen(
        effect="error",
        causes=(causes.of_exception(error),),
        stack=stacks.of_exception(error) or stacks.of_traceback(error),
        above=(),
        soft=isinstance(error, exc.UserError),
    )
