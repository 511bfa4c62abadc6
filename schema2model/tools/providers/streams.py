"""The streams of each provider: what their chunks say, and the messages that they add up to.

A provider is a record of functions. One returns the events of a chunk, in no provider's words; one
writes a call for the message; one builds the messages of what has come.
OpenAI chat completions, "chat.completion.chunk", as other servers and LiteLLM send it; OpenAI
Responses, "streaming events"; Anthropic messages, "streaming"; Gemini API,
`GenerateContentResponse`; LangChain, `AIMessageChunk`.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from schema2model.json.quoting import abridged_repr
from schema2model.tools.assistant_message import (
    Write,
    anthropic_results,
    function_messages,
    gemini_responses,
    message_members,
    reason_word,
    responses_outputs,
    tool_messages,
)
from schema2model.tools.preparing import parsed_json
from schema2model.tools.providers.definitions import member

__all__ = ["ANTHROPIC", "CHAT", "RESPONSES", "STREAMS", "Event", "StreamShape", "stream_shape"]

UNNAMED: Final = "unknown"
"""The name in the message of a call that came without one: providers refuse an empty name."""


class Event(NamedTuple):
    """One thing that a chunk says.

    `kind` is `text` (for the user), `grow` (members of a block, whose strings go on), `block`
    (another block), `begin` (a call that no earlier piece belongs to), `piece` (of a call), `whole`
    (all of its arguments), `end` (of the call at the key, or of all), or `reason` (why the reply
    has ended).
    """

    kind: str
    key: Any = None
    content: Any = None
    id: Any = None
    name: Any = None
    extras: Mapping[str, Any] = {}
    reply: Any = 0
    """Which of several replies: the index of a choice or candidate."""
    source: Any = None
    """The part of the chunk that says it."""


@dataclass(frozen=True)
class StreamShape:
    """How one provider streams.

    Attributes:
        says: what it is called in messages.
        events: returns the events of a chunk; raises a `TypeError` for anything else.
        call: writes a call for the message, from its `OpenCall` and its text.
        build: builds the messages from the blocks, which contain the written calls.
        write: the function that writes the results of calls, of the same blocks.
        prefix: with what the ids begin that are given to calls without one.
        reads_text: whether the models of this provider may write calls as text.
        gives_reason: whether every complete stream says why it has ended.

    """

    events: Callable[[Any], Iterator[Event]]
    call: Callable[[Any, str], Any]
    build: Callable[[Any], list[Any]]
    write: Callable[[Any], Write]
    prefix: str = "call"
    reads_text: bool = False
    gives_reason: bool = True


def stream_shape(provider: str) -> StreamShape:
    """Return how a provider streams.

    Raises:
        ValueError: for an unknown provider.

    """
    if provider not in STREAMS:
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

        known = suggestion(provider, STREAMS)
        message = f"unknown provider of streams {abridged_repr(provider)}; {known}"
        raise ValueError(message)
    return STREAMS[provider]


def _wrong_chunk(chunk: Any, expected: str) -> TypeError:
    kind = type(chunk).__name__
    return TypeError(f"this {kind} is not a chunk of {expected}; pass each as the stream yields it")


def _texts(content: Any) -> Iterable[Any]:
    """The texts in a content, which may be a list of blocks."""
    if not isinstance(content, (list, tuple)):
        return (content,)
    return [
        each if isinstance(each, str) else member(each, "text")
        for each in content
        if isinstance(each, str) or member(each, "type") in {None, "text"}
    ]


def _object(text: str) -> Any:
    """The object of argument text, for messages that hold no text; repairs replace it later."""
    value = parsed_json(text)
    return value if isinstance(value, dict) else {}


def _plain(value: Any) -> Any:
    """An SDK's object as a mapping that can be changed and sent again."""
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    return message_members(value) if dump is None else dump(exclude_none=True)


def _others(owner: Any, *known: str) -> dict[str, Any]:
    """The members of an owner other than the known ones."""
    given = message_members(owner)
    return {key: value for key, value in given.items() if key not in known and value is not None}


# -------------------------------------------------------------------- OpenAI chat completions
_LEGACY: Final = "function_call"
_THOUGHTS: Final = ("refusal", "reasoning_content", "reasoning")
"""The members with a refusal and with a model's thinking, which some servers want back."""


def _chat_events(chunk: Any) -> Iterator[Event]:
    choices = member(chunk, "choices")
    if not isinstance(choices, (list, tuple)):
        raise _wrong_chunk(chunk, "chat completions")
    for choice in choices:
        at = member(choice, "index") or 0
        delta = member(choice, "delta")
        delta = member(choice, "message") if delta is None else delta
        for text in _texts(member(delta, "content")):
            yield Event("text", content=text, reply=at, source=delta)
        for name in _THOUGHTS:
            if isinstance(text := member(delta, name), str):
                yield Event("grow", "message", {name: text}, reply=at)
        if (legacy := member(delta, _LEGACY)) is not None:
            name, text = member(legacy, "name"), member(legacy, "arguments")
            yield Event("piece", _LEGACY, text, None, name, {_LEGACY: True}, at, legacy)
        for call in member(delta, "tool_calls") or ():
            part = member(call, "function")
            extras = _others(call, "index", "id", "type", "function")
            given = member(part, "arguments"), member(call, "id"), member(part, "name")
            yield Event("piece", member(call, "index"), *given, extras, at, call)
        yield Event("reason", content=member(choice, "finish_reason"), reply=at)


def _chat_call(call: Any, arguments: str) -> Any:
    function = {"name": call.name or UNNAMED, "arguments": arguments}
    if _LEGACY in call.extras:
        return function
    return {"id": call.id, "type": "function", "function": function, **call.extras}


def _chat_message(reply: Any) -> list[Any]:
    content, members = "".join(reply.prose), reply.at.get("message", {})
    message: dict[str, Any] = {"role": "assistant", "content": content or None, **members}
    if calls := reply.written:
        is_legacy = any(_LEGACY in call.extras for call in reply.calls)
        message.update({_LEGACY: calls[0]} if is_legacy else {"tool_calls": calls})
    return [message] if content or calls or members else []


def _chat_write(reply: Any) -> Write:
    is_legacy = any(_LEGACY in call.extras for call in reply.calls)
    return function_messages if is_legacy else tool_messages


CHAT: Final = StreamShape(_chat_events, _chat_call, _chat_message, _chat_write, reads_text=True)


# -------------------------------------------------------------------------- OpenAI responses
_ITEMS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_DELTAS: Final = {
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": "custom_tool_call",
}
_DONES: Final = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
}
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")


def _response_events(chunk: Any) -> Iterator[Event]:
    kind = member(chunk, "type")
    if not isinstance(kind, str) or not (kind.startswith("response.") or kind == "error"):
        raise _wrong_chunk(chunk, "the Responses API")
    key, id_ = member(chunk, "output_index"), member(chunk, "item_id")
    if kind == "response.output_text.delta":
        yield Event("text", key, member(chunk, "delta"), source=chunk)
    elif kind in _DELTAS:
        yield Event("piece", key, member(chunk, "delta"), id_, source=chunk)
    elif kind in _DONES:
        text = member(chunk, _DONES[kind])
        yield Event("whole", key, text, id_, member(chunk, "name"), source=chunk)
    elif kind in {"response.output_item.added", "response.output_item.done"}:
        yield from _item_events(member(chunk, "item"), key, is_done=kind.endswith("done"))
    elif kind in _ENDS:
        yield from _end_events(chunk, kind)
    elif kind == "error":
        yield Event("reason", content="failed")


def _end_events(chunk: Any, kind: str) -> Iterator[Event]:
    """Yield the events of the whole response, for items that were not streamed."""
    response = member(chunk, "response")
    for number, item in enumerate(member(response, "output") or ()):
        for event in _item_events(item, number, is_done=True):
            yield event._replace(kind=f"late {event.kind}")
        for part in member(item, "content") or ():
            if member(part, "type") == "output_text":
                yield Event("late text", number, member(part, "text"))
    yield Event("reason", content=member(response, "status") or kind.removeprefix("response."))


def _item_events(item: Any, key: Any, *, is_done: bool) -> Iterator[Event]:
    """Tell of an item; those that are not calls are blocks when they are complete."""
    name = _ITEMS.get(member(item, "type"))
    if name is None:
        if is_done:
            yield Event("block", key, item)
        return
    text = member(item, name) if is_done else None
    own = member(item, "id"), member(item, "name")
    yield Event("whole", key, text, *own, {"item": item}, source=item)
    if is_done:
        yield Event("end", key, source=item)


def _response_call(call: Any, arguments: str) -> Any:
    """An item of the output: the stream's own, with all of its arguments."""
    item = call.extras.get("item")
    kind = member(item, "type") or "function_call"
    key, id_ = _ITEMS[kind], member(item, "call_id") or call.id
    if item is not None and member(item, key) == arguments:
        return dict(item) if isinstance(item, Mapping) else copy.copy(item)  # it may be mended
    return {"type": kind, "call_id": id_, "name": call.name or UNNAMED, key: arguments}


RESPONSES: Final = StreamShape(
    _response_events, _response_call, lambda reply: reply.built(), lambda _: responses_outputs
)


# ---------------------------------------------------------------------- Anthropic's messages
def _message_events(chunk: Any) -> Iterator[Event]:
    kind, index = member(chunk, "type"), member(chunk, "index")
    if kind == "content_block_start":
        block = member(chunk, "content_block")
        if member(block, "type") == "tool_use":
            extras = _others(_plain(block), "type", "id", "name", "input")
            own = member(block, "id"), member(block, "name"), extras
            yield Event("begin", index, member(block, "input") or None, *own, source=block)
        else:
            kept = _plain(block)
            yield Event("block", index, kept, source=block)
            yield Event("text", index, kept.get("text"), source=block)
    elif kind == "content_block_delta":
        yield from _delta_events(member(chunk, "delta"), index, chunk)
    elif kind == "content_block_stop":
        yield Event("end", index, source=chunk)
    elif kind in {"message_delta", "error"}:
        reason = member(member(chunk, "delta"), "stop_reason")
        yield Event("reason", content="failed" if kind == "error" else reason)
    elif not isinstance(kind, str) or member(chunk, "choices") is not None:
        raise _wrong_chunk(chunk, "Anthropic's messages")


def _delta_events(delta: Any, index: Any, chunk: Any) -> Iterator[Event]:
    name = member(delta, "type")
    if name == "input_json_delta":
        yield Event("piece", index, member(delta, "partial_json"), source=chunk)
    elif name == "citations_delta":
        yield Event("grow", index, {"citations": [member(delta, "citation")]})
    else:
        for key in ("text", "thinking", "signature"):
            if isinstance(piece := member(delta, key), str):
                made = {"type": key if key == "text" else "thinking"}
                yield Event("grow", index, {key: piece}, extras=made, source=chunk)
                if key == "text":
                    yield Event("text", index, piece, source=chunk)


def _message_call(call: Any, arguments: str) -> Any:
    block = {"type": "tool_use", "id": call.id, "name": call.name or UNNAMED}
    return {**block, "input": _object(arguments), **call.extras}


def _message(reply: Any) -> list[Any]:
    """One message of the assistant; an empty text is left out, as the API refuses it."""
    content = []
    for block in reply.built():
        if block.get("type") != "text" or block.get("text"):
            pieces = block.pop("pieces", None)
            content.append(block if pieces is None else {**block, "input": _object(pieces)})
    return [{"role": "assistant", "content": content}] if content else []


ANTHROPIC: Final = StreamShape(
    _message_events, _message_call, _message, lambda _: anthropic_results, prefix="toolu"
)


# ------------------------------------------------------------------------------------ Gemini
_CALL_KEYS: Final = ("function_call", "functionCall")
_CHUNK_KEYS: Final = ("candidates", "usage_metadata", "prompt_feedback")
_STEP: Final = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\[(['"])((?:[^\\]|\\.)*?)\3\]""")


def _either(owner: Any, key: str) -> Any:
    """A member of Gemini's, whose name is in Python's spelling or in JSON's."""
    found = member(owner, key)
    return member(owner, _in_camel_case(key)) if found is None else found


def _in_camel_case(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(map(str.title, rest))


def _gemini_events(chunk: Any) -> Iterator[Event]:
    members = message_members(chunk)
    if not any(key in members for key in (*_CHUNK_KEYS, "usageMetadata", "promptFeedback")):
        raise _wrong_chunk(chunk, "Gemini")
    for candidate in member(chunk, "candidates") or ():
        at = member(candidate, "index") or 0
        for part in member(member(candidate, "content"), "parts") or ():
            yield from (event._replace(reply=at) for event in _part_events(part))
        yield Event("reason", content=reason_word(candidate), reply=at)


def _part_events(part: Any) -> Iterator[Event]:
    key = next((key for key in _CALL_KEYS if member(part, key) is not None), None)
    given = {name: value for name, value in _plain(part).items() if value is not None}
    if key is None:
        yield Event("end")
        thought = member(part, "thought")
        if not thought:
            yield Event("text", content=member(part, "text"))
        is_text = given.keys() <= {"text", "thought"}
        if given not in ({"text": ""}, {}):
            yield Event("join" if is_text else "block", content=given)
        return
    call = member(part, key)
    kept = {"key": key, "part": {k: v for k, v in given.items() if k not in _CALL_KEYS}}
    own = member(call, "id"), member(call, "name"), kept
    pieces, goes_on = _either(call, "partial_args") or (), _either(call, "will_continue")
    # only Vertex AI sends pieces: each has a path to its value
    kind = "paths" if pieces or goes_on else "object"
    yield Event(kind, content=member(call, "args") or {}, id=own[0], name=own[1], extras=own[2])
    for piece in pieces:
        values = [_either(piece, f"{kind}_value") for kind in ("string", "number", "bool")]
        value = next((value for value in values if value is not None), None)
        yield Event("path", _either(piece, "json_path") or "", value)
    if not goes_on:
        yield Event("end paths")


def put_at(value: Any, path: str, content: Any) -> bool:
    """Put a piece where its path leads; return whether it leads anywhere.

    >>> value = {"a": ["x"]}
    >>> put_at(value, "$.a[0]", "y"), value
    (True, {'a': ['xy']})
    """
    found = [*_STEP.finditer(path)]
    if not found or "$" + "".join(match[0] for match in found) != path:
        return False
    steps = [match[1] or match[4] if match[2] is None else int(match[2]) for match in found]
    step: Any
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        is_list = isinstance(value, list)
        if isinstance(step, int) is not is_list or not isinstance(value, (list, dict)):
            return False
        if is_list and step > len(value):
            return False
        is_new = step == len(value) if is_list else step not in value
        if following is None:
            former = None if is_new else value[step]
            is_next = isinstance(former, str) and isinstance(content, str)
            made = former + content if is_next else content
        else:
            made = ([] if isinstance(following, int) else {}) if is_new else value[step]
        if isinstance(value, list) and is_new:
            value.append(made)
        else:
            value[step] = made
        value = made
    return True


def _gemini_call(call: Any, arguments: str) -> Any:
    id_ = {"id": call.id} if call.id is not None else {}
    return {"name": call.name or UNNAMED, "args": _object(arguments), **id_}


def _spelled(reply: Any, key: str) -> str:
    is_json = any(call.extras.get("key") == "functionCall" for call in reply.calls)
    return _in_camel_case(key) if is_json else key


def _gemini_content(reply: Any) -> list[Any]:
    """One content of the model."""
    key = _spelled(reply, "function_call")
    parts = reply.built(lambda call: {key: call.result.call, **call.extras["part"]})
    return [{"role": "model", "parts": parts}] if parts else []


def _gemini_write(reply: Any) -> Write:
    return functools.partial(gemini_responses, key=_spelled(reply, "function_response"))


GEMINI: Final = StreamShape(_gemini_events, _gemini_call, _gemini_content, _gemini_write, prefix="")


# --------------------------------------------------------------------------------- LangChain
def _langchain_events(chunk: Any) -> Iterator[Event]:
    members = message_members(chunk)
    if "content" not in members and "tool_call_chunks" not in members:
        raise _wrong_chunk(chunk, "LangChain's messages")
    for text in _texts(member(chunk, "content")):
        yield Event("text", content=text)
    pieces = member(chunk, "tool_call_chunks")
    for piece in pieces or ():
        own = member(piece, "args"), member(piece, "id"), member(piece, "name")
        yield Event("piece", member(piece, "index"), *own)
    if pieces is None:  # a whole message: the model does not stream
        for call in (
            *(members.get("tool_calls") or ()),
            *(members.get("invalid_tool_calls") or ()),
        ):
            own = member(call, "args"), member(call, "id"), member(call, "name")
            yield Event("begin", None, *own)
            yield Event("end")
    yield Event("add", content=_without_calls(chunk))
    metadata = member(chunk, "response_metadata")
    yield Event("reason", content=reason_word(metadata) if metadata else None)
    if member(chunk, "chunk_position") == "last":
        yield Event("end")


def _without_calls(chunk: Any) -> Any:
    """A chunk without its calls, which LangChain would join by their indexes alone."""
    if isinstance(chunk, Mapping):
        kept = {"role": "assistant", "content": chunk.get("content") or ""}
        return {**kept, **{key: chunk[key] for key in ("id", "type") if key in chunk}}
    raw = {
        key: v
        for key, v in chunk.additional_kwargs.items()
        if key not in {"tool_calls", "function_call"}
    }
    calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}
    if hasattr(chunk, "tool_call_chunks"):
        calls["tool_call_chunks"] = []
    return chunk.model_copy(update={"additional_kwargs": raw, **calls})


def _langchain_call(call: Any, arguments: str) -> Any:
    name = call.name or UNNAMED
    return {"name": name, "args": _object(arguments), "id": call.id, "type": "tool_call"}


def _langchain_message(reply: Any) -> list[Any]:
    """The sum of all chunks, with the calls."""
    whole, calls = reply.sum, {"tool_calls": reply.written}
    if whole is None:
        return []
    return [{**whole, **calls} if isinstance(whole, Mapping) else whole.model_copy(update=calls)]


LANGCHAIN: Final = StreamShape(
    _langchain_events,
    _langchain_call,
    _langchain_message,
    lambda _: tool_messages,
    reads_text=True,
    gives_reason=False,
)


STREAMS: Final[Mapping[str, StreamShape]] = {
    "openai": CHAT,
    "gpt-oss": CHAT,
    "litellm": CHAT,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "langchain": LANGCHAIN,
}
