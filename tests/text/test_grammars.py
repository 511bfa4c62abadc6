# ruff: noqa: D102, D103 - the names state the promises
"""The values of argument texts, and the refusals.

Each table belongs to one grammar: the text that a model sent, then its value.
"""

import ast
import json
from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given, strategies as st
from waiting import processor_time

from schema2model.text import exact, grammars
from schema2model.text.grammars import (
    NOTHING,
    TextError,
    TextReading,
    exact_json,
    parameter_readings,
    readings,
)

REASONS = {
    *("cut off", "two calls", "not JSON", "encoding", "too deep", "empty"),
    *("ambiguous", "out of range"),
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=8), values, min_size=1, max_size=4)
prose = st.text(st.characters(categories=["L", "Zs"]) | st.sampled_from(".!?-<>/\n"), max_size=40)
syntax = st.lists(
    st.sampled_from(
        [
            *"{}[](),:\"'\\ \n-+.#",
            *('"a"', "'b'", "a", "1", "0x", "1e", "true", "None", "NaN", '{"a":', '"}', "\\ud83d"),
            *("//", "/*", "*/", "```", "~~~json\n", "\ud83d", "\u201c", "\x00", "\ufeff"),
        ]
    ),
    max_size=30,
).map("".join)


def read(text: str | bytes, **options: bool) -> tuple[object, str]:
    """Return the first reading of a whole argument, by its grammar."""
    reading = next(readings(text, **options))
    return reading.value, reading.grammar


def refusal(text: str | bytes) -> TextError:
    """Return the error that ends the readings of a text."""
    with pytest.raises(TextError) as caught:
        list(readings(text))
    return caught.value


def table(*rows: tuple[object, ...]) -> pytest.MarkDecorator:
    names = ("text", "expected")[: len(rows[0])]
    return pytest.mark.parametrize(names, rows, ids=[repr(row[0])[:48] for row in rows])


def leaves(value: object) -> list[object]:
    """Return scalars and keys in the order of the text."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in (key, *leaves(inner))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


class TestExactJson:
    """`exact_json` is RFC 8259 with finite numbers, and nothing else."""

    @table(
        ("null", None),
        (' {"a": 1, "a": 2}\n', {"a": 2}),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("-0.0", -0.0),
        ("1e-400", 0.0),
        (r'"\ud83d\ude00"', "😀"),
        ('"\ud83d\ude00"', "😀"),
        (r'"\ud83d"', "\ud83d"),
    )
    def test_reads(self, text: str, expected: object) -> None:
        assert exact_json(text) == expected
        assert type(exact_json(text)) is type(expected)

    @table(
        *((text,) for text in ("", " ", "NaN", "[Infinity]", "-Infinity", "1e400", "-1e400")),
        *((text,) for text in ("9" * 400 + ".0", "9" * 5000, "[1,]", "01", "{a: 1}", "'a'", "1 2")),
        *((text,) for text in ('"a\nb"', '"\x00"', "\ufeff1", "[" * 201 + "]" * 201)),
        *((text,) for text in ("[" * 100_000, '{"a":' * 100_000)),
    )
    def test_refuses(self, text: str) -> None:
        assert exact_json(text) is NOTHING

    @given(values)
    def test_agrees_with_the_standard_library(self, value: object) -> None:
        text = json.dumps(value)
        assert json.dumps(exact_json(text)) == json.dumps(json.loads(text))

    def test_reads_as_deep_as_the_limit(self) -> None:
        depth = exact.MAX_DEPTH
        text = '{"a":' * (depth // 2) + "[" * (depth // 2) + "]" * (depth // 2) + "}" * (depth // 2)
        assert exact_json(text) == json.loads(text)

    def test_brackets_in_strings_are_no_depth(self) -> None:
        assert exact_json(json.dumps("[" * 1000)) == "[" * 1000


class TestGrammars:
    """Each grammar reads its own texts; the first that can is the one that does."""

    @table(
        ('{"a": 1}', {"a": 1}),
        ('\ufeff{"a": 1}\n', {"a": 1}),
        (b'{"a": "\xc3\xa9"}', {"a": "é"}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        *((encoding, {"a": "é😀"}) for encoding in ("utf-16", "utf-32", "utf-16-be", "utf-32-le")),
    )
    def test_json(self, text: str | bytes, expected: object) -> None:
        marks = {"utf-16-be": b"\xfe\xff", "utf-32-le": b"\xff\xfe\x00\x00"}
        if isinstance(text, str) and text.startswith("utf"):
            text = marks.get(text, b"") + '{"a": "é😀"}'.encode(text)
        assert [(each.value, each.grammar, each.exact) for each in readings(text)] == [
            (expected, "json", True)
        ]

    @table(
        ('{"a": "x\ny\tz"}', {"a": "x\ny\tz"}),
        ('["\x00"]', ["\x00"]),
    )
    def test_raw_control_characters(self, text: str, expected: object) -> None:
        assert [(each.value, each.grammar, each.exact) for each in readings(text)] == [
            (expected, "control", False)
        ]

    @table(
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\r\n{"a": 1}\r\n```', {"a": 1}),
        ('~~~json\n{"a": "x\ny"}\n~~~', {"a": "x\ny"}),
        (
            'Sure:\n```json\n{"a": "```py\\nx\\n```"}\n```\nDone [see above].',
            {"a": "```py\nx\n```"},
        ),
        ('```json\n{"a": 1}', {"a": 1}),
        ("```\n5\n```", 5),
    )
    def test_code_fence(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "fence")

    @table(
        ("```\n{a: 1}\n```", ({"a": 1}, "repaired")),
        ("```python\n{'a': True}\n```", ({"a": True}, "repaired")),
        ('```json\n{"a": ["x"\n```', ({"a": ["x"]}, "repaired")),
    )
    def test_code_fence_around_a_loose_spelling(
        self, text: str, expected: tuple[object, str]
    ) -> None:
        assert read(text) == expected

    @table(
        ('Here you are: {"a": 1} Good luck!', {"a": 1}),
        ('<tool_call>{"a": {"b": [1]}}</tool_call>', {"a": {"b": [1]}}),
        ('[TOOL_CALL] {"a": 1} [/TOOL_CALL]', {"a": 1}),
        ('{"a": 1}\n\nI have called the "tool".', {"a": 1}),
        ('write_file({"a": "x\ny"});', {"a": "x\ny"}),
        ("The list is [1, 2].", [1, 2]),
        ('{"a": 1},', {"a": 1}),
        ('{"a": 1}}', {"a": 1}),
        ('{"a": 1}]', {"a": 1}),
        ('{"a": 1}, and that is it', {"a": 1}),
    )
    def test_prose_around_one_value(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "prose")

    @table(
        ('{"a":1}{"a":1}', {"a": 1}),
        ('{"a":1}\n{"a": 1}\n{"a":1}', {"a": 1}),
        ('{"a":1}, {"a":1}', {"a": 1}),
        ('{"a":1}{"a', {"a": 1}),
        ('{"a":1} {', {"a": 1}),
        ('Call: {"a":1} Again: {"a":1}', {"a": 1}),
    )
    def test_the_same_value_again(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "repeated")

    @table(
        ('{"a": ["x"', {"a": ["x"]}),
        ('{"a": true', {"a": True}),
        ('{"a": {"b": [null], "c": "}"', {"a": {"b": [None], "c": "}"}}),
        ('{"a": 12 ', {"a": 12}),
        ("{'a': ['x'", {"a": ["x"]}),
        ("{a: (None, 'x'", {"a": [None, "x"]}),
        ('Sure: {"a": ["x\ny"', {"a": ["x\ny"]}),
    )
    def test_only_closing_brackets_missing(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "repaired")

    @table(
        ("{a: 1, $b_2: 'x', \"c\": [1, 2,],}", {"a": 1, "$b_2": "x", "c": [1, 2]}),
        (
            "{a: +1, b: -.5, c: 5., d: 0x1F, e: 1e3}",
            {"a": 1, "b": -0.5, "c": 5.0, "d": 31, "e": 1e3},
        ),
        ("// one\n[1, /* two */ 2]", [1, 2]),
        (
            r"""{'a': 'it\'s "x"', b: '\x41\u00e9\
'}""",
            {"a": 'it\'s "x"', "b": "Aé"},
        ),
        (r"['\ud83d\ude00', '\0']", ["😀", "\0"]),
        ("{null: null, true: true}", {"null": None, "true": True}),
        ('{"range": \\n[1, 2]\\n\\n}', {"range": [1, 2]}),
        ("[12345678901234567890,]", [12345678901234567890]),
        ("{'a': 'x\ny'}", {"a": "x\ny"}),
        ("['lone \ud83d']", ["lone \ud83d"]),
    )
    def test_json5(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "repaired")

    @table(
        ("{'a': True, 'b': None, 'c': (1, 'x')}", {"a": True, "b": None, "c": [1, "x"]}),
        ("('a',)", ["a"]),
        ("[('a'), ()]", ["a", []]),
        ("{'a': 1_000, # thousand\n 'b': true}", {"a": 1000, "b": True}),
        (r"['\ud83d\ude00', '\U0001F600', '\N{EM DASH}', True]", ["😀", "😀", "—", True]),
        ("['''x \"y\"\nz''', r'\\d\\n', u'q']", ['x "y"\nz', "\\d\\n", "q"]),
        (r'{"pattern": "\d+\("}', {"pattern": "\\d+\\("}),
    )
    def test_python(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "repaired")

    @table(
        ('{"a": "to the "dictator", and on", "b": 1}', {"a": 'to the "dictator", and on', "b": 1}),
        ('{"a": "say "hi, now", "b": 1}', {"a": 'say "hi, now', "b": 1}),
        ('{"a": "get("KEY", "x")"}', {"a": 'get("KEY", "x")'}),
        ('{"a": "x" "b": 1}', {"a": "x", "b": 1}),
        ('{"a": Paris, "b": 1}', {"a": "Paris", "b": 1}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ("{“a”: “é”}", {"a": "é"}),
        (r"{'a': '\ud83d\ude00' 'b': 1}", {"a": "😀", "b": 1}),
        (r'{"path": "C:\apps"}', {"path": "C:\\apps"}),
        ("{1: 2}", {"1": 2}),
        ("{a:1}{a:1}", {"a": 1}),
    )
    def test_repair(self, text: str, expected: object) -> None:
        assert read(text) == (expected, "repaired")

    @table(
        (r'"{\"a\": 1}"', {"a": 1}),
        (r'"{a: 1}"', {"a": 1}),
        (json.dumps(json.dumps(json.dumps({"a": 1}))), {"a": 1}),
    )
    def test_json_in_a_string_follows_the_string(self, text: str, expected: object) -> None:
        *outer, inner = readings(text)
        assert inner.value == expected
        assert all(reading.exact for reading in outer)
        assert all(isinstance(reading.value, str) for reading in outer)

    def test_a_string_that_holds_no_json_has_one_reading(self) -> None:
        assert [reading.value for reading in readings('"say [it"')] == ["say [it"]
        assert [reading.value for reading in readings('"just text"')] == ["just text"]

    def test_strings_in_strings_are_unwrapped_so_many_times_only(self) -> None:
        text = "1"
        for _ in range(10):
            text = json.dumps(text)
        assert len(list(readings(text))) == grammars.MAX_ENCODINGS + 1

    def test_mending_waits_until_it_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []

        def mended(text: str, *_: object, **__: object) -> Iterator[TextReading]:
            asked.append(text)
            yield TextReading({}, "repaired", "{}")

        monkeypatch.setattr(grammars, "_repaired", mended)
        inner = '{"a": "x" "b": 1}'
        found = readings(json.dumps(inner))
        assert next(found).value == inner
        assert asked == []
        next(found)
        assert asked == [inner]


class TestRefusals:
    """A text that may be half a call, or two calls, is refused."""

    @table(
        ('{"path": "a.py", "content": "def f():\n', " inside a string"),
        ('{"a": "x\\', " inside a string"),
        ("{'a': 'x", " inside a string"),
        ('{"a', " inside a key"),
        ('{"a": 1, "b', " inside a key"),
        ('{"a"', " after a key"),
        ('{"a":', " after a key"),
        ("{a", " after a key"),
        ('{"a": "x",', " after a comma"),
        ('Sure! {"a": ["x", ', " after a comma"),
        ('{"a": [', " after an opening bracket"),
        ('[{"a": 1}, {', " after an opening bracket"),
        ('{"a": [1, 2', " inside a number"),
        ('{"a": -', " inside a number"),
        ('{"a": 1e', " inside a number"),
        ("{a: 0x", " inside a number"),
        ('{"a": tru', " inside a value"),
        ("{'a': Non", " inside a value"),
        ('```json\n{"a": "x', " inside a string"),
        ('Sure! {"a": "x', " inside a string"),
        ('{"a": "get("KEY", "x', ""),
        ('{"a": "print("a"); f() { return "x" }', ""),
        ('{"a": "it\'s}', " inside a string"),
        (r'"{\"a\": \"x"', " inside a string"),
    )
    def test_cut_off(self, text: str, expected: str) -> None:
        error = refusal(text)
        assert error.reason == "cut off"
        assert f"cut off{expected or ' at the end'};" in str(error)

    @table(
        ('{"a": "x y', {"a": "x y"}),
        ('{"a": [1, 2', {"a": [1, 2]}),
        ('Sure! {"a": "b', {"a": "b"}),
    )
    def test_cut_off_is_completed_on_request(self, text: str, expected: object) -> None:
        assert read(text, accept_truncated=True) == (expected, "repaired")

    @table(
        *((text,) for text in ('{"a":1}{"b":2}', '{"a":1}\n{"b":2}', '{"a":1}{}', "{a:1}{b:1}")),
        *((text,) for text in ('{"a":1}, {"a":2}', '{"a":1} {"b": "x', 'A: {"a":1} B: {"b":1}')),
        *((text,) for text in ('{"a":1}{"a":true}', '{"a":1}{"a":1.0}', r'"{\"a\":1}{\"b\":2}"')),
    )
    def test_two_calls(self, text: str) -> None:
        assert refusal(text).reason == "two calls"

    @table(
        *((text,) for text in ("hello", "it's fine", "set {x} to y", "{hello world}", "f(x)")),
        *((text,) for text in ("[NaN]", "{a: -Infinity}", "{'a': nan}")),
        *((text,) for text in ("{'a', 'b'}", "1 + 1", "1j", "__import__('os')", "[1 - 2]")),
        *((text,) for text in ('"c": {"d": 2}', '"b": 1, "c": {"d": 2}', '{"a": 1} "b": 2')),
    )
    def test_not_json(self, text: str) -> None:
        assert refusal(text).reason == "not JSON"

    @table(
        ('{"a": "b", "c"}',),
        ('{"a": "x", "b": }',),
        ('{"a": 10%}',),
        ('{"a": "x" true}',),
        ("[- 1]",),
    )
    def test_a_repair_that_loses_or_invents_a_part_is_none(self, text: str) -> None:
        assert refusal(text).reason == "not JSON"

    @table(
        ("", "empty"),
        (" \n\ufeff", "empty"),
        (b"", "empty"),
        (b'{"a": "\xff"}', "encoding"),
        (b"\xff\xfe{", "encoding"),
        (b'"\xed\xa0\x80"', "encoding"),
        ("[" * 201 + "]" * 201, "too deep"),
        ("[" * 201 + ",]" * 201, "too deep"),
        ("(" * 100_000, "too deep"),
        ('{"a": 1e400}', "out of range"),
        ("[-1e999,]", "out of range"),
    )
    def test_other_reasons(self, text: str | bytes, expected: str) -> None:
        assert refusal(text).reason == expected

    def test_messages_are_sentences_that_quote_little(self) -> None:
        for text in ("", "x" * 10_000, '{"a": "' + "x" * 10_000, "{a:1}{b:1}", "[" * 500, b"\xff"):
            message = str(refusal(text))
            assert message.startswith(("the arguments ", "the text "))
            assert "; send " in message
            assert "x" * 80 not in message

    def test_errors_are_frozen(self) -> None:
        with pytest.raises(AttributeError):
            refusal("").reason = "other"  # type: ignore[misc]


class TestParameters:
    """A parameter's string is only parsed if it is a value and nothing else."""

    @table(
        ('["a"]', (["a"], "json")),
        (' {"a": "[1]"} ', ({"a": "[1]"}, "json")),
        ("10", (10, "json")),
        ("null", (None, "json")),
        ('"x"', ("x", "json")),
        ('["a\nb"]', (["a\nb"], "control")),
        ("[1, 2,]", ([1, 2], "repaired")),
        ("{a: 1}", ({"a": 1}, "repaired")),
        ("'x'", ("x", "repaired")),
        ("['a', True]", (["a", True], "repaired")),
        ("(1, 2)", ([1, 2], "repaired")),
        ("```json\n[1]\n```", ([1], "fence")),
    )
    def test_reads(self, text: str, expected: tuple[object, str]) -> None:
        value, grammar = expected
        (reading,) = parameter_readings(text)
        assert (reading.value, reading.grammar) == (value, grammar)
        assert reading.exact == (grammar == "json")

    @table(
        *((text,) for text in ("", " ", "hello", "True", "None", "NaN", "+5", "0x10", "-", "nope")),
        *((text,) for text in ("see [1]", "[1] is it", "[1][2]", "[1][1]", "{a:1}{a:1}", "[NaN]")),
        *((text,) for text in ('["a"', "['a'", "['a", "{a: ", "(1, 2", "[1e400]", "[a, b]")),
        *((text,) for text in ("{'a', 'b'}", "```json\n[1,]\n```", "[b'x']", '{"a": "x "y" z"}')),
        *((text,) for text in ("[" * 300 + "]" * 300, "[1,]" + " " * 500_000 + "x")),
    )
    def test_leaves_alone(self, text: str) -> None:
        assert list(parameter_readings(text)) == []


class TestLaws:
    """The laws for every value and every text."""

    @given(values)
    def test_json_is_read_as_json(self, value: object) -> None:
        text = json.dumps(value)
        first = next(readings(text))
        assert json.dumps(first.value) == json.dumps(json.loads(text))
        assert (first.grammar, first.exact) == ("json", True)

    @given(objects)
    def test_what_surrounds_an_object_changes_nothing(self, value: dict[str, object]) -> None:
        text = json.dumps(value)
        expected = json.dumps(json.loads(text))
        for around in ("```json\n{}\n```", "{0}{0}", "Call: {} Done.", "{}\n\nI called the tool."):
            assert json.dumps(read(around.replace("{}", "{0}").format(text))[0]) == expected

    @given(objects, prose, prose)
    def test_prose_around_an_object_changes_nothing(
        self, value: dict[str, object], before: str, after: str
    ) -> None:
        text = json.dumps(value)
        assert json.dumps(read(before + text + after)[0]) == json.dumps(json.loads(text))

    @given(objects)
    def test_python_spelling_is_read_as_python_does(self, value: dict[str, object]) -> None:
        text = repr(value)
        assume(not any(c in text for c in "\ud800\udfff"))
        expected = json.loads(json.dumps(ast.literal_eval(text)))
        assert json.dumps(read(text)[0]) == json.dumps(expected)

    @given(syntax)
    @example("1_0")
    def test_json5_agrees_with_another_reader(self, text: str) -> None:
        r"""pyjson5 also takes `1_0` and `+-1`, and `"\\d"` as "d", which are left out here."""
        pyjson5 = pytest.importorskip("pyjson5")
        for reading in parameter_readings(text):
            if reading.grammar == "repaired" and "\n" not in text and "\\" not in text:
                assert json.dumps(pyjson5.decode(text)) == json.dumps(reading.value)

    @given(objects, st.data())
    def test_no_prefix_gives_a_part_of_a_scalar(
        self, value: dict[str, object], data: st.DataObject
    ) -> None:
        """A call cut anywhere is refused, or all of its values are complete."""
        text = json.dumps(value)
        cut = text[: data.draw(st.integers(1, len(text) - 1))]
        try:
            found = read(cut)[0]
        except TextError as error:
            assert error.reason == "cut off"  # noqa: PT017
        else:
            whole = leaves(json.loads(text))
            assert all(
                json.dumps(a) == json.dumps(b) for a, b in zip(leaves(found), whole, strict=False)
            )

    @given(syntax | st.text(st.characters(exclude_categories=()), max_size=50), st.booleans())
    def test_any_text_ends_in_readings_or_a_text_error(
        self,
        text: str,
        accept_truncated: bool,  # noqa: FBT001
    ) -> None:
        try:
            found = list(readings(text, accept_truncated=accept_truncated))
        except TextError as error:
            assert error.reason in REASONS  # noqa: PT017
            assert len(str(error)) < 160  # noqa: PT017
        else:
            for reading in found:
                json.dumps(reading.value, allow_nan=False)
                assert reading.exact == (reading.grammar == "json")
        for reading in parameter_readings(text):
            json.dumps(reading.value, allow_nan=False)
            assert reading.grammar in {"json", "control", "fence", "repaired"}

    @given(st.binary(max_size=40))
    def test_any_bytes_end_in_readings_or_a_text_error(self, data: bytes) -> None:
        try:
            list(readings(data))
            list(readings(bytearray(data)))
        except TextError as error:
            assert error.reason in REASONS  # noqa: PT017


HOSTILE = {
    "ten million brackets": "[" * 10_000_000,
    "deep objects": '{"a":' * 100_000,
    "deep and closed": "[" * 100_000 + "]" * 100_000,
    "deep and loose": "{a:" * 100_000,
    "deep tuples": "(1," * 100_000,
    "a million quotes": '"' * 1_000_000,
    "many quotes": "'" * 300_000,
    "signs": "-" * 100_000 + "1",
    "exponent": "[1e" + "9" * 100_000 + "]",
    "digits": "[" + "9" * 300_000 + "]",
    "hexadecimal": "[0x" + "f" * 90_000 + "]",
    "asides": "[a]" * 100_000,
    "values": "{}" * 150_000,
    "commas": "[" + "," * 90_000 + "]",
    "loose to the end": "[" + "1," * 190_000 + " x y]",
    "backslashes": '{"a":"' + "\\" * 390_000,
    "comments": "[" + "/**/" * 90_000,
    "open comments": "[/*" * 100_000,
    "fences": '```json\n{"' * 30_000,
    "blanks": "[1" + " " * 390_000 + "x]",
    "spelled newlines": "[" + "\\n" * 45_000 + "1 x]",
    "words": "{" + "a " * 45_000 + "}",
    "inner quotes": '{"a": "' + 'x "y" ' * 15_000 + '", "b": 1}',
    "slow to repair": "{" + "\n{x1}" * 2_000 + "}",
    "slow to repair, too": '["' + '"a"null"a"\'\n' * 800 + '"]',
    "nul": "\x00" * 300_000,
    "escapes": '["' + "\\u12" * 20_000 + '"]',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_time(name: str) -> None:
    """It ends in readings or a TextError within seconds, whatever it is made of."""
    for accept_truncated in (False, True):
        with processor_time(10):
            try:
                list(readings(HOSTILE[name], accept_truncated=accept_truncated))
            except TextError as error:
                assert error.reason in REASONS  # noqa: PT017
    with processor_time(10):
        list(parameter_readings(HOSTILE[name]))


def test_a_nearly_full_stack_is_a_text_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller deep in recursion gets the error that it is prepared for."""

    def overflow(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(grammars, "_repaired", overflow)
    assert refusal("{a: 1}").reason == "too deep"
