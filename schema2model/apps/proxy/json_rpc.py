"""Messages and lines of JSON-RPC: parsing, ids, answers."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import from_json

from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.parsing import NOTHING, exact_json
from schema2model.json.quoting import quoted
from schema2model.json.repeated_names import repeated_name
from schema2model.json.spans import item_spans, members_from
from schema2model.limits import MAX_DEPTH
from schema2model.tools.conversation import refused_result

__all__ = [
    "CLIENT_INFO",
    "CONNECTION_CLOSED",
    "HEAD_SIZE",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "VERSION",
    "Id",
    "answer_id",
    "as_id",
    "cancelled_id",
    "client_messages",
    "error_answer",
    "failure",
    "is_empty_answer",
    "is_json_line",
    "object_in",
    "refusal",
    "request_id",
    "server_messages",
    "text_of",
    "unchecked_id",
    "why_unchecked",
    "with_texts",
    "without_progress_token",
    "without_variants",
]

Id = str | int | float
"""The id of a request. 1 equals 1.0, as in JavaScript."""

CONNECTION_CLOSED = -32000
"""The code that SDKs have for a request whose answer will never come."""

INTERNAL_ERROR = -32603
INVALID_PARAMS = -32602
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
PARSE_ERROR = -32700

HEAD_SIZE = 4096
"""Characters at both ends of a message that is too long, in which its id is looked for."""

VERSION = "io.modelcontextprotocol/protocolVersion"
"""The member of `_meta` with the protocol version of a request, since MCP 2026-07-28."""

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
"""The member of `_meta` in which a client describes itself, since then."""


def client_messages(line: bytes) -> list[Any]:
    """Parse the messages in a line: one, or those of a batch, or none if it cannot be checked.

    What cannot be checked is not JSON, is nested deeper than arguments may be, or has a number that
    no float holds.
    """
    try:
        read = exact_json(line.decode())
    except UnicodeDecodeError:
        return []
    return [] if read is NOTHING else read if isinstance(read, list) else [read]


def why_unchecked(line: bytes) -> str:
    """Return the reason why `client_messages` returns nothing for a line.

    >>> why_unchecked(b'{"id": 1, "id": 2}')
    'there are two values for "id"'
    """
    name = repeated_name(line.decode(errors="replace"), None)
    if name is not None:
        return f"there are two values for {quoted(name)}"
    depth = f"is nested deeper than {MAX_DEPTH} levels"
    return f"this is not JSON, {depth}, or has a number out of range"


def server_messages(line: bytes) -> list[Any]:
    """Parse the messages in a line of a server by a faster parser, which is less strict.

    There are none in a line that is not JSON, or that is nested too deeply for a parser.
    """
    if (b"NaN" in line or b"Infinity" in line) and not is_json_line(line):
        return []  # which that parser would not notice
    try:
        read = from_json(line)
    except ValueError:  # perhaps for half a surrogate pair, which is JSON all the same
        return client_messages(line)
    return read if isinstance(read, list) else [read]


def is_json_line(line: bytes) -> bool:
    """Return whether a line is JSON; True also if it is nested too deeply to tell.

    >>> is_json_line(b'{"result": "NaN"}'), is_json_line(b'{"result": NaN}')
    (True, False)
    """
    try:
        json.loads(line, parse_constant=_refuse_constant)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def request_id(message: Any) -> Id | None:
    """Return the id of a request; None for anything else."""
    return as_id(message.get("id")) if isinstance(message, dict) and "method" in message else None


def answer_id(message: Any) -> Id | None:
    """Return the id of the request that a message answers; None for anything else."""
    is_answer = isinstance(message, dict) and "method" not in message
    return as_id(message.get("id")) if is_answer else None


def cancelled_id(message: Any) -> Id | None:
    """Return the id of the request that a notification cancels; None for any other message."""
    if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
        return None
    return as_id(object_in(message, "params").get("requestId"))


def object_in(message: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a member of a message that is an object; an empty one if it is anything else."""
    member = message.get(name)
    return member if isinstance(member, dict) else {}


def without_progress_token(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request for others like it: a progress token is for one."""
    meta = object_in(params, "_meta")
    if "progressToken" not in meta:
        return {**params}
    return {**params, "_meta": {name: meta[name] for name in meta if name != "progressToken"}}


def without_variants(members: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return an object without members that some parsers would take for others: `ID` for `id`.

    Args:
        members: the object, which is returned itself if it has none.
        names: the names that count, by their case-folded forms.

    >>> without_variants({"id": 1, "ID": 2, "more": 3}, {"id": "id"})
    {'id': 1, 'more': 3}

    """
    kept = {each: members[each] for each in members if names.get(each.casefold(), each) == each}
    return members if len(kept) == len(members) else kept


def is_empty_answer(message: dict[str, Any]) -> bool:
    """Return whether an answer has neither a result nor an error."""
    return message.get("jsonrpc") == "2.0" and not {"result", "error"} & message.keys()


def as_id(value: Any) -> Id | None:
    """Return a value that can be the id of a request; None for others, also NaN and infinities.

    >>> as_id(10**400) == 10**400, as_id(float("nan")), as_id([7])
    (True, None, None)
    """
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if is_finite or isinstance(value, (str, int)) else None


def text_of(message: Any) -> str:
    """Return the JSON text of a message.

    Raises:
        ValueError: where it has none.

    """
    return canonical_json(message, lone_surrogates=True)


def with_texts(messages: list[Any], line: bytes) -> list[tuple[Any, str]]:
    """Return the messages of a line, each with its text.

    >>> with_texts([{"id": 1}, {}], b'[{"id": 1.0}, {}]')
    [({'id': 1}, '{"id": 1.0}'), ({}, '{}')]
    """
    if not messages:  # then the line may be anything
        return []
    text = line.decode().strip()
    spans = item_spans(text) if text.startswith("[") else [(0, len(text))]
    return list(zip(messages, (text[start:end] for start, end in spans), strict=True))


def unchecked_id(head: bytes, tail: bytes = b"", *, answer: bool = False) -> Id | None:
    """Return the id of a request or an answer that cannot be parsed, or None.

    Args:
        head: the line, or the beginning of one that is too long.
        tail: the end of one that is too long.
        answer: it is an answer, without a method.

    >>> unchecked_id(b'{"method": "x", "id": 7, "params": 1e999}')
    7
    >>> unchecked_id(b'{"method": "x", "params": {"id": 1, "data": "AAAA', b'AAAA"}, "id": 7}')
    7
    >>> unchecked_id(b'{"id": 7, "error": {"code": NaN}}', answer=True)
    7
    >>> unchecked_id(b'{"id": 7, "params": "AAAA', b'AAAA", "method": "x"}', answer=True)

    """
    if len(head) > 2 * HEAD_SIZE:  # to parse 64 MiB would stop all threads for seconds
        tail = tail or head[-HEAD_SIZE:]
        head = head[:HEAD_SIZE]
    begun, end_of = head.decode(errors="replace"), tail.decode(errors="replace")
    members: dict[str, str] = {}
    with contextlib.suppress(ValueError):
        for name, start, end in members_from(begun):
            members[name] = begun[start:end]
    if last := _LAST_MEMBERS.search(end_of):
        members = {**dict(_MEMBER.findall(last[0])), **members}
    text = members.get("id")
    try:
        is_request = "method" in members
        is_answer = not is_request and (tail or {"result", "error"} & members.keys())
        is_meant = is_answer if answer else is_request or tail
        return as_id(json.loads(text)) if text and is_meant else None
    except ValueError:
        return None


_MEMBER: Final = re.compile(r'"([^"\\]*)"\s*:\s*(-?\d{1,18}|"[^"\\]*")\s*')
_LAST_MEMBERS: Final = re.compile(rf"(?:{_MEMBER.pattern},\s*){{0,3}}{_MEMBER.pattern}\}}\s*$")
"""At most four members whose values contain no others, at the end of a message: its own members."""


def refusal(call: dict[str, Any], error: ToolError) -> dict[str, Any]:
    """Return the answer to a call whose arguments are refused: a result that the model reads.

    A call that asks for a task (MCP 2025-11-25) has no such result, and gets an error. One that
    says its version itself wants to know that the result is complete.
    """
    params = call["params"]
    if "task" in params:
        return error_answer(call["id"], INVALID_PARAMS, str(error))
    kind = {"resultType": "complete"} if VERSION in object_in(params, "_meta") else {}
    return {"jsonrpc": "2.0", "id": call["id"], "result": {**kind, **refused_result(error)}}


def failure(call: dict[str, Any], error: str) -> dict[str, Any]:
    """Return the answer to a call that the proxy fails to read, with the type of the error."""
    message = f"the arguments of this call could not be read: {error}"
    return error_answer(call["id"], INTERNAL_ERROR, message)


def error_answer(request: Id | None, code: int, message: str) -> dict[str, Any]:
    """Return the answer to a request that has no result; no id if it is not known which."""
    return {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
