"""Calls in the text of a stream of events: a block of text is held until it has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schema2model.adapters.litellm.arguments import RequestTools
from schema2model.adapters.litellm.calls_in_text import ReadCall
from schema2model.limits import MAX_STREAMED_TEXT

__all__ = ["ReadTexts", "TextBlocks", "TextEvents"]


@dataclass(frozen=True)
class TextEvents:
    """How an API streams text and calls.

    Attributes:
        ending: whether the model came to its own end; None if the reply goes on after an event.
        place: the place of the block that an event is of; None of others.
        begins_text: whether an event begins a block of text.
        is_whole: whether the block that an event ends is complete; None if it ends none.
        piece: the part of its block that an event is of, and the text that it adds.
        with_prose: makes the events of a block with another text for each part.
        call: makes the events of a call at a place.
        moved: makes an event of a block at another place.
        last: makes the event that ends a reply, whose texts have been read.

    """

    ending: Callable[[Any], bool | None]
    place: Callable[[Any], Any]
    begins_text: Callable[[Any], bool]
    is_whole: Callable[[Any], bool | None]
    piece: Callable[[Any], tuple[Any, str]]
    with_prose: Callable[[list[Any], Any], Iterable[Any]]
    call: Callable[[ReadCall, int], Iterable[Any]]
    moved: Callable[[Any, int], Any]
    last: Callable[[Any, Any], Any]


class ReadTexts:
    """The texts of a block by the part that they are of: their prose, and the calls in them."""

    def __init__(self, tools: RequestTools, texts: Mapping[Any, str], *, whole: bool) -> None:
        read = {part: tools.read_text(text, whole=whole) for part, text in texts.items()}
        self.prose = {part: prose for part, (prose, _) in read.items()}
        self.calls = [call for _, calls in read.values() for call in calls]
        self.is_seen = not self.calls or any(prose.strip() for prose in self.prose.values())


class TextBlocks:
    """Takes the calls out of the text of a stream of events.

    A block of text is shown when the event after it says how the reply goes on, and the calls in it
    follow. Without prose, it is left out.
    """

    def __init__(self, api: TextEvents, tools: RequestTools) -> None:
        self._api = api
        self._tools = tools
        self._held: dict[Any, list[Any]] = {}  # the events of blocks of text, by their places
        self._size = 0  # of the text in them
        self._places: dict[Any, int] = {}  # of all blocks: where they were, and where they are
        self._count = 0
        self._read: list[ReadTexts] = []

    def feed(self, event: Any) -> Iterator[Any]:
        """Yield the events to send for an event."""
        api, ending = self._api, self._api.ending(event)
        for place, held in [*self._held.items()]:
            if ending is not None or api.is_whole(held[-1]) is not None:
                yield from self._shown(place, whole=ending is not False)
        place = api.place(event)
        if place is None:
            yield event if ending is None else api.last(event, self._read)
        elif place in self._held or api.begins_text(event):
            self._held.setdefault(place, []).append(event)
            self._size += len(api.piece(event)[1])
            if self._size > MAX_STREAMED_TEXT:
                yield from self.finish()
        else:
            yield self._moved(event, place)

    def finish(self) -> Iterator[Any]:
        """Yield what is held back when the stream ends early, or must be sent unchanged."""
        for place in [*self._held]:
            yield from self._shown(place, whole=False)

    def _shown(self, place: Any, *, whole: bool) -> Iterator[Any]:
        """Yield a block of text, and the calls in it."""
        held, pieces = self._held.pop(place), dict[Any, list[str]]()
        for part, text in map(self._api.piece, held):
            pieces.setdefault(part, []).append(text)
            self._size -= len(text)
        texts = {part: "".join(each) for part, each in pieces.items() if any(each)}
        is_whole = whole and self._api.is_whole(held[-1]) is not False
        read = ReadTexts(self._tools, texts, whole=is_whole)
        self._read.append(read)
        if read.is_seen:
            for event in self._api.with_prose(held, read) if read.calls else held:
                yield self._moved(event, place)
        for call in read.calls:
            yield from self._api.call(call, self._count)
            self._count += 1

    def _moved(self, event: Any, place: Any) -> Any:
        if place not in self._places:
            self._places[place], self._count = self._count, self._count + 1
        return self._api.moved(event, self._places[place])
