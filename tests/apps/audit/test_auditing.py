"""The promises of the audit: what each rule finds, what it leaves alone, that it always ends."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import pytest
from cases import cases

from schema2model import SchemaError
from schema2model.apps.audit import RULES, SEVERITIES, Finding, audit
from schema2model.apps.audit.sarif import sarif
from schema2model.limits import MAX_AUDITED_SUBSCHEMAS, MAX_MERGED_BRANCHES
from schema2model.tools.providers.definitions import read_definition

TEXT = {"type": "string", "description": "a text"}


def tool(schema: Any, **others: Any) -> dict[str, Any]:
    """A definition in MCP's shape with nothing wrong but the schema."""
    return {"name": "search", "description": "Look up.", "inputSchema": schema, **others}


def of(schema: Any, **others: Any) -> dict[str, Any]:
    """A tool with one property, `x`, that has this schema."""
    described = {"description": "what it is", **schema} if isinstance(schema, dict) else schema
    return tool({"type": "object", "properties": {"x": described}, **others})


def found(*definitions: Any, **options: Any) -> set[tuple[str, str]]:
    """The rules that find something in a list of tools, and where."""
    report = audit(definitions, **options)
    return {(finding.rule, finding.pointer) for finding in report.findings}


def nested(levels: int) -> dict[str, Any]:
    """An array in an array, so many times."""
    return functools.reduce(lambda inner, _: {"type": "array", "items": inner}, range(levels), TEXT)


def many(count: int) -> dict[str, Any]:
    """A tool with so many parameters."""
    return tool({"type": "object", "properties": {f"p{n}": TEXT for n in range(count)}})


OBJECT = {"type": "object", "properties": {"x": TEXT}}
X = "/properties/x"

LARGE: list[tuple[str, dict[str, Any], list[str]]] = [
    ("large-schema", of({"type": "string", "description": "x" * 10_000}), [""]),
    ("large-schema", many(MAX_AUDITED_SUBSCHEMAS), [""]),
    ("not-strict", of({"anyOf": [{"type": "object", "required": [f"p{n}"], "properties": {
        f"p{n}": TEXT}} for n in range(MAX_MERGED_BRANCHES + 1)]}), [""]),
    ("not-strict", of({"enum": list(range(1001))}), []),
    ("not-strict", of({"enum": [[n] for n in range(1001)]}), []),
]  # fmt: skip
CASES = [(case.line["rule"], case.input, case.result) for case in cases("audit")] + LARGE


@pytest.mark.parametrize(
    ("rule", "definition", "pointers"),
    CASES,
    ids=[
        *(case.id for case in cases("audit")),
        *(f"{n}-{each[0]}" for n, each in enumerate(LARGE)),
    ],
)
def test_a_rule_finds_what_it_is_for_and_leaves_what_is_nearly_that(
    rule: str, definition: Any, pointers: list[str]
) -> None:
    """The place is that of what is wrong; a tool that it leaves alone can be used."""
    seen = found(definition)
    assert sorted(pointer for name, pointer in seen if name == rule) == pointers
    assert pointers or "unusable" not in {name for name, _ in seen}


def test_the_budget_of_a_list_is_one_finding() -> None:
    """With the first tool that does not fit; all that do not are named."""
    report = audit([tool(OBJECT, name=f"t{n}") for n in range(22)])
    (finding,) = [each for each in report.findings if each.rule == "strict-budget"]
    assert finding.tool == "t20"
    assert finding.message == (
        'Anthropic can enforce 20 of 22 tools in one request, but not "t20", "t21"'
    )


def test_the_sdk_of_mcp_agrees_about_headers() -> None:
    """Its validator refuses what our rules find, and nothing that they leave alone."""
    inbound = pytest.importorskip("mcp.shared.inbound", reason="needs version 2 of the MCP SDK")
    rules = {rule.id for rule in RULES if "header" in rule.id}
    for _, definition, _ in CASES:
        if not isinstance(definition.get("inputSchema"), dict):
            continue
        names = {name for name, _ in found(definition)}
        if "unusable" not in names:
            refused = inbound.find_invalid_x_mcp_header(definition["inputSchema"]) is not None
            assert refused == bool(names & rules), definition


@pytest.mark.parametrize("names", [["a", "a"], ["a", "b", "a"]])
def test_tools_of_one_name_are_found(names: list[str]) -> None:
    """Each of them, and no other."""
    report = audit([tool(OBJECT, name=name) for name in names])
    rules = [{finding.rule for finding in each.findings} for each in report.tools]
    assert rules == [{"duplicate-name"} if name == "a" else set() for name in names]


@pytest.mark.parametrize("other", ["Get-User", "get user", "getuser"])
def test_tools_of_nearly_one_name_are_found(other: str) -> None:
    """Case and separators tell no names apart."""
    assert ("similar-name", "") in found(tool(OBJECT, name="get_user"), tool(OBJECT, name=other))
    assert ("similar-name", "") not in found(
        tool(OBJECT, name="get_user"), tool(OBJECT, name="got")
    )


def test_every_rule_is_tried() -> None:
    """With something that it finds, and the table has each rule once."""
    names = [rule.id for rule in RULES]
    assert len(set(names)) == len(names)
    tried = {rule for rule, _, pointers in CASES if pointers}
    assert tried == set(names) - {"duplicate-name", "similar-name"}


def test_the_worst_is_told_first() -> None:
    """The table is in the order of severity."""
    severities = [SEVERITIES.index(rule.severity) for rule in RULES]
    assert severities == sorted(severities)


def test_a_good_tool_has_no_findings() -> None:
    """Nothing is found for the sake of finding something."""
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to look for.", "minLength": 1},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "All of them."},
            "limit": {"type": "integer", "description": "At most so many.", "default": 10},
            "order": {"enum": ["asc", "desc"]},
            "within": {"type": ["integer", "null"], "description": "Days.", "default": None},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    (report,) = audit([tool(schema)]).tools
    assert report.findings == ()
    assert (report.name, report.error) == ("search", None)
    assert report.dialect == "https://json-schema.org/draft/2020-12/schema"
    assert report.size == len(json.dumps(schema, separators=(",", ":")))
    assert report.tokens == math.ceil(len(json.dumps(tool(schema), separators=(",", ":"))) / 4)
    assert report.seconds is not None
    assert report.seconds > 0


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(tool, id="MCP"),
        pytest.param(
            lambda schema: {
                "type": "function",
                "function": {"name": "search", "description": "d", "parameters": schema},
            },
            id="OpenAI",
        ),
        pytest.param(lambda schema: read_definition(tool(schema)), id="Definition"),
        pytest.param(
            lambda schema: {
                "functionDeclarations": [
                    {"name": "search", "description": "d", "parametersJsonSchema": schema}
                ]
            },
            id="Gemini",
        ),
    ],
)
def test_tools_come_in_any_shape(shape: Any) -> None:
    """Pointers lead into the schema, wherever that stands."""
    schema = {"type": "object", "properties": {"x": {**TEXT, "default": 1}}}
    assert found(shape(schema)) == {("invalid-default", f"{X}/default")}


@pytest.mark.parametrize(
    "given", [None, 1, "x", [], {}, {"name": 1}, {"functionDeclarations": [1]}]
)
def test_what_is_no_definition_is_an_unusable_tool(given: Any) -> None:
    """The report has it in its place."""
    report = audit([tool(OBJECT), given])
    assert report.tools[0].findings == ()
    assert [(finding.rule, finding.severity) for finding in report.tools[1].findings] == [
        ("unusable", "error")
    ]
    assert report.tools[1].error


def test_a_finding_says_all_there_is_to_say() -> None:
    """With a suggestion of what to do."""
    (finding,) = audit([of({"type": "integer", "default": "10"})]).findings
    assert finding == Finding(
        "invalid-default",
        "warning",
        "search",
        "/properties/x/default",
        'the default "10" is not valid here',
        "Correct the default or the schema; models send what they see there.",
    )


def test_severities_are_counted_and_compared() -> None:
    """A worse finding counts for every lesser severity."""
    report = audit([of({"type": "integer", "default": "10"})])
    assert [report.count(severity) for severity in SEVERITIES] == [0, 1, 0]
    assert [report.fails(severity) for severity in SEVERITIES] == [False, True, True]
    assert not audit([]).fails("note")


def test_the_dialect_is_that_of_schemas_that_carry_none() -> None:
    """And an unknown one is refused at once."""
    schema = {"type": "array", "items": TEXT, "prefixItems": [TEXT]}
    assert found(of(schema), dialect="draft-07") == {("foreign-keyword", f"{X}/prefixItems")}
    with pytest.raises(SchemaError, match="unknown dialect"):
        audit([], dialect="draft-99")


def chain(length: int) -> dict[str, Any]:
    """References one after the other."""
    links = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(length)}
    return of({"$ref": "#/$defs/d0"}, **{"$defs": {**links, f"d{length}": TEXT}})


def cyclic() -> dict[str, Any]:
    """A schema that no JSON text spells."""
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"x": schema}
    return tool(schema)


HOSTILE = {
    "a chain of references": chain(400),
    "unions in unions": of(
        functools.reduce(lambda a, _: {"anyOf": [a, {"type": "null"}]}, range(90), TEXT)
    ),
    "a fan of references": of(
        {"$ref": "#/$defs/d0"},
        **{
            "$defs": {
                **{f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)},
                "d30": TEXT,
            }
        },
    ),
    "too deep": of(nested(5000)),
    "cyclic": cyclic(),
    "many wrong choices": of({"type": "string", "enum": list(range(20_000))}),
    "many properties": many(20_000),
    "half a surrogate pair": of({"type": "string", "default": "\ud800"}),
    "a huge number": of({"type": "integer", "default": 10**5000}),
    "a slow pattern": of({"type": "string", "pattern": "^(a+)+$", "default": "a" * 60 + "b"}),
}


@pytest.mark.parametrize("definition", HOSTILE.values(), ids=HOSTILE)
def test_hostile_schemas_end_in_a_report(definition: Any) -> None:
    """Whatever it says, and soon; the tool beside it is looked at as ever."""
    report = audit([definition, tool(OBJECT, name="other")])
    assert len(report.tools) == 2
    assert report.tools[1].findings == ()
    assert all(len(finding.message) < 1000 for finding in report.findings)


def test_hostile_lists_end_in_a_report() -> None:
    """Very many tools with one name, and with hardly another."""
    cases = [
        "".join(c.upper() if n >> k & 1 else c for k, c in enumerate("a" * 10)) for n in range(1024)
    ]
    report = audit([tool(True, name=name) for name in ["same"] * 1000 + cases])  # noqa: FBT003
    assert report.count("error") == 1000 + 2024
    assert sum(finding.rule == "similar-name" for finding in report.findings) == 1024


def test_sarif_ends_each_sentence_once() -> None:
    """A message that is a question, and a title with its full stop."""
    tool = {"name": "a", "inputSchema": {"type": "object", "requird": ["b"], "properties": {}}}
    (run,) = sarif(audit([tool]))["runs"]
    texts = [rule["fullDescription"]["text"] for rule in run["tool"]["driver"]["rules"]]
    texts += [result["message"]["text"] for result in run["results"]]
    assert any("?" in text for text in texts)
    assert not [text for text in texts if ".." in text or "?." in text]
