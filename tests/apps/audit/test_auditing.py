"""The promises of the audit: what each rule finds, what it leaves alone, that it always ends."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import pytest

from schema2model import SchemaError
from schema2model.apps.audit import RULES, SEVERITIES, Finding, audit
from schema2model.apps.audit.sarif import sarif
from schema2model.limits import MAX_AUDITED_SUBSCHEMAS, MAX_MERGED_BRANCHES
from schema2model.tools.providers.definitions import read_definition

DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
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


def tagged(kind: str) -> dict[str, Any]:
    """An object that says what it is."""
    properties = {"kind": {"const": kind}, "size": {"type": "integer", "description": "in m"}}
    return {"type": "object", "properties": properties, "required": ["kind"]}


def nested(levels: int) -> dict[str, Any]:
    """An array in an array, so many times."""
    return functools.reduce(lambda inner, _: {"type": "array", "items": inner}, range(levels), TEXT)


def many(count: int) -> dict[str, Any]:
    """A tool with so many parameters."""
    return tool({"type": "object", "properties": {f"p{n}": TEXT for n in range(count)}})


OBJECT = {"type": "object", "properties": {"x": TEXT}}
REGION = {**TEXT, "x-mcp-header": "Region"}
HEADER = "x-mcp-header"
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
X = "/properties/x"

FINDS: list[tuple[str, dict[str, Any], str]] = [
    ("unusable", of({"type": "whole"}), f"{X}/type"),
    ("unusable", {"name": "search", "description": "Look up."}, ""),
    ("unusable", tool({"$ref": "https://example.org/schema"}), "/$ref"),
    ("root-not-object", tool({"properties": {"x": TEXT}}), ""),
    ("root-not-object", tool(True), ""),  # noqa: FBT003 - a schema
    ("root-union", tool({**OBJECT, "anyOf": [{"required": ["x"]}]}), "/anyOf"),
    ("root-union", tool({**OBJECT, "not": {"required": ["x"]}}), "/not"),
    ("tool-name", tool(OBJECT, name="my search"), ""),
    ("tool-name", tool(OBJECT, name="a" * 65), ""),
    ("tool-name", tool(OBJECT, name="files/read"), ""),
    ("property-name", tool({"type": "object", "properties": {"größe": TEXT}}), "/properties/größe"),
    ("header-name", of({**REGION, HEADER: "My Region"}), f"{X}/{HEADER}"),
    ("header-name", of({**REGION, HEADER: ""}), f"{X}/{HEADER}"),
    ("header-name", of({**REGION, HEADER: "Région"}), f"{X}/{HEADER}"),
    ("header-name", of({**REGION, HEADER: 3}), f"{X}/{HEADER}"),
    ("header-name", tool({"type": "object", "properties": {
        "x": REGION, "y": {**REGION, HEADER: "region"}}}), f"/properties/y/{HEADER}"),
    ("header-type", of({"type": "number", HEADER: "X"}), f"{X}/{HEADER}"),
    ("header-type", of({"type": "array", "items": TEXT, HEADER: "X"}), f"{X}/{HEADER}"),
    ("header-type", of({"type": ["string", "null"], HEADER: "X"}), f"{X}/{HEADER}"),
    ("header-type", of({"enum": ["a"], HEADER: "X"}), f"{X}/{HEADER}"),
    ("unreachable-header", tool({**OBJECT, HEADER: "X"}), f"/{HEADER}"),
    ("unreachable-header", of({"type": "array", "items": REGION}), f"{X}/items/{HEADER}"),
    ("unreachable-header", of({"anyOf": [REGION, {"type": "null"}]}), f"{X}/anyOf/0/{HEADER}"),
    ("unreachable-header", of({"$ref": "#/$defs/r"}, **{"$defs": {"r": REGION}}),
     f"/$defs/r/{HEADER}"),
    ("unreachable-header", of({"type": "object", "additionalProperties": REGION}),
     f"{X}/additionalProperties/{HEADER}"),
    ("similar-properties", tool({"type": "object", "properties": {
        "userId": TEXT, "user_id": TEXT}}), "/properties/user_id"),
    ("hidden-text", of({"type": "string", "description": "a\u200b text"}), f"{X}/description"),
    ("hidden-text", tool(OBJECT, description="Look \U000e0041 up."), ""),
    ("tool-description", tool(OBJECT, description=" "), ""),
    ("long-description", tool(OBJECT, description="x" * 1025), ""),
    ("string-or-container", of({"type": ["string", "array"], "items": TEXT}), X),
    ("string-or-container", of({"anyOf": [TEXT, OBJECT]}), X),
    ("string-or-container", of({"$ref": "#/$defs/u"}, **{
        "$defs": {"u": {"oneOf": [TEXT, {"type": "array", "items": TEXT}]}}}), "/$defs/u"),
    ("string-or-scalar", of({"type": ["string", "integer"]}), X),
    ("string-or-scalar", of({"anyOf": [{"type": "number"}, TEXT]}), X),
    ("string-or-scalar", of({"anyOf": [{"type": "boolean"}, TEXT]}), X),
    ("nullable-string", of({"anyOf": [TEXT, {"type": "null"}]}), X),
    ("nullable-string", of({"type": ["string", "null"]}), X),
    ("free-form-object", of({"type": "object"}), X),
    ("free-form-object", of({"type": "object", "additionalProperties": {}}), X),
    ("free-form-object", of({"type": "array", "items": {"type": "object"}}), f"{X}/items"),
    ("untyped-items", of({"type": "array"}), X),
    ("untyped-value", of({}), X),
    ("untyped-value", of(True), X),  # noqa: FBT003
    ("untyped-value", of({"type": "array", "items": {}}), f"{X}/items"),
    ("overlapping-one-of", of({"oneOf": [{"type": "integer"}, {"type": "number"}]}), f"{X}/oneOf"),
    ("overlapping-one-of", of({"oneOf": [OBJECT, OBJECT]}), f"{X}/oneOf"),
    ("invalid-default", of({"type": "boolean", "default": "false"}), f"{X}/default"),
    ("invalid-default", of({"type": "string", "enum": ["a"], "default": "b"}), f"{X}/default"),
    ("null-default", of({"type": "string", "default": None}), f"{X}/default"),
    ("misplaced-enum", of({"type": "array", "enum": ["a", "b"]}), f"{X}/enum"),
    ("misplaced-enum", of({"type": "array", "items": TEXT, "enum": ["a"]}), f"{X}/enum"),
    ("misplaced-enum", of({"type": "array", "items": TEXT, "enum": [[1]]}), f"{X}/enum"),
    ("misplaced-enum", of({"type": ["array", "null"], "enum": ["a", None]}), f"{X}/enum"),
    ("misplaced-enum", of({"type": "array", "const": "a"}), f"{X}/const"),
    ("misplaced-enum", of({"type": "array", "enum": []}), f"{X}/enum"),
    ("misplaced-enum", of({"anyOf": [{"type": "array"}, {"type": "null"}], "enum": ["a"]}),
     f"{X}/enum"),
    ("misplaced-enum", of({"anyOf": [{"type": "array", "enum": ["a"]}, {"type": "null"}]}),
     f"{X}/anyOf/0/enum"),
    ("misplaced-enum", of({"type": "array", "allOf": [{"enum": ["a"]}]}), X),
    ("misplaced-enum", of({"enum": ["a"], "allOf": [{"type": "array"}]}), f"{X}/enum"),
    ("misplaced-enum", of({"type": "array", "$ref": "#/$defs/e"}, **{
        "$defs": {"e": {"enum": ["a"]}}}), X),
    ("misplaced-enum", of({"allOf": [{"$ref": "#/$defs/l"}]}, **{
        "$defs": {"l": {"type": "array", "enum": ["a"]}}}), "/$defs/l/enum"),
    ("misplaced-enum", of({"type": "array", "items": {"type": "array", "enum": ["a"]}}),
     f"{X}/items/enum"),
    ("misplaced-enum", {"name": "search", "parameters": {"type": "OBJECT", "properties": {
        "x": {"type": "ARRAY", "items": {"type": "STRING"}, "enum": ["a"]}}}}, f"{X}/enum"),
    ("invalid-choice", of({"type": "string", "enum": ["1", 2]}), f"{X}/enum"),
    ("invalid-choice", of({"type": "string", "const": 2}), f"{X}/const"),
    ("invalid-example", of({"type": "array", "items": TEXT, "examples": ["a"]}), f"{X}/examples"),
    ("unknown-keyword", tool({**OBJECT, "requried": ["x"]}), "/requried"),
    ("unknown-keyword", of({"type": "string", "minlenght": 1}), f"{X}/minlenght"),
    ("unknown-keyword", of({"type": "string", "max_length": 1}), f"{X}/max_length"),
    ("unknown-keyword", tool({"type": "object", "city": {"type": "string"}}), "/city"),
    ("foreign-keyword", of({"type": "string", "nullable": True}), f"{X}/nullable"),
    ("foreign-keyword", of({"type": "array", "items": TEXT, "prefixItems": [TEXT]}, **DRAFT_7),
     f"{X}/prefixItems"),
    ("ignored-beside-ref", of({"$ref": "#/$defs/t", "minLength": 2}, **DRAFT_7, **{
        "$defs": {"t": TEXT}}), f"{X}/minLength"),
    ("foreign-pattern", of({"type": "string", "pattern": "(?i)abc"}), f"{X}/pattern"),
    ("foreign-pattern", of({"type": "string", "pattern": "(?P<y>a)"}), f"{X}/pattern"),
    ("foreign-pattern", of({"type": "object", "patternProperties": {r"^[[:alpha:]]": TEXT}}),
     f"{X}/patternProperties"),
    ("undeclared-required", tool({**OBJECT, "required": ["x", "y"]}), "/required"),
    ("undeclared-required", of({"type": "array", "items": {**OBJECT, "required": ["y"]}}),
     f"{X}/items/required"),
    ("unknown-format", of({"type": "string", "format": "datetime"}), f"{X}/format"),
    ("unknown-format", of({"type": "string", "format": "url"}), f"{X}/format"),
    ("property-description", tool({"type": "object", "properties": {"x": {"type": "string"}}}),
     "/properties"),
    ("recursive-schema", of({"$ref": "#/$defs/node"}, **{"$defs": {"node": NODE}}), "/$defs/node"),
    ("large-schema", of({"type": "string", "description": "x" * 10_000}), ""),
    ("large-schema", many(MAX_AUDITED_SUBSCHEMAS), ""),
    ("deep-schema", of(nested(5)), X + "/items" * 5),
    ("many-parameters", many(21), "/properties"),
    ("not-strict", of({"anyOf": [{"type": "object", "required": [f"p{n}"], "properties": {
        f"p{n}": TEXT}} for n in range(MAX_MERGED_BRANCHES + 1)]}), ""),
    ("strict-budget", many(25), ""),
]  # fmt: skip

LEAVES: list[tuple[str, dict[str, Any]]] = [
    ("root-union", of({"anyOf": [{"type": "integer"}, {"enum": ["all"]}]})),
    ("tool-name", tool(OBJECT, name="get-user_ID2")),
    ("property-name", tool({"type": "object", "properties": {"a.b-c_1": TEXT}})),
    ("header-name", of(REGION)),
    ("header-name", tool({"type": "object", "properties": {"x": REGION, "y": {
        **REGION, HEADER: "Zone"}}})),
    ("header-name", of({"type": "object", "default": {HEADER: "not a header"}})),
    ("header-type", tool({"type": "object", "properties": {
        "x": {**REGION, "type": "integer"}, "y": {**REGION, "type": "boolean"}}})),
    ("unreachable-header", of({"type": "object", "properties": {"a/b": REGION}})),
    ("unreachable-header", tool({"type": "object", "properties": {HEADER: TEXT}})),
    ("similar-properties", tool({"type": "object", "properties": {"user": TEXT, "users": TEXT}})),
    ("hidden-text", of({"type": "string", "description": "é 中 👩‍💻\n\ta"})),
    ("long-description", tool(OBJECT, description="x" * 1024)),
    ("string-or-container", of({"anyOf": [{"enum": ["all"]}, {"type": "array", "items": TEXT}]})),
    ("string-or-container", of({"anyOf": [TEXT, {"type": "null"}]})),
    ("string-or-container", of({})),
    ("string-or-scalar", of({"anyOf": [{"type": "integer"}, {"enum": ["auto"]}]})),
    ("string-or-scalar", of({"anyOf": [{"type": "integer"}, {**TEXT, "pattern": "^[a-z]"}]})),
    ("nullable-string", of({"enum": ["a", None]})),
    ("nullable-string", of({"type": ["integer", "null"]})),
    ("free-form-object", tool({"type": "object"})),
    ("free-form-object", of({"type": "object", "additionalProperties": TEXT})),
    ("free-form-object", of({"type": "object", "properties": {}})),
    ("free-form-object", of({**OBJECT, "allOf": [{"type": "object", "required": ["x"]}]})),
    ("free-form-object", of({"type": "object", "allOf": [{"$ref": "#/$defs/u"}]}, **{
        "$defs": {"u": OBJECT}})),
    ("untyped-items", of({"type": "array", "prefixItems": [TEXT]})),
    ("untyped-value", of({"enum": ["a", 1]})),
    ("untyped-value", of({"anyOf": [TEXT, {"type": "integer"}]})),
    ("untyped-value", of(False)),  # noqa: FBT003
    ("overlapping-one-of", of({"oneOf": [tagged("a"), tagged("b")]})),
    ("overlapping-one-of", of({"oneOf": [{"type": "integer"}, TEXT]})),
    ("overlapping-one-of", of({"oneOf": [{"const": "a"}, {"const": "b"}]})),
    ("overlapping-one-of", of({"anyOf": [OBJECT, OBJECT]})),
    ("invalid-default", of({"type": "number", "default": 1})),
    ("invalid-default", of({"type": ["string", "null"], "default": None})),
    ("null-default", of({"type": ["string", "null"], "default": None})),
    ("misplaced-enum", of({"type": "array", "items": {"enum": ["a"]}})),
    ("misplaced-enum", of({"type": "array", "enum": [["a"], ["b"]]})),
    ("misplaced-enum", of({"type": "array", "items": TEXT, "enum": [["a"], [1], "a"]})),
    ("misplaced-enum", of({"type": ["array", "string"], "enum": ["a"]})),
    ("misplaced-enum", of({"anyOf": [{"type": "array"}, TEXT], "enum": ["a"]})),
    ("misplaced-enum", of({"anyOf": [{"type": "array"}, {"enum": ["a"]}]})),
    ("misplaced-enum", of({"enum": ["a"]})),
    ("invalid-choice", of({"type": "array", "enum": ["a", "b"]})),  # which has a rule of its own
    ("invalid-choice", of({"type": ["string", "integer"], "enum": ["1", 2]})),
    ("invalid-example", of({"type": "array", "items": TEXT, "examples": [["a"]]})),
    ("unknown-keyword", of({"type": "string", "x-minLength": 1, "example": "a", "units": "m"})),
    ("unknown-keyword", tool({"type": "object", "properties": {"requried": TEXT}})),
    ("foreign-keyword", {"name": "search", "parameters": {"type": "OBJECT", "properties": {
        "x": {"type": "STRING", "nullable": True}}}}),
    ("foreign-keyword", of({"type": "string", "nullable": True}, **{
        "$schema": "https://spec.openapis.org/oas/3.0/schema"})),
    ("ignored-beside-ref", of({"$ref": "#/$defs/t", "minLength": 2}, **{"$defs": {"t": TEXT}})),
    ("ignored-beside-ref", of({"$ref": "#/$defs/t", "description": "d"}, **DRAFT_7, **{
        "$defs": {"t": TEXT}})),
    ("foreign-pattern", of({"type": "string", "pattern": r"^(?<y>\p{L}+)(?=\d)[\w.-]\/$"})),
    ("undeclared-required", tool({**OBJECT, "anyOf": [{"required": ["x"]}]})),
    ("undeclared-required", tool({"type": "object", "required": ["y"]})),
    ("unknown-format", of({"type": "string", "format": "date-time"})),
    ("unknown-format", of({"type": "integer", "format": "int64"})),
    ("property-description", tool({"type": "object", "properties": {"x": {"enum": ["a", "b"]}}})),
    ("property-description", tool({"type": "object", "properties": {"x": {"$ref": "#/$defs/t"}},
                                   "$defs": {"t": TEXT}})),
    ("recursive-schema", tool({"type": "object", "properties": {
        "x": {"$ref": "#/$defs/t"}, "y": {"$ref": "#/$defs/t"}}, "$defs": {"t": TEXT}})),
    ("deep-schema", of(nested(4))),
    ("many-parameters", many(20)),
    ("not-strict", of({"enum": list(range(1001))})),
    ("not-strict", of({"enum": [[n] for n in range(1001)]})),
    ("strict-budget", many(24)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "definition", "pointer"), FINDS, ids=[f"{n}-{case[0]}" for n, case in enumerate(FINDS)]
)
def test_a_rule_finds_what_it_is_for(rule: str, definition: Any, pointer: str) -> None:
    """And the place is that of what is wrong."""
    assert (rule, pointer) in found(definition)


@pytest.mark.parametrize(
    ("rule", "definition"), LEAVES, ids=[f"{n}-{case[0]}" for n, case in enumerate(LEAVES)]
)
def test_a_rule_leaves_alone_what_is_nearly_that(rule: str, definition: Any) -> None:
    """The tool can be used, and the rule says nothing about it."""
    assert rule not in {name for name, _ in found(definition)}
    assert "unusable" not in {name for name, _ in found(definition)}


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
    for definition in (case[1] for case in (*FINDS, *LEAVES)):
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
    assert {case[0] for case in FINDS} == set(names) - {"duplicate-name", "similar-name"}


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
