"""A validator like python-jsonschema's, and a function like Ajv's."""

from __future__ import annotations

import enum
import json
import subprocess
import sys
import types
import unittest
from collections import deque
from typing import Any
from urllib.parse import urljoin

import jsonschema
import pytest
from hypothesis import assume, given
from official_suite import DRAFTS, SuiteError, groups, own_tests, remotes, suite
from referencing import Registry, Resource, jsonschema as drafts
from strategies import json_values, schemas

from schema2model import SchemaError
from schema2model.adapters.jsonschema import (
    ValidationError,
    Validator,
    best_match,
    compile as ajv,
    validator_for,
    without,
)

pytestmark = pytest.mark.adapters

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
        "limit": {"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]},
        "$ref": {"$ref": "#/$defs/tag"},
        "on": {"type": "string", "format": "date"},
    },
    "required": ["tags"],
    "$defs": {"tag": {"type": "string", "minLength": 1}},
}

KNOWN = {
    "unevaluatedProperties": "what counts as evaluated where something else is wrong, too",
    "vocabulary": "it knows of none",
}
"""Files of the official suite of which the errors may be others than python-jsonschema's."""

UNORDERED = {"dynamicRef": "what comes first behind one is not known"}
"""Files in which errors may come in another order."""

DETAILS = (
    *("message", "validator", "validator_value", "instance", "schema", "json_path"),
    *("path", "relative_path", "absolute_path"),
    *("schema_path", "relative_schema_path", "absolute_schema_path"),
)


def test_the_stringified_is_not_coerced() -> None:
    """It is a validator, and changes nothing."""
    probe = {"tags": '["a"]', "limit": "10"}
    validator = validator_for(SCHEMA)
    assert not validator.is_valid(probe)
    assert probe == {"tags": '["a"]', "limit": "10"}
    validator.validate({"tags": ["a"], "limit": 1})


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        pytest.param({"tags": []}, [], id="valid"),
        pytest.param({}, [([], "required", ["required"], ["tags"])], id="required"),
        pytest.param(
            {"tags": ["a", 2]},
            [(["tags", 1], "type", ["properties", "tags", "items", "type"], "string")],
            id="behind-a-reference",
        ),
        pytest.param(
            {"tags": [""], "$ref": 1},
            [
                (["tags", 0], "minLength", ["properties", "tags", "items", "minLength"], 1),
                (["$ref"], "type", ["properties", "$ref", "type"], "string"),
            ],
            id="several",
        ),
    ],
)
def test_errors_have_the_attributes_of_python_jsonschema(instance: Any, expected: Any) -> None:
    """Where, which keyword, and what it says; the same as there."""
    by_path = {
        "ours": validator_for(SCHEMA).iter_errors(instance),
        "theirs": jsonschema.Draft202012Validator(SCHEMA).iter_errors(instance),
    }
    for errors in by_path.values():
        found = [
            (list(e.path), e.validator, list(e.schema_path), e.validator_value) for e in errors
        ]
        assert sorted(found, key=str) == sorted(expected, key=str)


def test_the_branches_of_a_union_are_its_context() -> None:
    """With paths from the union's own error, or from the top."""
    (error,) = validator_for(SCHEMA).iter_errors({"tags": [], "limit": "10"})
    assert (error.validator, error.path, error.instance) == ("anyOf", deque(["limit"]), "10")
    assert error.message == "'10' is not valid under any of the given schemas"
    ours = error.context
    (their,) = jsonschema.Draft202012Validator(SCHEMA).iter_errors({"tags": [], "limit": "10"})
    assert [e.validator_value for e in ours] == ["integer", "null"]
    for name in ("schema_path", "absolute_schema_path", "path", "absolute_path", "validator"):
        assert [getattr(e, name) for e in ours] == [getattr(e, name) for e in their.context]
    assert all(e.parent is error for e in ours)


def test_validate_raises_the_first_error() -> None:
    """It returns nothing otherwise."""
    with pytest.raises(ValidationError, match="'tags' is a required property") as caught:
        validator_for(SCHEMA).validate({})
    assert repr(caught.value) == """<ValidationError: "'tags' is a required property">"""
    assert isinstance(caught.value, jsonschema.ValidationError)


def test_formats_are_asserted_where_the_original_would() -> None:
    """Ajv does, and python-jsonschema does not."""
    instance = {"tags": [], "on": "today"}
    assert validator_for(SCHEMA).is_valid(instance)
    assert not validator_for(SCHEMA, formats="assert").is_valid(instance)
    assert not ajv(SCHEMA)(instance)
    assert ajv(SCHEMA, formats="annotate")(instance)


def test_a_function_tells_what_is_wrong_as_ajv_does() -> None:
    """Of the last call, with the place in the schema behind references."""
    check = ajv(SCHEMA)
    assert check({"tags": []})
    assert check.errors is None
    assert not check({"tags": ["a", 1]})
    assert check.errors == [
        {
            "instancePath": "/tags/1",
            "schemaPath": "#/$defs/tag/type",
            "keyword": "type",
            "message": "1 is not of type 'string'",
        }
    ]
    assert check({"tags": []})
    assert check.errors is None


def test_a_false_schema_is_named_as_the_originals_name_it() -> None:
    """It has no keyword."""
    check = ajv({"properties": {"a": False}})
    assert not check({"a": 1})
    assert check.errors
    assert check.errors[0]["keyword"] == "false schema"
    (error,) = validator_for({"properties": {"a": False}}).iter_errors({"a": 1})
    assert (error.validator, error.validator_value) == (None, None)


def test_a_broken_schema_is_refused_when_it_is_compiled() -> None:
    """So are references to what is not there: nothing is fetched."""
    for schema in ({"type": "nothing"}, {"$ref": "http://localhost:1234/integer.json"}):
        with pytest.raises(SchemaError):
            validator_for(schema)
    resources = {"http://localhost:1234/integer.json": {"type": "integer"}}
    validator = validator_for({"$ref": "http://localhost:1234/integer.json"}, resources=resources)
    (error,) = validator.iter_errors("1")
    assert (error.validator, error.validator_value) == ("type", "integer")


class _Text(str):
    __slots__ = ()


class _Kind(enum.Enum):
    A = 1


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "instance",
    [
        pytest.param({1: 2}, id="keys"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param("\ud800", id="half-a-surrogate"),
        pytest.param({"tags": [_Text("a")]}, id="subclass"),
        pytest.param({"tags": _Kind.A}, id="enum"),
        pytest.param({"tags": [object()]}, id="object"),
        pytest.param({"tags": CYCLE}, id="cycle"),
    ],
)
def test_what_is_no_json_is_invalid_and_the_errors_say_so(instance: Any) -> None:
    """They are never empty then, and nothing else is ever raised."""
    validator = validator_for(SCHEMA)
    assert not validator.is_valid(instance)
    assert list(validator.iter_errors(instance))
    check = ajv(SCHEMA)
    assert not check(instance)
    assert check.errors


def test_deep_values_in_unions_are_told_of_without_multiplying() -> None:
    """The branches of all unions on the way down would be 2 ** 40."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"anyOf": [{**node, "required": [name]} for name in ("x", "y")]}},
    }
    instance: dict[str, Any] = {"x": 1, "next": [1, {"a/b": 2}]}
    for _ in range(40):
        instance = {"x": 1, "next": instance}
    errors = list(validator_for(schema).iter_errors(instance))
    assert errors
    assert all(list(error.absolute_path)[:41] == ["next"] * 41 for error in errors)
    assert errors[0].instance == [1, {"a/b": 2}]


# ------------------------------------------------------------------------- the official suite
@pytest.fixture(scope="module")
def files(pytestconfig: pytest.Config) -> Any:
    """The suite. Without it the run fails, unless it was told to go without."""
    if pytestconfig.getoption("--no-official-suite"):
        pytest.skip("--no-official-suite was given")
    try:
        return suite()
    except SuiteError as error:
        pytest.fail(str(error), pytrace=False)


CLASSES: dict[str, Any] = {
    "draft4": (jsonschema.Draft4Validator, drafts.DRAFT4),
    "draft6": (jsonschema.Draft6Validator, drafts.DRAFT6),
    "draft7": (jsonschema.Draft7Validator, drafts.DRAFT7),
    "draft2019-09": (jsonschema.Draft201909Validator, drafts.DRAFT201909),
    "draft2020-12": (jsonschema.Draft202012Validator, drafts.DRAFT202012),
}


def told(error: Any, like: Any = None) -> dict[str, Any]:
    """All that an error holds, as far as it can be compared with another.

    python-jsonschema forgets the last steps to a false schema; and the schemas of drafts, which it
    has at hand, are here known to jsonschema-rs alone.
    """
    found = {name: getattr(error, name) for name in DETAILS}
    like = like or error
    if error.validator is None:
        found = {name: value for name, value in found.items() if "path" not in name}
    elif like.schema is None:
        found = {"absolute_path": error.absolute_path, "validator": error.validator}
    inner = like.context if len(like.context) == len(error.context) else error.context
    found["context"] = [told(a, b) for a, b in zip(error.context, inner, strict=True)]
    return found


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_errors_are_those_of_python_jsonschema(files: Any, draft: str) -> None:
    """For every invalid case: as many, in the same order, with the same words and attributes."""
    resources = {
        uri: document
        for uri, document in remotes(files).items()
        if "/draft" not in uri or f"/{draft}/" in uri
    }
    compared, unlike = 0, []
    their_class, own = CLASSES[draft]
    registry: Registry[Any] = Registry().with_resources(
        (uri, Resource.from_contents(it, own if f"/{draft}/" in uri else drafts.DRAFT202012))
        for uri, it in resources.items()
    )
    for group in groups(files):
        if group.draft != draft or group.file.startswith("optional/") or group.file in KNOWN:
            continue
        needed = resources if "localhost:1234" in str(group.schema) else {}
        validator = validator_for(group.schema, dialect=DRAFTS[draft], resources=needed)
        original = their_class(group.schema, registry=registry)
        for case in group.cases:
            ours = list(validator.iter_errors(case["data"]))
            theirs = list(original.iter_errors(case["data"]))
            assert validator.is_valid(case["data"]) == case["valid"] == (not ours)
            compared += len(theirs)
            if group.file in UNORDERED:
                ours.sort(key=lambda error: error.message)
                theirs.sort(key=lambda error: error.message)
            alike = len(ours) == len(theirs) and all(
                told(a) == told(b, a) for a, b in zip(ours, theirs, strict=True)
            )
            if not alike:
                unlike.append((group.file, group.description, case["description"]))
            elif all(map(is_told_alike, ours)):
                best, their_best = best_match(ours), best_match(theirs)
                assert (best and told(best)) == (their_best and told(their_best, best))
                assert (best and told(best)) == told_by_our_own_best_match(ours)
    assert compared > 250
    assert not unlike


def is_told_alike(error: Any) -> bool:
    """Whether all of it can be compared."""
    return (
        error.validator is not None
        and error.schema is not None
        and all(map(is_told_alike, error.context))
    )


def told_by_our_own_best_match(errors: list[Any]) -> Any:
    """What is found where python-jsonschema is not installed."""
    best = without.best_match(map(ours_alone, errors))
    return best and told(best)


def ours_alone(error: Any) -> Any:
    """An error as it is where python-jsonschema is not installed."""
    names = ("message", "validator", "path", "validator_value", "instance", "schema", "schema_path")
    details = {name: getattr(error, name) for name in names}
    context = [ours_alone(inner) for inner in error.context]
    return without.Details(**details, context=context, type_checker=error._type_checker)


@given(schemas(), json_values)
def test_the_errors_of_other_schemas_are_those_of_python_jsonschema(
    schema: Any, instance: Any
) -> None:
    """But for what is unevaluated; and jsonschema-rs forgets names that are empty."""
    text = json.dumps([schema, instance])
    assume("unevaluated" not in text and '"":' not in text)
    ours = list(validator_for(schema).iter_errors(instance))
    assume(all(map(is_told_alike, ours)))
    theirs = list(jsonschema.Draft202012Validator(schema).iter_errors(instance))
    one, other = ([told(error) for error in errors] for errors in (ours, theirs))
    assert sorted(map(repr, one)) == sorted(map(repr, other))


# ---------------------------------------------------------- python-jsonschema's own tests
BASE = "https://example.com/"

OTHERS = {
    "TestValidationErrorDetails": {
        "test_type": "draft 3: schemas in `type`",
        "test_multiple_nesting": "draft 3: `required` in a property",
        "test_additionalItems": "draft 3: `items` of no schema",
    },
    "TestValidationErrorMessages": {
        "test_object_with_named_type_failure": "draft 3: schemas in `type`",
        "test_object_without_title_type_failure_draft3": "draft 3: schemas in `type`",
        "test_dependencies_single_element": "draft 3: a dependency that is no list",
        "test_additionalItems_single_failure": "draft 3: `items` of no schema",
        "test_additionalItems_multiple_failures": "draft 3: `items` of no schema",
        "test_invalid_format_default_message": "a format of one's own",
        "test_maxProperties_0": "a key that is no text",
        "test_heterogeneous_properties_additionalProperties": "a key that is no text",
        "test_heterogeneous_properties_unevaluatedProperties": "a key that is no text",
    },
    "TestBestMatch": {},
}
"""Their tests that are of what is not here, and why."""


def their_class(dialect: str) -> type[Validator]:
    """A class like one of python-jsonschema's."""

    class TheirValidator(Validator):
        def __init__(self, schema: Any, format_checker: Any = None, resolver: Any = None) -> None:
            formats = "assert" if format_checker else "annotate"
            if resolver is not None:  # ours has no base URI to go by
                schema = {"$ref": urljoin(BASE, schema["$ref"])}
            super().__init__(schema, dialect=dialect, formats=formats, resources=resolver)

        @classmethod
        def check_schema(cls, schema: Any, dialect: str = dialect) -> None:
            super().check_schema(schema, dialect)

    return TheirValidator


def their_validators() -> Any:
    """Ours in the place of `jsonschema.validators`. Draft 3 is not known; most is as in draft 6."""
    names = {"Draft3Validator": "draft-06"}
    names |= {their.__name__: DRAFTS[draft] for draft, (their, _) in CLASSES.items()}
    classes: dict[str, Any] = {name: their_class(dialect) for name, dialect in names.items()}
    classes["_LATEST_VERSION"] = classes["Draft202012Validator"]
    classes["_RefResolver"] = lambda base, referrer, store: {
        urljoin(BASE, uri): document for uri, document in store.items()
    }
    return types.SimpleNamespace(**classes)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("module", "name"),
    [
        pytest.param("test_validators", "TestValidationErrorDetails", id="details"),
        pytest.param("test_validators", "TestValidationErrorMessages", id="messages"),
        pytest.param("test_exceptions", "TestBestMatch", id="best-match"),
    ],
)
def test_python_jsonschemas_own_tests_pass(
    files: Any, module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for those that are named, with our validators in the place of its own."""
    monkeypatch.setitem(sys.modules, "jsonpath_ng", types.ModuleType("for other tests there"))
    theirs = types.ModuleType(f"jsonschema.tests.{module}")
    exec(own_tests(module), theirs.__dict__)  # noqa: S102
    theirs.__dict__["validators"] = their_validators()
    theirs.__dict__["_LATEST_VERSION"] = theirs.__dict__["validators"]._LATEST_VERSION
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(getattr(theirs, name))
    result = unittest.TestResult()
    suite.run(result)
    failed = {case.id().rpartition(".")[2]: text for case, text in result.failures + result.errors}
    assert result.testsRun >= 19
    assert failed.keys() == OTHERS[name].keys(), failed


# ------------------------------------------------------------------------ the rest of it
@pytest.mark.parametrize("dialect", [*DRAFTS.values()])
@pytest.mark.parametrize("value", [None, True, 0, 1.0, 1.5, "a", [], {}], ids=repr)
def test_types_are_those_of_python_jsonschema(dialect: str, value: Any) -> None:
    """In each dialect; and what is no type is an error of its own."""
    validator = validator_for({}, dialect=dialect)
    original = CLASSES[next(draft for draft, name in DRAFTS.items() if name == dialect)][0]({})
    for name in ("null", "boolean", "integer", "number", "string", "array", "object"):
        assert validator.is_type(value, name) == original.is_type(value, name)
    with pytest.raises(jsonschema.exceptions.UnknownType):
        validator.is_type(value, "whole")


def test_a_validator_evolves() -> None:
    """To another schema or other options; it stays what it was."""
    validator = validator_for({"format": "date"}, dialect="draft-07")
    assert validator.is_valid("today")
    assert not validator.evolve(formats="assert").is_valid("today")
    assert not validator.evolve(schema={"type": "null"}).is_valid("today")
    assert validator.evolve(schema={"items": [{}]}).is_valid([1])  # draft 7 still
    assert validator.is_valid("today")


def test_a_schema_is_checked() -> None:
    """By the dialect that it names, or is said to be of."""
    Validator.check_schema({"items": [{}]}, "draft-07")
    for schema in ({"items": [{}]}, {"type": "whole"}, {"pattern": "("}):
        with pytest.raises(SchemaError):
            Validator.check_schema(schema)


def test_without_python_jsonschema_errors_are_the_same() -> None:
    """Classes of our own then, with the same attributes."""
    program = """
import sys
if "without" in sys.argv:
    sys.modules["jsonschema"] = None
from schema2model.adapters.jsonschema import UnknownType, best_match, validator_for
schema = {"properties": {"a b": {"anyOf": [{"type": "null"}, {"items": {"minimum": 3}}]}}}
validator = validator_for({**schema, "maxProperties": 1})
errors = list(validator.iter_errors({"a b": [3, 2], "b": 1}))
for error in (*errors, *errors[0].context, best_match(errors), best_match(errors[:1])):
    print(repr(error), error.json_path, list(error.absolute_path), list(error.relative_path))
    print(error.schema, error.validator, error.validator_value, list(error.absolute_schema_path))
    assert isinstance(error, ValueError)
try:
    validator.is_type(1, "whole")
except UnknownType:
    print("jsonschema" in str(UnknownType.__module__), file=sys.stderr)
"""
    runs = [
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", program, way], check=True, capture_output=True, text=True
        )
        for way in ("with", "without")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert [run.stderr.strip() for run in runs] == ["True", "True"]
