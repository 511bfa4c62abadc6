# ruff: noqa: D103, S603 - the names state the promises; the processes are our own
"""The promises of `schema2model check` for files: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from schema2model.auditing import RULES, SEVERITIES
from schema2model.auditing.sarif import sarif
from schema2model.cli.application import application
from schema2model.cli.check import check
from schema2model.cli.json_locations import lines_in, pointers_in

Write = Callable[[Any], str]

SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "description": "words"}}}
GOOD = {"name": "good", "description": "Look up.", "inputSchema": SCHEMA}
NOTE = {**GOOD, "name": "note", "inputSchema": {"type": "object", "properties": {"q": {
    "type": ["string", "null"], "description": "words"}}}}  # fmt: skip
WARNING = {**GOOD, "name": "warning", "description": ""}
ERROR = {**GOOD, "name": "an error"}
HOSTILE = "\x1b[2J\u202e\ud800\n\r" + "x" * 500


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Write a document, or text, to a file, and return its name."""

    def write(content: Any) -> str:
        path = tmp_path / "tools.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return write


def run(*arguments: str, **options: Any) -> Result:
    """`schema2model check` with these arguments, in this process."""
    return CliRunner().invoke(application, ["check", *arguments], **options)


def refused(result: Result) -> str:
    """The one line that says why a file or a command line will not do."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr


# ------------------------------------------------------------------------------------- exit codes
@pytest.mark.parametrize(
    ("tools", "codes"),
    [
        pytest.param([GOOD], [0, 0, 0, 0], id="nothing"),
        pytest.param([GOOD, NOTE], [0, 0, 1, 0], id="note"),
        pytest.param([NOTE, WARNING], [0, 1, 1, 0], id="warning"),
        pytest.param([ERROR, GOOD], [1, 1, 1, 0], id="error"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"], ["--sarif"]], ids=["text", "json", "sarif"])
def test_the_exit_code_is_that_of_the_worst_finding(
    file: Write, tools: Any, codes: list[int], form: list[str]
) -> None:
    path = file({"tools": tools})
    levels = ["error", "warning", "note", "never"]
    assert [run(path, "--fail-on", level, *form).exit_code for level in levels] == codes
    assert run(path, *form).exit_code == codes[0]


def test_the_documentation_knows_every_rule() -> None:
    text = (Path(__file__).parents[2] / "docs" / "check.md").read_text("utf-8")
    listed, severity = [], ""
    for line in text.partition("<!-- table:start -->")[2].splitlines()[2:]:
        severity = severity if line.startswith("  ") else line
        listed += [(line.split()[0], severity)] if line.startswith("  ") else []
    assert listed == sorted(
        ((rule.id, rule.severity) for rule in RULES), key=lambda pair: SEVERITIES.index(pair[1])
    )


def test_examples_of_the_help_are_commands_that_exist() -> None:
    assert run("--help").exit_code == 0
    for line in str(check.epilog).splitlines():
        words = line.split()
        if words[:2] == ["schema2model", "check"]:
            options = {word for word in words if word.startswith("--")}
            assert options <= {name for option in check.params for name in option.opts}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        pytest.param([], "Give one of FILE, --server, --url and --servers.", id="nothing"),
        pytest.param(["a", "--url", "http://b"], "Give one of FILE", id="both"),
        pytest.param(["a", "--fail-on", "often"], "'often' is not one of", id="level"),
        pytest.param(["--url", "http://b", "--timeout", "0"], "--timeout", id="timeout"),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("{", "is not JSON", id="not-JSON"),
        pytest.param("[]", "defines no tools", id="empty"),
        pytest.param({"jsonrpc": "2.0", "error": {}}, "defines no tools", id="no-result"),
        pytest.param("[" * 100_000, "nested too deeply", id="too-deep"),
    ],
)
def test_a_file_without_tools_is_an_error(file: Write, content: Any, problem: str) -> None:
    assert problem in refused(run(file(content)))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert "there is no such file" in refused(run(str(tmp_path / "none.json")))


def test_an_unknown_dialect_is_an_error(file: Write) -> None:
    assert "unknown dialect" in refused(run(file([GOOD]), "--dialect", "draft-99"))


def test_servers_need_an_extra_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "pip install 'pydantic-schema2model[mcp]'" in refused(run("--server", "any"))


# --------------------------------------------------------------------------------- what is printed
def test_people_get_a_line_for_each_tool_and_its_findings(file: Write) -> None:
    schema = {
        "type": "object",
        "properties": {
            **{f"p{n}": {"type": ["string", "null"], "description": "d"} for n in range(5)},
            "a": {"type": "integer", "description": "d", "default": "1"},
        },
    }
    tools = [GOOD, {**GOOD, "name": "longer_name", "inputSchema": schema}]
    output = run(file(tools)).output.splitlines()
    assert output[0].startswith("good         2020-12  ")
    assert output[1].startswith("longer_name  2020-12  ")
    assert output[2:] == [
        "  warning invalid-default",
        '    the default "1" is not valid here',
        "      /properties/a/default",
        "  note nullable-string",
        '    it may be a string or null: the text "null" is both',
        "      /properties/p0",
        "      /properties/p1",
        "      /properties/p2",
        "      and 2 more places",
        "",
        "What to do:",
        "  invalid-default: Correct the default or the schema; models send what they see",
        "    there.",
        "  nullable-string: Leave the property out of required, and null out of its type.",
        "",
        "2 tools: 1 warning, 5 notes",
    ]


def test_a_tool_without_findings_is_one_line(file: Write) -> None:
    first, empty, summary = run(file([GOOD])).output.splitlines()
    assert first.startswith("good  2020-12  ")
    assert (empty, summary) == ("", "1 tool: nothing found")


def test_a_tool_that_cannot_be_used_does_not_hide_the_others(file: Write) -> None:
    broken = [{"name": "broken", "inputSchema": {"type": "whole"}}, {"title": "nothing"}, 7]
    report = json.loads(run(file([*broken, GOOD]), "--json").stdout)
    assert [tool["name"] for tool in report["tools"]] == ["broken", "", "", "good"]
    assert [bool(tool["error"]) for tool in report["tools"]] == [True, True, True, False]
    assert report["tools"][3]["findings"] == []


@pytest.mark.parametrize("form", [[], ["--json"], ["--sarif"]], ids=["text", "json", "sarif"])
def test_nothing_that_a_tool_says_steers_the_terminal(file: Write, form: list[str]) -> None:
    schema = {"type": "object", "properties": {HOSTILE: {"default": HOSTILE, "type": "integer"}}}
    broken = {"type": "object", "properties": {HOSTILE: {"type": HOSTILE}}}
    tools = [{"name": HOSTILE, "description": HOSTILE, "inputSchema": s} for s in (schema, broken)]
    result = run(file(tools), *form)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert not {"\x1b", "\u202e", "\r"} & {*result.stdout}
    if not form:
        assert max(map(len, result.stdout.splitlines())) <= 300


def test_the_table_fits_into_80_columns(file: Write) -> None:
    name = "x" * 64
    schema = {"type": "object", "properties": {f"{name}{n}": {} for n in range(9)}}
    tools = [{**GOOD, "name": name[:40], "inputSchema": schema}]
    output = run(file(tools), env={"COLUMNS": "200"}).output
    longest = max((line for line in output.splitlines() if name not in line), key=len)
    assert len(longest) <= 80


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_encoding_takes_the_table(file: Write, encoding: str) -> None:
    tools = [{**GOOD, "name": "größe\ud800"}]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "schema2model.cli", "check", file(tools)],
        capture_output=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "gr" in done.stdout.decode(encoding)


def test_a_schema_alone_is_looked_at_without_a_name(file: Write) -> None:
    report = json.loads(run(file(SCHEMA), "--json").stdout)
    (tool,) = report["tools"]
    assert (tool["name"], tool["findings"], tool["error"]) == ("", [], None)
    assert report["summary"] == {"error": 0, "warning": 0, "note": 0}


# ---------------------------------------------------------------------------------------------- CI
def ids(result: Result) -> list[str]:
    """The rules of the findings in a JSON report."""
    tools = json.loads(result.stdout)["tools"]
    return [finding["rule"] for tool in tools for finding in tool["findings"]]


MIXED = [{**WARNING, "name": "an error"}, NOTE]
ALL = ["tool-name", "tool-description", "nullable-string"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], ALL),
        (["--select", "tool-name,nullable-string"], [ALL[0], ALL[2]]),
        (["--select", "tool-name", "--select", "tool-description"], ALL[:2]),
        (["--ignore", "tool-name"], ALL[1:]),
        (["--select", "tool-name", "--ignore", "tool-name"], []),
    ],
)
def test_rules_are_chosen(file: Write, options: list[str], found: list[str]) -> None:
    result = run(file(MIXED), "--json", *options)
    assert ids(result) == found
    assert result.exit_code == int("tool-name" in found)


def test_an_unknown_rule_names_the_one_that_is_meant(file: Write) -> None:
    result = run(file(MIXED), "--ignore", "tool-nam")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'there is no rule "tool-nam"; did you mean tool-name?' in result.stderr


def test_a_baseline_leaves_known_findings_out(file: Write, tmp_path: Path) -> None:
    known = str(tmp_path / "known.json")
    written = run(file(MIXED), "--baseline", known, "--update-baseline")
    assert (written.exit_code, written.stdout) == (0, "")
    assert ids(run(file(MIXED), "--baseline", known, "--json")) == []
    assert run(file(MIXED), "--baseline", known).exit_code == 0
    more = run(file([*MIXED, {**ERROR, "name": "x y"}]), "--baseline", known, "--json")
    assert (more.exit_code, ids(more)[:1]) == (1, ["tool-name"])
    assert "needs --baseline" in run(file(MIXED), "--update-baseline").stderr
    assert "is not a baseline" in refused(run(file(MIXED), "--baseline", file(MIXED)))


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


@pytest.mark.parametrize("own", [False, True], ids=["pyproject", "file"])
def test_settings_stand_in_for_options(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: bool,  # noqa: FBT001
) -> None:
    (tmp_path / "within").mkdir()
    (tmp_path / "tools.json").write_text(json.dumps(MIXED))
    table = "" if own else "[tool.schema2model.check]\n"
    lines = 'files = ["tools.json"]\nignore = ["tool-name"]\nfail-on = "note"\n'
    path = tmp_path / ("check.toml" if own else "pyproject.toml")
    path.write_text(table + lines)
    monkeypatch.chdir(tmp_path / "within")
    options = ["--config", str(path)] if own else []
    result = run("--json", *options)
    assert (result.exit_code, ids(result)) == (1, ALL[1:])
    result = run("--json", "--ignore", "tool-description,nullable-string", *options)
    assert ids(result) == ["tool-name"]
    assert run("--fail-on", "error", *options).exit_code == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ignored = []", 'has no setting "ignored"; did you mean ignore?'),
        ("ignore = 3", "the setting ignore has to be a list of strings"),
        ('fail-on = "all"', "the setting fail-on has to be one of error, warning, note, never"),
        ("ignore = [", "is not TOML: "),
        ("check = 3", "the settings of check are not a table"),
    ],
)
def test_wrong_settings_are_one_line(file: Write, tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "check.toml"
    path.write_text(text)
    assert reason in refused(run(file(MIXED), "--config", str(path)))


def test_json_and_sarif_exclude_one_another(file: Write) -> None:
    result = run(file(MIXED), "--json", "--sarif")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not both" in result.stderr


# ------------------------------------------------------------------------------------------- SARIF
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


def test_without_a_file_there_are_logical_locations_only() -> None:
    from schema2model.auditing import audit  # noqa: PLC0415 - beside what it is for

    (result,) = sarif(audit([WARNING]))["runs"][0]["results"]
    (location,) = result["locations"]
    assert location["logicalLocations"][0]["name"] == "warning"
    assert "physicalLocation" not in location


# ----------------------------------------------------------------------------------------- places
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


def test_standard_input_is_a_file_called_dash(file: Write) -> None:
    """With the same report and exit code; SARIF has no file to point at."""
    text = json.dumps([GOOD, WARNING, ERROR])
    read = CliRunner().invoke(application, ["check", file(text), "--json"])
    piped = CliRunner().invoke(application, ["check", "-", "--json"], input=text)
    assert piped.exit_code == read.exit_code == 1
    assert json.loads(piped.stdout)["summary"] == json.loads(read.stdout)["summary"]
    piped = CliRunner().invoke(application, ["check", "-", "--sarif"], input=text)
    assert len(json.loads(piped.stdout)["runs"][0]["results"]) >= 2
    empty = CliRunner().invoke(application, ["check", "-"], input="")
    assert empty.exit_code == 2
    assert "Error: standard input is not JSON" in empty.stderr


def test_an_empty_file_name_is_not_the_current_folder() -> None:
    """An unset shell variable is an error, instead of an audit of whatever is here."""
    result = CliRunner().invoke(application, ["check", ""])
    assert result.exit_code == 2
    assert "the name of the file is empty" in result.output
