"""The record of a trace: each place once, with its causes, in order of execution."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc

from graphaudit._dynamo import causes, stacks
from graphaudit._dynamo.see_through.sight import SeenSite, Sight
from graphaudit._dynamo.see_through.signals import GRAPH_BREAKS, translators
from graphaudit._target.belongs import is_runtime, is_targets
from graphaudit.model import Cause, Location, StoppedAt

if TYPE_CHECKING:
    from collections.abc import Iterator

Order = tuple[int, ...]

_OBSERVED: Final = "Observed exception"


@dataclass(slots=True, eq=False)
class Draft:
    """A site in the making."""

    causes: tuple[Cause, ...]
    stack: stacks.Stack
    above: stacks.Stack
    order: Order
    below: bool
    error: bool  # torch.compile raises here
    secondary: bool = False

    def sealed(self) -> SeenSite:
        """Give the site."""
        return SeenSite(
            causes=self.causes,
            stack=self.stack,
            above=self.above,
            below=self.below,
            secondary=self.secondary,
        )


class Record:
    """Keeps the sites of one see-through trace."""

    def __init__(self, *, fullgraph: bool) -> None:
        self._fullgraph = fullgraph
        self._texts: dict[str, Cause] = {}
        self._by_instruction: dict[Any, Draft] = {}
        self._by_place: dict[Any, Draft] = {}
        self._prefix: Order = ()
        self._clock = count()
        self._caller: stacks.Stack = ()  # what called the call that is traced
        self._above: stacks.Stack = ()  # the same and what called the frame that is traced
        self.doubt: StoppedAt | None = None

    def note(self, tx: Any, error: Any, *, secondary: bool = False) -> Draft:
        """Record a failure in a translator, once; the same exception in a frame further out too."""
        known = getattr(error, "noted_site", None)
        if isinstance(known, Draft):
            return known
        count_before = len(self._by_place)
        draft = error.noted_site = self._draft(tx, error)
        is_new = len(self._by_place) > count_before
        draft.secondary = secondary and (is_new or draft.secondary)
        return draft

    def described(self, tx: Any, error: Any) -> tuple[tuple[Cause, ...], stacks.Stack]:
        """Give the causes and the place of a failure in a translator."""
        known = getattr(error, "noted_site", None)
        if isinstance(known, Draft):
            return known.causes, known.stack
        return self._causes(error), stacks.below_us(stacks.of_translator(tx))

    def note_stopped(self, error: BaseException) -> None:
        """Record a break that ended the trace and that no translator has noted."""
        if isinstance(error, GRAPH_BREAKS) and not hasattr(error, "noted_site"):
            stack = stacks.below_us(stacks.of_exception(error))
            place = preferred(stack) if stack else None
            known = {(key[0], key[1]) for key in self._by_place}
            if place and (place.path, place.line) not in known:
                self._entered(self._causes(error), stack, error=False)

    def remember(self, text: str, cause: Cause) -> None:
        """Keep the fields that a break's text was made of."""
        self._texts[text.strip("\n")] = cause

    def doubt_at(self, stack: stacks.Stack, why: str) -> None:
        """Note from where on the record may be incomplete; the first such place counts."""
        if self.doubt is None:
            place = preferred(stack) if stack else None
            self.doubt = StoppedAt(
                path=place.path if place else "", line=place.line if place else 0, why=why
            )

    @property
    def above(self) -> stacks.Stack:
        """The stack above the frame that is traced."""
        return self._above

    def called_from(self, above: stacks.Stack) -> None:
        """Note the stack above the frame that is about to be traced."""
        self._above = (*self._caller, *above)

    def next_order(self) -> Order:
        """Give the place in the order of execution of what happens now."""
        return (*self._prefix, next(self._clock))

    @contextmanager
    def below(self, order: Order, caller: stacks.Stack) -> Iterator[None]:
        """Count what is recorded as having happened at an earlier place in the order."""
        outer = self._prefix, self._clock, self._caller
        self._prefix, self._clock, self._caller = order, count(), caller
        try:
            yield
        finally:
            self._prefix, self._clock, self._caller = outer

    @property
    def is_below(self) -> bool:
        """Whether a frame below a real step is traced now."""
        return bool(self._prefix)

    def sight(self) -> Sight:
        """Give all that was recorded, in order of execution."""
        drafts = sorted(self._by_place.values(), key=lambda draft: draft.order)
        return Sight(
            sites=tuple(draft.sealed() for draft in drafts if not draft.error),
            errors=tuple(draft.sealed() for draft in drafts if draft.error),
            stopped_at=self.doubt,
        )

    def _draft(self, tx: Any, error: Any) -> Draft:
        found = self._causes(error)
        where = tuple((one.f_code, one.current_instruction.offset) for one in translators(tx))
        key = (where, found[0].gb_type)
        if key not in self._by_instruction:
            raises = not isinstance(error, (*GRAPH_BREAKS, exc.ObservedException))
            region = bool(tx.error_on_graph_break) and not self._fullgraph
            stack = _where(tx, error)
            self._by_instruction[key] = self._entered(found, stack, error=raises or region)
        return self._by_instruction[key]

    def _entered(self, found: tuple[Cause, ...], stack: stacks.Stack, *, error: bool) -> Draft:
        place, leaf = preferred(stack), stack[-1]
        key = (place.path, place.line, found[0].gb_type, leaf.path, leaf.line)
        if key not in self._by_place:
            self._by_place[key] = Draft(
                causes=found,
                stack=stack,
                above=self._above,
                order=self.next_order(),
                below=self.is_below,
                error=error,
            )
        return self._by_place[key]

    def _causes(self, error: BaseException) -> tuple[Cause, ...]:
        text = getattr(error, "msg", None)
        if isinstance(error, exc.Unsupported) and isinstance(text, str):
            return causes.chain(text, self._texts)
        if isinstance(error, exc.ObservedException):
            gb = causes.gb_id(_OBSERVED)
            return (Cause(gb=gb, gb_type=_OBSERVED, explanation=type(error).__name__),)
        return (causes.of_exception(error),)


def preferred(stack: stacks.Stack) -> Location:
    """Give the deepest place of the user's, else outside torch and the standard library."""
    inner = stack[::-1]
    mine = (place for place in inner if is_targets(place.path))
    others = (place for place in inner if not is_runtime(place.path))
    return next(mine, None) or next(others, None) or stack[-1]


def _where(tx: Any, error: BaseException) -> stacks.Stack:
    """Give the frames that were traced when something failed.

    An exception that nobody catches is met further out than where it was raised, where the frames
    between have handlers that raise it again.
    """
    raised = stacks.of_exception(error) if isinstance(error, exc.ObservedException) else ()
    return stacks.below_us(raised or stacks.of_translator(tx))
