"""python-jsonschema's names: code that changes its import behaves the same."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jsonschema as original
import pytest
from referencing import Registry, Resource

from schema2model.adapters import jsonschema
from schema2model.extras import needs

DRAFTS = ["Draft4Validator", "Draft6Validator", "Draft7Validator"]
DRAFTS += ["Draft201909Validator", "Draft202012Validator"]
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "born": {"type": "string", "format": "date"}},
    "required": ["name"],
}


def outcome(module: Any, draft: str, schema: Any, instance: Any) -> Any:
    """Messages and paths of all errors, or the kind of the refusal."""
    kind = getattr(module, draft)
    try:
        kind.check_schema(schema)
    except module.SchemaError:
        return "SchemaError"
    return sorted((e.message, [*e.absolute_path]) for e in kind(schema).iter_errors(instance))


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        (PERSON, {"name": "a"}),
        (PERSON, {"name": 1, "born": 2}),
        (PERSON, {}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", **PERSON}, {}),
        ({"items": [{"type": "integer"}], "minimum": 3, "exclusiveMinimum": True}, ["a"]),
        ({"minimum": 3, "exclusiveMinimum": True}, 3),
        ({"definitions": {"a": {"const": 1}}, "$ref": "#/definitions/a"}, 2),
        ({"type": 5}, 1),
        ({"type": "whole"}, 1),
    ],
)
def test_a_class_follows_its_draft(draft: str, schema: Any, instance: Any) -> None:
    """Whatever `$schema` says: verdicts, messages and paths are the original's."""
    theirs = outcome(original, draft, schema, instance)
    assert outcome(jsonschema, draft, schema, instance) == theirs


def test_validate_raises_the_best_match() -> None:
    """For the instance and for the schema; errors are those that programs catch already."""
    jsonschema.validate({"name": "a"}, PERSON)
    for module in (jsonschema, original):
        with pytest.raises(module.ValidationError) as caught:
            module.validate({"name": 1}, PERSON)
        assert caught.value.message == "1 is not of type 'string'"
        with pytest.raises(module.SchemaError):
            module.validate({}, {"properties": 5})
    with pytest.raises(original.ValidationError):
        jsonschema.validate({}, PERSON)
    with pytest.raises(original.SchemaError):
        jsonschema.Draft7Validator({"properties": 5})


@pytest.mark.parametrize("draft", DRAFTS)
def test_validator_for_returns_the_class(draft: str) -> None:
    """By `$schema`, or the default."""
    uri = getattr(original, draft).META_SCHEMA.get("$schema")
    assert jsonschema.validators.validator_for({"$schema": uri}).__name__ == draft
    default = jsonschema.Draft4Validator
    assert jsonschema.validators.validator_for({}, default=default) is default
    assert jsonschema.validators.validator_for([]) is jsonschema.Draft202012Validator


def test_formats_are_checked_with_a_format_checker() -> None:
    """And annotate without one."""
    wrong = {"name": "a", "born": "2026-02-30"}
    kind = jsonschema.Draft7Validator
    assert kind(PERSON).is_valid(wrong)
    assert not kind(PERSON, format_checker=jsonschema.FormatChecker()).is_valid(wrong)
    assert not kind(PERSON, format_checker=kind.FORMAT_CHECKER).is_valid(wrong)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, PERSON, format_checker=jsonschema.FormatChecker())
    with pytest.raises(jsonschema.FormatError, match="is not a 'date'"):
        jsonschema.FormatChecker().check("2026-02-30", "date")


def test_a_registry_holds_other_documents() -> None:
    """One of `referencing`, or a mapping."""
    other = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "integer"}
    registry = Registry().with_resource("urn:other", Resource.from_contents(other))
    for given in (registry, {"urn:other": other}):
        validator = jsonschema.Draft202012Validator({"$ref": "urn:other"}, registry=given)
        assert [validator.is_valid(each) for each in (1, "1")] == [True, False]


def test_a_part_refers_to_the_definitions_of_the_whole() -> None:
    """`evolve` keeps them, and the options."""
    schema = {"definitions": {"day": {"type": "string", "format": "date"}}}
    whole = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    part = whole.evolve(schema={"$ref": "#/definitions/day"})
    assert [part.is_valid(each) for each in ("2026-02-03", "2026-02-30", 5)] == [True, False, False]
    assert part.evolve(format_checker=None).is_valid("2026-02-30")


def test_errors_are_sorted_by_where_they_are() -> None:
    """By python-jsonschema's own tree and `best_match`."""
    errors = [*jsonschema.Draft7Validator({"items": {"type": "null"}}).iter_errors([1, None, 2])]
    tree = jsonschema.ErrorTree(errors)
    assert (0 in tree, 1 in tree, tree.total_errors, [*tree]) == (True, False, 2, [0, 2])
    assert tree[0].errors["type"].message == "1 is not of type 'null'"
    assert jsonschema.exceptions.best_match(errors).message == "2 is not of type 'null'"
    with pytest.raises(jsonschema.SchemaError) as caught:
        jsonschema.validate(1, {"type": 5})
    assert list(caught.value.path) == ["type"]


PROGRAM = """
import sys
sys.modules["jsonschema"] = None
try:
    import schema2model.adapters.jsonschema
except ImportError as error:
    print(error)
"""


def test_without_python_jsonschema_the_extra_is_named() -> None:
    """It makes the errors; its users have it."""
    program = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(program, check=True, capture_output=True, text=True)  # noqa: S603
    assert run.stdout.strip().endswith(needs("jsonschema"))
