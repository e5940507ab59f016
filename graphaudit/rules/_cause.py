"""What a rule may ask of a break's root cause. Pure text work: torch's own words, taken apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphaudit.model import Cause

if TYPE_CHECKING:
    from graphaudit.model import Break

_SKIPPED: Final = re.compile(r"(?:module: ([^,]*), )?qualname: ([^,]*),")
_BUILTIN: Final = re.compile(r"builtin (\w+) ")
_METHOD: Final = re.compile(r"call_method \w+\((?:<class ')?([\w.]*)'?>?\) (\w+)")
_SLOT: Final = re.compile(r"name=(\w+), type=([\w.]+), method=")
_LOGGER: Final = re.compile(r"method: <Logger [^>]*>\.(\w+)")
_TARGET: Final = re.compile(r"target: (?:<(?:built-in )?function )?([\w.]+)")
_RAISED: Final = re.compile(r"raised exception (.+)|: got (\w+\(.+\))(?:\n|$)")
_CALL: Final = re.compile(r"call_function \w+\(<class '([\w.]+)'>\)")


def root(found: Break) -> Cause:
    """Get the first cause; one without any text if there is none."""
    return found.causes[0] if found.causes else Cause(gb=None, gb_type="")


def told(found: Break) -> str:
    """Give the explanation of a finding of our own, after what it is about."""
    cause = root(found)
    about = f"`{cause.context}`: " if cause.context else ""
    return f"{about}{cause.explanation}" if cause.gb is None and cause.explanation else ""


def is_type(found: Break, *gb_types: str) -> bool:
    """Tell whether the root cause is of one of these types."""
    return root(found).gb_type in gb_types


def in_context(found: Break, *parts: str) -> bool:
    """Tell whether Dynamo's context holds one of these texts."""
    return any(part in root(found).context for part in parts)


def says(found: Break, *parts: str) -> bool:
    """Tell whether the type, the context or the explanation holds one of these texts."""
    cause = root(found)
    text = f"{cause.gb_type}\n{cause.context}\n{cause.explanation}"
    return any(part in text for part in parts)


def in_source(found: Break, *parts: str) -> bool:
    """Tell whether the user's line holds one of these texts."""
    return any(part in found.site.source for part in parts)


def in_library(found: Break, *parts: str) -> bool:
    """Tell whether the library file that broke has one of these texts in its path."""
    return found.library is not None and any(part in found.library.path for part in parts)


def is_skipped_call(found: Break) -> bool:
    """Tell whether Dynamo refuses to trace the function that is called."""
    return "function marked as skipped" in root(found).gb_type


def skipped_module(found: Break) -> str:
    """Name the module of the function that Dynamo refuses to trace; "" if that is not the cause."""
    match = _SKIPPED.search(root(found).context) if is_skipped_call(found) else None
    return (match[1] or "") if match else ""


def skipped_name(found: Break) -> str:
    """Name the function that Dynamo refuses to trace, such as "Random.sample"; else ""."""
    match = _SKIPPED.search(root(found).context) if is_skipped_call(found) else None
    return match[2] if match else ""


def skips_from(found: Break, *modules: str) -> bool:
    """Tell whether Dynamo refuses a function of one of these modules or their submodules."""
    name = skipped_module(found)
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def builtin(found: Break) -> str:
    """Name the builtin that Dynamo cannot trace, such as "print"; "" if that is not the cause."""
    match = _BUILTIN.match(root(found).context)
    return match[1] if match else ""


def class_called(found: Break) -> str:
    """Name the class whose method Dynamo cannot trace, such as "lock"; else ""."""
    match = _METHOD.search(root(found).context)
    return match[1] if match else ""


def callee(found: Break) -> str:
    """Name what was called, as near to the user's words as Dynamo's context allows; else ""."""
    if name := skipped_name(found):
        module = skipped_module(found)
        return f"{module}.{name}" if module.replace(".", "").isidentifier() else name
    context = root(found).context
    if method := _METHOD.search(context):
        return ".".join(filter(None, method.groups()))
    if method := _SLOT.search(context):
        return f"{method[2]}.{method[1]}"
    matches = (pattern.search(context) for pattern in (_BUILTIN, _LOGGER, _CALL, _TARGET))
    return next((match[1] for match in matches if match), "")


def exception(found: Break) -> str:
    """Name the exception that ended the trace, such as "KeyError('b')"; "" if there is none."""
    cause = root(found)
    if match := _RAISED.search(cause.context) or _RAISED.search(cause.explanation):
        return match[1] or match[2]
    if found.effect == "error" and cause.gb is None:
        return ": ".join(
            filter(None, (cause.gb_type, cause.explanation.partition("\n")[0].strip()))
        )
    return ""
