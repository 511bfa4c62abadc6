"""The unit and the Dockerfile of docs/proxy/: their commands are ones that the proxy takes."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from waiting import PATIENCE

from schema2model.apps.cli.application import application
from schema2model.apps.cli.proxy import proxy

pytest.importorskip("mcp")  # `--listen` needs it

DOCS = Path(__file__).parents[2] / "docs"

DEBIAN_USERS = frozenset(
    {"root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp"}
    | {"proxy", "www-data", "backup", "list", "irc", "nobody"}
)
"""The users that every Debian has, and its images: `useradd` refuses their names."""


def block(page: str, language: str) -> str:
    """The text of a page's first block in a language."""
    text = (DOCS / page).read_text("utf-8")
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def parsed(words: list[str]) -> dict[str, Any]:
    """The options of a command line, without running it."""
    assert words.pop(0) == "proxy"
    with click.Context(application) as parent:
        return dict(proxy.make_context("proxy", words, parent=parent).params)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the page's configuration, with its files."""
    (tmp_path / "proxy.toml").write_text(block("proxy.md", "toml"))
    (tmp_path / "servers.json").write_text(block("proxy.md", "json"))
    (tmp_path / "token.txt").write_text("0" * 32)
    return tmp_path


@pytest.fixture
def unit() -> configparser.ConfigParser:
    """The unit of systemd."""
    read = configparser.ConfigParser(interpolation=None, delimiters="=")
    read.optionxform = str  # type: ignore[assignment, method-assign]
    read.read_string(block("proxy/systemd.md", "ini"))
    return read


def test_the_unit_starts_the_proxy(unit: configparser.ConfigParser, folder: Path) -> None:
    """With the configuration that the page shows."""
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert Path(program).name == "schema2model"
    options = parsed([word.replace("/etc/schema2model", str(folder)) for word in words])
    assert options["listen"] == "127.0.0.1:8000"
    assert options["token_file"] == folder / "token.txt"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_takes_the_unit(unit: configparser.ConfigParser, tmp_path: Path) -> None:
    """But for the program, which is not installed there."""
    program = shlex.split(unit["Service"]["ExecStart"])[0]
    text = block("proxy/systemd.md", "ini").replace(program, shutil.which("true") or "")
    path = tmp_path / "schema2model.service"
    path.write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603 - our own
    assert (done.returncode, done.stderr) == (0, "")


def test_the_container_starts_the_proxy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user that can be made, with the file that is copied, and the package of the clone."""
    instructions = [
        line.partition(" ")[::2] for line in block("proxy/docker.md", "dockerfile").splitlines()
    ]
    copied_to = instructions[1][1].removeprefix(". ")
    assert instructions[1:3] == [
        ("COPY", f". {copied_to}"),
        ("RUN", f'pip install --no-cache-dir uv "{copied_to}[mcp]"'),
    ]
    by_name = dict(instructions)
    user = by_name["USER"]
    assert ("RUN", f"useradd --create-home {user}") in instructions
    assert user not in DEBIAN_USERS
    assert by_name["WORKDIR"] == f"/home/{user}"
    copied, target = by_name["COPY"].split()
    assert (copied, target) == ("servers.json", "./")
    program, *words = json.loads(by_name["ENTRYPOINT"])
    assert program == "schema2model"
    words += json.loads(by_name["CMD"])
    monkeypatch.chdir(folder)
    options = parsed([word.replace("/run/secrets/token", "token.txt") for word in words])
    assert options["listen"] == f"0.0.0.0:{by_name['EXPOSE']}"
    assert options["token_file"] == Path("token.txt")
    kind, _, check = by_name["HEALTHCHECK"].partition(" ")
    python, flag, code = json.loads(check)
    assert (kind, python, flag) == ("CMD", "python", "-c")
    compile(code, "HEALTHCHECK", "exec")
    assert f"http://localhost:{by_name['EXPOSE']}/readyz" in code
