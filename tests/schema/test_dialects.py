"""Every dialect that we know: how it is named, and what it says differently from the others."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from case_tests import each_case
from cases import Case
from jsonschema.validators import validator_for

from schema2model import SchemaError, ToolError, compile_schema
from schema2model.schema.dialects import DIALECTS
from schema2model.schema.vocabularies.format import text_in
from schema2model.tools.providers.definitions import Definition

URIS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema",
    "draft-06": "http://json-schema.org/draft-06/schema",
    "draft-04": "http://json-schema.org/draft-04/schema",
}
REWRITTEN = {
    "openapi-3.0": "https://spec.openapis.org/oas/3.0/schema",
    "gemini": "https://ai.google.dev/api/caching#Schema",
}
OTHER_NAMES = {
    "2020-12": ["draft2020-12", "openapi-3.1", "http://json-schema.org/schema#"],
    "2019-09": ["draft2019-09"],
    "draft-07": ["draft7", "draft-7"],
    "draft-06": ["draft6", "draft-6"],
    "draft-04": ["draft4", "draft-4"],
}


def accepts(schema: Any, value: Any, **options: Any) -> bool:
    """Whether a schema accepts a value as it stands."""
    try:
        compile_schema(schema, coercion="off", **options).validate(value)
    except ToolError:
        return False
    return True


def test_no_dialect_goes_untested() -> None:
    """The dialects of JSON Schema are those above; two more are rewritten."""
    assert [dialect.name for dialect in DIALECTS] == [*URIS, *REWRITTEN]


@pytest.mark.parametrize("name", [*URIS, *REWRITTEN])
def test_a_dialect_has_many_spellings(name: str) -> None:
    """A URI, with or without an empty fragment, by either scheme; or the short names."""
    uri = {**URIS, **REWRITTEN}[name]
    scheme, _, rest = uri.partition("://")
    other = {"http": "https", "https": "http"}[scheme]
    for spelling in (uri, f"{uri}#", f"{other}://{rest}", f"{other}://{rest}#"):
        assert compile_schema({"$schema": spelling}).dialect == uri
        assert compile_schema({}, dialect=spelling).dialect == uri
    for short in (name, *OTHER_NAMES.get(name, ())):
        assert compile_schema({}, dialect=short).dialect == uri


def test_a_schema_that_names_no_dialect_is_2020_12() -> None:
    """As it is for MCP."""
    assert compile_schema({}).dialect == URIS["2020-12"]
    assert compile_schema(True).dialect == URIS["2020-12"]  # noqa: FBT003


def test_what_a_schema_names_wins_over_the_option() -> None:
    """The option is for schemas that carry no `$schema`."""
    schema = {"$schema": URIS["draft-04"], "minimum": 0, "exclusiveMinimum": True}
    assert compile_schema(schema, dialect="2020-12").dialect == URIS["draft-04"]


@pytest.mark.parametrize("dialect", ["draft-03", "", "2020", "http://example.com/schema"])
def test_an_unknown_dialect_is_refused_with_those_that_are_known(dialect: str) -> None:
    """Guessing would mean other verdicts."""
    with pytest.raises(SchemaError, match="2020-12, 2019-09, draft-07"):
        compile_schema({}, dialect=dialect)
    with pytest.raises(SchemaError, match="2020-12, 2019-09, draft-07"):
        compile_schema({"$schema": dialect})


@each_case("dialects")
def test_a_dialect_accepts_and_refuses(case: Case) -> None:
    """A keyword counts from its draft on; where a draft has none, it asserts nothing.

    Those that are rewritten have their own words, and the schema stays as it is.
    """
    schema, dialect = case.schema, case.line["dialect"]
    assert accepts(schema, case.input, dialect=dialect) != case.is_refused
    assert compile_schema(schema, dialect=dialect).schema == schema


NULL, WHOLE, TEXT = {"type": "null"}, {"type": "integer"}, {"type": "string"}
KEYWORDS: list[dict[str, Any]] = [
    *({"type": kind} for kind in ("null", "boolean", "integer", "number", "string", "array")),
    *({"type": kind} for kind in ("object", ["null", "string"], ["integer", "object"])),
    {"enum": [1, "a", [1], None, {"a": 1}]},
    *({"const": value} for value in (1, "a", [1], {"a": 1})),
    *({"multipleOf": step} for step in (2, 0.5)),
    *({"minimum": 1, "exclusiveMinimum": strict} for strict in (True, False, 1)),
    *({"maximum": 1, "exclusiveMaximum": strict} for strict in (True, False, 1)),
    *({"exclusiveMinimum": 1}, {"exclusiveMaximum": 1.5}, {"minimum": 1.5}, {"maximum": 1}),
    *({"minLength": 2}, {"maxLength": 1}, {"pattern": "^a"}, {"format": "date"}),
    *({"minItems": 1}, {"maxItems": 1}, {"uniqueItems": True}, {"uniqueItems": False}),
    *({"items": WHOLE}, {"items": False}, {"items": [WHOLE], "additionalItems": False}),
    *({"items": [WHOLE]}, {"items": [WHOLE], "additionalItems": TEXT}, {"items": [{}, NULL]}),
    *({"prefixItems": [WHOLE]}, {"prefixItems": [WHOLE], "items": False}),
    *({"contains": WHOLE}, {"contains": WHOLE, "minContains": 2}),
    *({"contains": WHOLE, "maxContains": 1}, {"contains": WHOLE, "minContains": 0}),
    *({"minProperties": 1}, {"maxProperties": 1}, {"required": ["a"]}),
    *({"properties": {"a": WHOLE}}, {"patternProperties": {"^a": WHOLE}}),
    {"properties": {"a": {}}, "additionalProperties": False},
    {"patternProperties": {"^b": {}}, "additionalProperties": WHOLE},
    {"propertyNames": {"maxLength": 1}},
    *({"dependentRequired": {"a": ["b"]}}, {"dependentSchemas": {"a": {"maxProperties": 1}}}),
    *({"dependencies": {"a": ["b"]}}, {"dependencies": {"a": {"maxProperties": 1}}}),
    *({"allOf": [WHOLE, {"minimum": 1}]}, {"anyOf": [WHOLE, TEXT]}, {"not": WHOLE}),
    *({"oneOf": [WHOLE, {"minimum": 1}]}, {"oneOf": [WHOLE, TEXT]}),
    *({"if": WHOLE, "then": {"minimum": 1}, "else": TEXT}, {"if": WHOLE, "else": NULL}),
    {"$ref": "#/definitions/a", "definitions": {"a": WHOLE}, "minimum": 1},
    {"properties": {"a": {}}, "unevaluatedProperties": False},
    {"contains": TEXT, "unevaluatedItems": WHOLE},
]
JSON_VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 1.0, 1.5, 2**70, "", "a", "ab", "é", "2026-02-30"),
    *([], [1], [1, 1], [1, 1.0], [1, True], ["a", 1], [None, None], [[1], [1.0]]),
    *({}, {"a": 1}, {"a": "x", "b": 2}, {"ab": 1, "b": None}, {"b": {}}),
]


@pytest.mark.parametrize("name", URIS)
def test_every_keyword_means_what_it_means_for_another_validator(name: str) -> None:
    """python-jsonschema, for values of all types; and a schema that it refuses is refused."""
    oracle: Any = validator_for({"$schema": URIS[name]})
    for keywords in KEYWORDS:
        if "dependencies" in keywords and name in {"2020-12", "2019-09"}:
            continue  # validators differ
        try:
            oracle.check_schema(keywords)
        except jsonschema.SchemaError:
            with pytest.raises(SchemaError):
                compile_schema(keywords, dialect=name)
            continue
        compiled = compile_schema(keywords, coercion="off", dialect=name)
        for value in JSON_VALUES:
            expected = oracle(keywords).is_valid(value)
            assert compiled.is_valid(value) == expected, (keywords, value)
            assert (compiled.explain(value).error is None) == expected, (keywords, value)


@pytest.mark.parametrize("name", ["2019-09", "draft-07", "draft-06", "draft-04"])
def test_tuples_were_lists_of_items(name: str) -> None:
    """Up to 2019-09 `items` may be a list, and `additionalItems` is what comes behind."""
    schema = {"items": [{"type": "integer"}], "additionalItems": {"type": "null"}}
    assert accepts(schema, [1, None], dialect=name)
    assert not accepts(schema, ["1"], dialect=name)
    assert not accepts(schema, [1, 2], dialect=name)
    assert compile_schema(schema, dialect=name).validate(["1", "null"]) == [1, None]


def test_draft_4_has_boolean_exclusive_bounds() -> None:
    """There they say how to read their neighbour, which must be there."""
    schema = {"minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}
    assert [accepts(schema, n, dialect="draft-04") for n in (0, 1, 9, 10)] == [
        *(False, True, True, False)
    ]
    with pytest.raises(SchemaError, match="minimum"):
        compile_schema({"exclusiveMinimum": True}, dialect="draft-04")


def test_draft_4_calls_its_identifiers_id() -> None:
    """`$id` is an unknown keyword there, as `id` is everywhere else."""
    schema = {
        "definitions": {"a": {"id": "#a", "type": "null"}},
        "properties": {"x": {"$ref": "#a"}},
    }
    assert not accepts(schema, {"x": 1}, dialect="draft-04")
    with pytest.raises(SchemaError):
        compile_schema(schema, dialect="draft-07")


@pytest.mark.parametrize("name", ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"])
def test_a_format_annotates_unless_one_asks(name: str) -> None:
    """In every dialect alike, so that equal schemas of other generators mean the same."""
    schema = {"format": "ipv4"}
    assert accepts(schema, "nonsense", dialect=name)
    assert not accepts(schema, "nonsense", dialect=name, formats="assert")
    assert accepts(schema, "nonsense", dialect=name, formats="annotate")
    assert accepts(schema, "127.0.0.1", dialect=name, formats="assert")
    assert accepts(schema, 1, dialect=name, formats="assert")


FORMATS = (
    *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname"),
    *("ipv4", "ipv6", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "uuid"),
    *("json-pointer", "relative-json-pointer", "regex"),
)
"""The formats of JSON Schema 2020-12."""


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_a_format_is_valid(name: str) -> None:
    """A message shows it, or the shape, to a model that will send it."""
    text = text_in(name)
    assert text is not None
    assert accepts({"format": name}, text, formats="assert")


def test_another_value_of_formats_is_an_error() -> None:
    """Silence would mean that nothing is checked."""
    with pytest.raises(ValueError, match="formats"):
        compile_schema({}, formats="check")  # type: ignore[arg-type]


META = "https://example.com/meta"


@pytest.mark.parametrize(
    ("vocabularies", "value", "valid"),
    [
        pytest.param({"core": True, "validation": True}, {"a": 1}, True, id="no_applicator"),
        pytest.param({"core": True, "applicator": True}, {"a": 1}, True, id="no_validation"),
        pytest.param(
            {"core": True, "applicator": True, "validation": True}, {"a": 1}, False, id="both"
        ),
    ],
)
def test_a_meta_schema_chooses_its_vocabularies(
    vocabularies: dict[str, bool], value: Any, valid: Any
) -> None:
    """Keywords of vocabularies that it leaves out assert nothing."""
    base = "https://json-schema.org/draft/2020-12"
    meta = {
        "$schema": f"{base}/schema",
        "$id": META,
        "$vocabulary": {f"{base}/vocab/{name}": must for name, must in vocabularies.items()},
    }
    schema = {"$schema": META, "properties": {"a": {"type": "string"}}}
    assert accepts(schema, value, resources={META: meta}) == valid


@pytest.mark.parametrize(
    ("meta", "dialect", "valid"),
    [
        pytest.param({"$schema": URIS["draft-07"]}, "2020-12", True, id="of_its_own"),
        pytest.param({}, "draft-07", True, id="of_the_option"),
        pytest.param({}, "2020-12", False, id="of_another_option"),
    ],
)
def test_a_meta_schema_without_vocabularies_has_a_dialect(
    meta: dict[str, Any],
    dialect: str,
    valid: bool,  # noqa: FBT001
) -> None:
    """The one that it names itself, or else that of the option."""
    schema = {"$schema": META, "prefixItems": [{"type": "null"}]}
    resources = {META: {"$id": META, **meta}}
    assert accepts(schema, [1], dialect=dialect, resources=resources) == valid


def test_an_unknown_vocabulary_that_is_required_is_refused() -> None:
    """The first of them is named; one that is not required may be ignored."""
    for must in (True, False):
        meta = {
            "$schema": URIS["2020-12"],
            "$id": META,
            "$vocabulary": {
                "https://json-schema.org/draft/2020-12/vocab/core": True,
                "https://example.com/vocab": must,
                "https://example.com/other": must,
            },
        }
        if must:
            with pytest.raises(SchemaError, match=r'vocabulary "https://example[.]com/vocab"'):
                compile_schema({"$schema": META}, resources={META: meta})
        else:
            assert compile_schema({"$schema": META}, resources={META: meta}).is_valid(1)


OPENAPI = {
    "type": "object",
    "properties": {
        "age": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "nullable": True},
        "pet": {"$ref": "#/components/schemas/Pet", "minLength": 9},
        "toy": {"$ref": "#/properties/toy/definitions/Toy", "definitions": {"Toy": {"enum": [1]}}},
        "size": {"enum": ["s", "l"], "nullable": True},
    },
    "components": {"schemas": {"Pet": {"type": "string", "nullable": True}}},
}


GEMINI = {
    "type": "OBJECT",
    "properties": {
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"},
        "unit": {"type": "STRING", "enum": ["c", "f"], "nullable": True},
    },
    "required": ["tags"],
    "propertyOrdering": ["tags", "unit"],
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_null_may_be_nullable(name: str) -> None:
    """It is null once."""
    schema = {"type": "NULL" if name == "gemini" else "null", "nullable": True}
    assert accepts(schema, None, dialect=name)
    assert not accepts(schema, 1, dialect=name)


@pytest.mark.parametrize("name", [dialect.name for dialect in DIALECTS if dialect.rewrite is None])
def test_null_is_accepted_where_a_server_says_nullable(name: str) -> None:
    """No dialect of JSON Schema has the keyword, so that a check alone does not count it."""
    at = {"type": "string", "nullable": True}
    schema = {"type": "object", "properties": {"at": at, "on": {"type": "string"}}}
    compiled = compile_schema({**schema, "required": ["at", "on"]}, dialect=name)
    assert compiled.validate({"at": None, "on": "x"}) == {"at": None, "on": "x"}
    assert compiled.validate_json('{"at": null, "on": "x"}') == {"at": None, "on": "x"}
    assert not compiled.is_valid({"at": None, "on": "x"})
    assert compiled.is_valid({"at": "now", "on": "x"})
    assert compiled.schema["properties"]["at"] == at
    with pytest.raises(ToolError, match="/on: must be a string, not null"):
        compiled.validate({"at": None, "on": None})
    off = compile_schema({**schema, "required": ["at"]}, dialect=name, coercion="off")
    with pytest.raises(ToolError, match="/at: must be a string, not null"):
        off.validate({"at": None})


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_rewritten_schema_may_be_a_boolean(name: str) -> None:
    """Alone or below another."""
    kind = "OBJECT" if name == "gemini" else "object"
    closed = {"type": kind, "properties": {"a": True}, "additionalProperties": False}
    assert accepts(closed, {"a": 1}, dialect=name)
    assert not accepts(closed, {"b": 1}, dialect=name)
    assert accepts(True, 1, dialect=name)  # noqa: FBT003
    assert not accepts(False, 1, dialect=name)  # noqa: FBT003


@pytest.mark.parametrize("name", ["openapi-3.0", "gemini"])
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"type": {"type": "string"}, "nullable": {"type": "string"}}},
        {"properties": {"enum": {"type": "string"}, "items": {"type": "string"}}},
        {"default": {"nullable": True, "type": "STRING"}},
        {"enum": [{"type": "STRING", "nullable": True}]},
    ],
    ids=["type", "enum", "default", "choice"],
)
def test_rewriting_leaves_alone_what_only_looks_like_a_keyword(schema: Any, name: str) -> None:
    """Names of properties and values are not rewritten."""
    compiled = compile_schema(schema, coercion="off", dialect=name)
    for value in ({"nullable": True, "type": "STRING"}, {}):
        expected = compile_schema(schema, coercion="off").is_valid(value)
        assert compiled.is_valid(value) == expected


@pytest.mark.parametrize(("schema", "name"), [(OPENAPI, "openapi-3.0"), (GEMINI, "gemini")])
def test_a_rewritten_definition_keeps_its_schema(schema: Any, name: str) -> None:
    """However deep a part is: what is given belongs to the caller."""
    given = copy.deepcopy({"anyOf": [{"type": "object"}, schema], "properties": {"inner": schema}})
    before = copy.deepcopy(given)
    definition = Definition("tool", "", given, dialect=name)
    assert definition.json_schema != before
    assert definition.schema == before


def test_a_subschema_in_another_dialect_is_judged_in_it() -> None:
    """By all readers alike, though only jsonschema-rs knows the dialect."""
    newer = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "prefixItems": [{"type": "integer"}],
    }
    compiled = compile_schema({"properties": {"a": newer}}, dialect="draft-07")
    assert compiled.validate({"a": [1]}) == {"a": [1]}
    assert not compiled.is_valid({"a": ["x"]})
    with pytest.raises(ToolError):
        compiled.validate({"a": ["x"]})
