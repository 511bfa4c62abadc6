"""`proxy --config`: options in a file, checked with messages that name the key."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from forking import python
from http_client import PROXY, UPSTREAM
from overhttp import calling

from schema2model.apps.cli.application import application


def run(path: Path, *words: str, calls: list[Any] | None = None) -> tuple[int, list[Any], str]:
    """The exit code, the answers to calls, and standard error."""
    lines = "".join(f"{json.dumps(each)}\n" for each in calls or [])
    done = subprocess.run(  # noqa: S603 - our own
        [python(), *PROXY[1:], "--config", str(path), *words],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_the_options_of_a_file(tmp_path: Path) -> None:
    """Paths are relative to the file; a tool may have a coercion of its own."""
    path = tmp_path / "proxy.toml"
    path.write_text(
        f"server = {json.dumps(shlex.join(UPSTREAM))}\n"
        'log = "calls.log"\njson = true\ncoercion = "default"\n'
        'call-timeout = 600\n[tools.pid]\ncoercion = "off"\n'
    )
    calls = [calling(1, "echo", n="3"), calling(2, "pid", n="3")]
    code, answers, error = run(path, calls=calls)
    assert code == 0, error
    by_id = {each["id"]: each["result"] for each in answers}
    assert by_id[1]["content"][0]["text"] == '{"n": 3}'
    assert by_id[2]["isError"]
    logged = [json.loads(line) for line in (tmp_path / "calls.log").read_text().splitlines()]
    assert {each.get("outcome") for each in logged} >= {"coerced", "refused"}


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    """An option of the command line replaces that of the file."""
    path = tmp_path / "proxy.toml"
    path.write_text(f'server = {json.dumps(shlex.join(UPSTREAM))}\ncoercion = "off"\n')
    code, answers, error = run(path, "--coercion", "default", calls=[calling(1, "echo", n="3")])
    assert code == 0, error
    assert answers[0]["result"]["content"][0]["text"] == '{"n": 3}'


WRONG = {
    "key": (
        '\nservres = "a.json"\n',
        ': proxy has no setting "servres"; ',
        "did you mean 'servers'?",
    ),
    "far": ("[else]\na = 1\n", ': proxy has no setting "else"; '),
    "choice": ('url = "http://a"\ncoercion = "lenint"\n', ": coercion: ", "lenient"),
    "no number": ('server = "a"\ncall-timeout = nan\n', ": call-timeout: ", "not a number"),
    "never": ('server = "a"\ncall-timeout = inf\n', ": call-timeout: ", "not in the range"),
    "no integer": ('server = "a"\nmax-sessions = 1.5\n', ": max-sessions: ", "not a valid integer"),
    "flag": ("max-sessions = true\n", ": max-sessions has to be a number"),
    "type": ("json = 1\n", ": json has to be true or false"),
    "list": ('listen = ["a"]\n', ": listen has to be a string"),
    "no list": ('allow-host = "a"\n', ": allow-host has to be a list of strings"),
    "tool": ('[tools.a]\ncoercion = "of"\n', ": tools.a: unknown coercion; ", "'off'"),
    "tool list": ("[tools.a]\ncoercion = []\n", ": tools.a: unknown coercion; ", "one of"),
    "tool key": (
        '[tools.a]\n\ncoercoin = "off"\n',
        ': tools.a has no setting "coercoin"; ',
        "did you mean 'coercion'?",
    ),
    "no table": ("tools = 1\n", ": tools has to be tables"),
    "tool text": ('tools.a = "off"\n', ": tools.a has to be a table"),
    "syntax": ("a = 1\nb = \n", " is not TOML: ", "line 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file(name: str, tmp_path: Path) -> None:
    """The message names the file, the key and what would be right."""
    content, *expected = WRONG[name]
    path = tmp_path / "proxy.toml"
    path.write_text(content)
    done = CliRunner().invoke(application, ["proxy", "--config", str(path)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert isinstance(done.exception, SystemExit)
    first, *others = expected
    for words in (f"{path}{first}", *others):
        assert words in done.stderr


def test_a_missing_file(tmp_path: Path) -> None:
    """It is named."""
    code, answers, error = run(tmp_path / "none.toml")
    assert (code, answers) == (2, [])
    assert "none.toml" in error
    assert "Traceback" not in error
