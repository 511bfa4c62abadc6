"""Which name was meant by another: slips, other words for the same; and what is only alike."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st
from waiting import calls

from schema2model import ToolError, compile_schema
from schema2model.json.names import are_opposed, likely, meant, misspelt
from schema2model.limits import MAX_COMPARED_NAMES

MEANT = """
    limt limit            serch search            qurey query           wether weather
    naem name             pth path                numbr number          recieve receive
    celcius celsius       fahrenheight fahrenheit colour color          organisation organization
    userId user_id        user-id userId          ASC asc               fileneme file_name
    tag tags              ids id                  categories category   propertys properties
    max_result max_results date_start start_date  recipients recipient_email
    unique_id id          universal_id id         international_id id   untilDate until_date
    desc description      lang language           city city_name        user_names username
    search_query query    weather get_weather     tool_l1 tool_1        f.getWeather get_weather
    größe_cm größe_in_cm  straße STRASSE          == =                      && &
"""
ANOTHER = """
    page parent           city country            width height          longitude latitude
    source target         from to                 min max               lat lng
    start_date end_date   first_name last_name    min_price max_price   num_results max_results
    internal external     include exclude         minimum maximum       enabled disabled
    ascending descending  active inactive         prefix postfix        arrival_city arrival_gate
    date rate             mode node               text test             product project
    page1 page2           v1.0 v10                x y                   < <=
    started not_started   cached no_cache         GET SET               2024-01 2024-02
"""
OPPOSED = """
    dont_send send        never_send send         noSend send           dont-send send
    skip_tests tests      disable_log log         ignore_files files    deny_users users
    excluded_tags tags    remove_tags tags        blocked_users users   hidden_fields fields
    unread read           non_empty empty         send_off send         stop_server server
    unsubscribe_users users                       disallowed_users users
    inactive_users users  invalid_ids ids         missing_ids ids       unverified_emails emails
"""


def pairs(table: str) -> list[tuple[str, str]]:
    """The names of a table, two by two."""
    words = table.split()
    return list(zip(words[::2], words[1::2], strict=True))


def required(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with all of its properties."""
    return {"type": "object", "properties": properties, "required": [*properties]}


@pytest.mark.parametrize(("sent", "known"), pairs(MEANT))
def test_what_is_meant(sent: str, known: str) -> None:
    """Whatever else is known; and the other way around."""
    assert meant(sent, ["zzz", known, "qqq_www"]) == known
    assert meant(known, ["zzz", sent, "qqq_www"]) == sent


@pytest.mark.parametrize(("sent", "known"), pairs(ANOTHER))
def test_what_is_another(sent: str, known: str) -> None:
    """Letters in common do not make two names one."""
    assert meant(sent, [known]) is None
    assert meant(known, [sent]) is None


@pytest.mark.parametrize(("sent", "known"), pairs(OPPOSED))
def test_no_name_is_meant_by_its_opposite(sent: str, known: str) -> None:
    """Neither by the advice to rename it nor by a guess."""
    assert meant(sent, [known]) is None
    assert meant(known, [sent]) is None
    assert are_opposed(sent, known)
    assert are_opposed(known, sent)
    compiled = compile_schema(required({known: {}}), coercion="forgiving")
    for value in (True, "x", ["x"]):
        with pytest.raises(ToolError, match=rf"{known} is missing") as refused:
            compiled.validate({sent: value})
        assert "rename" not in str(refused.value)


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"dry_run": {"type": "boolean"}}, {"dry_run_mode": True}),
        ({"notify": {"type": "boolean"}}, {"notify_nobody": False}),
        ({"description": {"type": "string"}}, {"desc": True}),
        ({"description": {"type": "string"}}, {"desc": "desc"}),
        ({"directory": {"type": "string"}}, {"dir": "left"}),
    ],
)
def test_no_rename_is_advised_where_the_value_speaks_against_it(
    schema: dict[str, Any], sent: dict[str, Any]
) -> None:
    """Of a boolean, any word more may turn the meaning; an abbreviation may be a word."""
    for closed in ({}, {"additionalProperties": False}):
        compiled = compile_schema({**required(schema), **closed})
        with pytest.raises(ToolError) as refused:
            compiled.validate(sent)
        assert "rename" not in str(refused.value)


def test_a_boolean_in_another_spelling_is_advised() -> None:
    """All its words are the same."""
    compiled = compile_schema(required({"dry_run": {"type": "boolean"}}))
    with pytest.raises(ToolError, match='rename "dryRun" to "dry_run"'):
        compiled.validate({"dryRun": True})


def test_the_likeliest_comes_first() -> None:
    """Spelling before beginnings, beginnings before words, few further words before many."""
    known = ["by_tag_and_user", "by_tag", "tag_name", "tags", "limit"]
    assert likely("tag", known) == ["tags", "tag_name", "by_tag", "by_tag_and_user"]


def test_as_likely_as_another_is_not_meant() -> None:
    """There is nothing to choose by."""
    assert meant("date", ["start_date", "end_date"]) is None
    assert meant("user", ["user_id", "username"]) is None
    assert likely("date", ["start_date", "end_date"]) == ["start_date", "end_date"]


@pytest.mark.parametrize(
    ("sent", "known"),
    [("enumNames", "enum"), ("default_value", "default"), ("length", "maxLength")],
)
def test_more_words_are_no_misspelling(sent: str, known: str) -> None:
    """Though they may be meant."""
    assert misspelt(sent, [known]) is None
    assert meant(sent, [known]) == known


def test_a_name_that_is_cut_short_is_misspelt() -> None:
    """If one name alone begins with it."""
    assert misspelt("minLen", ["minLength", "maxLength"]) == "minLength"
    assert misspelt("exclusive", ["exclusiveMinimum", "exclusiveMaximum"]) is None


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=5))
def test_any_text(sent: str, known: list[str]) -> None:
    """No text is an error, what is meant is known, and a name with a letter means itself."""
    assert set(likely(sent, known)) <= set(known)
    assert {meant(sent, known), misspelt(sent, known)} <= {*known, None}
    assert (misspelt(sent, [sent]) == sent) == (re.search(r"[^\s_./:-]", sent) is not None)


@given(st.text(max_size=12), st.text(max_size=12))
def test_likeness_is_mutual(first: str, second: str) -> None:
    """One name is meant by the other, or neither."""
    assert bool(meant(first, [second])) == bool(meant(second, [first]))


@pytest.mark.parametrize(
    ("sent", "known"),
    [("a" * 10**6, f"{'a' * 40}b{'a' * 38}"), ("a_b_" * 20, "b_a_" * 20), ("_" * 10**6, "-" * 99)],
    ids=["one word", "many words", "no word"],
)
def test_hostile_names(sent: str, known: str) -> None:
    """As many and as long as they may be, they cost few calls for each name that is compared."""
    names = [f"{known}{i}" for i in range(2 * MAX_COMPARED_NAMES)]
    with calls(330_000):
        likely(sent, names)


@pytest.mark.parametrize("number", [0, 432, MAX_COMPARED_NAMES, 4999])
def test_the_name_meant_is_found_among_thousands(number: int) -> None:
    """All begin alike, and only some of them are compared: those nearest in the alphabet."""
    names = [f"get_weather_for_city_{i}" for i in range(5_000)]
    assert likely(f"get_weather_for_city_{number}x", names)[0] == names[number]


@pytest.mark.parametrize("sent", ["getUserr", "GET_USERR", "get_the_user", "user_get"])
def test_the_name_meant_is_found_among_many_alike(sent: str) -> None:
    """However it is spelled, as long as all of them are compared."""
    names = [f"get_{chr(97 + i // 26)}{chr(97 + i % 26)}x" for i in range(400)]
    assert "get_user" in likely(sent, [*names, "get_user"])[:3]


def test_a_poor_suggestion_is_not_made() -> None:
    """A message names what may be used instead of what is hardly meant."""
    schema = {"properties": {"parent": True, "query": True}, "additionalProperties": False}
    with pytest.raises(ToolError, match=r'leave "page" out: .*; not yet used: "parent", "query"'):
        compile_schema({"type": "object", **schema}).validate({"page": 1})
    with pytest.raises(ToolError, match='rename "parnet" to "parent"'):
        compile_schema({"type": "object", **schema}).validate({"parnet": 1})


@pytest.mark.parametrize(
    ("name", "opposite"),
    [
        ("dont_send", "send"),
        ("disable_cache", "enable_cache"),
        ("skip_tests", "tests"),
        ("unread", "read"),
        ("inactive", "active"),
        ("exclude_tags", "tags"),
        ("ignoreCase", "case"),
    ],
)
def test_names_that_oppose_each_other_are_never_meant(name: str, opposite: str) -> None:
    """Neither by the other."""
    assert meant(name, [opposite]) is None
    assert meant(opposite, [name]) is None


def test_a_misspelt_negation_is_still_the_same_name() -> None:
    """Words that only look like a negation do not count either."""
    assert meant("remov_item", ["remove_item"]) == "remove_item"
    assert meant("not_befor", ["not_before"]) == "not_before"
    assert meant("indx", ["index"]) == "index"
    assert meant("checkin_date", ["check_in_date"]) == "check_in_date"
