"""The configurations of MCP clients: every form is read, or refused with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from waiting import rounds

pytest.importorskip("click", reason="the commands need the extra cli")

from schema2model.apps.cli.configurations import servers_in
from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.schemas import without_comments

COMMENTED = """﻿// the servers of this workspace
{
  /* started
     by the editor */
  "servers": {
    "git": {"type": "stdio", "command": "uvx", "args": ["a//b", "/*c*/", "\\"//d", ",]",],},
    "web": {"type": "http", "url": "https://example.org/mcp"}, // remote
  },
}
"""


def written(folder: Path, content: Any, name: str = "mcp.json") -> Path:
    """A file in a folder, which is created."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def command(folder: Path, *words: str) -> tuple[str, ...]:
    """The command of an entry with these arguments."""
    path = written(folder, {"servers": {"a": {"command": "run", "args": words}}})
    return servers_in(path)["a"].command[1:]


def test_comments_and_trailing_commas(tmp_path: Path) -> None:
    """They are dropped outside strings and kept within."""
    servers = servers_in(written(tmp_path, COMMENTED))
    assert servers["git"].command == ("uvx", "a//b", "/*c*/", '"//d', ",]")
    assert servers["web"].url == "https://example.org/mcp"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_all_encodings_of_json(encoding: str, tmp_path: Path) -> None:
    """With comments as without."""
    path = tmp_path / "mcp.json"
    path.write_bytes('{"servers": {"ä": {"command": "a"}}} // ä'.encode(encoding))
    assert [*servers_in(path)] == ["ä"]


@pytest.mark.parametrize(
    "text", ['{"a": 1} /* open', '{"a": "open', '{"a": "\\', '{"a":, "b": 1}', "{,}x"]
)
def test_what_is_not_json_either_way(text: str, tmp_path: Path) -> None:
    """It is refused with the position."""
    with pytest.raises(InputError, match="is not JSON"):
        servers_in(written(tmp_path, text))


def test_positions_stay() -> None:
    """An error in a commented file names the line and column that an editor shows."""
    text = "/* a\r\n b */ [1, // c\n2,]"
    assert without_comments(text.encode()) == "    \r\n      [1,     \n2 ]"


@pytest.mark.parametrize("part", ['"\\"', '\\"', "/* ", "/* */", "//", ", ", ",\n//\n"])
def test_comments_cost_linear_time(part: str) -> None:
    """Also quotation marks and comments that never close, and commas before long space."""
    small, large = (b"[" + part.encode() * times for times in (15_000, 60_000))
    least = rounds(lambda: without_comments(small))
    assert rounds(lambda: without_comments(large), 9 * least) <= 9 * least


def test_both_keys(tmp_path: Path) -> None:
    """It would not be clear which servers are meant."""
    with pytest.raises(InputError, match="both `mcpServers` and `servers`"):
        servers_in(written(tmp_path, {"servers": {}, "mcpServers": {}}))


def test_variables_of_editors(tmp_path: Path) -> None:
    """The path of a file in a workspace gives their values."""
    words = ("${workspaceFolder}/a", "${workspaceFolderBasename}", "${userHome}")
    assert command(tmp_path / ".vscode", *words) == (
        f"{tmp_path}/a",
        tmp_path.name,
        str(Path.home()),
    )


def test_variables_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without prefix and default."""
    monkeypatch.setenv("S2M_KEY", "k")
    monkeypatch.delenv("S2M_NONE", raising=False)
    words = ("${S2M_KEY}-${env:S2M_KEY}", "${S2M_NONE:-a:b}", "${S2M_NONE:-}", "$S2M_KEY")
    assert command(tmp_path, *words) == ("k-k", "a:b", "", "$S2M_KEY")


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("input:api-key", "an input that only an editor asks for; write \\${env:NAME}"),
        ("command:pick", "unknown here"),
        ("config:a.b", "unknown here"),
        ("", "unknown here"),
        ("workspaceFolder", "known only for a file in .cursor or .vscode; write the path"),
        ("S2M_NONE", "wants the environment variable S2M_NONE, which is not set"),
        ("env:S2M_NONE", "wants the environment variable S2M_NONE, which is not set"),
    ],
)
@pytest.mark.parametrize(
    "entry",
    [
        {"command": "${}"},
        {"command": "a", "args": ["b${}"]},
        {"command": "a", "env": {"K": "${}"}},
        {"command": "a", "cwd": "${}"},
        {"url": "https://example.org/${}"},
        {"url": "https://example.org", "headers": {"Authorization": "Bearer ${}"}},
    ],
    ids=["command", "args", "env", "cwd", "url", "headers"],
)
def test_no_variable_is_sent_as_it_is_written(
    variable: str, reason: str, entry: Any, tmp_path: Path
) -> None:
    """Whatever has no value is an error that names the entry and says what to write."""
    text = json.dumps({"servers": {"mine": entry}}).replace("${}", f"${{{variable}}}")
    with pytest.raises(InputError, match=f'the server "mine" .*{reason}') as raised:
        servers_in(written(tmp_path, text))
    assert str(raised.value).count("mine") == 1


def test_a_file_of_variables(tmp_path: Path) -> None:
    """A server without its variables would fail later, for no visible reason."""
    entry = {"command": "a", "envFile": "${workspaceFolder}/.env"}
    with pytest.raises(InputError, match='the server "mine" has an envFile'):
        servers_in(written(tmp_path, {"servers": {"mine": entry}}))


@pytest.mark.parametrize(
    ("name", "meant"), [("comand", "command"), ("serverUrl", "url"), ("httpUrl", "url")]
)
def test_another_name_of_a_member_gets_a_hint(name: str, meant: str, tmp_path: Path) -> None:
    """Where the entry cannot be used without it."""
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"git": {name: "uvx"}}}))
    with pytest.raises(InputError, match=f'has "{name}": did you mean "{meant}"'):
        servers_in(path)
