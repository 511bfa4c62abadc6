"""What holds for every command, and that the documentation shows what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from forking import python

from schema2model.apps.cli.application import COMMANDS, application
from schema2model.extras import needs

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "cli.md"
SESSIONS = re.findall(
    r"^\$ (schema2model .*)\n((?:(?!```|\$).*\n)*)", PAGE.read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_examples_and_exit_codes(name: str) -> None:
    """Each example names the command and options that it has, each exit code says what it means.

    Every command is in the overview of the documentation, and has JSON for programs.
    """
    shown = CliRunner().invoke(application, [name, "--help"])
    assert shown.exit_code == 0
    options, examples, codes = re.split(r"\n  (?:Examples|Exit codes):\n", shown.output)
    assert f"schema2model {name}" in examples or f'"{name}"' in examples
    own = [line for line in examples.splitlines() if f"schema2model {name} " in line]
    assert {*re.findall(r"--[a-z][a-z-]+", " ".join(own)), "--json"} <= {
        *re.findall(r"--[a-z][a-z-]+", options)
    }
    assert f"schema2model {name}" in PAGE.read_text("utf-8")
    assert re.findall(r"^    (\d)  \S", codes, re.MULTILINE)[:3] == ["0", "1", "2"]
    assert max(map(len, shown.output.splitlines())) <= 100


@pytest.mark.parametrize(("line", "printed"), SESSIONS, ids=[line for line, _ in SESSIONS])
def test_the_documentation_shows_what_is_printed(line: str, printed: str) -> None:
    """Both streams together, as a terminal shows them."""
    command = f"{python()} -m schema2model {line.removeprefix('schema2model ')}"
    shell = subprocess.run(  # noqa: S602 - our own page
        command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert shell.stdout.decode() == printed.rstrip("\n") + "\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str) -> None:
    """The script for each is there, and the commands are what it offers."""
    program = (
        "import contextlib, os, sys; from schema2model.apps.cli import main\n"
        "for asked in sys.argv[1:]:\n"
        "    os.environ['_SCHEMA2MODEL_COMPLETE'] = asked\n"
        "    with contextlib.suppress(SystemExit): main()\n"
        "    print('=')"
    )
    words = {"COMP_WORDS": "schema2model ", "COMP_CWORD": "" if shell == "fish" else "1"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program, f"{shell}_source", f"{shell}_complete"],
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        check=True,
    )
    script, commands, _ = done.stdout.split("\n=\n")
    assert "_SCHEMA2MODEL_COMPLETE" in script
    assert all(name in commands for name in COMMANDS)


def test_help_imports_no_command() -> None:
    """The lines of the overview are there without them, the same as completion shows."""
    code = "import sys\nsys.argv[1:] = ['--help']\nfrom schema2model.apps.cli import main\n"
    code += "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {f"schema2model.apps.cli.{name}" for name in COMMANDS} & {*done.stderr.split()}
    for name, line in COMMANDS.items():
        command = application.get_command(click.Context(application), name)
        assert command is not None
        assert command.get_short_help_str() == line
        assert f"  {name:10}{line}\n" in done.stdout


def test_validate_imports_no_more_than_it_needs() -> None:
    """It starts about as fast as the core: none of the other commands, no event loop, no server.

    What pydantic imports by itself is not counted: before typing-extensions 4.15, an event loop.
    """
    command = ["validate", "--schema", "examples/search.json", '{"tags": ["a"], "limit": 1}']
    code = f"import pydantic, sys\nbefore = {{*sys.modules}}\nsys.argv[1:] = {command}\n"
    code += "from schema2model.apps.cli import main\n"
    code += "try:\n    main()\nfinally:\n    print(*{*sys.modules} - before, file=sys.stderr)"
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    others = {f"schema2model.apps.cli.{name}" for name in COMMANDS} - {
        "schema2model.apps.cli.validate"
    }
    heavy = {"asyncio", "pyarrow", "mcp", "daft", "schema2model.tools.tool", "json_repair"}
    assert loaded.isdisjoint(others | heavy)


def test_without_a_command_the_help_is_shown() -> None:
    """In its lines, on standard error, with exit code 2."""
    asked = CliRunner().invoke(application, ["--help"])
    done = CliRunner().invoke(application, [])
    assert done.exit_code == 2
    assert (done.stdout, done.stderr) == ("", asked.stdout)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("chekc", "check"), ("validat", "validate"), ("explain", "validate --explain")],
)
def test_a_misspelt_command_is_recognised(word: str, meant: str) -> None:
    """The error names it, and the one that was meant."""
    result = CliRunner().invoke(application, [word])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"No such command '{word}'. Did you mean '{meant}'?" in result.stderr
    assert "Did you mean" not in CliRunner().invoke(application, ["xyz"]).stderr


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("call search {}", "--server and --url."),
        ("call --server x --url http://x search {}", "--server and --url."),
        ("proxy", "COMMAND, --server, --url and --servers."),
        ("proxy --url http://localhost/ -- server", "COMMAND, --server, --url and --servers."),
        ("check", "FILE, --server, --url and --servers."),
        ("check a --url http://b", "FILE"),
        ("diff README.md", "NEW, --server, --url and --servers."),
        ("diff README.md README.md --server x", "NEW, --server, --url and --servers."),
    ],
)
def test_tools_are_in_one_place(words: str, places: str) -> None:
    """A command, a URL, a configuration or a file."""
    result = CliRunner().invoke(application, words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Give one of {places}" in result.stderr


EXTRAS = [
    *((f"{command} --url http://127.0.0.1:9/", "mcp", "mcp") for command in ("call", "proxy")),
    *(("codegen FILE", name, "codegen") for name in ("datamodel_code_generator", "black")),
    *(("batch FILE --tools FILE -o out", name, "batch") for name in ("daft", "pyarrow")),
    ("--help", "click", "cli"),
]


@pytest.mark.parametrize(("words", "module", "extra"), EXTRAS)
def test_without_its_extra_a_command_says_what_to_install(
    words: str, module: str, extra: str, tmp_path: Path
) -> None:
    """In its last line, which is the only one but of a batch that has begun; exit code 2."""
    file, hidden = tmp_path / "tools.json", tmp_path / "hidden"
    file.write_text('{"name": "search", "inputSchema": {"type": "object"}}')
    hidden.mkdir()
    (hidden / f"{module}.py").write_text(f"raise ModuleNotFoundError(name={module!r})\n")
    more = ["search", "{}"] if words.startswith("call") else []
    arguments = [str(file) if word == "FILE" else word for word in words.split()] + more
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "schema2model", *arguments],
        capture_output=True,
        check=False,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(hidden), *sys.path])},
    )
    assert (done.returncode, done.stdout) == (2, "")
    *before, last = done.stderr.splitlines()
    assert needs(extra) in last
    assert before == [] or extra == "batch"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["validate", "--help"]])
def test_help_on_a_full_disk_is_an_error_without_a_traceback(arguments: list[str]) -> None:
    """Help and version that cannot be written end with exit code 2 and the reason."""
    command = [sys.executable, "-m", "schema2model", *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603 - our own command
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write the output: no space left on device\n"
