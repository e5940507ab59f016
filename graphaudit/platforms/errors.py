"""What a simulation cannot do."""

from __future__ import annotations


class SimulationError(Exception):
    """The platform cannot be simulated here; the message says why, and the next step."""


class NotSimulated(RuntimeError):  # noqa: N818 - says what is the case
    """A question to the simulated device that has no answer: `not simulated: QUERY on DEVICE`.

    It is a `RuntimeError`, as what a driver raises, so that the program's own handlers see it. It
    has no code of its own: Dynamo can trace where it is raised.
    """
