"""An HTTP server in the place of a model's provider, which answers what it is asked to answer.

It speaks OpenAI's chat completions and responses and Anthropic's messages, whole and streamed. The
last message of the user is the script: the JSON of `Script`.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"
USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
LIMITED = {"chat": "length", "messages": "max_tokens", "responses": "incomplete"}


@dataclass(frozen=True)
class Script:
    """What a model answers.

    Args:
        calls: names, and arguments as text.
        say: what it says before them.
        end: None; `"limited"` where the tokens were used up; of a stream, `"early"` where nothing
            comes after the last fragment of arguments.
        size: how many characters a fragment has.
        first: the number of the first call, which is in its id.

    """

    calls: tuple[tuple[str, str], ...] = ()
    say: str = ""
    end: str | None = None
    size: int = 7
    first: int = 0

    @classmethod
    def of(cls, request: dict[str, Any]) -> Script:
        """The script that a request holds, in whichever API's shape."""
        messages = request.get("messages") or request.get("input")
        if isinstance(messages, str):
            return cls(**json.loads(messages))
        content = [m for m in messages if m.get("role") == "user"][-1]["content"]
        text = content if isinstance(content, str) else "".join(part["text"] for part in content)
        return cls(**json.loads(text))

    @property
    def text(self) -> str:
        """The script as a message."""
        return json.dumps(asdict(self))

    def fragments(self, text: str) -> Iterator[str]:
        """A text in the pieces in which a model writes it."""
        for start in range(0, len(text), self.size):
            yield text[start : start + self.size]


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The origin of a server, which ends with the context."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer as an API does."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content_type, parts = reply(self.path, request, Script.of(request))
        self.close_connection = True
        self.send_response(200)
        self.send_header("Connection", "close")
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in parts:
            self._chunk(part)
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing: tests read what is printed."""


_Events = Iterator[tuple[str, Any]]


def reply(path: str, request: Any, script: Script) -> tuple[str, Iterator[bytes]]:
    """The content type and the parts of the answer to a request at an API's path."""
    whole, streamed = _APIS[path.rpartition("/")[2]]
    if not request.get("stream"):
        return "application/json", iter([json.dumps(whole(script)).encode()])
    return "text/event-stream", map(_event, streamed(script))


def _event(named: tuple[str, Any]) -> bytes:
    name, event = named
    data = event if isinstance(event, str) else json.dumps(event)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data}\n\n".encode()


# ------------------------------------------------------------------------- chat completions
def _chat(script: Script) -> dict[str, Any]:
    calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(script.calls, script.first)
    ]
    message = {"role": "assistant", "content": script.say or None, "tool_calls": calls or None}
    reason = LIMITED["chat"] if script.end else "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL}
    return {**head, "choices": [choice], "usage": usage}


def _chat_events(script: Script) -> _Events:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> tuple[str, Any]:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in script.fragments(script.say):
        yield chunk({"content": piece})
    for index, (name, arguments) in enumerate(script.calls):
        function = {"name": name, "arguments": ""}
        id_ = f"call_{script.first + index}"
        call = {"index": index, "id": id_, "type": "function", "function": function}
        yield chunk({"tool_calls": [call]})
        for piece in script.fragments(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if script.end != "early":
        yield chunk({}, LIMITED["chat"] if script.end else "tool_calls" if script.calls else "stop")
        yield "", "[DONE]"


# -------------------------------------------------------------------------------- messages
def _messages(script: Script) -> dict[str, Any]:
    content: list[Any] = [{"type": "text", "text": script.say}] if script.say else []
    for index, (name, arguments) in enumerate(script.calls, script.first):
        call = {"type": "tool_use", "id": f"toolu_{index}", "name": name}
        content.append({**call, "input": json.loads(arguments)})
    reason = LIMITED["messages"] if script.end else "tool_use" if script.calls else "end_turn"
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL}
    return {**head, "content": content, "stop_reason": reason, "usage": USAGE}


def _messages_events(script: Script) -> _Events:
    def event(kind: str, **members: Any) -> tuple[str, Any]:
        return kind, {"type": kind, **members}

    message = {**_messages(Script()), "stop_reason": None}
    yield event("message_start", message=message)
    yield event("ping")
    blocks: list[tuple[Any, str, str, str]] = []
    if script.say:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", script.say))
    for index, (name, arguments) in enumerate(script.calls, script.first):
        start = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        blocks.append((start, "input_json_delta", "partial_json", arguments))
    for index, (start, kind, key, text) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=start)
        for piece in ("", *script.fragments(text)):
            delta = {"type": kind, key: piece}
            yield event("content_block_delta", index=index, delta=delta)
        if index == len(blocks) - 1 and script.end == "early":
            return
        yield event("content_block_stop", index=index)
    reason = LIMITED["messages"] if script.end else "tool_use" if script.calls else "end_turn"
    yield event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 2})
    yield event("message_stop")


# ------------------------------------------------------------------------------- responses
def _responses(script: Script) -> dict[str, Any]:
    status = LIMITED["responses"] if script.end else "completed"
    output: list[Any] = []
    if script.say:
        part = {"type": "output_text", "text": script.say, "annotations": []}
        message = {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed"}
        output.append({**message, "content": [part]})
    for index, (name, arguments) in enumerate(script.calls, script.first):
        call = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}"}
        output.append({**call, "name": name, "arguments": arguments, "status": status})
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": MODEL}
    rest = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "error": None}
    reason = {"reason": "max_output_tokens"} if script.end else None
    tail = {"status": status, "output": output, "usage": USAGE, "incomplete_details": reason}
    return {**head, **rest, **tail}


def _responses_events(script: Script) -> _Events:
    number = 0

    def event(kind: str, **members: Any) -> tuple[str, Any]:
        nonlocal number
        number += 1
        return kind, {"type": kind, "sequence_number": number, **members}

    whole = _responses(script)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=begun)
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            (part,) = item["content"]
            empty = {**part, "text": ""}
            place["content_index"] = 0
            added = {**item, "content": [], "status": "in_progress"}
            yield event("response.output_item.added", output_index=index, item=added)
            yield event("response.content_part.added", part=empty, **place)
            for piece in script.fragments(part["text"]):
                yield event("response.output_text.delta", delta=piece, logprobs=[], **place)
            yield event("response.output_text.done", text=part["text"], logprobs=[], **place)
            yield event("response.content_part.done", part=part, **place)
        else:
            added = {**item, "arguments": "", "status": "in_progress"}
            yield event("response.output_item.added", output_index=index, item=added)
            for piece in script.fragments(item["arguments"]):
                yield event("response.function_call_arguments.delta", delta=piece, **place)
            if item is whole["output"][-1] and script.end == "early":
                return
            done = {"arguments": item["arguments"], "name": item["name"]}
            yield event("response.function_call_arguments.done", **done, **place)
        yield event("response.output_item.done", output_index=index, item=item)
    kind = "response.incomplete" if script.end else "response.completed"
    yield event(kind, response=whole)


_APIS = {
    "completions": (_chat, _chat_events),
    "messages": (_messages, _messages_events),
    "responses": (_responses, _responses_events),
}
