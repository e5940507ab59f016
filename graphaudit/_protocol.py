"""What parent and child tell each other: one job in, messages out, one JSON line each.

The messages go to a file and not to standard output: traced code prints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from graphaudit.model import DEEPEST, Depth, EntryPoint, Environment, Setting, Trace

if TYPE_CHECKING:
    from pathlib import Path


# what the entries of a job are: factories of calls, or of pairs
Kind = Literal["audit", "compare"]

# what may follow the stock traces of an entry
Step = Literal["default trace", "see-through", "confirmation", "comparison"]


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Folders that make a path portable. Absolute, without a slash at the end."""

    root: str  # where the scan was started
    torch: str = ""
    stdlib: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()  # installed packages that count as the user's own code


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of one file."""

    root: str
    path: str  # relative to root
    entries: tuple[EntryPoint, ...]
    answers: str  # the file to append messages to
    kind: Kind = "audit"
    depth: Depth = DEEPEST
    setting: Setting = Setting()
    roots: tuple[str, ...] = ()


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """torch is imported."""

    environment: Environment
    places: Places
    platform: str
    device: str = ""  # that is simulated


class NoTorch(msgspec.Struct, frozen=True, kw_only=True, tag="no-torch"):
    """torch cannot be imported."""

    message: str


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """This Python or this torch is none that we know."""

    message: str


class Impossible(msgspec.Struct, frozen=True, kw_only=True, tag="impossible"):
    """These surroundings cannot be had on this machine."""

    message: str


class Stubbed(msgspec.Struct, frozen=True, kw_only=True, tag="stubbed"):
    """Packages that a stand-in was imported for."""

    names: tuple[str, ...]


class ImportFailed(msgspec.Struct, frozen=True, kw_only=True, tag="import-failed"):
    """The file cannot be imported; none of its entries can be traced."""

    message: str


class Begin(msgspec.Struct, frozen=True, kw_only=True, tag="begin"):
    """An entry is about to be traced."""

    entry: str


class SoFar(msgspec.Struct, frozen=True, kw_only=True, tag="so-far"):
    """What an entry gave so far. It holds if the child ends or hangs in what it does next."""

    entry: str
    traces: tuple[Trace, ...]
    next: Step


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """An entry was traced, or could not be."""

    entry: str
    traces: tuple[Trace, ...]


class Left(msgspec.Struct, frozen=True, kw_only=True, tag="left"):
    """An entry that is not meant for this platform."""

    entry: str
    why: str


Message = (
    Ready | NoTorch | Refused | Impossible | Stubbed | ImportFailed | Begin | SoFar | Done | Left
)

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Message)


def send(message: Message, answers: Path) -> None:
    """Append a message. The file is opened each time: traced code may close what it finds."""
    with answers.open("ab") as file:
        file.write(_ENCODER.encode(message) + b"\n")


def read(line: bytes) -> Message:
    """Read one line.

    Raises:
        msgspec.DecodeError: The child was killed while it wrote.
    """
    return _DECODER.decode(line)
