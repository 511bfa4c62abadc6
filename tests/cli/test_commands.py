# ruff: noqa: D103, S603, S607 - the names state the promises; the processes are our own
"""The promises of the command line: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, example, given, settings, strategies as st

from schema2model import compile_schema
from schema2model.cli.application import application

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "q": {"type": "string"},
    },
    "required": ["tags"],
    "additionalProperties": False,
}
ARGUMENTS = '{"tags": "[\\"a\\"]", "limit": "10"}'
CORRECTED = {"tags": ["a"], "limit": 10}
REFUSED = """Error parsing arguments for `tool`:
- /limit: expected integer, found "many"; for example 1 would be accepted
"""
Write = Callable[[Any], str]
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and terminals are those of POSIX")
RUN = [sys.executable, "-m", "schema2model.cli"]

SHAPES: dict[str, Callable[[str], Any]] = {
    "MCP": lambda name: {"name": name, "inputSchema": SCHEMA},
    "OpenAI chat": lambda name: {
        "type": "function",
        "function": {"name": name, "parameters": SCHEMA},
    },
    "OpenAI responses": lambda name: {"type": "function", "name": name, "parameters": SCHEMA},
    "Anthropic": lambda name: {"name": name, "input_schema": SCHEMA},
    "Gemini": lambda name: {"functionDeclarations": [{"name": name, "parameters": SCHEMA}]},
    "Gemini, JSON Schema": lambda name: {
        "functionDeclarations": [{"name": name, "parametersJsonSchema": SCHEMA}]
    },
    "LiveKit raw": lambda name: {"name": name, "description": "d", "parameters": SCHEMA},
}


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Write a document, or bytes, to a file, and return its name."""

    def write(content: Any) -> str:
        path = tmp_path / "schema.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    return write


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """`schema2model validate` with these arguments, in this process."""
    return CliRunner().invoke(application, ["validate", *arguments], input=stdin)


def spawn(*arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The same in a process of its own."""
    return subprocess.run(
        [*RUN, "validate", *arguments], capture_output=True, check=False, **options
    )


def refused(result: Result) -> str:
    """The one line that says why a file or a command line will not do."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr


# ------------------------------------------------------------------------ streams and exit codes
def test_corrected_arguments_go_to_standard_output_with_exit_code_0(file: Write) -> None:
    done = spawn("--schema", file(SCHEMA), ARGUMENTS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"\n")
    assert json.loads(done.stdout) == CORRECTED


def test_the_error_for_the_model_goes_to_standard_error_with_exit_code_1(file: Write) -> None:
    done = spawn("--schema", file(SCHEMA), '{"tags": [], "limit": "many"}')
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", REFUSED)


def test_a_bad_schema_exits_with_2_and_names_the_place(file: Write) -> None:
    done = spawn("--schema", file({"properties": {"limit": {"type": "whole"}}}), "{}")
    assert (done.returncode, done.stdout) == (2, b"")
    told = b'schema.json: /properties/limit/type: unknown type "whole"; did you mean "integer"?'
    assert told in done.stderr


@pytest.mark.parametrize("dash", [["-"], []])
def test_arguments_are_read_from_a_pipe(file: Write, dash: list[str]) -> None:
    done = spawn("--schema", file(SCHEMA), *dash, input=ARGUMENTS.encode())
    assert (done.returncode, json.loads(done.stdout)) == (0, CORRECTED)


@posix
def test_missing_arguments_are_a_usage_error_on_a_terminal(file: Write) -> None:
    controller, terminal = os.openpty()
    done = spawn("--schema", file(SCHEMA), stdin=terminal)
    os.close(controller)
    os.close(terminal)
    assert done.returncode == 2
    assert b"Missing argument 'ARGUMENTS'" in done.stderr


def test_empty_arguments_are_arguments(file: Write) -> None:
    assert run("--schema", file({"type": "object"}), "").stdout == "{}\n"


@posix
def test_a_closed_pipe_ends_it_quietly(file: Write) -> None:
    command = [*RUN, "validate", "--schema", file({}), "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(b"[1]")
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == -signal.SIGPIPE


@posix
def test_an_interrupt_ends_it_quietly(file: Write) -> None:
    command = [*RUN, "validate", "--schema", file({}), "-"]
    script = f"""
import os, signal, sys
from schema2model.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests run under
class Stdin:
    buffer = property(lambda self: os.kill(os.getpid(), signal.SIGINT))
    isatty = lambda self: False
sys.stdin, sys.argv = Stdin(), ["schema2model", *{command[3:]!r}]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


@posix
@pytest.mark.parametrize("command", [["validate", "--schema", "FILE", "{}"], ["check", "FILE"]])
def test_a_full_disk_exits_with_2(file: Write, command: list[str]) -> None:
    words = [file({}) if word == "FILE" else word for word in command]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, *words], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"cannot write the result: no space left on device" in done.stderr


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_exits_with_2(file: Write, closed: str) -> None:
    command = f'"$0" -m schema2model.cli validate --schema "$1" $2 {closed}'
    arguments = ["{}"] if ">" in closed else []
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, file({}), *arguments],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError(name='click')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = spawn("--help", env=environment)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"pip install 'pydantic-schema2model[cli]'" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_another_missing_module_is_not_mistaken_for_the_extra(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import no_such_module\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    assert b"No module named 'no_such_module'" in spawn("--help", env=environment).stderr


def test_the_library_does_not_import_the_extra() -> None:
    script = "import sys, schema2model, schema2model.cli; sys.exit('click' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# ---------------------------------------------------------------------------- what is printed
def test_output_is_readable_utf8(file: Write) -> None:
    done = spawn("--schema", file({}), '["é", "日本"]', env={**os.environ, "PYTHONUTF8": "1"})
    assert done.stdout.decode() == '["é", "日本"]\n'


def test_output_is_json_where_standard_output_is_ascii(file: Write) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = spawn("--schema", file({}), "-", input='["é", "😀"]'.encode(), env=environment)
    assert done.stdout.isascii()
    assert json.loads(done.stdout) == ["é", "😀"]


@posix
def test_arguments_that_are_no_utf8_are_refused_for_the_model(file: Write) -> None:
    done = spawn("--schema", file(SCHEMA), b'{"q": "\xff"}')
    assert done.returncode == 1
    assert b"the arguments are not valid UTF-8" in done.stderr
    piped = spawn("--schema", file(SCHEMA), input=b'{"q": "\xff"}')
    assert (piped.returncode, piped.stderr) == (1, done.stderr)


def test_nothing_steers_the_terminal(file: Write) -> None:
    evil = {"name": "\x1b[2J\x9b1m\u202e", "inputSchema": {"type": "object", "required": ["\x1b"]}}
    result = run("--schema", file(evil), "--explain", "\"{'\\u001b[2J\\u009b\\u202e': 1}\"")
    assert result.exit_code == 1
    assert not re.search("[\x1b\x9b\u202e]", result.output)
    result = run("--schema", file({}), "--json", '["\\u001b[2J\\u009b\\u202e"]')
    assert not re.search("[\x1b\x9b\u202e]", result.output)
    assert json.loads(result.stdout)["result"] == ["\x1b[2J\x9b\u202e"]


def _on_terminal(arguments: list[str], **environment: str) -> bytes:
    controller, terminal = os.openpty()
    subprocess.run(
        [*RUN, "validate", *arguments],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, **environment},
        check=False,
    )
    os.close(terminal)
    written = os.read(controller, 10_000)
    os.close(controller)
    return written


@posix
def test_colours_are_for_terminals_and_can_be_switched_off(file: Write) -> None:
    arguments = ["--schema", file(SCHEMA), "--explain", ARGUMENTS]
    assert b"\x1b[36mjson_text\x1b[0m" in _on_terminal(arguments, NO_COLOR="")
    assert b"\x1b" not in _on_terminal(arguments, NO_COLOR="1")
    assert b"\x1b" not in spawn(*arguments).stderr


def test_explain_prints_a_line_for_each_change(file: Write) -> None:
    text = "{'tags': '[\"a\"]', 'limit': None}"
    read = r"""{"tags": "[\"a\"]", "limit": null}"""
    result = run("--schema", file(SCHEMA), "--explain", text)
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"tags": ["a"]})
    assert result.stderr.splitlines() == [
        rf"""the arguments: repair_text: "{{'tags': '[\"a\"]', 'limit': None}}" -> {read}""",
        (
            "the arguments: repair_text: read ' as a quote at character 1, and 2 more, in "
            r'''"{'tags': '[\"a\"]', 'li"'''
        ),
        (
            "the arguments: repair_text: read None as null at character 27, in "
            r'''": '[\"a\"]', 'limit': None}"'''
        ),
        '/tags: json_text: "[\\"a\\"]" -> ["a"]',
        "/limit: drop_null: null -> left out",
    ]


def test_explain_says_nothing_of_what_is_not_changed(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--explain", '{"tags": ["a"]}')
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_change_is_one_line_whatever_is_in_its_path(file: Write) -> None:
    schema = {"additionalProperties": {"type": "integer"}}
    result = run("--schema", file(schema), "--explain", '{"a\\nb\\rc": "1"}')
    assert result.stderr == '/a\\nb\\rc: json_text: "1" -> 1\n'


def test_json_prints_everything_as_one_document(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--json", stdin="{'tags': \"['a']\"}")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "result": {"tags": ["a"]},
        "error": None,
        "changes": [
            {
                "path": "",
                "rule": "repair_text",
                "before": "{'tags': \"['a']\"}",
                "after": {"tags": "['a']"},
            },
            {
                "path": "",
                "rule": "repair_text",
                "before": "{'tags': \"['a']\"}",
                "after": "read ' as a quote at character 1",
            },
            {"path": "/tags", "rule": "loose_json_text", "before": "['a']", "after": ["a"]},
        ],
        "doubts": [],
    }


def test_json_prints_the_error_in_full(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--json", '{"tags": [], "limit": "many"}')
    assert (result.exit_code, result.stderr) == (1, "")
    issue = {
        "path": "/limit",
        "keyword": "type",
        "wanted": "integer",
        "expected": {"type": "integer"},
        "found": '"many"',
        "example": 1,
        "advice": "for example 1 would be accepted",
    }
    assert json.loads(result.stdout) == {
        "result": None,
        "error": {"message": REFUSED.rstrip("\n"), "issues": [issue], "retryable": True},
        "changes": [],
        "doubts": [],
    }


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
NEARLY = st.fixed_dictionaries(
    {"tags": st.lists(VALUES) | st.lists(VALUES).map(json.dumps) | st.lists(VALUES).map(repr)},
    optional={"limit": VALUES | st.integers().map(str), "q": VALUES, "Q": VALUES},
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    coercion=st.sampled_from(["default", "off", "untyped", "forgiving", "lenient"]),
    text=NEARLY.map(json.dumps) | NEARLY.map(repr) | st.text() | st.binary(),
)
@example(coercion="default", text='{"tags": "[false]"}')
@example(coercion="default", text='{"limit": 0, "tags": []}')
def test_explain_json_and_validate_agree(file: Write, coercion: str, text: str | bytes) -> None:
    options = ["--schema", file(SCHEMA), "--coercion", coercion]
    plain = run(*options, stdin=text)
    explained = run(*options, "--explain", stdin=text)
    document = json.loads(run(*options, "--json", stdin=text).stdout)
    assert plain.exit_code in {0, 1}
    assert plain.exit_code == explained.exit_code
    if plain.exit_code:
        assert plain.stdout == explained.stdout
        assert explained.stderr.endswith(plain.stderr)  # after the changes of what was read
        assert document["result"] is None
    else:  # objects have no order
        assert json.loads(plain.stdout) == json.loads(explained.stdout) == document["result"]


# ------------------------------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("schema", "options", "arguments", "expected"),
    [
        ({"items": {"type": "integer"}}, ["--coercion", "off"], '["1"]', None),
        ({"items": {"type": "integer"}}, [], '["1"]', [1]),
        ({"type": ["string", "integer"]}, ["--coercion", "untyped"], '"1"', 1),
        ({"type": "array"}, ["--coercion", "lenient"], '"a"', ["a"]),
        ({"type": "string", "format": "date"}, [], '"soon"', "soon"),
        ({"type": "string", "format": "date"}, ["--formats", "assert"], '"soon"', None),
        ({"type": "string", "format": "date"}, ["--dialect", "draft-07"], '"soon"', "soon"),
        (
            {"type": "string", "format": "date"},
            ["--dialect", "draft-07", "--formats", "annotate"],
            '"soon"',
            "soon",
        ),
        ({"type": "INTEGER"}, ["--dialect", "gemini"], '"1"', 1),
    ],
)
def test_options_reach_the_compiler(
    file: Write, schema: Any, options: list[str], arguments: str, expected: Any
) -> None:
    result = run("--schema", file(schema), *options, arguments)
    assert result.exit_code == (expected is None)
    assert json.loads(result.stdout or "null") == expected


@pytest.mark.parametrize(
    "options",
    [["--coercion", "hard"], ["--formats", "check"], ["--no-such"], ["{}", "{}"]],
)
def test_unknown_options_exit_with_2(file: Write, options: list[str]) -> None:
    result = run("--schema", file(SCHEMA), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: " in result.stderr


def test_the_text_of_a_schema_is_not_a_file() -> None:
    """And the message says so."""
    message = refused(run("--schema", '{"type": "object"}', "{}"))
    assert "give the name of a file with this text" in message


def test_an_unknown_dialect_exits_with_2_and_names_those_known(file: Write) -> None:
    message = refused(run("--schema", file({}), "--dialect", "draft-99", "{}"))
    assert 'unknown dialect "draft-99"; known are 2020-12' in message


def test_help_has_examples_and_exit_codes_and_its_examples_are_right(file: Write) -> None:
    result = run("--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Examples:" in result.stdout
    assert re.findall(r"^ +([012])  the", result.stdout, re.MULTILINE) == ["0", "1", "2"]
    example = re.search(r"--schema tool\.json '(.*)'", result.stdout)
    assert example
    assert json.loads(run("--schema", file(SCHEMA), example[1]).stdout) == CORRECTED


def test_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(application, ["--version"])
    assert re.fullmatch(r"schema2model \d+\.\d+\S*\n", result.stdout)


# --------------------------------------------------------------------------------------- tools
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    "around",
    [
        lambda tools: tools,
        lambda tools: {"tools": tools, "nextCursor": "x"},
        lambda tools: {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        lambda tools: {"result": {"tools": tools}},
    ],
    ids=["list", "tools/list", "JSON-RPC", "result"],
)
def test_every_provider_s_tools_are_found_by_name(
    file: Write, shape: Callable[[str], Any], around: Callable[[Any], Any]
) -> None:
    path = file(around([shape("first"), shape("second")]))
    result = run("--schema", path, "--tool", "second", ARGUMENTS)
    assert (result.exit_code, json.loads(result.stdout)) == (0, CORRECTED)
    assert "arguments for `second`" in run("--schema", path, "--tool", "second", "{}").stderr


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_single_tool_need_not_be_named(file: Write, shape: Callable[[str], Any]) -> None:
    for document in (shape("only"), [shape("only")], {"tools": [shape("only")]}):
        result = run("--schema", file(document), ARGUMENTS)
        assert (result.exit_code, json.loads(result.stdout)) == (0, CORRECTED)


def test_gemini_s_types_are_understood(file: Write) -> None:
    parameters = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": True}}}
    tools = [{"functionDeclarations": [{"name": "t", "parameters": parameters}]}]
    assert json.loads(run("--schema", file(tools), '{"n": "1"}').stdout) == {"n": 1}


def test_tools_that_the_provider_runs_are_passed_over(file: Write) -> None:
    tools = [{"type": "web_search"}, SHAPES["OpenAI responses"]("search")]
    assert json.loads(run("--schema", file(tools), ARGUMENTS).stdout) == CORRECTED


MANY = [SHAPES["MCP"](f"tool_{i}") for i in range(12)]


@pytest.mark.parametrize(
    ("document", "options", "message"),
    [
        (MANY[:2], [], 'defines 2 tools; choose one by --tool: "tool_0", "tool_1"\n'),
        (MANY, [], '"tool_9" and 2 more\n'),
        (MANY, ["--tool", "tool_l1"], 'defines no tool "tool_l1"; did you mean "tool_1'),
        (MANY[:1], ["--tool", "x"], 'defines no tool "x"; it defines "tool_0"\n'),
        ([MANY[0]] * 2, ["--tool", "tool_0"], 'defines 2 tools of the name "tool_0"\n'),
        (SCHEMA, ["--tool", "x"], "is a JSON Schema and defines no tools; leave --tool out\n"),
        ([], [], "defines no tools\n"),
        ([SCHEMA], [], "the definition has no name"),
        ({"inputSchema": SCHEMA}, [], "the definition has no name"),
        ({"openapi": "3.1.0", "paths": {}}, [], "the definition has no name"),
        ({"name": "now", "inputSchema": "none"}, [], 'the schema of `now` is "none"'),
        (
            {"type": "function", "function": {"name": "now"}},
            [],
            "the definition of `now` has no schema",
        ),
        ([{"functionDeclarations": 5}], [], "the definition has no name"),
        ({"tools": []}, [], "defines no tools\n"),
        ({"jsonrpc": "2.0", "id": 1, "error": {}}, [], "defines no tools\n"),
        (5, [], "schema.json: "),
    ],
)
def test_a_file_that_does_not_say_which_schema_exits_with_2(
    file: Write, document: Any, options: list[str], message: str
) -> None:
    assert message in refused(run("--schema", file(document), *options, "{}"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON: it is empty"),
        (b"{'a': 1}", "is not JSON: column 2: a name in double quotes is missing"),
        (b'{"title": "\xff"}', "is not JSON: its byte 11 is not valid utf-8"),
        (b"\0" * 9, "is not JSON: "),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"not":' * 100_000 + b"{}" + b"}" * 100_000, "is nested too deeply"),
        (b'{"tools":[' * 100_000 + b"]}" * 100_000, "is nested too deeply"),
        (b'{"not":' * 500 + b"{}" + b"}" * 500, "levels"),
        (b'{"maximum": ' + b"9" * 5000 + b"}", "of more than 4300 digits"),
        (b'{"maximum": NaN}', "has a number that no JSON spells"),
        (b'{"maximum": 1e999}', "no spelling in JSON"),
        (b" " * (64 * 2**20) + b"{}", "is larger than 64 MiB"),
        (b'{"$ref": "http://example.com/x"}', "example.com"),
    ],
    ids=range(13),
)
def test_a_hostile_file_exits_with_2_and_one_line(
    file: Write, content: bytes, message: str
) -> None:
    assert message in refused(run("--schema", file(content), "{}"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_may_be_in_any_unicode_encoding(file: Write, encoding: str) -> None:
    content = json.dumps({"type": "integer", "title": "é"}, ensure_ascii=False).encode(encoding)
    assert run("--schema", file(content), '"1"').stdout == "1\n"


def test_a_file_that_cannot_be_read_exits_with_2(tmp_path: Path) -> None:
    missing = refused(run("--schema", str(tmp_path / "none.json"), "{}"))
    assert "none.json: there is no such file or folder" in missing
    assert ": is a directory" in refused(run("--schema", str(tmp_path), "{}"))


def test_arguments_that_are_too_large_exit_with_2(file: Write) -> None:
    message = refused(run("--schema", file({}), stdin=b" " * (64 * 2**20 + 1)))
    assert "the arguments are larger than 64 MiB" in message


def test_deeply_nested_arguments_are_refused_for_the_model(file: Write) -> None:
    result = run("--schema", file({}), stdin="[" * 100_000)
    assert result.exit_code == 1
    assert "Error parsing arguments for `tool`" in result.stderr
    assert result.stderr == f"{_error(chr(91) * 100_000)}\n"


def _error(text: str) -> str:
    with pytest.raises(ValueError, match="Error") as caught:
        compile_schema({}).validate_json(text)
    return str(caught.value)
