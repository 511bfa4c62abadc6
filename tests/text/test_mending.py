# ruff: noqa: D102, D103 - the names state the promises
"""Each edit of the mending grammar: a text that needs it, and a near miss that is left alone."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

import pytest
from case_tests import coercions, each_case
from cases import Case, cases
from waiting import rounds

from schema2model import Coercion, CompiledSchema, ToolError, compile_schema
from schema2model.json.equality import type_exact_equal
from schema2model.json.parsing import NOTHING, STRICT, parse_json

SCHEMA: dict[str, Any] = cases("repair")[0].schema
TOOL = compile_schema(SCHEMA)
REFUSED = object()


def read(text: str, tool: CompiledSchema = TOOL) -> Any:
    try:
        return tool.validate_json(text)
    except ToolError:
        return REFUSED


@each_case("repair", "repaired")
def test_a_text_that_needs_the_edit_is_mended(case: Case) -> None:
    assert compile_schema(case.schema).validate_json(case.input) == case.result


@each_case("repair", "near miss")
def test_a_near_miss_is_not(case: Case) -> None:
    """The refusal says where reading ended, or what the doubt is."""
    assert_refused(case)


@each_case("repair", "several faults", "by itself")
def test_a_text_with_several_faults_is_read_or_refused(case: Case) -> None:
    """With the edits, or the reason, that its nearest reading has."""
    if case.is_refused:
        assert_refused(case)
    else:
        assert compile_schema(case.schema).validate_json(case.input) == case.result
        assert edits(case) == case.edits


def test_a_value_that_may_be_part_of_another_is_a_second_call() -> None:
    tool = compile_schema({**SCHEMA, "required": ["a"]})
    for text in ('{"a": "x"}\n{"n": 1}', '{"a": "x"}\n{"k": 1}', '{"a": "x"} then {"n": 1}'):
        with pytest.raises(ToolError, match="two different calls"):
            tool.validate_json(text)


def assert_refused(case: Case) -> None:
    """Require the refusal of a case with lines that end in its message."""
    with pytest.raises(ToolError) as caught:
        compile_schema(case.schema).validate_json(case.input)
    assert f"{case.message}\n" in f"{caught.value}\n"


def edits(case: Case) -> list[str]:
    """Return the descriptions of all changes in the text, after that of the whole."""
    changes = compile_schema(case.schema).explain_json(case.input).changes
    return [str(change.after) for change in changes if change.rule == "repair_text"][1:]


class TestExplain:
    """Each edit is a change under `repair_text`, in words that say at which character."""

    @each_case("repair", "by itself")
    def test_each_edit_shows_a_piece_of_the_text(self, case: Case) -> None:
        whole, *edits = compile_schema(case.schema).explain_json(case.input).changes
        assert (whole.path, whole.rule, whole.before) == ("", "repair_text", case.input)
        assert all(edit.before in case.input for edit in edits)

    @each_case("repair", "repaired", "clear")
    def test_every_repair_tells_its_edits(self, case: Case) -> None:
        assert edits(case) == case.edits

    @each_case("spellings", "JSON5", "Python", "repair", "brackets missing", "code fence", "prose")
    def test_every_spelling_tells_its_edits(self, case: Case) -> None:
        assert edits(case) == case.edits

    def test_many_edits_are_told_in_few_words(self) -> None:
        text = '{"t": [' + " ".join(["100"] * 500) + "]}"
        _, change = compile_schema({}).explain_json(text).changes
        assert change.after == 'inserted "," at character 11, and 498 more'
        assert len(change.before) <= 40


OFFSET = re.compile(r"(?<=at character )\d+")
AROUND: dict[str, tuple[str, str, Any]] = {
    "prose": ("Here you are, as JSON.\n", "", lambda value: value),
    "another property": ('{"w": ', ', "v": 1}', lambda value: {"w": value, "v": 1}),
    "an array": ('{"w": ["", ', '], "v": 1}', lambda value: {"w": ["", value], "v": 1}),
}
"""Text before a damaged value, and after it, and what the whole is."""


@pytest.mark.parametrize("around", AROUND)
def test_a_value_is_repaired_the_same_wherever_it_is(around: str) -> None:
    """With the same edits, unless they are at its end or leave out what is around it."""
    before, after, whole = AROUND[around]
    checked = 0
    for case in cases("repair", "repaired", "clear"):
        offsets = [int(offset[0]) for each in case.edits for offset in OFFSET.finditer(each)]
        is_alone = not re.search("left out|after the value|the same again", f"{case.edits}")
        is_in_braces = case.input.startswith("{") and max([*offsets, 0]) < len(case.input) - 2
        if not (offsets and is_alone and is_in_braces):
            continue
        schema = case.schema
        if around == "another property":
            schema = {"properties": {"w": schema}}
        elif around == "an array":
            schema = {"properties": {"w": {"items": {"anyOf": [schema, {"type": "string"}]}}}}
        explanation = compile_schema(schema).explain_json(before + case.input + after)
        assert explanation.result == whole(case.result), case.id
        moved = [
            OFFSET.sub(lambda offset: str(int(offset[0]) + len(before)), each)
            for each in case.edits
        ]
        found = [str(change.after) for change in explanation.changes]
        assert found[1 : len(moved) + 1] == moved, case.id
        checked += 1
    assert checked >= 120


LETTER_IN_QUOTES = re.compile(r"""(?<=["'])x(?=["' ,\\])""")


def test_a_letter_in_quotes_may_be_another_mark() -> None:
    """With the same edits, or the same refusal; but for a string that is joined to another."""

    def changed(text: str) -> str:
        return LETTER_IN_QUOTES.sub("~", text)

    refused = read = 0
    for case in cases("repair", "repaired", "clear", "near miss", "ambiguous"):
        if changed(case.input) != case.input and case.id != "plus: repaired":
            explanation = compile_schema(case.schema).explain_json(changed(case.input))
            if case.is_refused:
                assert explanation.error is not None, case.id
                refused += 1
            else:
                assert explanation.result == json.loads(changed(json.dumps(case.result))), case.id
                after = [str(change.after) for change in explanation.changes]
                assert after[1 : len(case.edits) + 1] == [*map(changed, case.edits)], case.id
                read += 1
    assert refused >= 110
    assert read >= 100


@each_case("repair", "ambiguous")
def test_of_two_readings_that_are_as_near_none_is_taken(case: Case) -> None:
    assert_refused(case)
    assert compile_schema(case.schema).explain_json(case.input).error is not None


@pytest.mark.parametrize("text", ['{"d": {"k": 1, "n": 2}', '{"d": {"k": {}, "t": []}'])
def test_no_member_moves_into_the_object_before_it(text: str) -> None:
    """Whatever else is wrong where a brace is missing: an object does not get what it lacks."""
    edits = {
        text[:at] + mark + text[at + length :]
        for at in range(len(text) + 1)
        for length in (0, 1)
        for mark in ("", *'{}",:; ')
    }
    results = [read(edited) for edited in edits if edited.count("{") > edited.count("}")]
    inner = [each["d"] for each in results if each is not REFUSED and isinstance(each["d"], dict)]
    assert len(inner) >= 15
    assert [each for each in inner if {"n", "t"} & each.keys() and len(each) > 1] == []


DAMAGED: dict[str, Any] = {
    "q": "a b",
    "n": 3,
    "t": ["x", "y z"],
    "f": {"min": 1.5, "on": True},
    "items": [{"id": 1, "name": "v"}, {"id": 2}],
}
"""The members of values whose marks are damaged below, each by itself and with another."""


def damaged(text: str) -> set[str]:
    """The texts with one mark less, doubled, replaced by another, or swapped with its neighbour."""
    marks = '{}[]",:'
    found = set()
    for at, mark in enumerate(text):
        if mark in marks:
            found |= {text[:at] + other + text[at + 1 :] for other in ("", mark * 2, *marks)}
            found.add(text[:at] + text[at + 1 : at + 2] + mark + text[at + 2 :])
    return found


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")], ids=["spaced", "compact"])
@pytest.mark.parametrize("names", [*combinations(DAMAGED, 2)], ids=" ".join)
def test_a_text_with_one_damaged_mark_is_mended_or_refused(
    names: tuple[str, ...], separators: tuple[str, str]
) -> None:
    """It never has another value: the text means that value, or nobody can know what it means."""
    item = {"properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    tool = compile_schema(
        {
            "type": "object",
            "properties": {
                "q": {"type": "string"},
                "n": {"type": "integer"},
                "t": {"type": "array", "items": {"type": "string"}},
                "f": {"properties": {"min": {"type": "number"}, "on": {"type": "boolean"}}},
                "items": {"type": "array", "items": {"type": "object", **item}},
            },
        }
    )
    value = {name: DAMAGED[name] for name in names}
    mended = 0
    for text in damaged(json.dumps(value, separators=separators)):
        result = read(text, tool)
        if result is not REFUSED and parse_json(text, STRICT) is NOTHING:
            assert result == value, text
            mended += 1
    assert mended >= 10


@each_case("repair", "clear")
def test_a_text_much_like_an_ambiguous_one_is_read(case: Case) -> None:
    tool = compile_schema(case.schema)
    assert tool.validate_json(case.input) == case.result
    assert tool.explain_json(case.input).result == case.result


@pytest.mark.parametrize(
    "text",
    [
        'Call: {"a": "x", "n": 1} Done.',
        '{"a": "x", "n": 1}}}',
        '[TOOL_CALLS]{"a": "x", "n": 1}',
        'f({"a": "x", "n": 1});',
        '<call>\n{"a": "x", "n": 1}\n</call>',
        'data: {"a": "x", "n": 1}\n\ndata: [DONE]',
        '\'{"a": "x", "n": 1}\'',
        'So:\n~~~\n{"a": "x", "n": 1}\n~~~',
        '{"a": "}", "n": 1}}',
        'Not {this}: {"a": "x", "n": 1}',
        'dict({"a": "x", "n": 1})',
        '{"a": "x"} {"a": "y"}',
        '{"a": "x"}, "n": 1',
        'd: {"a": "x"}',
        'Call: {"a": "x", "n": "one"}',
        '"a": "x", "b": "```{}```"}',
        '"a": "x", "b": "```json\n{}\n```"}',
        'Call: {"a": "x"}}}}})',
        '{"a": "x"}}}}})',
        'Call: {"a": "' + "x" * 500_000 + '"}',
        "```json\n" + '{"a": "' + "x" * 500_000 + '"}\n```',
    ],
    ids=lambda text: text[:32],
)
def test_what_is_read_at_once_is_read_alike_step_by_step(text: str) -> None:
    """`validate_json` asks for the value alone, and may find it sooner than `explain_json`."""
    explanation = TOOL.explain_json(text)
    assert read(text) == (REFUSED if explanation.error else explanation.result)


class TestCutOff:
    """`lenient` completes a truncated text as far as it goes, and says what was missing."""

    @each_case("truncated", "completed")
    def test_as_far_as_it_goes(self, case: Case) -> None:
        (coercion,) = coercions(case)
        explanation = compile_schema(case.schema, coercion=coercion).explain_json(case.input)
        assert explanation.result == case.result
        told = f"cut off {case.message} at character"
        assert any(told in str(change.after) for change in explanation.changes)

    def test_no_other_edit_is_told(self) -> None:
        """A colon that was cut off with its value is not inserted."""
        _, *changes = compile_schema({}, coercion="lenient").explain_json('{"a": 1, "b"').changes
        assert [change.after for change in changes] == [
            "cut off after a key at character 12",
            'inserted "}" at character 12',
        ]

    @each_case("truncated", "refused")
    def test_not_by_default(self, case: Case) -> None:
        tool = compile_schema(case.schema)
        assert tool.explain_json(case.input).error is not None
        with pytest.raises(ToolError):
            tool.validate_json(case.input)

    @each_case("truncated", "undeclared")
    def test_what_belongs_to_no_argument_may_be_cut(self, case: Case) -> None:
        """The bracket of a property that the schema allows but does not describe is closed."""
        assert compile_schema(case.schema).validate_json(case.input) == case.result


@pytest.mark.parametrize(
    "text",
    [
        r'{"a": "He said \"go", then: "stop"}',
        r'{"a": "f(\"x", b: 1}',
        """{"a": 'say "go', b: 'x'}""",
    ],
)
def test_a_key_without_quotes_after_half_a_pair_is_in_doubt(text: str) -> None:
    """It may be in the string before it: the text of a key costs no edit, but is none there."""
    with pytest.raises(ToolError, match="a quote seems to have lost its partner"):
        compile_schema({}).validate_json(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"a": "x", "t": ["y"]}', id="read"),
        pytest.param('"a": "x", "a": "y"}', id="a name twice"),
        pytest.param('"a": "x", "m": {"n": 1, "n": 2}}', id="a name twice within"),
        pytest.param('"a": 3.10}', id="a number for a string"),
        pytest.param('"a": "x\ty"}', id="a control character"),
        pytest.param('"a": "x", "m": ' + "[" * 300 + "]" * 300 + "}", id="too deep"),
        pytest.param('"a": "x", "m": ' + "[" * 9_000 + "]" * 9_000 + "}", id="much too deep"),
    ],
)
def test_without_its_first_brace_a_text_means_the_same_in_every_way_in(text: str) -> None:
    """What is read at once is what the grammar reads, and explains."""
    explained = TOOL.explain_json(text)
    if explained.error is None:
        assert type_exact_equal(TOOL.validate_json(text), explained.result)
    else:
        with pytest.raises(ToolError) as refused:
            TOOL.validate_json(text)
        assert str(refused.value) == str(explained.error)


HOSTILE = {
    "missing commas": '{"t": [' + '"x" ' * 5_000 + "]}",
    "missing commas in lines": '{"t": [' + '"x"\n' * 5_000 + "]}",
    "bare quotes": '{"a": "' + 'f("x", [1], {"k": "v"}) ' * 1_500 + '"}',
    "lone quotes": '{"a": "' + 'say "x, ' * 5_000 + '"}',
    "pluses": '{"a": ' + '"x" + ' * 2_500 + '"y"}',
    "halves of keys": "{" + '"a: ' * 5_000 + "}",
    "wrong closers": '{"t": ' + "[" * 150 + "}" * 150 + "}",
    "missing braces": "{" + '"d": [{"k": 1], ' * 20_000 + '"n": 1}',
    "extra closers": '{"a": "x"}' + "}" * 10_000,
    "triple quotes": '{"a": ' + '"""' * 8_000 + "}",
    "template's quotes": "{a: " + '<|"|>' * 8_000 + "}",
    "backslashes": '{"a": "' + "\\d" * 50_000 + '" "b": 1}',
    "draft and call": ('{"a": "x", "t": ["y"\n' * 2_000),
    "fences": "```\n{" * 20_000 + '"a": "x" "n": 1}' + "\n```" * 10_000,
    "named": "<parameter name=" * 10_000 + '{"a": "x" "n": 1}',
    "escaped": '{\\"a\\": \\"' + "\\\\n" * 50_000 + '\\"}',
    "entities": "{" + "&quot;" * 50_000 + "}",
    "comments": '{"a": "x"' + "/* */" * 50_000 + '"n": 1}',
    "blanks behind a quote": '{"a": "x"' + " " * 100_000 + 'y" "n": 1}',
    "lines behind a quote": '{"a": "x"' + "\n" * 100_000 + 'y" "n": 1}',
    "lines before": "\n(" * 50_000 + '{"a": "x" "n": 1}',
    "backticks behind": '{"a": "x"' + "`" * 50_000 + "x",
    "backticks": '{"a": ' + "`" * 390_000 + "}",
    "fences in an object": '{"a": "x", ' + "```\n" * 95_000 + "}",
    "empty strings": '{"a": "' + '"", ' * 95_000 + '"}',
    "ends of objects": '{"a": "x' + '"} ' * 120_000 + "}",
    "items in a string": '{"a": "x' + '", "item' * 5_000 + '"]}',
    "inches": '{"a": "' + '50" ' * 95_000 + '"}',
    "lines of closers": '{"a": "x"}' + "\n  }" * 90_000,
    "tags behind": '{"a": "x"} ' + "</x" * 120_000 + "[",
    "long names": "{" + ", ".join(f'"{"k" * 125}{n}": "v"' for n in range(2_000)) + ",}",
    "names of two lines": "{" + ", ".join(f'"k\n{n}": "v"' for n in range(9_000)) + ",}",
    "long names of numbers": "{" + ", ".join(f'"{"k" * 125}{n}": 1' for n in range(2_000)) + ",}",
    "constants": '{"t": [' + "true, " * 50_000 + "x}",
    "constants of Python": "{'t': [" + "None, " * 50_000 + ",}",
    "escaped quotes in a string that is not closed": '{{"' + '\\"' * 100_000 + "}",
    "a literal that is none": "{" + "'k': 'v', " * 30_000 + "'k': 'v'",
    "doubled quotes": '{""a"": ' + '"' * 100_000 + "}",
    "doubled keys": "{" + '""a"":' * 40_000,
    "doubled braces": '{{"a": ' * 20_000 + "}}" * 60_000,
    "padded numbers": '{"t": [' + "05, " * 30_000 + "}",
    "bare fractions": '{"t": [' + "1/3, " * 20_000 + "]}",
    "capital constants": '{"t": [' + "TRUE, " * 20_000 + "]}",
    "tuples": "```\n" + "(1, 2)\n" * 20_000 + "```",
    "blanks in a set": '{"t": {1' + " " * 100_000 + ";}",
    "sets": '{"t": ' + "{1," * 5_000 + "}" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_or_refused_soon(name: str) -> None:
    """The steps of one call are counted, whatever its text is made of."""
    most = 2_000_000_000
    assert rounds(lambda: read(HOSTILE[name]), most) <= most


def test_the_strings_of_one_call_have_one_budget() -> None:
    """Twenty-five strings take no longer than one: what is not JSON is counted together."""
    names = [f"p{n}" for n in range(25)]
    tool = compile_schema({"properties": {name: {"type": "array"} for name in names}})
    text = "[" + "'x'," * 45_000 + "]"
    assert tool.validate({"p0": text})["p0"][:2] == ["x", "x"]
    with pytest.raises(ToolError):
        tool.validate(dict.fromkeys(names, text + "]"))
    assert tool.explain({name: text + " " * n for n, name in enumerate(names)}).error is not None


@pytest.mark.parametrize(
    ("coercion", "text"),
    [
        pytest.param("off", '"{\n}"', id="off"),
        pytest.param("off", '"{\\"a\\": \\"x\\"\n}"', id="off, escaped"),
        pytest.param(Coercion.default.replace(json_text=False), '"{}"', id="no text in strings"),
        pytest.param(Coercion.default.replace(json_text=False), '"{\n}"', id="nor over two lines"),
        pytest.param(Coercion.default.replace(repair_text=False), "So: {}", id="no repairs"),
    ],
)
def test_what_no_rule_allows_is_not_read(coercion: Any, text: str) -> None:
    """However near it is: what a string holds, and what has to be repaired."""
    tool = compile_schema({"type": "object"}, coercion=coercion)
    assert tool.explain_json(text).error is not None
    with pytest.raises(ToolError):
        tool.validate_json(text)
    with pytest.raises(ToolError):
        tool.validate_json(text.encode())


@pytest.mark.parametrize(
    "word", ["undefined", "nan", "infinity", "inf", "nil", "none", "yes", "no", "on", "off"]
)
def test_a_bare_word_for_nothing_or_a_boolean_is_no_text(word: str) -> None:
    assert read(f'{{"a": {word}, "n": 1}}') is REFUSED
    assert read(f'{{"a": {word.upper()}, "n": 1}}') is REFUSED
    assert read(f'{{"a": {word}x, "n": 1}}') == {"a": f"{word}x", "n": 1}


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ('{"a": ' + '"' * 5_000 + "}", 8),
        ('{"a": "x" ' + '"' * 600, 10),
        ('["x", ' + '"a"} ' * 2_000, 9),
        ("{'a': 'x', 'n': 1 " + '"a"} ' * 2_000, 18),
        ("{a: 'x', n: 1, d: [" + '"a"} ' * 2_000, 19),
    ],
)
def test_a_text_with_too_many_readings_is_refused_with_the_place_of_its_fault(
    text: str, at: int
) -> None:
    """The message shows where the text ceases to be JSON, or JSON in another spelling."""
    with pytest.raises(ToolError, match=f"reading ended at character {at}:"):
        TOOL.validate_json(text)
