"""What a run made of the machine: simulated devices, and packages that are not as installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from graphaudit.reporters._paint import flow
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from graphaudit.model import Environment


def ran_on_lines(ran_on: Environment, *, width: int) -> list[Text]:
    """Draw what a run stood on, and before it what differs from the machine as it is."""
    torch = f"torch {ran_on.torch}" if ran_on.torch else "no torch"
    versions = f"{torch}, python {ran_on.python}, graphaudit {ran_on.graphaudit}"
    return [*_world_lines(ran_on, width=width), Text(versions, "dim")]


def _world_lines(ran_on: Environment, *, width: int) -> list[Text]:
    """Draw a line of all that differs from the machine as it is; none where nothing does."""
    devices = ", ".join(f"{name} ({device})" for name, device in sorted(ran_on.devices.items()))
    words = {
        "simulated": devices,
        "without": ", ".join(ran_on.without),
        "broken": ", ".join(ran_on.broken),
        "stubs": ", ".join(ran_on.stubs),
    }
    pieces = [Text(visible(f"{word}: {what}"), "dim") for word, what in words.items() if what]
    return flow(pieces, width=width, indent=4) if pieces else []
