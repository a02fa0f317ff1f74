"""Stops loops of AI agents: a guard denies the tool calls that continue one, and ends a run that does not leave it."""

from ._guard import Guard, Mode, Stats
from ._types import Decision, Event

__all__ = ["Decision", "Event", "Guard", "Mode", "Stats"]
__version__ = "0.1.0"
