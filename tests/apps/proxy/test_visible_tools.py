"""Tools that clients may not see: they are in no list, and no call of one reaches the server."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from http_client import HTTPClient, proxy
from proxied import STRINGIFIED, TYPED, Connect, call, got, posix, request

from schema2model.extras import needs

TOKEN = "0123456789abcdef"  # noqa: S105 - of the test


def names(answer: Any) -> list[str]:
    """The names of the tools in an answer."""
    return [tool["name"] for tool in answer["result"]["tools"]]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (("--only", "search", "--only", "o*"), ["search", "other"]),
        (("--only", "*", "--config", "CONFIG"), ["other", "change", "die"]),
        (("--only", "s*", "--config", "CONFIG"), []),
    ],
    ids=["only", "hidden", "both"],
)
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "not-listed"])
def test_a_hidden_tool_is_not_there(
    connect: Connect, tmp_path: Path, options: tuple[str, ...], shown: list[str], *, listed: bool
) -> None:
    """Also if it is called before it is listed, or in other letters."""
    config = tmp_path / "proxy.toml"
    config.write_text("[tools.search]\nhidden = true\n[tools.ask]\nhidden = true\n")
    client = connect(options=tuple(str(config) if each == "CONFIG" else each for each in options))
    if listed:
        client.send(request(0, "tools/list"))
        assert names(client.next()) == shown
    for number, name in enumerate(("search", "other", "ask"), 1):
        client.send(call(number, STRINGIFIED, name))
        answer = client.next()
        if name in shown:
            assert got(answer) == TYPED
        else:
            assert answer["result"]["isError"]
            assert answer["result"]["content"][0]["text"] == f"There is no tool `{name}`."
    client.input.close()
    assert client.ends()[0] == 0
    called = [json.loads(line)["params"]["name"] for line in client.served() if b"call" in line]
    assert called == [name for name in ("search", "other", "ask") if name in shown]


@pytest.mark.parametrize(
    "members",
    [
        {"method": "tools/call", "params": {"name": "other", "NAME": "search", "arguments": {}}},
        {"method": "tools/call", "params": {"Name": "search", "arguments": {}}},
        {"method": "ping", "Method": "tools/call", "params": {"name": "search", "arguments": {}}},
        {"method": "tools/call", "params": {"name": "other"}, "PARAMS": {"name": "search"}},
    ],
    ids=["name", "other-name", "method", "params"],
)
def test_no_parser_reads_a_hidden_name(connect: Connect, members: dict[str, Any]) -> None:
    """Some ignore the case of members: such a message is refused."""
    client = connect(options=("--only", "other"))
    client.send({"jsonrpc": "2.0", "id": 1, **members}, call(2, {}, "other"))
    answers = {answer["id"]: answer for answer in (client.next(), client.next())}
    assert answers[1]["error"]["code"] == -32600
    assert "result" in answers[2]
    client.input.close()
    assert client.ends()[0] == 0
    assert b"search" not in b"".join(client.served())


@pytest.mark.parametrize("name", ["Search", "SEARCH", "se-arch", "search"])
def test_no_spelling_of_its_name_calls_a_hidden_tool(
    connect: Connect, tmp_path: Path, name: str
) -> None:
    """Whether or not spellings are corrected; the answer names what was called."""
    config = tmp_path / "proxy.toml"
    config.write_text("[tools.search]\nhidden = true\n")
    client = connect(options=("--config", str(config)))
    client.send(call(1, {}, name), call(2, {}, "Others"))
    answers = {answer["id"]: answer for answer in (client.next(), client.next())}
    assert answers[1]["result"]["content"][0]["text"] == f"There is no tool `{name}`."
    assert got(answers[2]) == {}
    client.input.close()
    assert client.ends()[0] == 0
    assert name.encode() not in b"".join(client.served())


def test_a_list_that_cannot_be_read_is_not_shown(connect: Connect) -> None:
    """Nobody can tell what is in it; without hidden tools it passes as it came."""
    client = connect("never-list", options=("--only", "other"))
    deep = '{"tools": [{"name": "search", "inputSchema": ' + "[" * 500 + "]" * 500 + "}]}"
    client.send(request("l", "tools/list"))
    answer = f'{{"jsonrpc": "2.0", "id": "l", "result": {deep}}}\n'
    client.send({"jsonrpc": "2.0", "method": "say", "params": {"line": answer}})
    assert client.next()["error"]["code"] == -32603


def test_each_page_is_without_them(connect: Connect) -> None:
    """The others, and the cursor, stay as they came."""
    client = connect("pages", options=("--only", "[so]*"))
    shown, cursor = [], None
    for number in range(5):
        client.send(request(number, "tools/list", **({"cursor": cursor} if cursor else {})))
        answer = client.next()
        shown += names(answer)
        cursor = answer["result"].get("nextCursor")
    assert (shown, cursor) == (["search", "other"], None)


@posix
def test_a_token_may_have_fewer_tools_and_hears_of_changes(tmp_path: Path) -> None:
    """SIGHUP reads the configuration again: sessions that live are told."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    config, tokens = tmp_path / "proxy.toml", tmp_path / "tokens"
    config.write_text('[users.bob]\nonly = ["echo", "pid"]\n')
    tokens.write_text(f"ann: {TOKEN}a\nbob: {TOKEN}b\n")
    with proxy("--token-file", str(tokens), "--config", str(config)) as (url, process):
        ann, bob = (HTTPClient(url, authorization=f"Bearer {TOKEN}{each}") for each in "ab")
        asked = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
        for client in (ann, bob):
            client.initialize()
        assert len(names(ann.ask(asked))) > 2
        assert names(bob.ask(asked)) == ["echo", "pid"]
        assert bob.call("die")["result"]["isError"]
        config.write_text('[users.bob]\nonly = ["echo"]\n[tools.flood]\nhidden = true\n')
        with bob.stream() as stream:
            os.kill(process.pid, signal.SIGHUP)
            lines = (line for line in stream if line.startswith(b"data: {"))
            assert json.loads(next(lines)[6:])["method"] == "notifications/tools/list_changed"
        assert names(bob.ask(asked)) == ["echo"]
        assert "flood" not in names(ann.ask(asked))
        assert bob.call("pid")["result"]["isError"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[tools.a]\nhidden = 1\n", "tools.a: hidden has to be true or false"),
        ('[users.a]\nonly = "x"\n', "users.a: only has to be a list of names of tools"),
        ("[users.a]\nhidden = true\n", 'users.a has no setting "hidden"'),
        ("users = 3\n", "users has to be tables"),
    ],
)
def test_a_wrong_table_is_an_error(
    connect: Connect, tmp_path: Path, written: str, message: str
) -> None:
    """It names the file, and the setting."""
    config = tmp_path / "proxy.toml"
    config.write_text(written)
    client = connect(options=("--config", str(config)))
    code, said = client.ends()
    assert code == 2
    assert f"{config}: {message}" in said
