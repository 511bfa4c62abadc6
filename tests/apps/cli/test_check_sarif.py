# ruff: noqa: D103 - the names state the promises
"""`schema2model check --sarif`: findings have their places, in the lines of files."""

from __future__ import annotations

import json
import sys
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from checking import ERROR, GOOD, NOTE, WARNING, run
from click.testing import CliRunner
from hypothesis import given, strategies as st
from validating import Write, refused

from schema2model.apps.audit import RULES, audit, sarif as sarif_module
from schema2model.apps.audit.sarif import sarif
from schema2model.apps.cli.application import application
from schema2model.apps.cli.json_locations import lines_in, pointers_in
from schema2model.extras import needs


def test_several_files_and_folders_are_one_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("inner").mkdir()
    Path("inner/b.json").write_text(json.dumps([GOOD, WARNING], indent=1))
    Path("inner/package.json").write_text('{"scripts": {}}')
    Path("a.json").write_text(json.dumps(ERROR))
    result = run("a.json", "inner", "--sarif")
    assert result.exit_code == 1
    places = [
        (
            each["ruleId"],
            each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            each["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for each in json.loads(result.stdout)["runs"][0]["results"]
    ]
    assert places == [("tool-name", "a.json", 1), ("tool-description", "inner/b.json", 18)]
    names = [tool["name"] for tool in json.loads(run("a.json", "inner", "--json").stdout)["tools"]]
    assert names == ["a.json: an error", "inner/b.json: good", "inner/b.json: warning"]
    Path("inner/b.json").unlink()
    assert "inner has no *.json file that defines tools" in refused(run("inner"))


def test_standard_input_is_a_file_without_a_name() -> None:
    result = run("-", "--sarif", input=json.dumps([WARNING]))
    (found,) = json.loads(result.stdout)["runs"][0]["results"]
    assert found["ruleId"] == "tool-description"
    assert "physicalLocation" not in found["locations"][0]


TEXT = """{"jsonrpc": "2.0", "result": {"tools": [
  {"name": "a",
   "description": "d",
   "inputSchema": {"type": "object",
     "properties": {
       "n": {"type": "integer",
             "description": "d",
             "default": "1"}}}},
  {"type": "function", "function":
    {"name": "b", "description": "d",
     "parameters": {"type": "object", "properties": {
       "n/~": {"type": "array", "description": "d"}}}}}
]}}"""


def test_findings_have_the_line_of_the_file(file: Write) -> None:
    path = file(TEXT)
    log = json.loads(run(path, "--sarif").stdout)
    found = [
        (
            result["ruleId"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
            result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
        )
        for result in log["runs"][0]["results"]
    ]
    assert found == [
        ("invalid-default", 8, "a/properties/n/default"),
        ("property-name", 12, "b/properties/n~1~0"),
        ("untyped-items", 12, "b/properties/n~1~0"),
    ]
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
    }
    assert uris == {Path(path).as_uri()}


def test_a_relative_path_stays_relative(
    file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file([WARNING])).rename("my tools.json")
    (result,) = json.loads(run("my tools.json", "--sarif").stdout)["runs"][0]["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "my%20tools.json"}, "region": {"startLine": 1}}


def test_rules_are_described_and_referred_to(file: Write) -> None:
    (log,) = json.loads(run(file([ERROR, NOTE]), "--sarif").stdout)["runs"]
    rules = log["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    for result in log["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["defaultConfiguration"]["level"] == result["level"]


def test_code_scanning_gets_all_that_it_reads(file: Write, tmp_path: Path) -> None:
    """Descriptions, a region and a fingerprint for each result, and a category for each command."""
    path = file([ERROR, NOTE])
    other = tmp_path / "new.json"
    other.write_text(json.dumps([{**NOTE, "inputSchema": {"type": "object", "required": ["x"]}}]))
    for words in (["check", path], ["diff", path, str(other)]):
        (log,) = json.loads(CliRunner().invoke(application, [*words, "--sarif"]).stdout)["runs"]
        assert log["automationDetails"]["id"] == f"schema2model/{words[0]}/"
        assert all(rule["fullDescription"]["text"] for rule in log["tool"]["driver"]["rules"])
        marks = [each["partialFingerprints"]["primaryLocationLineHash"] for each in log["results"]]
        assert len(marks) == len({*marks}) > 1
        for result in log["results"]:
            assert result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1


def test_fingerprints_outlive_a_change_of_lines(file: Write) -> None:
    def marks(text: str) -> list[str]:
        (log,) = json.loads(run(file(text), "--sarif").stdout)["runs"]
        return [each["partialFingerprints"]["primaryLocationLineHash"] for each in log["results"]]

    assert marks(json.dumps([ERROR, NOTE])) == marks(json.dumps([ERROR, NOTE], indent=8))


@pytest.mark.parametrize("command", ["check", "diff"])
def test_a_file_without_tools_makes_a_valid_log(file: Write, command: str) -> None:
    path = file("[]")
    words = [command, path, *([path] if command == "diff" else [])]
    result = CliRunner().invoke(application, [*words, "--sarif"])
    assert result.exit_code == 2
    (log,) = json.loads(result.stdout)["runs"]
    assert log["results"] == []
    (invocation,) = log["invocations"]
    assert not invocation["executionSuccessful"]
    assert "defines no tools" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_without_a_file_there_are_logical_locations_only() -> None:
    (result,) = sarif(audit([WARNING]))["runs"][0]["results"]
    (location,) = result["locations"]
    assert location["logicalLocations"][0]["name"] == "warning"
    assert "physicalLocation" not in location


def test_tools_of_servers_have_the_line_of_their_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the configuration that names it; code review shows nothing without a place."""
    pytest.importorskip("mcp", reason=needs("mcp"))
    monkeypatch.chdir(tmp_path)
    script = Path(__file__).parents[2] / "support" / "search_server.py"
    server = {"command": sys.executable, "args": [str(script)]}
    entries = ",\n".join(f'"{name}": {json.dumps(server)}' for name in ("one", "two"))
    content = f'// servers\n{{"mcpServers": {{\n{entries}\n}}}}\n'
    (tmp_path / "servers.json").write_text(content)
    (log,) = json.loads(run("--servers", "servers.json", "--sarif").stdout)["runs"]
    places = {}
    for result in log["results"]:
        (location,) = result["locations"]
        name = location["logicalLocations"][0]["name"]
        physical = location["physicalLocation"]
        places[name] = physical["artifactLocation"]["uri"], physical["region"]["startLine"]
    assert places == {"one/search": ("servers.json", 3), "two/search": ("servers.json", 4)}


def test_the_log_says_where_the_program_is_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release has the address of its repository."""
    about = Message()
    about["Version"] = "1"
    about["Project-URL"] = "Repository, https://example.org/schema2model"
    monkeypatch.setattr(sarif_module, "metadata", lambda _: about)
    (run,) = sarif(audit([WARNING]))["runs"]
    assert run["tool"]["driver"]["informationUri"] == "https://example.org/schema2model"


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(DOCUMENTS, st.sampled_from([None, 0, 1]))
def test_every_value_has_a_line(document: Any, indent: int | None) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    lines = lines_in(text)
    assert {*pointers_in(document).values()} <= lines.keys()
    numbers = [*lines.values()]
    assert numbers == sorted(numbers)
    assert all(1 <= line <= text.count("\n") + 1 for line in numbers)
    if indent is not None and isinstance(document, list):
        assert [lines[f"/{n}"] for n in range(len(document))][:1] == [2][: len(document)]
