"""A failed guard, read from Dynamo's words: what it is about, what it was, where it comes from.

Pure text work. The forms are those of `torch/_dynamo/guards.py` and of the guards in C++
(`torch/csrc/dynamo/guards.cpp`): a condition that held when the graph was made, or a sentence.
Behind it stand the line that made the guard and, for some, a hint or a stack. A form that is not
known is a guard all the same: it is told as it stands.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_BEFORE: Final = "the value from before a graph break"
SIZES: Final = "the range of a size"
_ID: Final = re.compile(r"^!?\d+(?:/\d+)+(?:_\d+)?: ")
_COMMENT: Final = re.compile(r"\s{2,}# ")
_PLACE: Final = re.compile(r"# (\S+):(\d+) in \S+( \(user code shown is first use)?")
_FRAME: Final = re.compile(r'^  File "(.+)", line (\d+), in ', re.MULTILINE)
_HINT: Final = re.compile(r"\(HINT: (?!type )(.+?)\)(?:\n|$)")
_ADDRESS: Final = re.compile(r"(?<=, )\d{6,}(?=\))")
_SCOPE: Final = re.compile(r"\b[LG]\['(\w+)'\]")
_MODULE: Final = re.compile(r"\b__import_(\w+?)(?=\b)")
_HELD: Final = re.compile(r"\.(?:_modules|_parameters|_buffers|__dict__)\['(\w+)'\]")
# the items of a list and the layers of a model, but not the arguments of a call
_NUMBERED: Final = re.compile(r"(?<!\bargs)\[\d+\]|(?<=\.)\d+\b")
_STACK: Final = re.compile(r"\b___stack\d+\b|\bstack\d+\b")

_TENSOR: Final = re.compile(
    r"tensor '(?P<subject>.+)' (?P<what>[\w ]+?) mismatch(?P<at> at index \d+)?\. "
    r"expected (?P<before>.+?)(?:, actual (?P<after>.+?))?\.?$"
)
_NO_TENSOR: Final = re.compile(
    r"expected type of '(?P<subject>.+)' to be a tensor type, ?'? but found (?P<after>.+)$"
)
_TYPE: Final = re.compile(
    r"___check_type_id\((?P<subject>.+), \d+\), type=<\w+ '(?P<before>[^']+)'>"
)
_OBJECT: Final = re.compile(r"___check_obj_id\((?P<subject>.+), \d+\)")
_LENGTH: Final = re.compile(
    r"(?:len|___tuple_iterator_len)\((?P<subject>.+)\) [=!]= (?P<before>\d+)$"
)
_KEYS: Final = re.compile(
    r"list\((?:dict\.keys\((?P<one>[^()]+)\)|(?P<two>[^()]+)\.keys\(\))\)"
    r"(?:\[\d+\])? =="
)
_HAS_KEY: Final = re.compile(
    r"(?:not )?(?:___dict_contains\(.+, (?P<subject>[^,]+)\)"
    r"|set\.__contains__\((?P<other>.+), .+\))$"
)
_HAS_ATTRIBUTE: Final = re.compile(r"(?:not )?hasattr\((?P<subject>.+), '\w+'\)$")
_STATE: Final = re.compile(r"GLOBAL_STATE changed: (?P<subject>.+?)\s*$")
_GONE: Final = re.compile(r"Cache line invalidated because (?P<subject>.+) got deallocated")
_BACKEND: Final = re.compile(r"BACKEND_MATCH failure")
_SIZES: Final = re.compile(r"\.(?:size|stride|storage_offset)\(\)")
_EQUAL: Final = re.compile(r"(?P<subject>[^=<>!]+?) (?:==|is) (?P<before>[^=<>]+)$")
_SHARED: Final = re.compile(r"Duplicate tensors? found|^[^=<>]+ is (?!not\b|None\b)[\w.\[\]'\"]+$")
_NOT_NONE: Final = re.compile(r"(?P<subject>.+) is not None$")
_EMPTY: Final = re.compile(r"^not (?P<subject>[\w.\[\]'\"]+)$")
_MODE_STACK: Final = re.compile(r"___check_torch_function_mode_stack\(\)")


@dataclass(frozen=True, slots=True)
class Told:
    """What a guard tells."""

    kind: str  # "the number `i`": what changed, without its values
    before: str = ""  # what the graph was made for; "" where that is not told
    after: str = ""
    at: str = ""  # "at index 0"
    expression: str = ""  # whose value it is about, in the names of the frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A guard that failed."""

    said: str  # in Dynamo's words, without its comments
    told: Told
    hint: str = ""  # Dynamo's own
    frames: tuple[tuple[str, int], ...] = ()  # files and lines on the way to it, outermost first
    place: tuple[str, int] | None = None  # the end of a path and the line, where it has no frames


def read(reason: str) -> Guard:
    """Read one of Dynamo's reasons for a recompilation."""
    text, _, stack = _ID.sub("", reason).partition("\nUser stack trace:\n")
    said = _COMMENT.split(text, maxsplit=1)[0].strip()
    hint = _HINT.search(text)
    frames = tuple((path, int(line)) for path, line in _FRAME.findall(stack))
    return Guard(
        said=_ADDRESS.sub("<id>", said),
        told=_told(said),
        hint=hint[1] if hint else "",
        frames=frames,
        place=_place(text),
    )


def without_value(guard: Guard) -> Guard:
    """Leave out the value that a guard compares with, where it compares one for equality."""
    equal = _EQUAL.search(guard.said) if guard.told.expression else None
    if equal is None:
        return guard
    said = f"{guard.said[: equal.start('before')]}..."
    return replace(guard, said=said, told=replace(guard.told, before=""))


def named(expression: str) -> str:
    """Spell a guard's expression as a reader of the program would."""
    name = _SCOPE.sub(r"\1", expression)
    name = _MODULE.sub(lambda found: found[1].replace("_dot_", "."), name)
    name = _HELD.sub(r".\1", name)
    return _STACK.sub("...", name)


def _told(said: str) -> Told:
    for pattern, tell in _FORMS:
        if found := pattern.search(said):
            return tell(found)
    return Told(f"the guard `{_general(said)}`")


def _quoted(expression: str) -> str:
    """Name what a guard is about, behind "of"; the names that Dynamo makes are not the program's.

    What was computed before a graph break comes into the code behind it as `___stack0`.
    """
    name = _SCOPE.sub(r"\1", expression)
    made = _STACK.match(name)
    if made is None:
        return f"`{_general(name)}`"
    rest = _general(name[made.end() :])
    return f"`{rest}` of {_BEFORE}" if rest else _BEFORE


def _apposed(sort: str, expression: str) -> str:
    """Name a thing of a sort: the number `x`, the number from before a graph break."""
    quoted = _quoted(expression)
    return f"the {sort} {quoted.removeprefix('the value ') if quoted == _BEFORE else quoted}"


def _general(expression: str) -> str:
    """Name an expression so that the layers of a model, or the items of a list, are one."""
    return _NUMBERED.sub("[...]", named(expression)).replace(".[...]", "[...]")


def _place(text: str) -> tuple[str, int] | None:
    found = list(_PLACE.finditer(text))
    # the first use of a size is no reason: a comparison that follows is
    best = next((one for one in found if not one[3]), found[0] if found else None)
    return (best[1], int(best[2])) if best else None


def _tensor(found: re.Match[str]) -> Told:
    before, after = found["before"], found["after"] or ""
    if flag := re.match(r"requires_grad=(\d)", before):
        before, after = ("False", "True") if flag[1] == "0" else ("True", "False")
    kind = f"the {found['what']} of {_quoted(found['subject'])}"
    return Told(kind, before, after, at=(found["at"] or "").strip())


def _no_tensor(found: re.Match[str]) -> Told:
    return Told(f"the type of {_quoted(found['subject'])}", "a tensor's", found["after"])


def _type(found: re.Match[str]) -> Told:
    subject = found["subject"]
    return Told(f"the type of {_quoted(subject)}", found["before"], expression=f"type({subject})")


def _length(found: re.Match[str]) -> Told:
    subject, before = found["subject"], found.groupdict().get("before") or "0"
    return Told(f"the length of {_quoted(subject)}", before, expression=f"len({subject})")


def _not_none(found: re.Match[str]) -> Told:
    return Told(_apposed("value", found["subject"]), "something", "None")


def _equal(found: re.Match[str]) -> Told:
    subject, before = found["subject"], found["before"]
    return Told(_apposed(_sort(before), subject), before, expression=subject)


def _sort(literal: str) -> str:
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return "value"
    sorts = {bool: "flag", int: "number", float: "number", str: "text"}
    return sorts.get(type(value), "value")


def _plain(kind: str) -> Callable[[re.Match[str]], Told]:
    """Tell what changed, where the guard does not say from what to what."""
    return lambda found: Told(kind.format(_general(_subject(found))))


def _plain_of(kind: str) -> Callable[[re.Match[str]], Told]:
    """Tell what changed of something, where the guard does not say from what to what."""
    return lambda found: Told(f"{kind} of {_quoted(_subject(found))}")


def _object(found: re.Match[str]) -> Told:
    return Told(_apposed("object", _subject(found)))


def _subject(found: re.Match[str]) -> str:
    return next(filter(None, found.groupdict().values()), "")


# asked in this order: what is specific comes first
_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Told]], ...]] = (
    (_TENSOR, _tensor),
    (_NO_TENSOR, _no_tensor),
    (_SHARED, _plain("the sharing of tensors")),
    (_BACKEND, _plain("the backend")),
    (_STATE, _plain("the global state {}")),
    (_GONE, _plain_of("the lifetime")),
    (_MODE_STACK, _plain("the active function modes")),
    (_TYPE, _type),
    (_OBJECT, _object),
    (_SIZES, _plain(SIZES)),
    (_LENGTH, _length),
    (_KEYS, _plain_of("the keys")),
    (_HAS_KEY, _plain_of("the keys")),
    (_HAS_ATTRIBUTE, _plain_of("the attributes")),
    (_EMPTY, _length),
    (_NOT_NONE, _not_none),
    (_EQUAL, _equal),
)
