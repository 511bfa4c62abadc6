# ruff: noqa: D102, D103 - the names state the promises
"""Each edit of the mending grammar: a text that needs it, and a near miss that is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from waiting import processor_time

from schema2model import Coercion, ToolError, compile_schema
from schema2model.json.equality import type_exact_equal

TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": TEXT,
        "b": TEXT,
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "t": {"type": "array", "items": TEXT},
        "d": {"type": "object"},
        "c": {"type": "object", "properties": {"k": TEXT}},
        "o": {"type": "array", "items": {"type": "object"}},
        "p": {"type": "array", "items": {"properties": {"k": TEXT, "m": {}}}},
    },
}
TOOL = compile_schema(SCHEMA)
LENIENT = compile_schema(SCHEMA, coercion="lenient")
REFUSED = object()

RULES: dict[str, tuple[str, Any, str, Any]] = {
    # what is missing
    "comma in an object": ('{"a": "x" "n": 1}', {"a": "x", "n": 1}, '{"a": "x" 1}', REFUSED),
    "comma in an array": ('{"t": ["x" "y"]}', {"t": ["x", "y"]}, '{"t": ["x"\n "y"]}', REFUSED),
    "comma between containers": ('{"o": [{}{}]}', {"o": [{}, {}]}, '{"o": [{}x{}]}', REFUSED),
    "colon": ('{"a" "x"}', {"a": "x"}, '{"a", "x"}', REFUSED),
    "quotes of a key": ('{a: "x"}', {"a": "x"}, '{a b: "x"}', REFUSED),
    "opening quote of a key": ('{a": "x"}', {"a": "x"}, '{1a": "x"}', REFUSED),
    "closing quote of a key": ('{"a: "x"}', {"a": "x"}, '{"a b: "x"}', REFUSED),
    "quotes of a value": ('{"a": Rome}', {"a": "Rome"}, '{"a": undefined}', REFUSED),
    "opening quote of a value": ('{"a": x", "n": 1}', {"a": "x", "n": 1}, '{"a": x"y"}', REFUSED),
    "closing quote of a value before a key with escapes": (
        r'{"a": "x, "\u00d3": 1}',
        {"a": "x", "\xd3": 1},
        r'{"a": "x, "\u00d3" 1}',
        REFUSED,
    ),
    "closing quote of a value": (
        '{"a": "x, y, "n": 1}',
        {"a": "x, y", "n": 1},
        '{"a": "x, [y], n: 1}',
        REFUSED,
    ),
    "attributes within a value": (
        '{"a": "<p class="x" id="y">", "n": 1}',
        {"a": '<p class="x" id="y">', "n": 1},
        '{"a": "<p class="x" b="y">", "n": 1}',
        REFUSED,
    ),
    "quotes at the end of a value": (
        '{"a": "he said "go"", "n": 1}',
        {"a": 'he said "go"', "n": 1},
        '{"a": "he said go"", "n": 1}',
        REFUSED,
    ),
    "two pairs of quotes within a value": (
        '{"a": "SET ""x"" TO", "n": 1}',
        {"a": 'SET ""x"" TO', "n": 1},
        '{"a": "SET ""x"": TO", "n": 1}',
        REFUSED,
    ),
    "closers at the end": ('{"t": ["x"', {"t": ["x"]}, '{"t": ["x",', REFUSED),
    "closer of an array of arrays": (
        '{"z": [[1, 2], [3]}',
        {"z": [[1, 2], [3]]},
        '{"z": [[1, 2], "n": 3}',
        REFUSED,
    ),
    "closer of an array": (
        '{"t": ["x", "n": 1}',
        {"t": ["x"], "n": 1},
        '{"t": ["x", "n": ?}',
        REFUSED,
    ),
    "closer of an object in an array": (
        '{"o": [{"k": 1, {"k": 2}]}',
        {"o": [{"k": 1}, {"k": 2}]},
        '{"o": [{"k": 1, 2}]}',
        REFUSED,
    ),
    "closer before a key of the outer object": (
        '{"c": {"k": "x", "n": 1}, "a": "y"}}',
        {"c": {"k": "x", "n": 1}, "a": "y"},
        '{"a": "y", "d": {"k": "x", "n": 1}',
        REFUSED,
    ),
    "closer of an empty object": (
        '{"d": {, "n": 1}',
        {"d": {}, "n": 1},
        '{"d": {, "n": 1',
        REFUSED,
    ),
    "opening brace": ('"a": "x", "n": 1}', {"a": "x", "n": 1}, '"a", "n": 1}', REFUSED),
    "opening bracket": (
        '{"t": "x", "y"], "n": 1}',
        {"t": ["x", "y"], "n": 1},
        '{"d": "x", "y"], "n": 1}',
        REFUSED,
    ),
    "opening brace of an item": (
        '{"o": [{"k": 1}, "k": 2}]}',
        {"o": [{"k": 1}, {"k": 2}]},
        '{"o": [{"k": 1}, "k" 2}]}',
        REFUSED,
    ),
    # what is there too often, or is another mark
    "trailing comma": ('{"t": ["x",],}', {"t": ["x"]}, '{"t": ["x",,]}', REFUSED),
    "doubled comma": ('{"a": "x",, "n": 1}', {"a": "x", "n": 1}, '{"t": ["x",, "y"]}', REFUSED),
    "leading comma": ('{, "a": "x"}', {"a": "x"}, '{"t": [, "x"]}', REFUSED),
    "doubled colon": ('{"a":: "x"}', {"a": "x"}, '{"a":, "x"}', REFUSED),
    "extra closer": ('{"a": "x"}}', {"a": "x"}, '{"a": "x"}, "b": "y"}', REFUSED),
    "wrong closer": ('{"t": ["x"}, "n": 1}', {"t": ["x"], "n": 1}, '{"t": ["x"> "n": 1}', REFUSED),
    "wrong closer at the end": ('{"a": "x"]', {"a": "x"}, '{"a": "x"x', REFUSED),
    "semicolon": ('{"a": "x"; "n": 1}', {"a": "x", "n": 1}, '{"a": "x"| "n": 1}', REFUSED),
    "equals sign": ('{"a" = "x"}', {"a": "x"}, '{"a" == "x"}', REFUSED),
    "arrow": ('{"a" => "x"}', {"a": "x"}, '{"a" -> "x"}', REFUSED),
    "doubled quote behind a key": ('{"a"": "x"}', {"a": "x"}, '{"a""": "x"}', REFUSED),
    "doubled quote before a key": (
        '{"a": "x", ""b": "y"}',
        {"a": "x", "b": "y"},
        '{"a": "x", """b": "y"}',
        REFUSED,
    ),
    # strings
    "inch": ('{"a": "50" screen"}', {"a": '50" screen'}, '{"a": "50"", "n": 1}', REFUSED),
    "pair of quotes": (
        '{"a": "say "hi" now", "n": 1}',
        {"a": 'say "hi" now', "n": 1},
        '{"a": "say "hi, now", "n": 1}',
        REFUSED,
    ),
    "quote in an item": ('{"t": ["it"s"]}', {"t": ['it"s']}, '{"t": ["it" s", "y"]}', REFUSED),
    "doubled quote": ('{"a": "x" , "b": "y"}', {"a": "x", "b": "y"}, '{"a": "x""}', REFUSED),
    "apostrophe": ("{'a': 'it's'}", {"a": "it's"}, "{'a': 'x' y}", REFUSED),
    "single quotes": (r"{'a': 'it\'s \"x\"'}", {"a": 'it\'s "x"'}, "{'a': \"x'}", REFUSED),
    "backtick": ('{"a": `x "y"`}', {"a": 'x "y"'}, '{"a": `x}', REFUSED),
    "smart quotes": ("{“a”: “x”}", {"a": "x"}, "{“a”: «x»}", REFUSED),
    "triple quotes": ('{"a": """x "y"\nz"""}', {"a": 'x "y"\nz'}, '{"a": """x}', REFUSED),
    "template's quotes": ('{a:<|"|>x<|"|>}', {"a": "x"}, '{a:<|"|>x<|"}', REFUSED),
    "plus": ('{"a": "x" + "y"}', {"a": "xy"}, '{"a": "x" + y}', REFUSED),
    "backslash": (r'{"a": "\d+\$"}', {"a": r"\d+\$"}, r'{"a": "\d+\n"}', REFUSED),
    "drive": (r'{"a": "C:\path"}', {"a": r"C:\path"}, r'{"a": "C:\dir\new"}', REFUSED),
    "Python's prefix": (r'{"a": r"\d\n"}', {"a": r"\d\n"}, '{"a": f"x"}', REFUSED),
    # scalars and containers
    "hexadecimal": ('{"n": 0x1F}', {"n": 31}, '{"n": 0x1G}', REFUSED),
    "plus sign": ('{"n": +5}', {"n": 5}, '{"n": +-5}', REFUSED),
    "bare point": ('{"x": .5,}', {"x": 0.5}, '{"x": .}', REFUSED),
    "underscores": ('{"n": 1_000}', {"n": 1000}, '{"n": 1,000}', REFUSED),
    "unit": ('{"n": 10 }', {"n": 10}, '{"n": 10px}', REFUSED),
    "constant": ('{"d": {"k": True}}', {"d": {"k": True}}, '{"n": Tru}', REFUSED),
    "tuple": ('{"t": ("x",)}', {"t": ["x"]}, '{"t": ("x"}', REFUSED),
    "group": ('{"a": ("x")}', {"a": "x"}, '{"a": ("x", "y")}', REFUSED),
    "closer of an object before a key that stands less deep": (
        '{\n  "d": {\n    "k": 1,\n  "a": "x"\n}',
        {"d": {"k": 1}, "a": "x"},
        '{"d": {"k": 1, "a": "x"}',
        REFUSED,
    ),
    "two strings in two lines": (
        '{"a": "x"\n"n": 1}',
        {"a": "x", "n": 1},
        '{"z": ["x"\n "y"], "0": 1}',
        REFUSED,
    ),
    "set": ('{"t": {"x", "y"}}', {"t": ["x", "y"]}, '{"d": {"x", "y"}}', REFUSED),
    "dict()": ("dict(a='x', n=1)", {"a": "x", "n": 1}, "dict(a, n=1)", REFUSED),
    # around the value
    "comment": ('{"a": "x" /* y */, "n": 1}', {"a": "x", "n": 1}, '{"a": "x" // y}', REFUSED),
    "prose": ('Call: {"a": "x",} Done.', {"a": "x"}, 'Call: {"a": "x",} {"b": 1}', REFUSED),
    "prose behind a comma": ('{"a": "x"}, so.', {"a": "x"}, '{"a": "x"}, "n": 1', REFUSED),
    "fence": ('Use {y}:\n```\n{"a": "x"}\n```', {"a": "x"}, '{"a": "```\n{}\n```', REFUSED),
    "marks of a template": ('{"a": "x"</s>', {"a": "x"}, '{"a": "x</s>', REFUSED),
    "escaped once": (r"{\"a\": \"x\"}", {"a": "x"}, r"{\"a\": \"x", REFUSED),
    "entities": ("{&quot;a&quot;: &quot;x&quot;}", {"a": "x"}, "{&amp;quot;a: x}", REFUSED),
    "the same again": ('{"a": "x",}\n{"a": "x",}', {"a": "x"}, '{a:"x"}{a:"y"}', REFUSED),
    "a name before the value": ('args={"a": "x"}', {"a": "x"}, 'f(d={"k": 1})', REFUSED),
    "a tag around the value": ("<call>{}</call>", {}, '<d>{"k": 1}</d>', REFUSED),
}


def read(text: str) -> Any:
    try:
        return TOOL.validate_json(text)
    except ToolError:
        return REFUSED


@pytest.mark.parametrize("rule", RULES)
def test_a_text_that_needs_the_edit_is_mended(rule: str) -> None:
    text, expected, _, _ = RULES[rule]
    assert read(text) == expected


@pytest.mark.parametrize("rule", RULES)
def test_a_near_miss_is_not(rule: str) -> None:
    _, _, text, expected = RULES[rule]
    assert read(text) == expected


class TestDeclaredNames:
    """The schema's property names are anchors, and its types say what may stand without quotes."""

    def test_text_without_quotes_is_none_where_a_number_is_wanted(self) -> None:
        assert read('{"n": Rome}') is REFUSED

    def test_of_two_values_the_one_that_fits_is_the_call(self) -> None:
        tool = compile_schema({**SCHEMA, "required": ["a"]})
        assert tool.validate_json('[1, 2] {"a": "x"}') == {"a": "x"}
        assert tool.validate_json('For example {"k": 1}. So: {"a": "x"}') == {"a": "x"}

    def test_it_is_not_if_the_other_may_be_a_part_of_it(self) -> None:
        tool = compile_schema({**SCHEMA, "required": ["a"]})
        for text in ('{"a": "x"}\n{"n": 1}', '{"a": "x"}\n{"k": 1}', '{"a": "x"} then {"n": 1}'):
            with pytest.raises(ToolError, match="two different calls"):
                tool.validate_json(text)


class TestMessages:
    """A refusal says where reading ended, or what the two readings are."""

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                '{"a": "x", "n": ?}',
                'reading ended at character 16:\n  {"a": "x", "n": ?}\n                  ^',
            ),
            (
                '{"a": "x",\n "n": ?}',
                'reading ended at character 17 in line 2:\n   "n": ?}\n        ^',
            ),
            (
                '{"a": "y", "d": {"k": "x", "n": 1}',
                'two ways: {"a": "y", "n": 1, "d": {"k": "x"}} or',
            ),
            ('{"a": "He said "go", "n": 5}', "a quote seems to have lost its partner"),
            (r'{"a": "C:\dir\new"}', "the backslashes in the string at character 6"),
            ('{"n": 1e400}', "a number in the arguments is out of range at character 6"),
            ('f(d={"k": 1})', "the value at character 4 is named as one of them"),
            ('{"a": "x", "b": "y', "cut off inside a string"),
        ],
    )
    def test_it_tells_the_model_what_to_do(self, text: str, message: str) -> None:
        with pytest.raises(ToolError) as caught:
            TOOL.validate_json(text)
        assert message in str(caught.value)
        assert "; " in str(caught.value)


class TestExplain:
    """Each edit is a change under `repair_text`, in words that say at which character."""

    @pytest.mark.parametrize(
        ("text", "edits"),
        [
            ('{"a": "x" "n": 1}', ['inserted "," at character 10']),
            ('{"a": "50" screen"}', ["kept a quote at character 9"]),
            (
                "{'a': 'x', n: 1,}",
                [
                    "read ' as a quote at character 1, and 1 more",
                    "inserted quotes at character 11",
                    'dropped "," at character 15',
                ],
            ),
            (r'{"a": "\d"}', ["kept a backslash at character 7"]),
            (
                'So: {"a": "x"}}',
                [
                    "left out what stands before the value at character 0",
                    "left out what stands behind the value at character 14",
                ],
            ),
        ],
    )
    def test_edits_are_told(self, text: str, edits: list[str]) -> None:
        whole, *changes = TOOL.explain_json(text).changes
        assert (whole.path, whole.rule, whole.before) == ("", "repair_text", text)
        assert [change.after for change in changes] == edits
        assert {change.rule for change in changes} == {"repair_text"}
        assert all(change.before in text for change in changes)

    def test_many_edits_are_told_in_few_words(self) -> None:
        text = '{"t": [' + " ".join(['"x"'] * 500) + "]}"
        _, change = TOOL.explain_json(text).changes
        assert change.after == 'inserted "," at character 11, and 498 more'
        assert len(change.before) <= 40


EITHER: dict[str, Any] = {
    **SCHEMA,
    "properties": {**SCHEMA["properties"], "v": {"type": ["string", "integer"]}},
}
DOUBTS: dict[str, tuple[str, str, Any]] = {
    # what is refused, and what is like it but in no doubt
    "a quote missing before an empty key": (
        '{"a": "x", "": null, k l": null}',
        '{"a": "x", "": null, k": null}',
        {"a": "x", "": None, "k": None},
    ),
    "a key that holds what stood behind it": (
        '{"d": {"k l: 1, "": null}}',
        '{"d": {"k l, m" 1, "": null}}',
        {"d": {"k l, m": 1, "": None}},
    ),
    "a key that holds the opener behind it": (
        '{"a": "x", "k l: {"": {}}}',
        '{"a": "x", "k l": {"": {}}',
        {"a": "x", "k l": {"": {}}},
    ),
    "a quote behind a number, and an empty key": (
        '{"o": [{"k": 1", "": 2, "l": 3}]}',
        '{"o": [{"k": 1 "": 2, "l": 3}]}',
        {"o": [{"k": 1, "": 2, "l": 3}]},
    ),
    "a string that is closed behind lines of closers": (
        '{\n  "t": [\n    "x[\n  ],\n  "n": 1\n}',
        '{\n  "t": [\n    "x["\n  ,\n  "n": 1\n}',
        {"t": ["x["], "n": 1},
    ),
    "a doubled closer, or a missing opener": (
        '{"d": {"k": ["x", 1]], "l": 1}}',
        '{"d": {"k": ["x", 1]}, "n": 1}}',
        {"d": {"k": ["x", 1]}, "n": 1},
    ),
    "a closer of an array that was not opened": (
        '{"d": {"k": 1], "a": "x"}',
        '{"a": "x", "d": {"k": 1]}',
        {"a": "x", "d": {"k": 1}},
    ),
    "a closer too many, or an opener missing": (
        '{"o": [{"k": 1}, "l": 2}]}',
        '{"o": [{"k": 1}, "k": 2}]}',
        {"o": [{"k": 1}, {"k": 2}]},
    ),
    "a closer too many, or an opener missing before an empty key": (
        '{"o": [{"k": 1}, "": 2}]}',
        '{"o": [{"k": 1}, {"": 2}}',
        {"o": [{"k": 1}, {"": 2}]},
    ),
    "closers missing in two places": (
        '{"o": [{"k": ["x"}',
        '{"o": [{"k": ["x"]',
        {"o": [{"k": ["x"]}]},
    ),
    "a closer that stands too deep to be the last": (
        '{\n  "d": {\n    "k": 1\n  },\n  "a": "x"\n  }\n}',
        '{\n  "d": {\n    "k": 1\n  },\n  "a": "x"\n}\n}',
        {"d": {"k": 1}, "a": "x"},
    ),
    "a last closer of the whole call, within which closers are missing": (
        '{\n  "o": [\n    {\n      "k": 1\n}',
        '{\n  "o": [\n    {\n      "k": 1\n    }',
        {"o": [{"k": 1}]},
    ),
    "a last closer of the whole call, within which one closer is missing": (
        '{\n  "d": {\n    "k": 1\n}',
        '{\n  "d": {\n    "k": 1\n  }',
        {"d": {"k": 1}},
    ),
    "a closer that may be the last, where members of both objects may be lost": (
        '{"p": [{"k": "x"}',
        '{"p": [{"k": "x", "m": "y"}',
        {"p": [{"k": "x", "m": "y"}]},
    ),
    "a brace that may be missing behind each of many members": (
        '{"a": "x", "z": {"k": 1, "l": 2, "m": 3, "q": 4}',
        '{"a": "x", "d": {"k": 1, "l": 2, "m": 3, "q": 4}',
        {"a": "x", "d": {"k": 1, "l": 2, "m": 3, "q": 4}},
    ),
    "a brace that may be missing within an object at the end of an item": (
        '{"z": [{"y": {"k": 1, "l": 2}]}',
        '{"z": [{"y": [{"k": 1, "l": 2}]]}',
        {"z": [{"y": [{"k": 1, "l": 2}]}]},
    ),
    "a brace that may be missing within an object before the next item": (
        '{"z": [{"y": {"k": 1, "l": 2}, {"y": {}}]}',
        '{"z": [{"y": {"k": 1}, {"y": {}}]}',
        {"z": [{"y": {"k": 1}}, {"y": {}}]},
    ),
    "brackets that are missing in two places, and not the same": (
        '{"d": {"k": ["x"}, "o": ["l": 1}, {"l": 2}]}',
        '{"d": {"k": ["x"}, "o": [{"l": ["y"}, {"l": 2}]}',
        {"d": {"k": ["x"]}, "o": [{"l": ["y"]}, {"l": 2}]},
    ),
    "an empty item beside which a comma is missing, or doubled quotes": (
        '{"t": ["x", "" ""]}',
        '{"t": ["x", "y" "z"]}',
        {"t": ["x", "y", "z"]},
    ),
    "two empty items that a fenced text separates otherwise than others": (
        '```\n{"t": ["x","", "","y"]}\n```',
        '```\n{"t": ["x", "", "", "y"]}\n```',
        {"t": ["x", "", "", "y"]},
    ),
    "two empty items in a line, where each has its own": (
        'So: {"t": [\n  "", "",\n  "y"\n]}',
        'So: {"t": [\n  "",\n  "",\n  "y"\n]}',
        {"t": ["", "", "y"]},
    ),
    "two empty items where quotes are kept": (
        '{"a": "50" x", "t": ["", ""]}',
        '{"a": "50" x", "t": ["", "y"]}',
        {"a": '50" x', "t": ["", "y"]},
    ),
    "an empty item before which a comma is missing": (
        '{"t": ["x" ""]}',
        r'{"t": ["x\"" "y"]}',
        {"t": ['x"', "y"]},
    ),
    "a brace that would give a name twice where the schema wants it": (
        '{"p": [{"k": "x", "m": {"l": 1, "k": "y"}]}',
        '{"p": [{"k": "x", "m": {"l": 1, "r": "y"}]}',
        {"p": [{"k": "x", "m": {"l": 1, "r": "y"}}]},
    ),
    "a call that begins again where a closer is missing": (
        '{"a": "x", "d": \n{"a": "x", "d": {}, "n": 1}',
        '{"a": "x", "d": \n{"k": 1}',
        {"a": "x", "d": {"k": 1}},
    ),
    "an opener and a closer that are both missing": (
        '{"o": ["x", "k": 1, "l": 2]}',
        '{"o": ["k": 1, "l": 2}]}',
        {"o": [{"k": 1, "l": 2}]},
    ),
    "a doubled opener, or a missing closer": (
        '{"d": {"k": [["x"], "l": 1}}',
        '{"d": {"k": ["x", "l": 1}, "n": 1}',
        {"d": {"k": ["x"], "l": 1}, "n": 1},
    ),
    "a doubled quote at the beginning of a string": (
        '{"a": ""x, y", "n": 1}',
        '{"a": ""x", y", "n": 1}',
        {"a": '"x", y', "n": 1},
    ),
    "a quote beside one that is escaped": (
        r'{"a": "say \""hi\" now", "n": 1}',
        r'{"a": "say \"hi" now", "n": 1}',
        {"a": 'say "hi" now', "n": 1},
    ),
    "a member that lacks its colon, behind a quote": (
        '{"a": "x", b "y"}',
        '{"a": "say "b" now"}',
        {"a": 'say "b" now'},
    ),
    "a member with a comma for its colon": (
        '{"a": "x", "b", "y"}',
        '{"a": "x", "b":: "y"}',
        {"a": "x", "b": "y"},
    ),
    "a member behind a string whose quote is missing": (
        "{a: 'x, b: 'y'}",
        "{a: 'it's y'}",
        {"a": "it's y"},
    ),
    "two strings that Python joins": (
        "{'a': 'x ' 'y'}",
        "{'a': 'x' , 'b': 'y'}",
        {"a": "x", "b": "y"},
    ),
    "a parenthesis that stands in a string": (
        "dict(a='f('x')",
        "dict(a='f('x')', n=1)",
        {"a": "f('x')", "n": 1},
    ),
    "a bracket behind a quote that opens": (
        '{"a": "x ["k","l"]"',
        '{"a": "x ["k","l"]"}',
        {"a": 'x ["k","l"]'},
    ),
    "an attribute that the schema declares": (
        "{'a': '<p k='x' b='y'>'}",
        "{'a': '<p k='x' l='y'>'}",
        {"a": "<p k='x' l='y'>"},
    ),
    "a quote that opens behind a pair": (
        '{"a": "say ""x"" f(k="y", n="z}',
        '{"a": "say ""x"" f(k="y")", "n": 1}',
        {"a": 'say ""x"" f(k="y")', "n": 1},
    ),
    "a brace within the quotes, where one is missing behind": (
        '{"a": "x}"',
        '{"a": "{x}"',
        {"a": "{x}"},
    ),
    "a bracket within the quotes, where one is missing behind": (
        '{"t": ["x]"}',
        '{"t": ["[x]"}',
        {"t": ["[x]"]},
    ),
    "a brace and a quote that stand there twice": (
        '{"a": "x"}"}',
        '{"a": "x {"y"}"}',
        {"a": 'x {"y"}'},
    ),
    "a quote of another kind that may close a string": (
        '{"a": "x`, "b": "y"}',
        '{"a": "`x`, "b": "y"}',
        {"a": "`x`", "b": "y"},
    ),
    "a colon within the quotes of a value": (
        "{'a'': 'x', 'b': 'y'}",
        "{'a' 'x', 'b': 'y'}",
        {"a": "x", "b": "y"},
    ),
    "a smart quote within others": (
        '{"a": "“x”, "n": 1}',
        '{"a": "x”, "n": 1}',
        {"a": "x", "n": 1},
    ),
    "a smart quote that a plain one closes, behind its own": (
        '{"d": {"k":“x”"}}',
        '{"d": {"k":“x"}}',
        {"d": {"k": "x"}},
    ),
    "a blank at the end of a string without quotes": (
        '{"a": Rome }',
        '{ "a": Rome }',
        {"a": "Rome"},
    ),
    "a blank before a string without quotes": (
        "{n:1,a: Rome}",
        "{n: 1, a: Rome}",
        {"n": 1, "a": "Rome"},
    ),
    "a unit, where a number may stand": ('{"v": 10L}', '{"v": L10}', {"v": "L10"}),
    "a blank before an item without an opening quote": (
        '{"t": [\n  "x",\n   y",\n  "z"\n]}',
        '{"t": [\n  "x",\n  y",\n  "z"\n]}',
        {"t": ["x", "y", "z"]},
    ),
    "a blank before the first string without quotes": (
        "{a: Rome,n:1}",
        "{a: Rome, n: 1}",
        {"a": "Rome", "n": 1},
    ),
    "a backslash between blanks": (
        r'{"a": "x \ y"}',
        r'{"a": "x\ y"}',
        {"a": r"x\ y"},
    ),
    "an escape where others escape nothing": (
        r'{"a": "\d", "b": "\x41"}',
        r'{"a": "d", "b": "\x41"}',
        {"a": "d", "b": "A"},
    ),
    "lines behind the value that tell another property": (
        'k: {"a": "x"}\nb: y',
        'k: {"a": "x"}\nc, as you said: y',
        {"a": "x"},
    ),
    "a keyword behind the value that tells another property": (
        '{"a": "x"} b="y"',
        '{"a": "x"} as z="y" said',
        {"a": "x"},
    ),
    "lines behind a mended value that tell another property": (
        '{"a": "x",}\nn: 1',
        '{"a": "x",}\nas told: 1',
        {"a": "x"},
    ),
    "a line before the value that tells another property": (
        'n: 5\n{"a": "x"}',
        'z: 5\n{"a": "x"}',
        {"a": "x"},
    ),
    "keywords before the value that tell another property": (
        'f(n=1, **{"a": "x"})',
        'f(z=1, **{"a": "x"})',
        {"a": "x"},
    ),
    "a line before a fence that tells another property": (
        'n: 5\n```json\n{"a": "x"}\n```',
        'z: 5\n```json\n{"a": "x"}\n```',
        {"a": "x"},
    ),
    "a line behind a fence that tells another property": (
        '```json\n{"a": "x"}\n```\nb: y',
        '```json\n{"a": "x"}\n```\nz: y',
        {"a": "x"},
    ),
    "a brace missing before an extra comma": (
        '{"o": [{"k": {"m": 1, "q": 2},], "n": 1}',
        '{"o": [{"k": {"m": 1, "q": 2},}], "n": 1}',
        {"o": [{"k": {"m": 1, "q": 2}}], "n": 1},
    ),
    "a tag behind the value that tells another property": (
        '<k>{"a": "x"}</k><b>y</b>',
        '<k>{"a": "x"}</k><z>y</z>',
        {"a": "x"},
    ),
}


@pytest.mark.parametrize("kind", DOUBTS)
def test_of_two_readings_that_are_as_near_none_is_taken(kind: str) -> None:
    doubtful, clear, expected = DOUBTS[kind]
    tool = compile_schema(EITHER)
    with pytest.raises(ToolError):
        tool.validate_json(doubtful)
    assert tool.explain_json(doubtful).error is not None
    assert tool.validate_json(clear) == tool.explain_json(clear).result == expected


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
    """`lenient` reads a text that is cut off as far as it goes, and says what was missing."""

    @pytest.mark.parametrize(
        ("text", "expected", "told"),
        [
            ('{"a": "x", "b": "y z', {"a": "x", "b": "y z"}, "inside a string"),
            ('{"a": "x\\u00', {"a": "x"}, "inside a string"),
            ('{"a": "x", "unkn', {"a": "x"}, "inside a key"),
            ('{"a": "x", "n"', {"a": "x"}, "after a key"),
            ('{"a": "x", "n":', {"a": "x"}, "after a key"),
            ('{"a": "x", "n": 12', {"a": "x", "n": 12}, "inside a number"),
            ('{"a": "x", "n": -', {"a": "x"}, "inside a number"),
            ('{"a": "x", "d": {"k": tr', {"a": "x", "d": {}}, "inside a value"),
            ('{"a": "x", "t": [', {"a": "x", "t": []}, "after an opening bracket"),
            ('{"a": "x",', {"a": "x"}, "after a comma"),
            ('{"a": "x" "t": ["y", "z', {"a": "x", "t": ["y", "z"]}, "inside a string"),
        ],
    )
    def test_as_far_as_it_goes(self, text: str, expected: Any, told: str) -> None:
        explanation = LENIENT.explain_json(text)
        assert explanation.result == expected
        assert any(f"cut off {told} at character" in str(c.after) for c in explanation.changes)
        assert read(text) is REFUSED

    def test_what_belongs_to_no_argument_may_be_cut(self) -> None:
        """The bracket of a property that the schema allows, and says nothing of, is closed."""
        assert read('{"t": ["x"], "more": [') == {"t": ["x"], "more": []}
        assert read('{"t": ["x"], "more": [[') is REFUSED
        assert read('{"t": ["x"], "more": [1,') is REFUSED
        described = compile_schema({**SCHEMA, "additionalProperties": {"type": "array"}})
        assert described.explain_json('{"t": ["x"], "more": [').error is not None

    def test_not_where_the_text_tells_that_something_was_to_come(self) -> None:
        """Each member has a line."""
        assert read('{\n  "t": ["x"],\n  "more": [') is REFUSED

    def test_a_tool_without_arguments_is_called_with_what_it_does_not_know(self) -> None:
        text = '{"some": [1], "more": {'
        assert compile_schema({"type": "object"}).validate_json(text) == {"some": [1], "more": {}}
        assert compile_schema({}).explain_json(text).error is not None

    def test_what_was_cut_is_told_even_where_unknown_keys_are_dropped(self) -> None:
        closed = compile_schema({**SCHEMA, "additionalProperties": False}, coercion="lenient")
        explanation = closed.explain_json('{"a": "x", "conten')
        assert explanation.result == {"a": "x"}
        assert "cut off inside a key at character 18" in [c.after for c in explanation.changes]


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
    "blanks in a set": '{"t": {1' + " " * 100_000 + ";}",
    "sets": '{"t": ' + "{1," * 5_000 + "}" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_or_refused_soon(name: str) -> None:
    """The steps of one call are counted, whatever its text is made of."""
    with processor_time(10):
        read(HOSTILE[name])


def test_the_strings_of_one_call_have_one_budget() -> None:
    """Twenty-five strings take no longer than one: what is not JSON is counted together."""
    names = [f"p{n}" for n in range(25)]
    tool = compile_schema({"properties": {name: {"type": "array"} for name in names}})
    text = "[" + "'x'," * 95_000 + "]"
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
