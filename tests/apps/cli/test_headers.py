"""`--header` of the commands that talk to servers, as far as it goes without one."""

from __future__ import annotations

import json
import re
import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from schema2model.apps.cli.application import application
from schema2model.apps.proxy.secret_headers import Header, hidden

COMMANDS = {
    "check": ("--url", "http://127.0.0.1:9/"),
    "call": ("--url", "http://127.0.0.1:9/", "search", "{}"),
    "proxy": ("--url", "http://127.0.0.1:9/"),
    "strict": ("--url", "http://127.0.0.1:9/"),
}
VALUE = "s3cr3t"
WRONG = [
    pytest.param(f"Authorization Bearer {VALUE}", "a header has a colon", id="colon"),
    pytest.param(f"{VALUE} {VALUE}: a", "is not the name of a header", id="name"),
    pytest.param(f": {VALUE}", "is not the name of a header", id="no-name"),
    pytest.param(f"Authorization : {VALUE}", "is not the name of a header", id="space"),
    pytest.param(f"Authorizatiön: {VALUE}", "is not the name of a header", id="letters"),
    pytest.param(f"Mcp-Session-Id: {VALUE}", "mcp-session-id is the protocol's own", id="own"),
    pytest.param("Authorization: ", "the header has no value", id="empty"),
    pytest.param(f"A: {VALUE}\r\nB: x", "has control characters", id="CRLF"),
    pytest.param(f"A: {VALUE}\rB: x", "has control characters", id="CR"),
    pytest.param(f"A: {VALUE}\0", "has control characters", id="NUL"),
    pytest.param(f"A: {VALUE}\x85", "has control characters", id="NEL"),
    pytest.param(f"A: {VALUE}\x1b[2J", "has control characters", id="escape"),
    pytest.param(f"A: {VALUE}€", "beyond Latin-1", id="euro"),
    pytest.param(f"A: {VALUE}\udc80", "beyond Latin-1", id="surrogate"),
]


def refused(result: Result) -> str:
    """What a usage error says, which is nothing of a value."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert isinstance(result.exception, SystemExit)
    assert VALUE not in result.stderr
    return result.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("line", "problem"), WRONG)
def test_what_is_no_header_is_a_usage_error(command: str, line: str, problem: str) -> None:
    """Before anybody is talked to."""
    arguments = [command, "--header", line, *COMMANDS[command]]
    assert problem in refused(CliRunner().invoke(application, arguments))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"A: s3cr3t\n\ns3cr3t\n", "line 3 of ", id="colon"),
        pytest.param(b"A: s3cr3t\rB: s3cr3t\n", "control characters", id="CR"),
        pytest.param(b"A: s3cr3t\na: s3cr3t\n", "a header is given twice", id="twice"),
        pytest.param(b"A: s3cr3t\xff\n", "is not UTF-8", id="encoding"),
        pytest.param(b"\r\n \n", "has no headers", id="empty"),
        pytest.param(b"A: " + b"s3cr3t" * 2**14, "is larger than 64 KiB", id="large"),
    ],
)
def test_a_file_without_headers_is_a_usage_error(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    """It is named, and nothing of what it says."""
    path = tmp_path / "key"
    path.write_bytes(content)
    result = CliRunner().invoke(application, ["check", "--url", "http://x", "--header", f"@{path}"])
    assert problem in refused(result)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param("@/nowhere/key", "/nowhere/key cannot be read: no such file", id="missing"),
        pytest.param("@-", "headers are not read from standard input", id="stdin"),
        pytest.param("@", "cannot be read", id="nothing"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error(words: str, problem: str) -> None:
    """Standard input among it: what it is for differs from command to command."""
    arguments = ["check", "--url", "http://x", "--header", words]
    assert problem in refused(CliRunner().invoke(application, arguments, input="A: s3cr3t"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "tools.json"],
        ["check", "--server", "x"],
        ["call", "--server", "x", "search", "{}"],
        ["proxy", "--", "x"],
    ],
    ids=" ".join,
)
def test_headers_are_for_urls(arguments: list[str]) -> None:
    """Nothing else would get them."""
    arguments = [arguments[0], "--header", f"A: {VALUE}", *arguments[1:]]
    assert "--header is for a server at a --url." in refused(
        CliRunner().invoke(application, arguments)
    )


def read(line: str) -> tuple[Header | None, str]:
    """A header, if a line is one, and what is said of it."""
    try:
        header = Header.read(line)
    except ValueError as error:
        return None, str(error)
    return header, repr(header)


@given(st.text() | st.text(st.characters(max_codepoint=0x17F)), st.text(min_size=1))
def test_whatever_is_read_can_be_sent(name: str, value: str) -> None:
    """As one line of HTTP; and neither a message nor a representation has the value."""
    value = f"#{value}#"
    header, told = read(f"X-{name}:{value}")
    assert value not in told
    if header is not None:
        line = f"{header.name}: {header.value}".encode("latin-1")
        assert re.fullmatch(rb"[!-9;-~]+: [ -~\xa0-\xff]+", line)


def test_short_values_do_not_tear_holes_into_texts() -> None:
    """Only what may be a secret is taken out of what a server says."""
    headers = [Header("X-Version", "1"), Header("Authorization", "Bearer abcdef")]
    assert hidden("1 of Bearer abcdef, abcdef", headers) == "1 of …, …"


# ----------------------------------------------------------------- what is told of a server's texts
def caused(error: BaseException, cause: BaseException) -> BaseException:
    """An error that came from another."""
    error.__cause__ = cause
    return error


def separated(text: str) -> str:
    """With something between all letters."""
    return "-".join(text)


def shortened(text: str) -> str:
    """As pydantic shows a long value."""
    return f"input_value='{text[: 2 * len(text) // 3]}...{text[-len(text) // 3 :]}'"


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "small letters": str.lower,
    "titles": str.title,
    "backwards": lambda text: text[::-1],
    "separated": separated,
    "in two lines": lambda text: f"{text[:7]}\n  {text[7:]}",
    "shortened": shortened,
    "cut off": lambda text: text[:-2],
    "begun late": lambda text: text[2:],
    "URL": lambda text: quote(text, safe=""),
    "URL of Latin-1": lambda text: quote(text, safe="", encoding="latin-1").lower(),
    "URL throughout": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "form": quote_plus,
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "JSON throughout": lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text),
    "Python": repr,
    "Python's bytes": lambda text: repr(text.encode()),
    "HTML": escape,
    "HTML throughout": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "hexadecimal": lambda text: text.encode("latin-1").hex(),
    "hexadecimal, spaced": lambda text: text.encode().hex(" "),
    "codes": lambda text: str([*text.encode()]),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 of more": lambda text: b64encode(f"x{text}yz".encode()).decode(),
    "base64 of still more": lambda text: b64encode(f"xy{text}z".encode()).decode(),
    "base64 for URLs": lambda text: urlsafe_b64encode(text.encode("latin-1")).decode().rstrip("="),
    "mistaken for Latin-1": lambda text: text.encode().decode("latin-1"),
}
SECRETS = st.text(string.ascii_letters + string.digits + "-._~+/", min_size=16)


def readable(text: str) -> set[str]:
    """The letters and digits of a text, six by six, on either side of what is hidden."""
    parts = ["".join(filter(str.isalnum, part)) for part in text.lower().split("…")]
    return {part[at : at + 6] for part in parts for at in range(len(part) - 5)}


def leaked(encode: Callable[[str], str], secret: str, scheme: str) -> set[str]:
    """What of a value is told of a text that a server has made of it."""
    told = hidden(f"<<{encode(secret)}>>", [Header("X-Key", f"{scheme}{secret}")])
    assert (told[:2], told[-2:]) == ("<<", ">>")
    return readable(told) & readable(encode(secret)) - readable("input_value=")


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("secret", ["sk-Live_0123456789abcdef", "p\xe4ssw\xf6rter-Gr\xfc\xdfe!"])
def test_no_part_of_a_value_is_told(encode: Callable[[str], str], secret: str) -> None:
    """However a server spells it, and whatever stands around it."""
    assert leaked(encode, secret, "Bearer ") == set()


@given(st.sampled_from(sorted(ENCODINGS)), SECRETS, st.sampled_from(["", "Bearer ", "token "]))
def test_no_part_of_any_token_is_told(encoding: str, secret: str, scheme: str) -> None:
    """Of those that RFC 6750 allows."""
    assert leaked(ENCODINGS[encoding], secret, scheme) == set()


@given(SECRETS, st.text(max_size=200))
def test_what_is_no_part_of_a_value_is_told(secret: str, text: str) -> None:
    """Texts stay as they are if they have nothing of it, or if there is no header."""
    assert hidden(text, []) == text
    if "…" in (told := hidden(text, [Header("X-Key", secret)])) and "…" not in text:
        assert len(told) < len(text)


def test_what_basic_authorization_encodes_is_a_secret_too() -> None:
    """The password, whether or not with the name before it."""
    header = Header("Authorization", "Basic " + b64encode(b"ann:swordfish-7").decode())
    assert hidden("ann may not use swordfish-7", [header]) == "ann may not use …"


def test_a_huge_value_and_a_huge_text_take_their_time_only() -> None:
    """No more than what is as long as both."""
    header = Header("X-Key", "k3y-" * 2**10)
    text = "x" * 2**16
    assert hidden(text, [header]) == text
