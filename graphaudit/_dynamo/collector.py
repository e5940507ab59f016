"""The collector: every break that Dynamo reports while it is installed.

Its hooks:

- `exc.format_graph_break_message` makes the text of every break; its arguments are the fields.
- `InstructionTranslatorBase.log_graph_break` sees every break that Dynamo handles.
- `convert_frame.format_error_msg` sees what Dynamo swallows: the recompile limit is logged nowhere,
  nor is an error under `suppress_errors`.
- `convert_frame.get_and_maybe_log_recompilation_reasons` says which guards failed.
- `torch._logging.trace_structured` carries the breaks as text; one that the second hook did not
  see is read from the text, so a torch that logs elsewhere loses us detail but no break. (A handler
  on its logger has Dynamo write down every graph and guard as well: 0.15 of a trace.)
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from torch import _logging
from torch._dynamo import convert_frame, exc
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._dynamo import causes, hooks, recompiles, stacks
from graphaudit._dynamo.hooks import Hook
from graphaudit._dynamo.seen import Seen, effect_of, ended_for, of_error, recompiled, swallowed
from graphaudit._target.source import locate
from graphaudit._target.words import short
from graphaudit.model import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ARTIFACT: Final = "dynamo_graph_break_reason"
_SITE: Final = re.compile(r"Graph break in user code at (.+):(\d+)\n")
_REASON: Final = re.compile(r"\nGraph Break Reason: (.*?)\nUser code traceback:", re.DOTALL)

# what Dynamo leaves to eager by itself; it swallows other errors under `suppress_errors` alone
_SOFT: Final = (exc.Unsupported, exc.UserError)
_LIMIT: Final = "Dynamo recompile limit exceeded"


_FORMAT: Final = Hook(
    owner=exc,
    name="format_graph_break_message",
    parameters=("gb_type", "context", "explanation", "hints"),
    loss="causes are read from the text of a break",
)
_LOG: Final = Hook(
    owner=InstructionTranslatorBase,
    name="log_graph_break",
    parameters=("self", "code_options", "reason", "exc"),
    loss="breaks are read from the structured trace",
)
_SUPPRESSED: Final = Hook(
    owner=convert_frame,
    name="format_error_msg",
    parameters=("exc", "code", "record_filename", "frame"),
    loss="a frame that is left to eager at the recompile limit, or by a hidden error, is not seen",
)
_REASONS: Final = Hook(
    owner=convert_frame,
    name="get_and_maybe_log_recompilation_reasons",
    # torch 2.11 names the first otherwise
    parameters=("cache_entries|cache_entry", "frame", "backend", "skip_logging"),
    loss="a later call that makes another graph is not seen",
)
_TRACE: Final = Hook(
    owner=_logging,
    name="trace_structured",
    parameters=(
        "name",
        "metadata_fn",
        "payload_fn",
        "suppress_context",
        "expect_trace_id",
        "record_logging_overhead",
        "compile_id",
    ),
    loss="a break that is logged in another way is not seen",
)
_LINK: Final = Hook(
    owner=exc,
    name="get_gbid_documentation_link",
    parameters=("gb_type",),
    loss="ids of breaks are read from their text",
)


HOOKS: Final = (_FORMAT, _LOG, _SUPPRESSED, _REASONS, _TRACE, _LINK)


_Made = tuple[stacks.Chain, stacks.Stack]


@dataclass(slots=True)
class Collector:
    """Keeps what the hooks saw."""

    breaks: list[Seen] = field(default_factory=list)
    _fields: dict[str, Cause] = field(default_factory=dict)
    _made: dict[str, _Made] = field(default_factory=dict)
    _refused: str = ""  # the guards that failed last, one for each graph of the function
    _logging: bool = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Hold the hooks in place."""
        with hooks.installed(self._wrappers()):
            yield

    def of_exception(self, error: BaseException) -> Seen:
        """Describe what a call raised: a break under fullgraph, or any other error."""
        if isinstance(error, exc.FailOnRecompileLimitHit):
            return self._at_limit(of_error(error))
        if not isinstance(error, exc.Unsupported):
            return of_error(error)
        text = str(error.msg)
        stack, above = self._place(text, error)
        return Seen(
            effect="error", causes=causes.chain(text, self._fields), stack=stack, above=above
        )

    def _wrappers(self) -> dict[Hook, Callable[[Any], Callable[..., Any]]]:
        return {
            _FORMAT: self._format,
            _LOG: self._log,
            _SUPPRESSED: self._suppressed,
            _REASONS: self._reasons,
            _TRACE: self._trace,
        }

    def _format(self, original: Callable[..., str]) -> Callable[..., str]:
        def format_graph_break_message(
            gb_type: str, context: str, explanation: str, hints: list[str]
        ) -> str:
            text = original(gb_type, context, explanation, hints)
            key = text.strip("\n")
            self._fields[key] = causes.of_fields(gb_type, context, explanation, hints)
            self._made[key] = stacks.running_chain(), stacks.above_dynamo()
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

    def _suppressed(self, original: Callable[..., str]) -> Callable[..., str]:
        def format_error_msg(exc: Any, code: Any, *rest: Any, **more: Any) -> str:
            if getattr(exc, "gb_type", None) == _LIMIT:
                self.breaks.append(self._limit(exc, code))
            elif not isinstance(exc, _SOFT):
                self.breaks.append(swallowed(exc, code))
            return original(exc, code, *rest, **more)

        return format_error_msg

    def _reasons(self, original: Callable[..., list[str]]) -> Callable[..., list[str]]:
        def get_and_maybe_log_recompilation_reasons(
            cache_entries: Any, frame: Any, *rest: Any, **more: Any
        ) -> list[str]:
            reasons = original(cache_entries, frame, *rest, **more)
            if reasons:
                self._refused = recompiles.failed(reasons, frame)
                self.breaks.append(recompiled(reasons, frame))
            return reasons

        return get_and_maybe_log_recompilation_reasons

    def _trace(self, original: Callable[..., None]) -> Callable[..., None]:
        def trace_structured(name: str, metadata_fn: Any = dict, **options: Any) -> None:
            if name == "artifact" and metadata_fn().get("name") == ARTIFACT and not self._logging:
                self._read(str(options["payload_fn"]()))
            original(name, metadata_fn, **options)

        return trace_structured

    def _handled(self, reason: str, error: Any) -> Seen:
        text = str(getattr(error, "msg", None) or error)
        found = (
            causes.chain(text, self._fields)
            if isinstance(error, exc.Unsupported)
            else (causes.of_exception(error),)
        )
        stack, above = self._place(text, error)
        seen = Seen(effect=effect_of(reason, found), causes=found, stack=stack, above=above)
        root = self._root_of(error)
        if root is None or seen.effect != "frame_dropped":
            return seen
        return replace(seen, causes=(*root.causes, *found), stack=root.stack, above=root.above)

    def _root_of(self, error: BaseException) -> Seen | None:
        """Find the break at which a graph could not be ended: mending that mends both.

        Dynamo says so in the text where a break meets another in the same attempt, but not where it
        starts over: then it knows where the graph has to end, and fails at that.
        """
        reason = ended_for(error)
        if reason is None:
            return None
        place = reason.user_stack[-1:] and reason.user_stack[-1]
        for seen in reversed(self.breaks):
            at = seen.stack[-1:] and seen.stack[-1]
            if at and place and (at.path, at.line) == (place.filename, place.lineno):
                return seen
        return None

    def _place(self, text: str, error: BaseException) -> tuple[stacks.Stack, stacks.Stack]:
        root = text.split(causes.MARKER)[0].strip("\n")
        chain, above = self._made.get(root) or ((), stacks.above_dynamo())
        return stacks.of_exception(error, chain), above

    def _limit(self, error: Any, code: Any) -> Seen:
        """Describe a function that Dynamo leaves to eager, after too many versions of it."""
        return self._at_limit(
            Seen(
                effect="recompile_limit",
                causes=causes.chain(str(error.msg), self._fields),
                stack=(locate(code.co_filename, code.co_firstlineno),),
                above=stacks.above_dynamo(),
            )
        )

    def _at_limit(self, limit: Seen) -> Seen:
        """Put the recompilation that the limit forbids into it: where, and which guards failed."""
        if not self.breaks or self.breaks[-1].effect != "recompile":
            return limit
        forbidden = self.breaks.pop()
        root, *rest = limit.causes
        context = f"{root.context}; failed, newest graph first: {self._refused}".removeprefix("; ")
        return replace(
            limit,
            causes=(replace(root, context=short(context)), *rest),
            stack=forbidden.stack or limit.stack,
            above=forbidden.above,
        )

    def _read(self, text: str) -> None:
        """Read a break from the structured trace, which the other hook did not see."""
        site = _SITE.match(text)
        if site is None:
            return
        found = _REASON.search(text)
        reason = found[1] if found else text
        # the reason has a sentence in front of the message
        known = [(reason.find(key), key) for key in self._fields if key in reason]
        start, key = min(known, default=(max(reason.find(":\n\n") + 3, 0), ""))
        chain = causes.chain(reason[start:], self._fields)
        traced, above = self._made.get(key) or ((), stacks.above_dynamo())
        stack = tuple(one.place for one in traced) or (locate(site[1], int(site[2])),)
        self.breaks.append(
            Seen(effect=effect_of(reason, chain), causes=chain, stack=stack, above=above)
        )
