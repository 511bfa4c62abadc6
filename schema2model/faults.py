"""Errors of other libraries, described in our own words.

Messages of the operating system, Arrow, HTTP and MCP clients and JSON parsers differ from version
to version, and may quote a path, a header or a server's text. They are never shown.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from pydantic_core import ValidationError

from schema2model.limits import MAX_DIGITS

__all__ = ["describe_error", "describe_server_error", "json_fault", "status_words"]

MAX_LOCATIONS = 3
"""Maximum locations of an invalid answer in a message."""

MAX_LOCATION = 80
"""Maximum characters of a location."""

_STORE_CODE: Final = re.compile(r"\b(?:AWS Error|GCS Error|Azure Error)\s+([A-Z_]{2,60})\b")

_KINDS: Final = (  # a part of the name of an error's type, and what that means
    ("timeout", "it does not answer in time"),
    ("unsupportedprotocol", "its URL begins with neither http:// nor https://"),
    ("invalidurl", "its URL cannot be read"),
    ("toomanyredirects", "it redirects in a circle"),
    ("decodingerror", "its answer is damaged"),
    ("protocolerror", "it does not speak HTTP as it should"),
    ("connecterror", "it cannot be reached"),
    ("connectionerror", "it cannot be reached"),
    ("readerror", "the connection has broken"),
    ("writeerror", "the connection has broken"),
    ("jsondecodeerror", "its answer is not JSON"),
    ("unicodedecodeerror", "it is not UTF-8"),
)
_WORDS: Final = (  # a part of a message, and its meaning
    ("attempts failed", "it cannot be reached"),
    ("truncated", "it ends in the middle of its compressed data"),
    ("magic bytes", "it is not Parquet, or cut off"),
    ("unrecognized filesystem", "unknown kind of store; use s3, gs or abfs"),
    ("inflate", "its compressed data are damaged"),
    ("zstd", "its compressed data are damaged"),
    ("parquet", "it is damaged"),
    ("embedded nul", "a name has a NUL character"),
    ("environment variable name", "the name of a variable in its env has an equals sign"),
    ("utf-8", "its name is not UTF-8"),
    ("utf8", "its name is not UTF-8"),
    ("content type", "what it sent is neither JSON nor a stream of events"),
    ("protocol version", "it speaks a version of MCP that is not known here"),
    ("structured content", "the tool's result is not what its output schema says"),
    ("invalid schema for tool", "the tool's output schema is wrong"),
)
_IN_JSON: Final = (  # how `json` begins a message, and what that means
    ("Expecting value", "a value is missing"),
    ("Expecting property name", "a name in double quotes is missing"),
    ("Expecting ','", "a comma is missing"),
    ("Expecting ':'", "a colon is missing"),
    ("Extra data", "there is more after its end"),
    ("Unterminated string", "a string is not closed"),
    ("Invalid control character", "a string has a control character"),
    ("Invalid \\", "a string has an escape that JSON does not know"),
    ("Illegal trailing comma", "nothing follows a comma"),
)

_MADE_UP: Final = (  # how messages begin that the MCP SDK makes up in the name of a server
    ("Failed to parse", "what it sent is not a message of MCP"),
    ("Unexpected content type", "what it sent is neither JSON nor a stream of events"),
    ("Session terminated", "it does not know the session, or has nothing at this path"),
    ("Server returned an error response", "it gives no reason"),
    ("Redirect to", "it redirects to another URL"),
)


def describe_error(error: BaseException) -> str:
    """Describe an error and its causes as a part of a sentence.

    Of an error that is not known, the name of its type.

    >>> describe_error(FileNotFoundError(2, "Failed to open local file 'a'. Detail: [errno 2] ..."))
    'no such file or folder'
    >>> describe_error(ValueError("illegal header line: b'x-s3cr3t'"))
    'an error that is not known (ValueError)'
    """
    chain = [*_chain(error)]
    found = (words for way in (_from_data, _from_message) for words in map(way, chain))
    return next(filter(None, found), f"an error that is not known ({type(error).__name__})")


def describe_server_error(message: str) -> str:
    """Return the message of a server's error; of one that the SDK makes up, its meaning.

    >>> describe_server_error("Unexpected content type: text/s3cr3t")
    'what it sent is neither JSON nor a stream of events'
    """
    return next((words for begin, words in _MADE_UP if message.startswith(begin)), message)


def json_fault(error: ValueError) -> str:
    r"""Describe where and why a text is not JSON, from the error of `json.loads`.

    >>> try:
    ...     json.loads('{"a": 1,\n "b" 2}')
    ... except json.JSONDecodeError as error:
    ...     print(json_fault(error))
    line 2, column 6: a colon is missing
    """
    if isinstance(error, UnicodeDecodeError):
        return f"its byte {error.start} is not valid {error.encoding}"
    if not isinstance(error, json.JSONDecodeError):
        return f"it has a number that no JSON spells, or of more than {MAX_DIGITS} digits"
    if not error.doc.strip():
        return "it is empty"
    if error.pos >= len(error.doc.rstrip()):
        return "it ends too early"
    words = next((words for begin, words in _IN_JSON if error.msg.startswith(begin)), "it is wrong")
    line = f"line {error.lineno}, " if "\n" in error.doc else ""
    return f"{line}column {error.colno}: {words}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, and those that it came from."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    for each in queue:
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            queue += (*getattr(each, "exceptions", ()), each.__cause__, each.__context__)


def _from_data(error: BaseException) -> str | None:
    """Return the data of an error, without its message."""
    if isinstance(error, ValidationError):
        return _locations(error)
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(status, int):
        return f"it answers {status_words(status)}"
    return _system_words(error) if isinstance(error, OSError) and error.errno else None


def _locations(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    locations: dict[str, None] = {}
    for problem in problems:  # in capitals are the names of the SDK's message types
        names = [str(e) for e in problem["loc"] if type(e) is int or str(e)[:1].islower()]
        locations[".".join(names)[:MAX_LOCATION] or "its beginning"] = None
    return f"it is wrong at {', '.join([*locations][:MAX_LOCATIONS])}"


def status_words(status: int) -> str:
    """Return the status of an HTTP answer, and what that means.

    >>> status_words(503), status_words(599)
    ('503 Service Unavailable', '599')
    """
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:  # one of its own
        return str(status)


def _system_words(error: OSError) -> str:
    """Return the system's name of an error, as a part of a sentence."""
    import socket  # noqa: PLC0415 - whoever talks to no server need not wait
    import ssl  # noqa: PLC0415 - whoever talks to no server need not wait

    if isinstance(error, ssl.SSLCertVerificationError):
        return "its certificate is not trusted"
    if isinstance(error, ssl.SSLError):
        return "it does not speak TLS as it should"
    if isinstance(error, socket.gaierror):
        return "the name of its host is not known"
    if error.errno == errno.ENOENT:
        return "no such file or folder"
    words = os.strerror(error.errno or 0)
    return words[:1].lower() + words[1:]


def _from_message(error: BaseException) -> str | None:
    """Describe an error by its name, or by a part of its message."""
    name = type(error).__name__.lower()
    kind = next((words for part, words in _KINDS if part in name), None)
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an error that cannot be shown
        return kind
    if code := _STORE_CODE.search(message):
        return f"the store answers {code[1]}"
    return kind or next((words for part, words in _WORDS if part in message.lower()), None)
