# ruff: noqa: D103 - the names state the promises
"""`schema2model validate`: its options, and what it prints as text and as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, strategies as st
from searching import examples
from validating import CORRECTED, REFUSED, SCHEMA, Write, refused, run

from schema2model import compile_schema
from schema2model.apps.cli.application import application


# ---------------------------------------------------------------------------- what is printed
def test_explain_prints_a_line_for_each_change(file: Write) -> None:
    text = "{'tags': '[\"a\"]', 'limit': None}"
    read = r"""{"tags": "[\"a\"]", "limit": null}"""
    result = run("--schema", file(SCHEMA), "--explain", text)
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"tags": ["a"]})
    assert result.stderr.splitlines() == [
        rf"""the arguments: repair_text: "{{'tags': '[\"a\"]', 'limit': None}}" -> {read}""",
        (
            "the arguments: repair_text: read ' as a quote at character 1, and 2 more, in "
            r'''"{'tags': '[\"a\"]', 'li"'''
        ),
        (
            "the arguments: repair_text: read None as null at character 27, in "
            r'''": '[\"a\"]', 'limit': None}"'''
        ),
        '/tags: json_text: "[\\"a\\"]" -> ["a"]',
        "/limit: drop_null: null -> left out",
    ]


def test_explain_says_nothing_of_what_is_not_changed(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--explain", '{"tags": ["a"]}')
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_change_is_one_line_whatever_is_in_its_path(file: Write) -> None:
    schema = {"additionalProperties": {"type": "integer"}}
    result = run("--schema", file(schema), "--explain", '{"a\\nb\\rc": "1"}')
    assert result.stderr == '/a\\nb\\rc: json_text: "1" -> 1\n'


def test_json_prints_everything_as_one_document(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--json", stdin="{'tags': \"['a']\"}")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "result": {"tags": ["a"]},
        "error": None,
        "changes": [
            {
                "path": "",
                "rule": "repair_text",
                "before": "{'tags': \"['a']\"}",
                "after": {"tags": "['a']"},
            },
            {
                "path": "",
                "rule": "repair_text",
                "before": "{'tags': \"['a']\"}",
                "after": "read ' as a quote at character 1",
            },
            {"path": "/tags", "rule": "loose_json_text", "before": "['a']", "after": ["a"]},
        ],
        "doubts": [],
    }


def test_json_prints_the_error_in_full(file: Write) -> None:
    result = run("--schema", file(SCHEMA), "--json", '{"tags": [], "limit": "many"}')
    assert (result.exit_code, result.stderr) == (1, "")
    issue = {
        "path": "/limit",
        "keyword": "type",
        "wanted": "integer",
        "expected": {"type": "integer"},
        "found": '"many"',
        "example": 1,
        "advice": None,
    }
    assert json.loads(result.stdout) == {
        "result": None,
        "error": {"message": REFUSED.rstrip("\n"), "issues": [issue], "retryable": True},
        "changes": [],
        "doubts": [],
    }


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
NEARLY = st.fixed_dictionaries(
    {"tags": st.lists(VALUES) | st.lists(VALUES).map(json.dumps) | st.lists(VALUES).map(repr)},
    optional={"limit": VALUES | st.integers().map(str), "q": VALUES, "Q": VALUES},
)


@examples(30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    coercion=st.sampled_from(["default", "off", "untyped", "forgiving", "lenient"]),
    text=NEARLY.map(json.dumps) | NEARLY.map(repr) | st.text() | st.binary(),
)
@example(coercion="default", text='{"tags": "[false]"}')
@example(coercion="default", text='{"limit": 0, "tags": []}')
def test_explain_json_and_validate_agree(file: Write, coercion: str, text: str | bytes) -> None:
    options = ["--schema", file(SCHEMA), "--coercion", coercion]
    plain = run(*options, stdin=text)
    explained = run(*options, "--explain", stdin=text)
    document = json.loads(run(*options, "--json", stdin=text).stdout)
    assert plain.exit_code in {0, 1}
    assert plain.exit_code == explained.exit_code
    if plain.exit_code:
        assert plain.stdout == explained.stdout
        assert explained.stderr.endswith(plain.stderr)  # after the changes of what was read
        assert document["result"] is None
    else:  # objects have no order
        assert json.loads(plain.stdout) == json.loads(explained.stdout) == document["result"]


def test_arguments_that_are_too_large_exit_with_2(file: Write) -> None:
    message = refused(run("--schema", file({}), stdin=b" " * (64 * 2**20 + 1)))
    assert "the arguments are larger than 64 MiB" in message


def test_deeply_nested_arguments_are_refused_for_the_model(file: Write) -> None:
    result = run("--schema", file({}), stdin="[" * 100_000)
    assert result.exit_code == 1
    assert "Error parsing arguments for `tool`" in result.stderr
    assert result.stderr == f"{_error(chr(91) * 100_000)}\n"


def _error(text: str) -> str:
    with pytest.raises(ValueError, match="Error") as caught:
        compile_schema({}).validate_json(text)
    return str(caught.value)


# ------------------------------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("schema", "options", "arguments", "expected"),
    [
        ({"items": {"type": "integer"}}, ["--coercion", "off"], '["1"]', None),
        ({"items": {"type": "integer"}}, [], '["1"]', [1]),
        ({"type": ["string", "integer"]}, ["--coercion", "untyped"], '"1"', 1),
        ({"type": "array"}, ["--coercion", "lenient"], '"a"', ["a"]),
        ({"type": "string", "format": "date"}, [], '"soon"', "soon"),
        ({"type": "string", "format": "date"}, ["--formats", "assert"], '"soon"', None),
        ({"type": "string", "format": "date"}, ["--dialect", "draft-07"], '"soon"', "soon"),
        (
            {"type": "string", "format": "date"},
            ["--dialect", "draft-07", "--formats", "annotate"],
            '"soon"',
            "soon",
        ),
        ({"type": "INTEGER"}, ["--dialect", "gemini"], '"1"', 1),
    ],
)
def test_options_reach_the_compiler(
    file: Write, schema: Any, options: list[str], arguments: str, expected: Any
) -> None:
    result = run("--schema", file(schema), *options, arguments)
    assert result.exit_code == (expected is None)
    assert json.loads(result.stdout or "null") == expected


@pytest.mark.parametrize(
    "options",
    [["--coercion", "hard"], ["--formats", "check"], ["--no-such"], ["{}", "{}"]],
)
def test_unknown_options_exit_with_2(file: Write, options: list[str]) -> None:
    result = run("--schema", file(SCHEMA), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: " in result.stderr


def test_an_unknown_dialect_exits_with_2_and_names_those_known(file: Write) -> None:
    message = refused(run("--schema", file({}), "--dialect", "draft-99", "{}"))
    known = re.search(r'unknown dialect "draft-99"; known are (2020-12, .*), and ', message)
    assert known
    assert known[1] in " ".join(run("--help").stdout.split())


def test_the_example_of_the_help_is_right(file: Write) -> None:
    example = re.search(r"--schema tool\.json '(.*)'", run("--help").stdout)
    assert example
    assert json.loads(run("--schema", file(SCHEMA), example[1]).stdout) == CORRECTED


def test_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(application, ["--version"])
    assert re.fullmatch(r"schema2model \d+\.\d+\S*\n", result.stdout)
