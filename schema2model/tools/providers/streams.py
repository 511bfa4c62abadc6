"""The streams of each provider: what their chunks hold, and the messages that they add up to.

OpenAI chat completions, "chat.completion.chunk", as other servers and LiteLLM send it; OpenAI
Responses, "streaming events"; Anthropic messages, "streaming"; Gemini API,
`GenerateContentResponse`; LangChain, `AIMessageChunk`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from schema2model.json.quoting import abridged_repr
from schema2model.tools.assembler import Assembler, OpenCall, text_of_object
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

__all__ = ["assembler_class"]

UNNAMED: Final = "unknown"
"""The name in the message of a call that came without one: providers refuse an empty name."""


def assembler_class(provider: str) -> Callable[..., Assembler]:
    """Return the class that reads the streams of a provider.

    Raises:
        ValueError: for an unknown provider.

    """
    if provider not in _ASSEMBLERS:
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

        known = suggestion(provider, _ASSEMBLERS)
        message = f"unknown provider of streams {abridged_repr(provider)}; {known}"
        raise ValueError(message)
    return _ASSEMBLERS[provider]


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


class ChatAssembler(Assembler):
    """Reads chunks of chat completions, of the first choice."""

    reads_text = True
    _LEGACY: Final = "function_call"
    _THOUGHTS: Final = ("reasoning_content", "reasoning")
    """The members with a model's thinking, which some servers want back."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._members: dict[str, str] = {}
        self._is_legacy = False

    def read(self, chunk: Any) -> None:
        """Take the delta of the first choice; a chunk of usage has none."""
        choices = member(chunk, "choices")
        if not isinstance(choices, (list, tuple)):
            raise _wrong_chunk(chunk, "chat completions")
        for choice in choices:
            if member(choice, "index") in {None, 0}:
                delta = member(choice, "delta")
                self._delta(member(choice, "message") if delta is None else delta)
                self.end_reply(member(choice, "finish_reason"))

    def _delta(self, delta: Any) -> None:
        for text in _texts(member(delta, "content")):
            self.add_text(text)
        for name in ("refusal", *self._THOUGHTS):
            if isinstance(text := member(delta, name), str):
                self._members[name] = self._members.get(name, "") + text
        legacy = member(delta, "function_call")
        if legacy is not None:
            self._is_legacy = True
            name, arguments = member(legacy, "name"), member(legacy, "arguments")
            self.add_piece(arguments, key=self._LEGACY, name=name)
        for call in member(delta, "tool_calls") or ():
            part = member(call, "function")
            found = self.add_piece(
                member(part, "arguments"),
                key=member(call, "index"),
                id_=member(call, "id"),
                name=member(part, "name"),
            )
            if found is not None:
                known = {"index", "id", "type", "function"}
                extras = {
                    key: value for key, value in message_members(call).items() if key not in known
                }
                found.extras.update((k, v) for k, v in extras.items() if v is not None)

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return an item of `tool_calls`, or the only `function_call`."""
        function = {"name": call.name or UNNAMED, "arguments": arguments}
        if self._is_legacy:
            return function
        return {"id": call.id, "type": "function", "function": function, **call.extras}

    def build_messages(self) -> list[Any]:
        """Return one message of the assistant."""
        content = "".join(self._prose)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": content or None,
            **self._members,
        }
        if calls := [call.result.call for call in self._calls if call.result is not None]:
            message.update(
                {"function_call": calls[0]} if self._is_legacy else {"tool_calls": calls}
            )
        return [message] if content or calls or self._members else []

    def write(self) -> Write:
        """Return the function that writes messages of tools, or of the function."""
        return function_messages if self._is_legacy else tool_messages


class ResponsesAssembler(Assembler):
    """Reads the events of OpenAI's Responses API."""

    _CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
    _DELTAS: Final = (
        "response.function_call_arguments.delta",
        "response.custom_tool_call_input.delta",
    )
    _DONE: Final = {
        "response.function_call_arguments.done": "arguments",
        "response.custom_tool_call_input.done": "input",
    }
    _ENDS: Final = ("response.completed", "response.incomplete", "response.failed")

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._items: list[Any] = []  # a call as an `OpenCall`

    def read(self, chunk: Any) -> None:
        """Take an event."""
        kind = member(chunk, "type")
        if not isinstance(kind, str) or not (kind.startswith("response.") or kind == "error"):
            raise _wrong_chunk(chunk, "the Responses API")
        key, id_ = member(chunk, "output_index"), member(chunk, "item_id")
        if kind == "response.output_text.delta":
            self.add_text(member(chunk, "delta"))
        elif kind in self._DELTAS:
            self._keep(self.add_piece(member(chunk, "delta"), key=key, id_=id_))
        elif kind in self._DONE:
            text = member(chunk, self._DONE[kind])
            self._whole(self.add_piece(key=key, id_=id_, name=member(chunk, "name")), text)
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            self._item(member(chunk, "item"), key, is_done=kind.endswith("done"))
        elif kind in self._ENDS:
            response = member(chunk, "response")
            if not self._items:
                self._whole_output(member(response, "output") or ())
            self.end_reply(member(response, "status") or kind.removeprefix("response."))
        elif kind == "error":
            self.end_reply("failed")

    def _whole_output(self, items: Iterable[Any]) -> None:
        """Take the items of a response that has not streamed, and the text in them."""
        has_text = bool(self._prose)
        for number, item in enumerate(items):
            self._item(item, number, is_done=True)
            for part in member(item, "content") or ():
                if member(part, "type") == "output_text" and not has_text:
                    self.add_text(member(part, "text"))

    def _item(self, item: Any, key: Any, *, is_done: bool) -> None:
        """Take an item; those that are not calls are kept when they are complete."""
        member_name = self._CALLS.get(member(item, "type"))
        if member_name is None:
            if is_done:
                self._items.append(item)
            return
        call = self.add_piece(key=key, id_=member(item, "id"), name=member(item, "name"))
        if call is not None:
            call.extras["item"] = item
            self._whole(call, member(item, member_name) if is_done else None)
            if is_done:
                call.end()

    def _whole(self, call: OpenCall | None, text: Any) -> None:
        """Take the whole text of a call, if there is one."""
        self._keep(call)
        if call is not None and isinstance(text, str):
            call.replace(text)

    def _keep(self, call: OpenCall | None) -> None:
        if call is not None and call not in self._items:
            self._items.append(call)

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return an item of the output: the stream's own, with all of its arguments."""
        item = call.extras.get("item")
        kind = member(item, "type") or "function_call"
        key, id_ = self._CALLS[kind], member(item, "call_id") or call.id
        if item is not None and member(item, key) == arguments:
            return item
        return {
            "type": kind,
            "call_id": id_,
            "name": call.name or UNNAMED,
            key: arguments,
        }

    def build_messages(self) -> list[Any]:
        """Return the items of the output."""
        called = [
            item.result.call if isinstance(item, OpenCall) and item.result is not None else item
            for item in self._items
        ]
        return [item for item in called if not isinstance(item, OpenCall)]

    def write(self) -> Write:
        """Return the function that writes items of output."""
        return responses_outputs


class AnthropicAssembler(Assembler):
    """Reads the events of Anthropic's messages."""

    prefix = "toolu"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._blocks: list[Any] = []  # a call as an `OpenCall`
        self._by_index: dict[Any, Any] = {}

    def read(self, chunk: Any) -> None:
        """Take an event."""
        kind, index = member(chunk, "type"), member(chunk, "index")
        if kind == "content_block_start":
            self._start(member(chunk, "content_block"), index)
        elif kind == "content_block_delta":
            self._delta(member(chunk, "delta"), index)
        elif kind == "content_block_stop":
            self.end(index) if index is not None else self.end()
        elif kind == "message_delta":
            self.end_reply(member(member(chunk, "delta"), "stop_reason"))
        elif kind == "error":
            self.end_reply("failed")
        elif not isinstance(kind, str) or member(chunk, "choices") is not None:
            raise _wrong_chunk(chunk, "Anthropic's messages")

    def _start(self, block: Any, index: Any) -> None:
        if member(block, "type") == "tool_use":
            call = self.begin(key=index, id_=member(block, "id"), name=member(block, "name"))
            if given := member(block, "input"):
                call.add(text_of_object(given))
            known = {"type", "id", "name", "input"}
            extras = {key: value for key, value in _plain(block).items() if key not in known}
            call.extras.update(extras)
            kept: Any = call
        else:
            kept = _plain(block)
            self.add_text(kept.get("text"))
        self._blocks.append(kept)
        self._by_index[index] = kept

    def _delta(self, delta: Any, index: Any) -> None:
        block: Any = self._by_index.get(index)
        kind = member(delta, "type")
        if kind == "input_json_delta" and not isinstance(block, dict):
            call = self.add_piece(member(delta, "partial_json"), key=index)
            if call is not None and call not in self._blocks:
                self._blocks.append(call)
        elif kind == "input_json_delta":  # of a tool that runs on the server
            block["_json"] = block.get("_json", "") + (member(delta, "partial_json") or "")
        elif kind == "citations_delta" and isinstance(block, dict):
            block["citations"] = [*(block.get("citations") or ()), member(delta, "citation")]
        else:
            for key in ("text", "thinking", "signature"):
                if isinstance(piece := member(delta, key), str):
                    self._grow(block, key, piece)

    def _grow(self, block: Any, key: str, piece: str) -> None:
        if not isinstance(block, dict):  # the block's beginning has been lost
            block = {"type": key if key == "text" else "thinking"}
            self._blocks.append(block)
        block[key] = (block.get(key) or "") + piece
        if key == "text":
            self.add_text(piece)

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return a block of `tool_use`."""
        block = {"type": "tool_use", "id": call.id, "name": call.name or UNNAMED}
        return {**block, "input": _object(arguments), **call.extras}

    def build_messages(self) -> list[Any]:
        """Return one message of the assistant; an empty text is left out, as the API refuses it."""
        content = []
        for block in self._blocks:
            if isinstance(block, OpenCall):
                content += [block.result.call] if block.result is not None else []
            elif block.get("type") != "text" or block.get("text"):
                text = block.pop("_json", None)
                content.append(block if text is None else {**block, "input": _object(text)})
        return [{"role": "assistant", "content": content}] if content else []

    def write(self) -> Write:
        """Return the function that writes one message of the user."""
        return anthropic_results


class GeminiAssembler(Assembler):
    """Reads the responses of Gemini, of the first candidate."""

    prefix = ""
    _STEP: Final = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\[(['"])((?:[^\\]|\\.)*?)\3\]""")

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._parts: list[Any] = []  # a call as an `OpenCall`
        self._is_json = False

    def read(self, chunk: Any) -> None:
        """Take the parts of the first candidate; a chunk of usage has none."""
        members = message_members(chunk)
        known = ("candidates", "usage_metadata", "usageMetadata", "prompt_feedback")
        if not any(key in members for key in (*known, "promptFeedback")):
            raise _wrong_chunk(chunk, "Gemini")
        for candidate in member(chunk, "candidates") or ():
            if member(candidate, "index") in {None, 0}:
                for part in member(member(candidate, "content"), "parts") or ():
                    self._part(part)
                self.end_reply(reason_word(candidate))

    def _part(self, part: Any) -> None:
        call = member(part, "function_call")
        if call is None and (call := member(part, "functionCall")) is not None:
            self._is_json = True
        if call is not None:
            self._call(call, part)
            return
        self.end()
        text, thought = member(part, "text"), member(part, "thought")
        if isinstance(text, str) and not thought:
            self.add_text(text)
        given = {key: value for key, value in _plain(part).items() if value is not None}
        last: Any = self._parts[-1] if self._parts else None
        is_text = isinstance(last, dict) and given.keys() <= {"text", "thought"}
        if is_text and last.keys() == given.keys() and last.get("thought") == thought:
            last["text"] += text
        elif given not in ({"text": ""}, {}):
            self._parts.append(given)

    def _call(self, call: Any, part: Any) -> None:
        """Take a whole call, or a piece of one: only Vertex AI sends pieces."""
        pieces = member(call, "partial_args") or member(call, "partialArgs") or ()
        goes_on = member(call, "will_continue") or member(call, "willContinue")
        name, args = member(call, "name"), member(call, "args")
        last = self._last
        is_piece = last is not None and not last.ended and "value" in last.extras
        if name or not is_piece or last is None:
            self.end()
            last = self.begin(id_=member(call, "id"), name=name)
            self._parts.append(last)
            given = _plain(part)
            last.extras["part"] = {
                key: value
                for key, value in given.items()
                if key not in {"function_call", "functionCall"} and value is not None
            }
            if goes_on or pieces:
                last.extras["value"] = dict(args or {})
            else:
                last.parsed = True
                last.replace(text_of_object(args or {}))
        for piece in pieces:
            last.is_refused |= not self._put(last.extras["value"], piece)
        if "value" in last.extras and not goes_on:
            last.replace(text_of_object(last.extras["value"]))
            last.end()

    def _put(self, value: Any, piece: Any) -> bool:
        """Put a piece where its path leads; return whether it leads anywhere."""
        path = member(piece, "json_path") or member(piece, "jsonPath") or ""
        found = [*self._STEP.finditer(path)]
        if not found or "$" + "".join(match[0] for match in found) != path:
            return False
        steps = [match[1] or match[4] if match[2] is None else int(match[2]) for match in found]
        content: Any = None
        for key in ("string_value", "number_value", "bool_value"):
            camel = key.replace("_v", "V")
            given = member(piece, key)
            given = member(piece, camel) if given is None else given
            content = given if content is None else content
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
                _set(value, step, former + content if is_next else content)
            elif is_new:
                _set(value, step, [] if isinstance(following, int) else {})
            value = value[step]
        return True

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return the call of a part."""
        id_ = {"id": call.id} if call.id is not None else {}
        return {"name": call.name or UNNAMED, "args": _object(arguments), **id_}

    def build_messages(self) -> list[Any]:
        """Return one content of the model."""
        key = "functionCall" if self._is_json else "function_call"
        parts = [
            {key: part.result.call, **part.extras["part"]}
            if isinstance(part, OpenCall) and part.result is not None
            else part
            for part in self._parts
        ]
        parts = [part for part in parts if not isinstance(part, OpenCall)]
        return [{"role": "model", "parts": parts}] if parts else []

    def write(self) -> Write:
        """Return the function that writes one content of the user."""
        key = "functionResponse" if self._is_json else "function_response"
        return lambda results: gemini_responses(results, key)


def _set(container: Any, step: Any, value: Any) -> None:
    if isinstance(container, list) and step == len(container):
        container.append(value)
    else:
        container[step] = value


class LangChainAssembler(Assembler):
    """Reads the message chunks of LangChain."""

    reads_text = True
    gives_reason = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._chunk: Any = None  # the sum of all chunks, without their calls

    def read(self, chunk: Any) -> None:
        """Take a chunk, or a whole message where the model does not stream."""
        members = message_members(chunk)
        if "content" not in members and "tool_call_chunks" not in members:
            raise _wrong_chunk(chunk, "LangChain's messages")
        for text in _texts(member(chunk, "content")):
            self.add_text(text)
        pieces = member(chunk, "tool_call_chunks")
        for piece in pieces or ():
            self.add_piece(
                member(piece, "args"),
                key=member(piece, "index"),
                id_=member(piece, "id"),
                name=member(piece, "name"),
            )
        if pieces is None:
            for call in (
                *(members.get("tool_calls") or ()),
                *(members.get("invalid_tool_calls") or ()),
            ):
                self.begin(id_=member(call, "id"), name=member(call, "name"))
                self.add_piece(member(call, "args"))
                self.end()
        without = _without_calls(chunk)
        if self._chunk is None:
            self._chunk = without
        elif isinstance(without, Mapping):
            content = self._chunk["content"] + without["content"]
            self._chunk = {**self._chunk, "content": content}
        else:
            self._chunk += without
        metadata = member(chunk, "response_metadata")
        self.end_reply(reason_word(metadata) if metadata else None)
        if member(chunk, "chunk_position") == "last":
            self.end()

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return an item of `tool_calls`."""
        name = call.name or UNNAMED
        return {"name": name, "args": _object(arguments), "id": call.id, "type": "tool_call"}

    def build_messages(self) -> list[Any]:
        """Return the sum of all chunks, with the calls."""
        calls = [call.result.call for call in self._calls if call.result is not None]
        if self._chunk is None:
            return []
        if isinstance(self._chunk, Mapping):
            return [{**self._chunk, "tool_calls": calls}]
        return [self._chunk.model_copy(update={"tool_calls": calls})]


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


_ASSEMBLERS: Final[Mapping[str, Callable[..., Assembler]]] = {
    "openai": ChatAssembler,
    "gpt-oss": ChatAssembler,
    "litellm": ChatAssembler,
    "openai-responses": ResponsesAssembler,
    "anthropic": AnthropicAssembler,
    "gemini": GeminiAssembler,
    "langchain": LangChainAssembler,
}
