# ruff: noqa: D102, D103 - the names state the promises
"""What the text of a call's arguments is read as, and what is refused.

Each table is a grammar: the text a model sent, then what it is read as.
"""

import ast
import json
import re
from collections.abc import Iterator

import pytest
from case_tests import each_case
from cases import Case, spelled
from edited_texts import json5_texts, require_reached, with_one_edit
from hypothesis import assume, given, strategies as st
from waiting import rounds

from schema2model.errors import TextError
from schema2model.json import parsing
from schema2model.json.parsing import NOTHING, exact_json
from schema2model.text import grammars
from schema2model.text.grammars import TextReading, parameter_readings, readings

REASONS = {
    *("cut off", "two calls", "not JSON", "encoding", "too deep", "empty"),
    *("ambiguous", "out of range"),
}
GRAMMARS = {
    "JSON": "json",
    "control characters": "control",
    "code fence": "fence",
    "repair": "repaired",
}
"""The grammar that reads the parameters of a group."""

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

    @each_case("spellings", "exact JSON")
    def test_reads(self, case: Case) -> None:
        assert spelled(exact_json(case.input)) == spelled(case.result)

    def test_reads_half_of_a_pair(self) -> None:
        assert exact_json(r'"\ud83d"') == "\ud83d"

    @each_case("spellings", "not exact JSON")
    def test_refuses(self, case: Case) -> None:
        assert exact_json(case.input) is NOTHING

    @table(
        *((text,) for text in ("9" * 400 + ".0", "9" * 5000, "\ufeff1", "[" * 201 + "]" * 201)),
        *((text,) for text in ("[" * 100_000, '{"a":' * 100_000)),
    )
    def test_refuses_what_is_too_large(self, text: str) -> None:
        assert exact_json(text) is NOTHING

    @given(values)
    def test_agrees_with_the_standard_library(self, value: object) -> None:
        text = json.dumps(value)
        assert json.dumps(exact_json(text)) == json.dumps(json.loads(text))

    def test_reads_as_deep_as_the_limit(self) -> None:
        depth = parsing.MAX_DEPTH
        text = '{"a":' * (depth // 2) + "[" * (depth // 2) + "]" * (depth // 2) + "}" * (depth // 2)
        assert exact_json(text) == json.loads(text)

    def test_brackets_in_strings_are_no_depth(self) -> None:
        assert exact_json(json.dumps("[" * 1000)) == "[" * 1000


class TestGrammars:
    """Each grammar reads its own texts; the first that can is the one that does."""

    @each_case("spellings", "JSON")
    def test_json(self, case: Case) -> None:
        assert [(each.value, each.grammar, each.exact) for each in readings(case.input)] == [
            (case.result, "json", True)
        ]

    @each_case("spellings", "blanks")
    def test_json_between_blanks_that_json_does_not_have(self, case: Case) -> None:
        assert [(each.value, each.grammar, each.exact) for each in readings(case.input)] == [
            (case.result, "json", False)
        ]

    @each_case("spellings", "control characters")
    def test_raw_control_characters(self, case: Case) -> None:
        assert [(each.value, each.grammar, each.exact) for each in readings(case.input)] == [
            (case.result, "control", False)
        ]

    @each_case("spellings", "code fence")
    def test_code_fence(self, case: Case) -> None:
        assert read(case.input) == (case.result, "fence")

    @each_case("spellings", "prose")
    def test_prose_around_one_value(self, case: Case) -> None:
        assert read(case.input) == (case.result, "prose")

    @each_case("spellings", "repeated")
    def test_the_same_value_again(self, case: Case) -> None:
        assert read(case.input) == (case.result, "repeated")

    @each_case(
        "spellings",
        *("code fence around a repair", "brackets missing", "JSON5", "Python", "repair"),
    )
    def test_repair(self, case: Case) -> None:
        assert read(case.input) == (case.result, "repaired")

    @table(
        ('{"a": {"b": [null], "c": "}"', {"a": {"b": [None], "c": "}"}}),
        ("['lone \ud83d']", ["lone \ud83d"]),
        ('{"a": "say "hi, now", "b": 1}', {"a": 'say "hi, now', "b": 1}),
    )
    def test_repair_that_is_refused_later(self, text: str, expected: object) -> None:
        """`validate_json` refuses an ambiguous reading and half of a surrogate pair."""
        assert read(text) == (expected, "repaired")

    @each_case("spellings", "JSON in a string")
    def test_json_in_a_string_follows_the_string(self, case: Case) -> None:
        *outer, inner = readings(case.input)
        assert inner.value == case.result
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
    """What may be half a call, or two, is never carried out."""

    @each_case("spellings", "truncated")
    def test_cut_off(self, case: Case) -> None:
        error = refusal(case.input)
        assert error.reason == "cut off"
        assert f"cut off {case.message};" in str(error)

    @each_case("spellings", "truncated, on request")
    def test_cut_off_is_completed_on_request(self, case: Case) -> None:
        assert read(case.input, accept_truncated=True) == (case.result, "repaired")

    @each_case(
        "spellings", *("two calls", "not JSON", "empty", "encoding", "too deep", "out of range")
    )
    def test_the_reason(self, case: Case) -> None:
        assert refusal(case.input).reason == case.group

    @table(
        ('{"a": "b", "c"}', "not JSON"),
        ("[" * 201 + "]" * 201, "too deep"),
        ("[" * 201 + ",]" * 201, "too deep"),
        ("(" * 100_000, "too deep"),
    )
    def test_other_reasons(self, text: str, expected: str) -> None:
        assert refusal(text).reason == expected

    def test_messages_are_sentences_that_quote_little(self) -> None:
        for text in ("", "x" * 10_000, '{"a": "' + "x" * 10_000, "{a:1}{b:1}", "[" * 500, b"\xff"):
            message = str(refusal(text))
            assert message.startswith(("the arguments ", "the text "))
            assert "; send " in message
            assert "x" * 80 not in message

    @pytest.mark.parametrize(
        "encoding", [f"utf-{each}" for each in ("8", "16-le", "16-be", "32-le", "32-be")]
    )
    def test_a_mark_says_how_bytes_are_encoded(self, encoding: str) -> None:
        assert read('\ufeff{"a": "é"}'.encode(encoding)) == ({"a": "é"}, "json")

    def test_errors_are_frozen(self) -> None:
        with pytest.raises(AttributeError):
            refusal("").reason = "other"  # type: ignore[misc]


class TestParameters:
    """A parameter's string is only read where it is a value and nothing else."""

    @each_case("parameters", *GRAMMARS)
    def test_reads(self, case: Case) -> None:
        (reading,) = parameter_readings(case.input["x"])
        assert (reading.value, reading.grammar) == (case.result["x"], GRAMMARS[case.group])
        assert reading.exact == (reading.grammar == "json")

    @table(('"x"', ("x", "json")), ("'x'", ("x", "repaired")))
    def test_reads_strings(self, text: str, expected: tuple[object, str]) -> None:
        (reading,) = parameter_readings(text)
        assert (reading.value, reading.grammar) == expected

    @each_case("parameters", "not a parameter")
    def test_leaves_alone(self, case: Case) -> None:
        assert list(parameter_readings(case.input["x"])) == []

    @table(
        *(("{'a', 'b'}",), ("[dict(a: 1)]",)),
        *(("[" * 300 + "]" * 300,), ("[1,]" + " " * 500_000 + "x",)),
    )
    def test_leaves_sets_mixtures_and_what_is_too_large_alone(self, text: str) -> None:
        assert list(parameter_readings(text)) == []


class TestLaws:
    """What holds for every value and every text."""

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

    @pytest.mark.hypothesis
    def test_json5_agrees_with_another_reader(self) -> None:
        """Each text that is read without an edit has the value that pyjson5 gives it.

        A bare key may hold a hyphen, which JSON5 has only in quotes.
        """
        pyjson5 = pytest.importorskip("pyjson5", reason="needs pyjson5")
        hyphenated = re.compile(r"(?<=[{,])(\s*)([^\W\d][\w-]*)(?=\s*:)")

        def check(text: str) -> bool:
            found = [each for each in parameter_readings(text) if each.grammar == "repaired"]
            for reading in found:
                try:
                    value = pyjson5.decode(text)
                except pyjson5.Json5IllegalCharacter:
                    value = pyjson5.decode(hyphenated.sub(r'\1"\2"', text))
                assert json.dumps(value) == json.dumps(reading.value)
            return bool(found)

        require_reached(json5_texts | with_one_edit(json5_texts, [*"{}[],:'\"+-.0a /"]), check)

    def test_a_parameter_of_digits_in_groups_is_text(self) -> None:
        """`1_0`, which pyjson5 and Python take for a number."""
        assert not list(parameter_readings("1_0"))

    @given(objects, st.data())
    def test_no_prefix_gives_a_part_of_a_scalar(
        self, value: dict[str, object], data: st.DataObject
    ) -> None:
        """Cut anywhere, a call is refused, or all that it holds is whole and in its place."""
        text = json.dumps(value)
        cut = text[: data.draw(st.integers(1, len(text) - 1))]
        try:
            found = read(cut)[0]
        except TextError as error:
            # a bracket in a string may be a closer whose quotes are wrong
            is_balanced = cut.count("{") == cut.count("}")
            assert error.reason == "cut off" or is_balanced  # noqa: PT017
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
            assert len(str(error)) < 200  # noqa: PT017
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
    "deep and loose": "{a:" * 40_000,
    "deep tuples": "(1," * 40_000,
    "a million quotes": '"' * 1_000_000,
    "many quotes": "'" * 300_000,
    "signs": "-" * 100_000 + "1",
    "exponent": "[1e" + "9" * 100_000 + "]",
    "digits": "[" + "9" * 300_000 + "]",
    "hexadecimal": "[0x" + "f" * 90_000 + "]",
    "asides": "[a]" * 100_000,
    "values": "{}" * 60_000,
    "commas": "[" + "," * 90_000 + "]",
    "loose to the end": "[" + "1," * 90_000 + " x y]",
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
    """It ends in readings or a TextError soon, whatever it is made of."""

    def read(accept_truncated: bool) -> None:  # noqa: FBT001
        try:
            list(readings(text, accept_truncated=accept_truncated))
        except TextError as error:
            assert error.reason in REASONS  # noqa: PT017

    text, most = HOSTILE[name], 200_000_000
    assert rounds(lambda: read(accept_truncated=False), most) <= most
    assert rounds(lambda: read(accept_truncated=True), most) <= most
    assert rounds(lambda: list(parameter_readings(text)), most) <= most


def test_a_nearly_full_stack_is_a_text_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a caller far down in recursion gets is the error that it is prepared for."""

    def overflow(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(grammars, "_repaired", overflow)
    assert refusal("{a: 1}").reason == "too deep"
