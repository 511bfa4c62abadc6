"""Errors are those of python-jsonschema: in the official suite, and in its own tests."""

from __future__ import annotations

import sys
import types
import unittest
from typing import Any
from urllib.parse import urljoin

import jsonschema
import pytest
from hypothesis import assume, given
from official_suite import DRAFTS, SuiteError, groups, own_tests, remotes, suite
from referencing import Registry, Resource, jsonschema as drafts
from strategies import json_values, schemas

from schema2model.adapters.jsonschema import Validator, validator_for

pytestmark = pytest.mark.adapters

KNOWN = {"vocabulary": "python-jsonschema knows of none, and its verdict is another"}
"""Files of the official suite of which the errors may be others than python-jsonschema's."""

DETAILS = (
    *("message", "validator", "validator_value", "instance", "schema", "json_path"),
    *("path", "relative_path", "absolute_path"),
    *("schema_path", "relative_schema_path", "absolute_schema_path"),
)


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


def told(error: Any) -> dict[str, Any]:
    """All that an error holds."""
    found = {name: getattr(error, name) for name in DETAILS}
    found["context"] = [told(inner) for inner in error.context]
    return found


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_errors_are_those_of_python_jsonschema(files: Any, draft: str) -> None:
    """For every invalid case: as many, in the same order, with the same words and attributes."""
    resources = {
        uri: document
        for uri, document in remotes(files).items()
        if ("/draft" not in uri or f"/{draft}/" in uri)
        and not (draft == "draft4" and uri.endswith("/tree.json"))  # which has true for a schema
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
            if [told(error) for error in ours] != [told(error) for error in theirs]:
                unlike.append((group.file, group.description, case["description"]))
    assert compared > 250
    assert not unlike


def in_any_order(errors: list[dict[str, Any]]) -> list[str]:
    """What errors hold, in an order of its own: python-jsonschema's may be that of a set."""
    return sorted(repr({**each, "context": in_any_order(each["context"])}) for each in errors)


@given(schemas(), json_values)
def test_the_errors_of_other_schemas_are_those_of_python_jsonschema(
    schema: Any, instance: Any
) -> None:
    """Where the verdicts are the same: it divides in floats, which do not hold large integers."""
    validator, original = validator_for(schema), jsonschema.Draft202012Validator(schema)
    theirs = list(original.iter_errors(instance))
    assume(validator.is_valid(instance) == (not theirs))
    one, other = ([told(e) for e in errors] for errors in (validator.iter_errors(instance), theirs))
    assert in_any_order(one) == in_any_order(other)


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
