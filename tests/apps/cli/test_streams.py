# ruff: noqa: D103, S603, S607 - the names state the promises; the processes are our own
"""The streams of commands, and their exit codes: pipes, terminals, encodings and interrupts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from validating import ARGUMENTS, CORRECTED, REFUSED, RUN, SCHEMA, Write, posix, run, spawn


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
@pytest.mark.parametrize(("command", "name"), [("validate", "ARGUMENTS"), ("read", "TEXT")])
def test_a_missing_argument_is_a_usage_error_on_a_terminal(
    file: Write, command: str, name: str
) -> None:
    """Which names it as the help of the command does."""
    controller, terminal = os.openpty()
    words = [*RUN, command, "--tools", file(SCHEMA)]
    done = subprocess.run(words, stdin=terminal, capture_output=True, check=False)
    os.close(controller)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"Missing argument '{name}': give it, or pipe it in." in done.stderr.decode()


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
from schema2model.apps.cli import main
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
    command = f'"$0" -m schema2model validate --schema "$1" $2 {closed}'
    arguments = ["{}"] if ">" in closed else []
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, file({}), *arguments],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_another_missing_module_is_not_mistaken_for_the_extra(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import no_such_module\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    assert b"No module named 'no_such_module'" in spawn("--help", env=environment).stderr


def test_the_library_does_not_import_the_extra() -> None:
    script = "import sys, schema2model, schema2model.apps.cli; sys.exit('click' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


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
