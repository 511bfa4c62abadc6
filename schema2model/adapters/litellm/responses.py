"""Calls in OpenAI's responses: `output[].arguments` of type `function_call`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schema2model.adapters.litellm.arguments import HeldBack, HeldCall, RequestTools, put
from schema2model.tools.providers.definitions import member

__all__ = ["FINAL_EVENTS", "ResponsesStream", "correct_responses", "is_cut_off", "with_member"]

FINAL_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})
"""Events after which nothing comes."""


def correct_responses(response: Any, tools: RequestTools) -> None:
    """Correct the arguments in a whole response."""
    for item in member(response, "output"):
        text = _corrected(item, tools)
        if text is not None:
            put(item, "arguments", text)


def _corrected(item: Any, tools: RequestTools) -> Any:
    """The corrected arguments of an item; None if they are correct, or it is not a call."""
    if member(item, "type") != "function_call":
        return None
    given = member(item, "arguments")
    text = tools.text(member(item, "name"), given, cut_off=is_cut_off(item))
    return None if text is given else text


def is_cut_off(item: Any) -> bool:
    """Whether the model was stopped while it wrote an item."""
    return member(item, "status") == "incomplete"


class ResponsesStream:
    """Corrects a stream of events.

    There are as many as came, for they are numbered: of a call's fragments, each but the last
    becomes an empty one, and the last has all of the text. It is sent, and the end of the arguments
    with it, when the end of the item has shown whether the model was cut off.
    """

    def __init__(self, tools: RequestTools) -> None:
        self._tools = tools
        self._budget = HeldBack()
        self._passes = False  # everything, as it comes
        self._calls: dict[Any, _ItemCall] = {}

    def feed(self, event: Any) -> list[Any]:
        """Return the events to send for an event."""
        index = member(event, "output_index")
        call = self._calls.get(index)
        if event.type in FINAL_EVENTS:
            return [*self.finish(), self._ended(event)]
        if self._passes:
            return [event]
        if event.type == "response.output_item.added":
            released = [] if call is None else [*self._released(index)]
            if member(event.item, "type") == "function_call" and self._budget.allows([""]):
                self._calls[index] = _ItemCall(member(event.item, "name"))
            return [*released, event]
        if call is None:
            return [event]
        if event.type == "response.function_call_arguments.delta":
            return [*self._fragment(call, event)]
        if event.type == "response.function_call_arguments.done":
            call.done = event
            return []
        if event.type == "response.output_item.done":
            released = [*self._released(index, cut_off=is_cut_off(event.item))]
            return [*released, with_member(event, "item", self._item(event.item))]
        return [event]

    def finish(self, *, as_sent: bool = False) -> list[Any]:
        """Return what is held back when the stream ends early, or must be sent unchanged."""
        self._passes = self._passes or as_sent
        return [event for index in [*self._calls] for event in self._released(index)]

    def _fragment(self, call: _ItemCall, event: Any) -> Iterator[Any]:
        if not self._budget.allows([event.delta]):
            yield from self.finish(as_sent=True)
            yield event
            return
        call.add(event.delta)
        if call.last is not None:
            yield with_member(call.last, "delta", "")
        call.last = event

    def _released(self, index: Any, *, cut_off: bool = True) -> Iterator[Any]:
        """The arguments of an item, and their end, if that has come."""
        call = self._calls.pop(index)
        for event, key, given in (
            (call.last, "delta", call.text),
            (call.done, "arguments", member(call.done, "arguments")),
        ):
            if event is not None:
                as_sent = self._passes
                text = given if as_sent else self._tools.text(call.name, given, cut_off=cut_off)
                yield with_member(event, key, text)

    def _item(self, item: Any) -> Any:
        text = None if self._passes else _corrected(item, self._tools)
        return item if text is None else with_member(item, "arguments", text)

    def _ended(self, event: Any) -> Any:
        """The last event, which holds the whole response."""
        response = member(event, "response")
        given = member(response, "output") or []
        output = [self._item(item) for item in given]
        if all(ours is theirs for ours, theirs in zip(output, given, strict=True)):
            return event
        return with_member(event, "response", with_member(response, "output", output))


class _ItemCall(HeldCall):
    """A call, with the events that are held back."""

    def __init__(self, name: Any) -> None:
        super().__init__(name)
        self.last: Any = None
        self.done: Any = None


def with_member(owner: Any, key: str, value: Any) -> Any:
    """A copy with another member: what LiteLLM logs is what the provider sent."""
    if isinstance(owner, Mapping):
        return {**owner, key: value}
    return owner.model_copy(update={key: value})
