"""A service whose methods are tools, with a context that the model knows nothing of.

Run it: `python examples/service.py`. It needs no network and no model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from schema2model import ToolError, Toolset


@dataclass
class Guest:
    """Who is on the line; the application knows, and the model must not choose."""

    name: str


@dataclass
class Room:
    """What a guest asks for."""

    beds: int
    sea_view: bool = False


@dataclass
class Hotel:
    """The service: an ordinary class."""

    free: int = 3
    bookings: list[str] = field(default_factory=list)

    def book(self, guest: Guest, arrival: date, rooms: list[Room], notes: str | None = None) -> str:
        """Book rooms.

        Args:
            guest: filled in by the application.
            arrival: The day of arrival.
            rooms: One entry for each room.
            notes: Anything the guest wishes.

        """
        if len(rooms) > self.free:
            message = f"only {self.free} rooms are free; offer fewer"
            raise ToolError(message)
        self.free -= len(rooms)
        beds = sum(room.beds for room in rooms)
        self.bookings.append(f"{guest.name}, {arrival:%d %B}, {beds} beds, {notes or 'no notes'}")
        return self.bookings[-1]

    def vacancies(self) -> int:
        """How many rooms are free."""
        return self.free


CALLS: list[tuple[str, Any]] = [
    ("vacancies", ""),
    # Numbers, booleans and lists as strings: read by the schema.
    ("book", '{"arrival": "2025-07-01", "rooms": "[{\\"beds\\": \\"2\\"}]"}'),
    ("book", {"arrival": "2025-07-02", "rooms": [{"beds": 1, "sea_view": "yes"}]}),
    # A tool says itself what the model should do about it.
    ("book", {"arrival": "2025-07-03", "rooms": [{"beds": 1}, {"beds": 1}]}),
    # What cannot be read is refused with what was expected and found.
    ("book", {"arrival": "next summer", "rooms": [{"beds": "some"}]}),
    ("book", {"arrival": "next summer", "rooms": []}),
    ("boook", {"arrival": "2025-07-03"}),
]


def main() -> list[str]:
    """Answer every call as an agent would."""
    tools = Toolset.from_object(Hotel(), inject=(Guest,))
    return [answer(tools, name, arguments) for name, arguments in CALLS]


def answer(tools: Toolset, name: str, arguments: Any) -> str:
    """Run one call; what goes wrong is an answer, too."""
    try:
        return str(tools.prepare(name, arguments).call(guest=Guest("Ada")))
    except ToolError as error:
        return str(error)


if __name__ == "__main__":
    print("\n\n".join(main()))
