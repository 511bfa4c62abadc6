# ruff: noqa: D103 - the names state the promises
"""`schema2model validate --calls`: several calls of a file, each with a line of its own."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, strategies as st
from searching import examples

from schema2model.apps.cli.application import application

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
    },
    "required": ["tags"],
    "additionalProperties": False,
}
ARGUMENTS = '{"tags": "[\\"a\\"]", "limit": "10"}'
CORRECTED = {"tags": ["a"], "limit": 10}
TOOLS = [
    {"name": "tag", "inputSchema": SCHEMA},
    {"name": "now", "inputSchema": {"type": "object", "additionalProperties": False}},
]
VALID = {"tags": '["a"]', "limit": "10"}
SEVERAL: dict[str, tuple[Any, list[str], Any]] = {
    "by name": (
        [{"name": "tag", "arguments": ARGUMENTS}, {"name": "now", "arguments": {}}],
        [],
        [CORRECTED, {}],
    ),
    "in the shapes of providers": (
        [
            {"id": "1", "function": {"name": "tag", "arguments": ARGUMENTS}},
            {"type": "tool_use", "name": "tag", "input": VALID},
            {"functionCall": {"name": "tag", "args": VALID}},
            {"tool": "tag", "arguments": VALID},
        ],
        [],
        [CORRECTED] * 4,
    ),
    "of a tool that is chosen": ([VALID, ARGUMENTS], ["--tool", "tag"], [CORRECTED] * 2),
    "numbers as they are spelled": (
        [
            b'{"name": "tag", "arguments": {"tags": [3.10]}}',
            b'{"function": {"name": "tag", "arguments": {"tags": [3.10]}}}',
        ],
        [],
        [{"tags": ["3.10"]}] * 2,
    ),
    "bare numbers as they are spelled": (
        [b'{"tags": [3.10]}'],
        ["--tool", "tag"],
        [{"tags": ["3.10"]}],
    ),
    "text that is mended": ([b"{'tags': ['a']}"], ["--tool", "tag"], [{"tags": ["a"]}]),
}


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A file of tools."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return str(path)


def run(*arguments: str) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(application, ["validate", *arguments])


def calls_file(tools: str, calls: list[Any], *, listed: bool = False) -> str:
    """A file of calls beside that of the tools: a JSON list, or lines with a blank one between."""
    path = Path(tools).with_name("calls")
    lines = [call if isinstance(call, bytes) else json.dumps(call).encode() for call in calls]
    path.write_bytes(b"[" + b",\n".join(lines) + b"]" if listed else b"\r\n\n".join(lines))
    return str(path)


@pytest.mark.parametrize("listed", [False, True], ids=["lines", "a list"])
@pytest.mark.parametrize(("calls", "more", "results"), SEVERAL.values(), ids=SEVERAL)
def test_several_calls_have_a_line_each(
    tools: str, calls: list[Any], more: list[str], results: Any, *, listed: bool
) -> None:
    listed = listed and not isinstance(calls[0], bytes)  # which cannot stand in a list
    given = ["--schema", tools, "--calls", calls_file(tools, calls, listed=listed), *more]
    done = run(*given)
    assert (done.exit_code, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.splitlines()] == results
    told = [json.loads(line) for line in run(*given, "--json").stdout.splitlines()]
    assert [each["result"] for each in told] == results
    assert {each["error"] for each in told} == {None}


def test_a_refused_call_among_several_is_null_with_its_place(tools: str) -> None:
    calls = [{"name": "tag", "arguments": given} for given in ({"limit": 1}, VALID)]
    given = ["--schema", tools, "--calls", calls_file(tools, calls)]
    done = run(*given)
    assert done.exit_code == 1
    assert list(map(json.loads, done.stdout.splitlines())) == [None, CORRECTED]
    assert done.stderr.startswith("line 1:\nError parsing arguments for `tag`:\n- /tags")
    first, second = map(json.loads, run(*given, "--json").stdout.splitlines())
    assert (first["place"], first["tool"], second["place"]) == ("line 1", "tag", "line 3")
    assert first["error"]["issues"][0]["path"] == "/tags"


def test_a_schema_alone_takes_the_arguments(tmp_path: Path) -> None:
    """As it names no tool, a line that is a call by itself is arguments, too."""
    schema, calls = tmp_path / "schema.json", tmp_path / "calls"
    schema.write_text('{"properties": {"name": {"type": "string"}, "limit": {"type": "integer"}}}')
    calls.write_text('{"limit": "1"}\n{"name": "tag", "arguments": {}}')
    done = run("--schema", str(schema), "--calls", str(calls))
    expected = [{"limit": 1}, {"name": "tag", "arguments": {}}]
    assert [json.loads(line) for line in done.stdout.splitlines()] == expected


@pytest.mark.parametrize("listed", [False, True], ids=["lines", "a list"])
@pytest.mark.parametrize("more", [[], ["--tool", "tag"]], ids=["named", "of the tool"])
def test_a_call_with_two_values_for_a_name_is_refused(
    tools: str, more: list[str], *, listed: bool
) -> None:
    """As `validate` refuses its text; two equal values are one, and the next call is read."""
    arguments = [b'{"tags": ["a"], "tags": ["b"]}', b'{"tags": ["a"], "tags": ["a"]}']
    named = [b'{"name": "tag", "arguments": %b}' % each for each in arguments]
    calls = calls_file(tools, arguments if more else named, listed=listed)
    done = run("--schema", tools, "--calls", calls, *more)
    assert done.exit_code == 1
    assert [json.loads(line) for line in done.stdout.splitlines()] == [None, {"tags": ["a"]}]
    alone = run("--schema", tools, "--tool", "tag", arguments[0].decode())
    assert done.stderr == f"{'item' if listed else 'line'} 1:\n{alone.stderr}"


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (b'{"name": "tag", "id": 1, "id": 2, "arguments": {"tags": ["a"]}}', 0),
        (b'{"id": 1, "id": 2, "function": {"name": "tag", "arguments": {"tags": ["a"]}}}', 0),
        (b'{"tool": "tag", "tool": "t\\u0061g", "x": 1, "x": 2, "args": {"tags": ["a"]}}', 0),
        (b'{"name": "other", "name": "tag", "arguments": {"tags": ["a"]}}', 1),
        (b'{"function": {"name": "tag", "arguments": {"tags": ["a"], "tags": ["b"]}}}', 1),
        (b'{"name": "tag", "arguments": {"tags": ["b"]}, "arguments": {"tags": ["a"]}}', 1),
    ],
)
def test_only_what_is_read_of_a_call_may_not_have_two_values_for_a_name(
    tools: str, call: bytes, status: int
) -> None:
    """The name and the arguments, wherever a provider has them; an id is not read."""
    done = run("--schema", tools, "--calls", calls_file(tools, [call]))
    assert done.exit_code == status
    assert json.loads(done.stdout) == (None if status else {"tags": ["a"]})
    assert ("two values for" in done.stderr) is bool(status)


def test_a_call_of_an_unknown_tool_is_refused_and_the_next_is_read(tools: str) -> None:
    calls = [{"name": "tagg", "arguments": VALID}, {"name": "tag", "arguments": VALID}]
    given = ["--schema", tools, "--calls", calls_file(tools, calls)]
    done = run(*given)
    assert done.exit_code == 1
    assert list(map(json.loads, done.stdout.splitlines())) == [None, CORRECTED]
    assert "There is no tool `tagg`; call `tag`" in done.stderr
    first = json.loads(run(*given, "--json").stdout.splitlines()[0])
    assert (first["tool"], first["error"]["message"]) == (
        "tagg",
        "There is no tool `tagg`; call `tag`",
    )


@pytest.mark.parametrize(
    ("calls", "more", "words"),
    [
        ([VALID], [], "line 1 names none of the tools"),
        ([VALID], ["--tool", "no"], 'defines no tool "no"'),
    ],
)
def test_a_call_of_no_tool_among_several_exits_with_2(
    tools: str, calls: list[Any], more: list[str], words: str
) -> None:
    given = ["--schema", tools, "--calls", calls_file(tools, calls), *more]
    done = run(*given)
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr
    missing = run("--schema", tools, "--calls", f"{tools}.none")
    assert (missing.exit_code, "cannot read" in missing.stderr) == (2, True)
    both = run("--schema", tools, "--tool", "now", *given[2:4], "{}")
    assert "either ARGUMENTS or --calls" in both.stderr


@given(st.lists(st.binary(max_size=40), max_size=5))
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_lines_end_in_one_of_the_exit_codes(tools: str, content: list[bytes]) -> None:
    """Nothing but blanks is refused, as is what only begins like UTF-16."""
    path = Path(tools).with_name("calls")
    path.write_bytes(b"\n".join(content))
    done = run("--schema", tools, "--tool", "tag", "--calls", str(path))
    assert isinstance(done.exception, (SystemExit, type(None)))
    is_blank = not path.read_bytes().removeprefix(codecs.BOM_UTF8).strip()
    is_utf_16 = path.read_bytes().startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    assert done.exit_code in ({0, 1, 2} if is_utf_16 else {2} if is_blank else {0, 1})


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_calls_in_another_encoding_are_read(tmp_path: Path, encoding: str) -> None:
    """Those of JSON, as `--tools` reads them."""
    tools, calls = tmp_path / "tools.json", tmp_path / "calls.jsonl"
    tools.write_text(json.dumps({"name": "f", "parameters": {"required": ["é"]}}))
    calls.write_bytes('{"é": 1}\n{"é": 2}\n'.encode(encoding))
    done = CliRunner().invoke(
        application, ["validate", "--tools", str(tools), "--calls", str(calls)]
    )
    assert done.exit_code == 0, done.output
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"é": 1}, {"é": 2}]


def test_a_file_in_a_damaged_encoding_has_no_calls(tmp_path: Path) -> None:
    tools, calls = tmp_path / "tools.json", tmp_path / "calls.jsonl"
    tools.write_text(json.dumps({"name": "f", "parameters": {"required": ["a"]}}))
    calls.write_bytes("{}".encode("utf-16") + b"\x00")
    done = CliRunner().invoke(
        application, ["validate", "--tools", str(tools), "--calls", str(calls)]
    )
    assert done.exit_code == 2
    assert "is not text in UTF-16" in done.stderr


def test_a_damaged_first_line_does_not_concern_the_others(tmp_path: Path) -> None:
    """Without a byte order mark, lines are UTF-8, each by itself."""
    tools, calls = tmp_path / "tools.json", tmp_path / "calls.jsonl"
    tools.write_text(json.dumps({"name": "f", "parameters": {"type": "object"}}))
    for damaged in (b"\0", b"\0\0\0", b"{\0", b"\xfe"):
        calls.write_bytes(damaged + b"\n{}\n")
        arguments = ["validate", "--tools", str(tools), "--calls", str(calls)]
        done = CliRunner().invoke(application, arguments)
        assert done.exit_code == 1, done.output
        assert done.stdout.splitlines() == ["null", "{}"]
