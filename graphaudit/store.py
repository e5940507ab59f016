"""Reports and baselines as bytes, and bytes onto the disk."""

from __future__ import annotations

import codecs
import re
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import msgspec

from graphaudit._atomic import write_atomic
from graphaudit.errors import BaselineError, GraphauditError, ReportError
from graphaudit.model import SCHEMA, Accepted, Comparison, Report

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = (
    "decode_baseline",
    "decode_found",
    "decode_report",
    "encode_baseline",
    "encode_comparison",
    "encode_report",
    "write_atomic",
)

_BYTE: Final = re.compile(r"\(byte (\d+)\)")
_AFTER: Final = "graphaudit scan --output-format json --output"


class _Header(msgspec.Struct):
    schema: int
    pairs: msgspec.Raw = msgspec.Raw()  # of a comparison


class _Baseline(msgspec.Struct):
    accepted: tuple[msgspec.Raw, ...]


def encode_report(report: Report) -> bytes:
    """Give the JSON of the contract: its keys in its order, two spaces, a newline at the end."""
    return _contract(report)


def encode_comparison(comparison: Comparison) -> bytes:
    """Give a comparison as JSON, in the form of a report."""
    return _contract(comparison)


def decode_found(data: bytes, name: str) -> Report | Comparison:
    """Read what `encode_report` or `encode_comparison` wrote, as `decode_report` does."""
    data = data.removeprefix(codecs.BOM_UTF8)
    header = _checked_header(data, name, ReportError)
    if bytes(header.pairs):
        return _decoded(data, name, Comparison)
    return _decoded(data, name, Report)


def decode_report(data: bytes, name: str) -> Report:
    """Read what `encode_report` wrote, whatever keys a later version added.

    Raises:
        ReportError: Not JSON, another schema, a wrong type, or a comparison; `name` says in which
            file.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    header = _checked_header(data, name, ReportError)
    if bytes(header.pairs):
        raise ReportError(
            f"{name}: this is a comparison of pairs, which no baseline is for; "
            f"give the report that `{_AFTER} FILE` wrote"
        )
    return _decoded(data, name, Report)


_Found = TypeVar("_Found", Report, Comparison)


def _decoded(data: bytes, name: str, kind: type[_Found]) -> _Found:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        if b'"accepted": [' in data[:100]:
            raise ReportError(
                f"{name}: this is a baseline, not a report; give the report that `{_AFTER} FILE` "
                f"wrote, and this file as --baseline {name}"
            ) from error
        raise ReportError(
            f"{name}: not a report: {_where(error, data)}; write it again with `{_AFTER} {name}`"
        ) from error


def encode_baseline(accepted: Iterable[Accepted]) -> bytes:
    """Give the baseline as JSON, sorted, one accepted site a line: a review reads its diff."""
    lines = sorted(accepted, key=lambda line: tuple(map(str, astuple(line))))
    texts = [b"\n  " + msgspec.json.format(_encode(_short(line)), indent=0) for line in lines]
    body = b",".join(texts) + (b"\n " if texts else b"")
    return b'{"schema": %d,\n "accepted": [%b]}\n' % (SCHEMA, body)


def decode_baseline(data: bytes, name: str) -> tuple[Accepted, ...]:
    """Read a baseline, also one that was edited by hand.

    Raises:
        BaselineError: Not JSON, another schema, or an accepted site that lacks a key or has a wrong
            value; the message names the line of the file.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    _checked_header(data, name, BaselineError)
    try:
        items = msgspec.json.decode(data, type=_Baseline).accepted
    except (msgspec.DecodeError, RecursionError) as error:
        raise BaselineError(
            f"{name}: not a baseline: {_where(error, data)}; correct it, or write it again "
            "with `graphaudit scan --update-baseline`"
        ) from error
    accepted: list[Accepted] = []
    start = 0
    for item in items:
        start = data.index(bytes(item), start)
        accepted.append(_accepted(bytes(item), f"{name}: line {_line(data, start)}"))
        start += len(bytes(item))
    return tuple(accepted)


def _accepted(text: bytes, where: str) -> Accepted:
    try:
        return msgspec.json.decode(text, type=Accepted)
    except msgspec.DecodeError as error:
        shown = text.decode(errors="replace")[:100]
        raise BaselineError(
            f"{where}: {error}, in {shown}; a line needs entry, platform, fingerprint, effect "
            "and reason"
        ) from error


def _checked_header(data: bytes, name: str, error_type: type[GraphauditError]) -> _Header:
    try:
        header = msgspec.json.decode(data, type=_Header)
    except (msgspec.DecodeError, RecursionError) as error:
        _refuse_header(error, data, name, error_type)
    if header.schema != SCHEMA:
        raise error_type(
            f"{name}: this graphaudit reads schema {SCHEMA}, the file has schema {header.schema}; "
            "write it again with this version, or read it with the one that wrote it"
        )
    return header


def _refuse_header(
    error: Exception, data: bytes, name: str, error_type: type[GraphauditError]
) -> NoReturn:
    wrong_value = isinstance(error, msgspec.ValidationError)
    kind = f"no schema {SCHEMA} file of graphaudit" if wrong_value else "not JSON"
    raise error_type(
        f"{name}: {kind}: {_where(error, data)}; is it the right file, and is it whole?"
    ) from error


def _where(error: Exception, data: bytes) -> str:
    """Say it in msgspec's words, with the line where those give a byte."""
    byte = _BYTE.search(str(error))
    return f"{error}, line {_line(data, int(byte[1]))}" if byte else str(error)


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _short(line: Accepted) -> dict[str, Any]:
    """Leave out what holds for most lines."""
    plain = _plain(line)
    if line.seen_by == "trace":
        del plain["seen_by"]
    return plain


def _contract(record: Report | Comparison) -> bytes:
    plain = _plain(record)
    ordered = {"schema": plain.pop("schema"), **plain}
    return msgspec.json.format(_encode(ordered), indent=2) + b"\n"


def _plain(record: Report | Comparison | Accepted) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(record, order="deterministic")
    return plain


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_printable(value))


def _printable(value: Any) -> Any:
    """Spell out lone surrogates, which come in with a target's texts: JSON cannot carry them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value
