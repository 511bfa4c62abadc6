"""The promises of `schema2model diff`: kinds of changes, calls that show them, exit codes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from case_tests import each_case
from cases import Case, cases
from click.testing import CliRunner, Result
from waiting import calls

from schema2model import SchemaError
from schema2model.apps.audit.diff import Comparison, ToolChange, compare_tools, judging
from schema2model.apps.cli.application import application
from schema2model.tools.providers.definitions import Definition, read_definition

EDITS = {case.id: case.input for case in cases("diff", "one edit")}
SCHEMA: dict[str, Any] = cases("diff", "one edit")[0].schema
PROPERTIES: dict[str, Any] = SCHEMA["properties"]


def with_property(name: str, schema: Any, **others: Any) -> dict[str, Any]:
    """The schema with another property."""
    return {**SCHEMA, "properties": {**PROPERTIES, name: schema}, **others}


def compare(old: Any, new: Any) -> Comparison:
    """The changes between two schemas of one tool."""
    return compare_tools([Definition("search", "", old)], [Definition("search", "", new)])


def is_valid(schema: Any, call: Any) -> bool:
    """Whether a call is valid, as another validator says."""
    return jsonschema_rs.is_valid(schema, call, validate_formats=False)


def judged(old: Any, new: Any) -> tuple[ToolChange, ...]:
    """The changes between two schemas, each call of which another validator judges as they say."""
    comparison = compare(old, new)
    for each in comparison.changes:
        accepted_by = each.accepted_by or "both"
        verdicts = {"old": (True, False), "new": (False, True), "both": (True, True)}[accepted_by]
        assert each.call is None or (is_valid(old, each.call), is_valid(new, each.call)) == verdicts
    kinds = {each.kind for each in comparison.changes}
    assert comparison.fails("error") == bool(kinds & {"breaking", "uncompared"})
    return comparison.changes


@each_case("diff")
def test_a_difference_is_never_passed_over(case: Case) -> None:
    """It has its kind, its place and its words, and a call if one can be made.

    What no call shows is uncompared, which fails, too. Annotations, orders and bounds that exclude
    nothing are no change, also where no call is valid and the schemas alone are compared.
    """
    changes = judged(case.schema, case.input)
    assert [{"kind": each.kind, "path": each.path} for each in changes] == case.result
    if case.group in {"one edit", "shown"}:
        assert all(each.call is not None for each in changes)
    if "message" in case.line:
        assert changes[-1].message == case.message
    if "calls" in case.line:
        assert [each.call for each in changes] == case.line["calls"]


@each_case("diff", "one edit")
def test_one_edit_in_a_nested_object_is_one_change(case: Case) -> None:
    """Of the same kind, with the path of the object before its own."""
    shared = {key: case.input[key] for key in case.input if key == "$defs"}
    edited = {key: case.input[key] for key in case.input if key != "$defs"}
    old, new = (an_object("a", a=an_object("b", b=each)) for each in (case.schema, edited))
    changes = judged(old, {**new, **shared})
    assert all(each.call is not None for each in changes)
    assert [{"kind": each.kind, "path": each.path} for each in changes] == [
        {"kind": each["kind"], "path": f"/a/b{each['path']}"} for each in case.result
    ]


STRING = {"type": "string"}


def an_object(*required: str, keywords: Any = None, **properties: Any) -> dict[str, Any]:
    """A schema of objects."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {**schema, **(keywords or {})}


def tagged(number: int, last: Any, **keywords: Any) -> dict[str, Any]:
    """A union of objects told apart by `kind`, the last of which has `b`, and keywords."""
    *others, end = [an_object("kind", kind={"const": each}) for each in range(number)]
    properties = {**end["properties"], "b": last}
    return {"oneOf": [*others, {**end, "properties": properties, **keywords}]}


MANY = {f"p{number}": {"type": "string", "maxLength": 50} for number in range(150)}
MANY_INTEGER = {**MANY, "p149": {"type": "integer"}}
LARGE: dict[str, tuple[Any, Any, tuple[str, str]]] = {
    "one-of-150": (an_object(**MANY), an_object(**MANY_INTEGER), ("breaking", "/p149")),
    "one-of-150-required": (
        an_object(*MANY, **MANY),
        an_object(*MANY, **MANY_INTEGER),
        ("breaking", "/p149"),
    ),
    "last-of-many-properties": (
        an_object(**{f"p{number}": STRING for number in range(2_100)}),
        an_object(**{f"p{number}": STRING for number in range(2_099)}, p2099={"type": "null"}),
        ("breaking", "/p2099"),
    ),
    "more-branches-than-are-tried": (
        an_object(a=tagged(70, {"maximum": 10})),
        an_object(a=tagged(70, {"maximum": 9})),
        ("uncompared", "/a"),
    ),
}


@pytest.mark.parametrize(("old", "new", "change"), LARGE.values(), ids=LARGE)
def test_a_difference_in_a_large_schema_is_never_passed_over(
    old: Any, new: Any, change: tuple[str, str]
) -> None:
    """Of many properties, or of more branches than are tried."""
    assert [(each.kind, each.path) for each in judged(old, new)] == [change]


def in_another_order(value: Any) -> Any:
    """A schema with all its keywords, properties and alternatives the other way round."""
    if isinstance(value, dict):
        return {key: in_another_order(value[key]) for key in reversed(value)}
    return [in_another_order(each) for each in reversed(value)] if type(value) is list else value


@pytest.mark.parametrize(
    "schema",
    [
        *(case.schema for case in cases("diff", "shown", "found")),
        an_object("b", "a", a={"enum": [1, 2, 3]}, b={"type": ["string", "null"]}),
        an_object(a={"anyOf": [STRING, {"type": "integer"}, an_object("x", x=STRING)]}),
    ],
)
def test_another_order_is_no_change(schema: Any) -> None:
    """Of keywords, properties, required names, values and alternatives."""
    assert compare(schema, in_another_order(schema)).changes == ()


def test_a_schema_that_is_not_json_costs_no_other_tool() -> None:
    """Its tool is gone, or new, as any other."""
    old, new = ({"name": name, "parameters": {"default": "\ud800"}} for name in ("a", "b"))
    other = {"name": "c", "parameters": {"maximum": float("inf")}}
    changes = compare_tools([old], [new, other]).changes
    assert [(each.kind, each.tool) for each in changes] == [
        ("breaking", "a"),
        ("additive", "b"),
        ("additive", "c"),
    ]


def test_many_properties_are_compared_soon() -> None:
    """Only locations that differ need calls."""
    new = {**MANY, "p149": {"type": "integer"}, "p0": {"type": "boolean"}}
    compare(an_object(a=STRING), an_object())  # imports
    with calls(280_000):
        assert len(compare(an_object(**MANY), an_object(**new)).changes) == 2


def test_few_of_the_calls_at_a_location_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal by many nested branches takes a hundred times as long to explain as to see."""
    judged: Counter[str] = Counter()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any) -> Any:
            judged[function.__name__] += 1
            return function(*given)

        return count

    monkeypatch.setattr(judging, "issues_of", counted(judging.issues_of))
    monkeypatch.setattr(judging.Version, "accepts", counted(judging.Version.accepts))

    def fan(leaf: Any) -> Any:
        parts = {
            f"d{level}": {
                "type": "array",
                "items": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2},
            }
            for level in range(4)
        }
        return {**an_object("a", a={"$ref": "#/$defs/d0"}), "$defs": {**parts, "d4": leaf}}

    found = compare(fan({**STRING, "maxLength": 5}), fan({**STRING, "maxLength": 3}))
    assert found.changes[0].kind == "breaking"
    assert judged["issues_of"] < judged["accepts"] / 30


def test_the_call_of_a_change_shows_no_other_change_if_it_can() -> None:
    """The text of a call that lacks a parameter is long enough for the new version."""
    mode = {"enum": ["a", "b"]}
    new = an_object("query", "mode", query={"type": "string", "minLength": 2}, mode=mode)
    calls = {
        each.path: each.call for each in compare(an_object("query", query=STRING), new).changes
    }
    assert is_valid(new, {**calls["/mode"], "mode": "a"})
    assert not is_valid(new, {**calls["/query"], "mode": "a"})


def test_beyond_the_limit_of_calls_a_change_comes_from_the_schemas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not passed over, whether the calls before have reached its place or not."""
    for limit, edit, path, call in (
        (0, "narrower enum", "/mode", None),
        (1, "narrower enum", "/mode", {"query": "text", "mode": "exact"}),
        (1, "maximum", "/limit", None),
    ):
        monkeypatch.setattr("schema2model.apps.audit.diff.tool_lists.MAX_CALLS", limit)
        (change,) = compare(SCHEMA, EDITS[edit]).changes
        assert (change.kind, change.path, change.call) == ("breaking", path, call)


@pytest.mark.parametrize("version", ["old", "new"])
def test_two_tools_of_one_name_are_refused(version: str, tmp_path: Path) -> None:
    """Which of them is compared, nobody could tell."""
    one = {"name": "search", "inputSchema": SCHEMA}
    other = {"name": "search", "inputSchema": {"type": "object"}}
    lists = {"old": [one], "new": [one], version: [one, other]}
    with pytest.raises(SchemaError, match=f'two tools of the {version} version have .* "search"'):
        compare_tools(lists["old"], lists["new"])
    files = [tmp_path / f"{each}.json" for each in ("old", "new")]
    for file in files:
        file.write_text(json.dumps({"tools": lists[file.stem]}))
    result = CliRunner().invoke(application, ["diff", *map(str, files)])
    assert result.exit_code == 2
    assert f'two tools of the {version} version have the name "search"' in result.output


def test_tools_come_and_go() -> None:
    """A tool that is gone breaks its callers; a new name is found by its schema."""
    tools = [read_definition({"name": each, "inputSchema": SCHEMA}) for each in ("a", "b")]
    other = read_definition({"name": "c", "inputSchema": {"type": "object"}})
    comparison = compare_tools(tools[:1], [other, *tools[1:]])
    messages = [(each.kind, each.tool, each.message) for each in comparison.changes]
    assert messages == [
        ("breaking", "a", 'the tool is called "b" now'),
        ("additive", "c", "the tool is new"),
        ("additive", "b", "the tool is new"),
    ]
    (change,) = compare_tools([], [other]).changes
    assert (change.kind, change.call, change.accepted_by) == ("additive", {}, "new")


@pytest.mark.parametrize(
    ("schema", "call"), [({"minProperties": 1}, {"key1": "text"}), ({"type": "array"}, None)]
)
def test_a_call_of_a_new_tool_is_a_valid_object(schema: Any, call: Any) -> None:
    """There is none if only other values are valid."""
    (change,) = compare_tools([], [Definition("new", "", schema)]).changes
    assert change.call == call


PAIR = {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(SCHEMA, SCHEMA, [], id="same"),
        pytest.param(SCHEMA, EDITS["moved"], [], id="moved"),
        pytest.param(SCHEMA, {**SCHEMA, "additionalProperties": True}, [], id="open"),
        pytest.param({"enum": [PAIR]}, {"enum": [dict(reversed(PAIR.items()))]}, [], id="order"),
        pytest.param(None, SCHEMA, [("additive", "have a schema now")], id="new"),
        pytest.param(SCHEMA, None, [("risky", "no schema any more")], id="gone"),
        pytest.param(SCHEMA, {"type": "x"}, [("risky", "schema changed")], id="broken"),
        pytest.param(SCHEMA, {"const": float("nan")}, [("risky", "schema changed")], id="no JSON"),
        pytest.param(SCHEMA, with_property("new", {}), [("risky", "changed at /new")], id="any"),
        pytest.param(
            SCHEMA,
            with_property("new", an_object(b=SCHEMA)),
            [("risky", "at /new, in")],
            id="nested",
        ),
        pytest.param(
            SCHEMA,
            with_property("tags", {"type": "array", "items": {"type": "integer"}}, required=[]),
            [("risky", 'changed, in "required"'), ("risky", 'changed at /tags/*, in "type"')],
            id="changed",
        ),
    ],
)
def test_another_schema_of_the_results_is_listed(
    old: Any, new: Any, found: list[tuple[str, str]]
) -> None:
    """With the place: calls are the same, but who reads the results may be affected."""
    tools = [
        {
            "name": "search",
            "inputSchema": SCHEMA,
            **({} if each is None else {"outputSchema": each}),
        }
        for each in (old, new)
    ]
    changes = compare_tools(tools[:1], tools[1:]).changes
    assert [(each.kind, each.path) for each in changes] == [(kind, "") for kind, _ in found]
    for change, (_, words) in zip(changes, found, strict=True):
        assert words in change.message


def test_a_schema_that_cannot_be_compiled_breaks() -> None:
    """The reason is given."""
    (change,) = compare(SCHEMA, {"type": "none"}).changes
    assert change.kind == "breaking"
    assert change.message.startswith("the schema cannot be compiled: ")
    (change,) = compare({"type": "none"}, SCHEMA).changes
    assert change.kind == "additive"
    with pytest.raises(SchemaError):
        compare({"type": "none"}, {"type": "none"})


# ------------------------------------------------------------------------------------ the command
@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    """Write files of one tool each, and return their names."""

    def write(*schemas: Any) -> list[str]:
        names = []
        for number, schema in enumerate(schemas):
            path = tmp_path / f"{number}.json"
            path.write_text(json.dumps({"name": "search", "inputSchema": schema}))
            names.append(str(path))
        return names

    return write


def run(*arguments: str) -> Result:
    """`schema2model diff` with these arguments, in this process."""
    return CliRunner().invoke(application, ["diff", *arguments])


@pytest.mark.parametrize(
    ("edit", "failing"),
    [("type", "error"), ("removed", "warning"), ("new optional", "note"), ("moved", "")],
)
def test_the_exit_code_is_1_for_the_severity_that_is_asked_for(
    files: Callable[..., list[str]], edit: str, failing: str
) -> None:
    """Or for a worse one; errors are what is asked for by default."""
    names = files(SCHEMA, EDITS[edit])
    levels = ["never", "error", "warning", "note"]
    codes = [run(*names, "--fail-on", level).exit_code for level in levels]
    first = levels.index(failing) if failing else len(levels)
    assert codes == [int(index >= first) for index in range(len(levels))]
    assert run(*names).exit_code == codes[1]


@pytest.mark.parametrize(
    ("edit", "call"),
    [
        ("narrower enum", 'accepted before, not now: {"query":"text","mode":"exact"}'),
        ("wider enum", 'accepted now, not before: {"query":"text","mode":"x"}'),
        ("default", 'accepted by both: {"query":"text"}'),
    ],
)
def test_a_call_is_shown_with_what_accepts_it(
    files: Callable[..., list[str]], edit: str, call: str
) -> None:
    """The version before, the version now, or both."""
    lines = run(*files(SCHEMA, EDITS[edit])).stdout.splitlines()
    assert lines[2] == f"            {call}"


def test_the_table_shows_each_change_with_a_call(files: Callable[..., list[str]]) -> None:
    """And counts."""
    result = run(*files(SCHEMA, EDITS["narrower enum"]))
    assert result.stdout == (
        "search\n"
        '  breaking  /mode has to be "fast" now\n'
        '            accepted before, not now: {"query":"text","mode":"exact"}\n'
        "\n1 tool: 1 breaking\n"
    )


def test_json_and_sarif_have_the_same_changes(files: Callable[..., list[str]]) -> None:
    """They are not printed together."""
    names = files(SCHEMA, EDITS["removed"])
    document = json.loads(run(*names, "--json").stdout)
    assert document["summary"] == {"breaking": 0, "uncompared": 0, "risky": 1, "additive": 0}
    (change,) = document["changes"]
    assert (change["path"], change["severity"]) == ("/mode", "warning")
    (result,) = json.loads(run(*names, "--sarif").stdout)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("risky", "warning")
    logical = result["locations"][0]["logicalLocations"][0]
    assert logical["fullyQualifiedName"] == "search/mode"
    both = run(*names, "--sarif", "--json")
    assert (both.exit_code, both.stdout) == (2, "")


def test_sarif_explains_the_kinds_in_the_words_of_the_help(
    files: Callable[..., list[str]],
) -> None:
    """With their severities."""
    log = json.loads(run(*files(SCHEMA, SCHEMA), "--sarif").stdout)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    told = [
        f"{each['id']} ({each['defaultConfiguration']['level']}) {each['fullDescription']['text']}"
        for each in rules
    ]
    words = " ".join(run("--help").stdout.lower().split())
    assert [each for each in told if each.lower().removesuffix(".") not in words] == []
    assert [each["shortDescription"]["text"] for each in rules] == [
        f"{kind} change of a tool" for kind in ("breaking", "uncompared", "risky", "additive")
    ]


def test_sarif_has_the_line_of_each_change_in_the_new_file(tmp_path: Path) -> None:
    """That of the parameter, below items, too; and the first tool for one that is gone."""
    old, new = (tmp_path / f"{each}.json" for each in ("old", "new"))

    def tool(name: str, item: Any) -> dict[str, Any]:
        schema = an_object(x=STRING, y={"type": "array", "items": an_object(z=item)})
        return {"name": name, "inputSchema": schema}

    old.write_text(json.dumps([tool("a", STRING), tool("b", STRING), tool("gone", {})]))
    new.write_text(
        json.dumps([tool("a", STRING), tool("b", {"type": "null", "title": "HERE"})], indent=1)
    )
    found = json.loads(run(str(old), str(new), "--sarif").stdout)["runs"][0]["results"]
    places = [each["locations"][0]["physicalLocation"] for each in found]
    lines = new.read_text().splitlines()
    assert [each["artifactLocation"]["uri"] for each in places] == [new.as_uri()] * 2
    below, gone = (each["region"]["startLine"] for each in places)
    assert 0 <= next(number for number, line in enumerate(lines, 1) if "HERE" in line) - below <= 2
    assert '"name": "a"' in "".join(lines[gone - 2 : gone + 1])


def test_sarif_has_no_place_in_standard_input(files: Callable[..., list[str]]) -> None:
    """It is read once, and has no name."""
    old, new = files(SCHEMA, EDITS["removed"])
    content = Path(new).read_text("utf-8")
    found = CliRunner().invoke(application, ["diff", old, "-", "--sarif"], input=content)
    (result,) = json.loads(found.stdout)["runs"][0]["results"]
    (location,) = result["locations"]
    assert [*location] == ["logicalLocations"]


def test_recorded_calls_are_replayed(files: Callable[..., list[str]], tmp_path: Path) -> None:
    """With the outcome before and after; calls that stay as they are count, and are not shown."""
    calls = tmp_path / "calls.jsonl"
    arguments = [{"query": "a"}, {"query": "a", "mode": "exact"}, {"query": "a", "limit": "3"}]
    calls.write_text(
        "".join(json.dumps({"name": "search", "arguments": each}) + "\n" for each in arguments)
    )
    names = files(SCHEMA, EDITS["narrower enum"])
    result = run(*names, "--calls", str(calls))
    assert result.stdout.endswith(
        "3 calls: 1 changes its outcome\n  line 2: search: accepted -> refused\n"
    )
    replayed = json.loads(run(*names, "--calls", str(calls), "--json").stdout)["calls"]
    assert (replayed["calls"], len(replayed["changed"])) == (3, 1)
    assert replayed["changed"][0]["error"].startswith("Error parsing arguments for `search`")
    names = files(SCHEMA, with_property("limit", {"type": ["integer", "string"]}))
    assert "line 3: search: corrected -> accepted" in run(*names, "--calls", str(calls)).stdout
    calls.write_text((json.dumps({"name": "search", "arguments": {"limit": "3"}}) + "\n") * 23)
    names = files(an_object(), SCHEMA)
    lines = run(*names, "--calls", str(calls)).stdout.splitlines()[-22:]
    assert lines[:2] == [
        "23 calls: 23 change their outcome",
        "  line 1: search: accepted -> refused",
    ]
    assert lines[-2:] == ["  line 20: search: accepted -> refused", "  and 3 more"]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_alternatives_that_refer_to_the_schema_are_compared_soon(keyword: str) -> None:
    """Their number does not multiply with itself."""
    branches = [{"$ref": "#", "title": str(number)} for number in range(12)]
    old = {"type": "object", "properties": {"a": {keyword: branches}}}
    with calls(3_700_000):
        found = compare_tools(
            [{"name": "t", "inputSchema": old}],
            [{"name": "t", "inputSchema": {**old, "required": ["a"]}}],
        )
    assert found is not None


def test_what_is_too_deep_to_be_compared_is_never_equal() -> None:
    """However deep the difference is."""
    for depth in (90, 110, 150):
        versions = []
        for leaf in ("integer", "string"):
            definitions: dict[str, Any] = {f"D{depth}": {"properties": {"x": {"type": leaf}}}}
            for level in range(depth):
                below = {"$ref": f"#/$defs/D{level + 1}"}
                definitions[f"D{level}"] = {"type": "object", "properties": {"n": below}}
            root = {"properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": definitions}
            versions.append([{"name": "t", "inputSchema": {"type": "object", **root}}])
        assert [each.kind for each in compare_tools(*versions).changes] == ["uncompared"]


def test_names_forge_no_lines(tmp_path: Path) -> None:
    """Nor commands to the runner of a workflow, wherever a line begins with a name."""
    names = ["a\n::error file=x::forged", "::error::forged", "a ##[error]forged", "b\x1b[2J"]
    tools = [
        {"name": name, "inputSchema": {"type": "object", "properties": {name: STRING}}}
        for name in names
    ]
    old, new, calls = (tmp_path / each for each in ("old.json", "new.json", "calls.jsonl"))
    old.write_text(json.dumps(tools))
    new.write_text(json.dumps([{**each, "inputSchema": an_object()} for each in tools]))
    calls.write_text("".join(json.dumps({"name": n, "arguments": {n: 1}}) + "\n" for n in names))
    for output in (
        run(str(old), str(new), "--calls", str(calls)).output,
        run(str(old), str(new), "--json").output,
        CliRunner().invoke(application, ["check", str(old)]).output,
    ):
        assert "forged" in output
        lines = [line.lstrip() for line in output.split("\n")]
        assert not [line for line in lines if line.startswith(("::", "forged"))]
        assert "##[" not in output
        assert "\x1b[2J" not in output
