"""The limits on the work that the malformed texts of one call may cost together."""

from __future__ import annotations

from typing import Final

from schema2model.errors import NOT_JSON, TextError
from schema2model.limits import MAX_MALFORMED_TEXT, MAX_REPAIR_STEPS

__all__ = ["Budget"]

MIN_STEPS: Final = 1_500
"""Steps granted to each call, in addition to those for its characters."""
CHARACTERS_PER_STEP: Final = 4
"""Characters of malformed text that grant one step: a step takes some eight microseconds."""
SCANNED_PER_STEP: Final = 512
"""Characters that one scan takes in the time of a step."""


class Budget:
    """The work that the texts of one call may still cost."""

    __slots__ = ("_characters", "_granted", "_steps", "max_cost")

    def __init__(self) -> None:
        self.max_cost: int | None = None
        """The maximum cost of a reading, once a nearer one was accepted."""
        self._characters = MAX_MALFORMED_TEXT
        self._granted = self._steps = MIN_STEPS

    def take_characters(self, count: int) -> bool:
        """Take characters of malformed text, and return whether there were enough."""
        self._characters -= count
        more = min(count // CHARACTERS_PER_STEP, MAX_REPAIR_STEPS - self._granted)
        self._granted += more
        self._steps += more
        return self._characters >= 0

    def take_scan(self, count: int) -> None:
        """Take the steps of a scan over characters."""
        if steps := count // SCANNED_PER_STEP:
            self.take_steps(steps)

    def take_steps(self, count: int) -> None:
        """Take steps, or raise TextError if there are not enough."""
        self._steps -= count
        if self._steps < 0:
            raise TextError(NOT_JSON, " and too doubtful to repair")
