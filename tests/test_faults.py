"""What libraries and the operating system say of what went wrong is told in our own words."""

from __future__ import annotations

import errno
import json
import socket
import ssl
from typing import Any

import pytest
from failures import FAILURES
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from schema2model.faults import describe_error, describe_server_error, json_fault


def caused(error: Exception, cause: BaseException) -> Exception:
    """An error that came from another."""
    error.__cause__ = cause
    return error


class ConnectTimeout(Exception):  # noqa: N818 - as httpx calls it
    """A library's."""


class Answered(Exception):  # noqa: N818 - a name of any kind
    """A library's, with the answer of a server."""

    def __init__(self, status: int) -> None:
        super().__init__("Client error 's3cret' for url 'http://s3cret'")
        self.response = type("Response", (), {"status_code": status})()


class Gathered(Exception):  # noqa: N818 - a group of errors, which Python 3.10 has not
    """What a task group raises."""

    def __init__(self, *exceptions: Exception) -> None:
        super().__init__("unhandled errors in a TaskGroup")
        self.exceptions = exceptions


KNOWN: list[tuple[BaseException, str]] = [
    (FileNotFoundError(errno.ENOENT, "x"), "no such file"),
    (PermissionError(errno.EACCES, "x"), "permission denied"),
    (ConnectionRefusedError(errno.ECONNREFUSED, "x"), "connection refused"),
    (caused(RuntimeError("s3cret"), OSError(errno.ECONNRESET, "x")), "connection reset by peer"),
    (Gathered(OSError(errno.EPIPE, "x")), "broken pipe"),
    (socket.gaierror(-2, "Name or service not known"), "the name of its host is not known"),
    (ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE]"), "its certificate is not trusted"),
    (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"), "it does not speak TLS as it should"),
    (Answered(503), "it answers 503 Service Unavailable"),
    (Answered(999), "it answers 999"),
    (ConnectTimeout(), "it does not answer in time"),
    (ValueError("Unexpected content type: s3cret"), "neither JSON nor a stream of events"),
    (ValueError("All connection attempts failed"), "it cannot be reached"),
    (RuntimeError("Unsupported protocol version from the server: s3cret"), "a version of MCP"),
    (OSError("Truncated compressed stream"), "it ends in the middle of its compressed data"),
]


@pytest.mark.parametrize(("error", "words"), KNOWN, ids=lambda each: str(each)[:30])
def test_what_is_known_of_an_error_is_told(error: BaseException, words: str) -> None:
    """In words that do not name its type."""
    assert words in describe_error(error)
    assert type(error).__name__ not in describe_error(error)
    assert "s3cret" not in describe_error(error)


@pytest.mark.parametrize("error", FAILURES, ids=lambda each: type(each).__name__)
def test_no_error_is_told_with_what_it_quotes(error: BaseException) -> None:
    """Whatever may be in it."""
    assert "s3cret" not in describe_error(error)
    assert describe_error(error)


def test_a_circle_of_causes_ends() -> None:
    """Each is asked once."""
    first, second = KeyError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert describe_error(first) == "an error that is not known (KeyError)"


def test_places_of_a_wrong_answer_are_told() -> None:
    """Without the names of a library's types."""
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(dict[str, list[int | str]]).validate_python({"tools": [1, None], "X": [None]})
    assert describe_error(raised.value) == "it is wrong at tools.1.int, tools.1.str, 0.int"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Failed to parse JSON response: Invalid s3cret", "what it sent is not a message of MCP"),
        ("Unexpected content type: s3cret", "what it sent is neither JSON nor a stream of events"),
        ("Session terminated", "it does not know the session, or has nothing at this path"),
        ("no such city", "no such city"),
    ],
)
def test_a_servers_message_is_its_own(message: str, words: str) -> None:
    """But for those that the SDK makes up."""
    assert describe_server_error(message) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("[1, ", "it ends too early"),
        ('{"a": "b', "column 7: a string is not closed"),
        ("{'a': 1}", "column 2: a name in double quotes is missing"),
        ('{"a" 1}', "column 6: a colon is missing"),
        ("[1\n2]", "line 2, column 1: a comma is missing"),
        ("[1] 2", "column 5: there is more after its end"),
        ('"\t"', "column 2: a string has a control character"),
        (r'"\x"', "column 2: a string has an escape that JSON does not know"),
        ("[nil]", "column 2: a value is missing"),
        (b'{"a": "\xff"}', "its byte 7 is not valid utf-8"),
        ("9" * 5000, "it has a number that no JSON spells, or of more than 4300 digits"),
    ],
    ids=range(13),
)
def test_where_a_text_is_not_json(text: Any, words: str) -> None:
    """By line and column, in a text of several lines."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - of any kind
        json.loads(text)
    assert json_fault(raised.value) == words


@given(st.text('{}[]",:\\ \n\tu0a-.1', max_size=12))
def test_no_text_is_told_in_the_words_of_the_parser(text: str) -> None:
    """Whatever is wrong, and in every version of Python."""
    try:
        json.loads(text)
    except ValueError as error:
        told = json_fault(error)
        assert "Expecting" not in told
        assert "it is wrong" not in told
