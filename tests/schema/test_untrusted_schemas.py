"""Schemas come from strangers: each compiles to what works, or is refused with a `SchemaError`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from case_tests import each_case
from cases import Case
from hostile import SCHEMAS, nested, outcome_of
from rows import row
from waiting import calls

from schema2model import SchemaError, ToolError, compile_schema
from schema2model.json import values
from schema2model.limits import MAX_DEPTH
from schema2model.schema import verdicts, walking
from schema2model.schema.nodes import Place
from schema2model.schema.references import Documents


def broken(name: str, schema: Any, pointer: str, words: str) -> Any:
    """A row of the table: a schema, the place where it is wrong, and some words of the message."""
    return pytest.param(schema, pointer, words, id=name)


@pytest.mark.parametrize(
    ("schema", "pointer", "words"),
    [
        broken("bytes", b"{}", "", "json.loads"),
        broken("nan", {"minimum": float("nan")}, "/minimum", "nan"),
        broken("infinity", {"const": [float("-inf")]}, "/const/0", "-inf"),
        broken("set", {"enum": {1}}, "/enum", "set"),
        broken("bytes_inside", {"const": b"x"}, "/const", "bytes"),
        broken("ellipsis", {"const": ...}, "/const", "ellipsis"),
        broken("code", {"default": compile("1", "", "eval")}, "/default", "code"),
        broken("object", {"default": object()}, "/default", "object"),
        broken("integer_key", {"properties": {1: {}}}, "/properties", "int"),
        broken("none_key", {None: {}}, "", "NoneType"),
        broken("huge_integer", {"maximum": 10**5000}, "/maximum", "digits"),
    ],
)
def test_what_is_no_json_is_refused_where_it_is(schema: Any, pointer: str, words: str) -> None:
    """Where the schema holds what no JSON does."""
    assert_refused(schema, pointer, words)


@each_case("schemas")
def test_a_broken_schema_is_refused_where_it_is_broken(case: Case) -> None:
    """At the first place that is wrong."""
    (issue,) = case.line["refused"]
    assert_refused(case.schema, issue["path"], case.message)


def assert_refused(schema: Any, pointer: str, words: str) -> None:
    """The error names the place as a JSON Pointer, quotes what is wrong, and does not ramble."""
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema)
    assert caught.value.pointer == pointer
    assert words in str(caught.value)
    assert len(str(caught.value)) <= 600
    assert pointer in str(caught.value) or "itself" in str(caught.value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_hostile_schema_takes_neither_time_nor_memory_nor_the_process(name: str) -> None:
    """Whatever its size and shape: an answer in time, on what compiles and on every value."""
    assert outcome_of("schema", name) in {"refused", "accepted"}


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        pytest.param({"minLength": 10**30}, 1, "x", id="more_characters_than_exist"),
        pytest.param({"minLength": 1e300}, 1, "x", id="as_a_float"),
        pytest.param({"maxItems": 10**30, "minItems": 2}, [1, 2], [1], id="more_items_than_exist"),
        pytest.param({"maximum": 10**400}, 10**399, 10**401, id="beyond_floats"),
        pytest.param({"minimum": -(10**400), "type": "integer"}, -1, -(10**401), id="below_them"),
        pytest.param({"enum": [10**400]}, 10**400, 10**400 + 1, id="a_choice_beyond_floats"),
        pytest.param({"multipleOf": 10**400}, 10**400, 10**399, id="a_step_beyond_floats"),
        pytest.param({"enum": []}, None, 1, id="no_choice"),
        pytest.param({"const": nested(150, lambda v: [v], 1)}, None, 1, id="a_deep_constant"),
        pytest.param(
            {"items": {"$ref": "#/enum/0"}, "enum": [{"type": "null"}, [None]]},
            [None],
            [1],
            id="a_reference_into_no_schema",
        ),
    ],
)
def test_what_is_odd_but_right_works(schema: Any, valid: Any, invalid: Any) -> None:
    """Large numbers and strange places are no reason to refuse a schema, nor to misread it."""
    compiled = compile_schema(schema, coercion="off")
    if valid is not None:
        assert compiled.validate(valid) == valid
    with pytest.raises(ToolError):
        compiled.validate(invalid)


@pytest.mark.parametrize("title", ["a\0b", "", " ", "class", "\n", "x" * 100_000, "../x", "é"])
def test_any_title_will_do(title: str) -> None:
    """A title names the model and the messages, and breaks neither."""
    compiled = compile_schema({"title": title, "type": "object"})
    assert compiled.model.model_validate({"a": 1}).model_dump() == {"a": 1}
    with pytest.raises(ToolError) as caught:
        compiled.validate(1)
    assert len(str(caught.value)) < 1000


NAMES = [
    *(
        "model_config",
        "model_dump",
        "model_fields",
        "model_validate",
        "model_extra",
        "copy",
        "json",
    ),
    *("__class__", "__dict__", "__init__", "__slots__", "__pydantic_fields_set__", "__hash__"),
    *("", " ", "\0", "a.b", "a/b", "a~b", "$ref", "#", "%", "{}", "\n", "é", "\U0001f600", "0"),
    *("class", "def", "self", "cls", "root", "schema", "_x", "__x", "x" * 100_000, "-", "'", '"'),
]


@pytest.mark.parametrize("coercion", ["default", "off", "untyped", "lenient"])
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "undeclared"])
def test_a_property_may_have_any_name(declared: bool, coercion: str) -> None:  # noqa: FBT001
    """It goes in and comes out of `validate` and the model alike, and its value is coerced."""
    for name in NAMES:
        with row(name[:30]):
            goes_through(name, coercion, declared=declared)


def goes_through(name: str, coercion: str, *, declared: bool) -> None:
    """A property of that name does, and nothing else does in its place."""
    properties = {name: {"type": "integer"}} if declared else {"other": {}}
    compiled = compile_schema({"type": "object", "properties": properties}, coercion=coercion)
    model = compiled.model
    assert (name in model.model_fields) == declared
    for value in ({name: 1}, {name: 1, "root": 2, "copy": 3}):
        assert compiled.validate(value) == value
        assert compiled.validate_json(json.dumps(value)) == value
        assert model.model_validate(value).model_dump() == value
    if declared and coercion != "off":
        assert compiled.validate({name: "7"}) == {name: 7}
        assert model.model_validate({name: "7"}).model_dump() == {name: 7}
    if declared:
        with pytest.raises(ToolError):
            compiled.validate({name: [2, 3]})


def test_all_awkward_names_at_once() -> None:
    """They do not get in each other's way either."""
    schema = {"properties": {name: {"type": "integer"} for name in NAMES}, "required": NAMES}
    compiled = compile_schema(schema)
    expected = {name: index for index, name in enumerate(NAMES)}
    sent = {name: str(index) for index, name in enumerate(NAMES)}
    assert compiled.validate(sent) == expected
    assert compiled.model.model_validate(sent).model_dump() == expected


def test_two_schemas_of_one_identifier_are_an_error_at_worst() -> None:
    """jsonschema-rs panics at these; whoever asks for a schema is told, and goes on."""
    schema = {
        "properties": {"q": {"$ref": "#a", "$id": "o"}},
        "$defs": {"t": {"$anchor": "a", "$id": "o"}},
    }
    with pytest.raises(SchemaError, match="identifies two subschemas"):
        compile_schema(schema)


def test_half_a_surrogate_pair_is_no_name() -> None:
    """It is not Unicode text, so neither a schema nor arguments may have it."""
    with pytest.raises(SchemaError, match="surrogate") as error:
        compile_schema({"properties": {"\ud800": {}}})
    assert str(error.value).startswith(r"/properties/\ud800 is not JSON: ")  # which can be printed
    with pytest.raises(ToolError):
        compile_schema({"additionalProperties": {"type": "null"}}).validate({"\ud800": 1})


def test_alternatives_that_refer_to_the_document_are_compiled_once() -> None:
    """They are compiled together, and not the whole document again for each of them."""
    branches = [{"$ref": "#", "title": str(number)} for number in range(3_000)]
    with calls(3_000_000):
        compiled = compile_schema({"type": "object", "properties": {"a": {"anyOf": branches}}})
        assert compiled.validate({"a": {"a": {}}}) == {"a": {"a": {}}}


ITEM = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("item", "limit"), [(ITEM, 1), ({"$ref": "#/$defs/item"}, 6)], ids=["alone", "referred"]
)
def test_parts_count_towards_the_limit(
    item: Any, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that stand alone by one, and the others with all that they refer to."""
    branches = [item, {"type": "array", "minItems": 1}]
    schema = {"properties": {"a": {"anyOf": branches}}, "$defs": {"item": ITEM}}
    monkeypatch.setattr(verdicts, "MAX_DERIVED_SUBSCHEMAS", limit)
    with pytest.raises(ToolError):
        compile_schema({**schema, "title": "more"}).validate({"a": {"n": "2"}})
    monkeypatch.setattr(verdicts, "MAX_DERIVED_SUBSCHEMAS", 2 * limit + 2)
    compiled = compile_schema({**schema, "title": "as many"})
    assert compiled.validate({"a": {"n": "2"}}) == {"a": {"n": 2}}


@pytest.mark.parametrize(
    "keyword", ["additionalProperties", "patternProperties", "items", "prefixItems"]
)
@pytest.mark.parametrize(("levels", "width"), [(4, 60), (5, 20)])
def test_values_of_any_size_are_refused_where_they_may_be_large(
    keyword: str, levels: int, width: int
) -> None:
    """Parts that are shared count each time, as in JSON."""
    schema: Any = {}
    value: Any = 1
    for _ in range(levels):
        below = {"patternProperties": {"^": schema}, "prefixItems": [schema]}.get(keyword, schema)
        schema = {keyword: below, "title": keyword}
        is_list = keyword in {"items", "prefixItems"}
        value = [value] * width if is_list else dict.fromkeys(map(str, range(width)), value)
    with pytest.raises(ToolError, match="too"):
        compile_schema({"properties": {"a": schema}}).validate({"a": value})


def test_values_of_any_size_are_refused_where_references_multiply_the_places() -> None:
    """Each level doubles them; all of its members are one object."""
    schema: Any = {"$defs": {"0": {"type": "array", "items": {"type": "integer"}}}}
    value: Any = [1] * 600
    for level in range(12):
        names = {name: {"$ref": f"#/$defs/{level}"} for name in "ab"}
        schema["$defs"][f"{level + 1}"] = {"properties": names}
        value = {"a": value, "b": value}
    with calls(70_000), pytest.raises(ToolError, match="more than 2,000,000 values"):
        compile_schema({**schema, "$ref": "#/$defs/12"}).validate(value)


@pytest.mark.parametrize("item", [{"title": "item"}, {"$ref": "#/$defs/item"}])
def test_three_levels_of_arrays_need_no_limit(item: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fourth does, with references and without."""
    monkeypatch.setattr(values, "MAX_VALUES", 1_000)
    schema, value = item, [[[1] * 40] * 40] * 40
    for _ in range(3):
        schema = {"items": schema}
    definitions = {"$defs": {"item": {"type": "integer"}}}
    assert compile_schema({**schema, **definitions}).validate(value) == value
    with pytest.raises(ToolError):
        compile_schema({"items": schema, **definitions}).validate([value] * 40)


def test_a_schema_that_its_meta_schema_judges_is_compiled_for_the_first_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Few schemas ever need one: pydantic-core validates most calls."""
    schema: Any = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "uniqueItems": True, "minContains": 1},
            "b": {"type": "number", "multipleOf": 0.1, "maximum": 5},
            "c": {"type": "string", "format": "date", "enum": ["x"]},
        },
        "dependentRequired": {"a": ["b"]},
        "maxProperties": 3,
        "additionalProperties": False,
    }
    compile_schema(schema)
    made: list[Any] = []
    make = jsonschema_rs.Draft202012Validator

    def noted(given: Any, **options: Any) -> Any:
        made.append(given)
        return make(given, **options)

    monkeypatch.setattr(jsonschema_rs, "Draft202012Validator", noted)
    compiled = compile_schema({**schema, "title": "judged"})
    assert made == []
    assert compiled.is_valid({"b": 1})
    assert made == [compiled.schema]


def test_items_that_nothing_describes_count_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No validator goes into them, so that their sum has no limit; also below a reference."""
    monkeypatch.setattr(values, "MAX_VALUES", 100)
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "array"}}}
    assert compile_schema(schema).validate({"a": [[1] * 60] * 2}) == {"a": [[1] * 60] * 2}


def behind_references(number: int) -> dict[str, Any]:
    """An object of objects, each behind a reference of its own."""
    properties = {f"p{n}": {"$ref": f"#/$defs/d{n}"} for n in range(number)}
    made = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return {"properties": properties, "$defs": {f"d{n}": made for n in range(number)}}


def test_references_to_ordinary_schemas_need_no_search_for_their_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One count of the ways through the schema proves all limits; two ways may lead to one."""
    searched: list[Any] = []
    search = walking._depth_first

    def counted(*given: Any) -> Any:
        searched.append(given)
        return search(*given)

    monkeypatch.setattr(walking, "_depth_first", counted)
    schema = behind_references(300)
    schema["properties"]["other"] = {"items": {"$ref": "#/$defs/d0"}}
    compile_schema({**schema, "title": "ordinary"})
    assert not searched
    compile_schema({**schema, "title": "recursive", "items": {"$ref": "#"}})
    assert searched


@pytest.mark.parametrize(
    ("keyword", "dialect"),
    [("$defs", "2020-12"), ("definitions", "2020-12"), ("definitions", "draft-07")],
)
def test_definitions_that_nothing_refers_to_are_checked_too(keyword: str, dialect: str) -> None:
    """Also next to a `$ref` where its siblings do not count."""
    definitions = {"a": {"type": "integer"}, "b": {"$ref": "https://elsewhere.test/"}}
    schema = {"$ref": f"#/{keyword}/a", keyword: definitions}
    with pytest.raises(SchemaError, match="elsewhere"):
        compile_schema(schema, dialect=dialect)


def test_a_chain_of_references_is_as_long_as_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit counts the subschemas, the root among them."""
    monkeypatch.setattr(walking, "MAX_REFERRED", 3)
    chain = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "integer"}}}
    assert compile_schema(chain).validate("3") == 3
    with pytest.raises(SchemaError, match="a chain of more than 3 references"):
        compile_schema({**chain, "$ref": "#/$defs/c", "$defs": {**chain["$defs"], "c": chain}})


def test_branches_are_limited_where_references_may_multiply_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A schema that is as long as what it means has no other limit than that of all subschemas."""
    monkeypatch.setattr(walking, "MAX_IN_PLACE", 3)
    schema = {"anyOf": [{"const": 1}, {"const": 2}, {"pattern": "a"}]}
    assert compile_schema({**schema, "title": "limited"}).validate("1") == 1
    with pytest.raises(SchemaError, match="more than 3 subschemas apply to one value"):
        compile_schema({**schema, "not": {"$ref": "#/$defs/a"}, "$defs": {"a": {"const": 3}}})


@pytest.mark.parametrize(
    "keyword", ["contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"]
)
def test_branches_are_limited_within_keywords_that_only_the_validator_reads(
    keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The validator applies them to each member or item."""
    monkeypatch.setattr(walking, "MAX_IN_PLACE", 3)
    branches = [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a", "title": "again"}]
    schema = {"properties": {"a": {keyword: {"anyOf": branches}}}, "$defs": {"a": {"const": 3}}}
    with pytest.raises(SchemaError, match="more than 3 subschemas apply to one value"):
        compile_schema(schema)


_TWICE = {
    "items": lambda twice: {"items": {"anyOf": twice}},
    "tuples": lambda twice: {"prefixItems": [{"anyOf": twice}]},
    "properties": lambda twice: {"properties": {"a": {"anyOf": twice}}},
    "several properties": lambda twice: {"anyOf": [{"properties": {"a": each}} for each in twice]},
    "patterns": lambda twice: {"patternProperties": {"a": twice[0], "a|b": twice[1]}},
    "contains": lambda twice: {"contains": {"anyOf": twice}},
    "the items of contains": lambda twice: {"contains": twice[0], "items": twice[1]},
    "unevaluatedItems": lambda twice: {"unevaluatedItems": {"anyOf": twice}},
    "unevaluatedProperties": lambda twice: {"unevaluatedProperties": {"anyOf": twice}},
    "not": lambda twice: {"items": {"not": {"anyOf": twice}}},
}


@pytest.mark.parametrize("way", _TWICE)
def test_values_are_as_deep_as_references_may_multiply(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value of forty levels would be validated by the innermost definition 2**40 times."""
    monkeypatch.setattr(walking, "MAX_APPLIED", 100)
    definitions: dict[str, Any] = {"d40": {"type": "integer"}}
    for level in range(40):
        twice = [{"$ref": f"#/$defs/d{level + 1}", "title": title} for title in "ab"]
        definitions[f"d{level}"] = _TWICE[way](twice)
    compiled = compile_schema({"$ref": "#/$defs/d0", "$defs": definitions})
    in_objects = "ropert" in way or way == "patterns"
    shallow, deep = (
        '{"a": ' * n + "1" + "}" * n if in_objects else "[" * n + "1" + "]" * n for n in (2, 20)
    )
    assert compiled.is_valid_json(shallow) is True
    assert compiled.validate_json(shallow) == json.loads(shallow)
    assert compiled.is_valid_json(deep) is False
    for read in (compiled.validate_json, lambda text: compiled.validate(json.loads(text))):
        with pytest.raises(ToolError, match=r"not more than [3-6] levels of nesting"):
            read(deep)


def test_references_to_different_properties_or_back_do_not_multiply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No value is validated more often than there are definitions."""
    monkeypatch.setattr(walking, "MAX_APPLIED", 100)
    definitions: dict[str, Any] = {"d40": {"type": "integer"}}
    for level in range(40):
        inner = {"$ref": f"#/$defs/d{level + 1}"}
        definitions[f"d{level}"] = {"properties": {"a": inner, "b": inner}, "items": inner}
    back = {"anyOf": [{"$ref": "#/$defs/back", "title": title} for title in "ab"]}
    definitions["back"] = {"properties": {"a": back}}
    properties = {"a": {"$ref": "#/$defs/d0"}, "b": {"$ref": "#/$defs/back"}}
    compiled = compile_schema({"properties": properties, "$defs": definitions})
    value: Any = "1"
    for _ in range(40):
        value = {"a": value}
    assert json.dumps(compiled.validate({"a": value, "b": value})["a"]).startswith('{"a": {"a":')


def test_what_is_evaluated_too_often_at_the_root_is_named_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pointer to it would be empty."""
    monkeypatch.setattr(walking, "MAX_EVALUATED", 1)
    with pytest.raises(SchemaError, match=r"within one another at the root$"):
        compile_schema({"allOf": [{"title": "often"}], "unevaluatedProperties": False})


def test_values_of_any_depth_are_refused_where_a_schema_refers_to_itself() -> None:
    """By the same limit as values of any other schema."""
    value: Any = {}
    for _ in range(MAX_DEPTH + 1):
        value = {"next": value}
    compiled = compile_schema({"properties": {"next": {"$ref": "#"}}})
    with pytest.raises(ToolError, match="levels of nesting"):
        compiled.validate(value)
    assert not compiled.is_valid(value)
    assert compiled.validate(value["next"]["next"]) == value["next"]["next"]
    assert compiled.is_valid(value["next"]["next"])


@pytest.mark.parametrize("limit", [0, 1, 5, 40])
def test_parts_beyond_the_limit_are_judged_as_before(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They lose their coercion, and nothing else."""
    monkeypatch.setattr(verdicts, "MAX_DERIVED_SUBSCHEMAS", limit)
    schema = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"$ref": "#", "title": "1"}, {"type": "array", "minItems": 1}]},
            "b": {"type": "integer", "title": f"limit {limit}"},
            "d": {"properties": {"e": {}}, "unevaluatedProperties": False},
        },
        "additionalProperties": False,
    }
    compiled, reference = compile_schema(schema), jsonschema_rs.Draft202012Validator(schema)
    for value in (
        {"b": 1},
        {"a": {"a": [1], "b": 2}},
        {"a": {"a": []}},
        {"a": 1},
        {"a": {"c": 1}},
        *({"d": {name: 1}} for name in "ef"),
    ):
        if reference.is_valid(value):
            assert compiled.validate(value) == value
        else:
            with pytest.raises(ToolError):
                compiled.validate(value)
    with contextlib.suppress(ToolError):
        assert reference.is_valid(compiled.validate({"a": {"b": "2"}}))


def test_parts_are_not_counted_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of each is in proportion to the document."""
    counted: list[Any] = []
    reached = Documents.reached

    def spy(self: Documents, schema: Any, place: Place) -> Iterator[tuple[dict[str, Any], Place]]:
        counted.append(schema)
        return reached(self, schema, place)

    monkeypatch.setattr(Documents, "reached", spy)
    monkeypatch.setattr(verdicts, "MAX_DERIVED_SUBSCHEMAS", 50)
    inner = {"anyOf": [{"$ref": f"#/$defs/d{number}"} for number in range(20)]}
    definitions = {f"d{number}": {"type": "array", "items": inner} for number in range(20)}
    with pytest.raises(ToolError):
        compile_schema({"properties": {"a": inner}, "$defs": definitions}).validate({"a": ["x"]})
    assert len(counted) <= 3


def test_facts_that_follow_from_a_schema_are_kept_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And are found again."""
    monkeypatch.setattr(verdicts, "MAX_CACHED_FACTS", 3)
    compiled = compile_schema({"properties": {name: {"type": "integer"} for name in "abcdefgh"}})
    for name in "abcdefghab":
        with pytest.raises(ToolError, match=f"/{name}: must be an integer"):
            compiled.validate({name: "x"})
        assert 0 < len(compiled._engine.verdicts._memo) <= 3
