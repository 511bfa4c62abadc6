"""The promises of a report's page: nothing of the data becomes part of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from reported import CANARY, HOSTILE, figures_of, hostile_rows, row

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.report.mistakes import MAX_TEXT
from schema2model.coercions import COERCION_RULES

REASON = 'needs the extra "report"'
pytest.importorskip("jinja2", reason=REASON)

from outlines import Outline, page_of  # noqa: E402 - after what it needs

from schema2model.apps.batch.report.page import LABEL, page  # noqa: E402
from schema2model.apps.batch.report.text import visible  # noqa: E402

pytestmark = pytest.mark.adapters


def test_no_element_and_no_attribute_comes_of_data() -> None:
    """A page of hostile text has the elements and attributes of one of harmless words."""
    hostile = Outline(page_of(hostile_rows(), "".join(HOSTILE.values())))
    tame = Outline(page_of(hostile_rows([f"word{i}" for i in range(len(HOSTILE))]), "title"))
    assert set(hostile.elements) == set(tame.elements)
    assert hostile.elements["script", ()] == hostile.elements["style", ()] == 1
    assert not hostile.others
    assert not [value for value in hostile.values if CANARY in value or "word" in value]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_page_shows_the_text_itself(text: str) -> None:
    """Escaped for HTML and nothing more, but for what nobody could see."""
    outline = Outline(page_of([row(text, "coerced", ("/a", "r", text, text))]))
    kept = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
    assert visible(kept) in "".join(outline.text)
    assert all(char.isprintable() or char in "\n\t" for char in "".join(outline.text))


def test_the_policy_names_the_script_and_the_style() -> None:
    """By their hashes; everything else is forbidden, inline handlers and styles too."""
    content = page_of([row("f", "unchanged")])
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', content)
    policy = policy.replace("&#39;", "'")
    for tag in ("script", "style"):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", content, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_a_page_of_little() -> None:
    """Says that nothing goes wrong; or that there are no calls, and has no tables then."""
    assert "Nothing goes wrong." in page_of([row(None, "unchanged", model=None)])
    empty = Outline(page_of([]))
    assert "No calls." in "".join(empty.text)
    assert not [tag for tag, _ in empty.elements if tag == "table"]


NAMES = {
    "gpt-4": "gpt-4",
    " gpt-4": '" gpt-4"',
    "gpt-4\n": '"gpt-4\\n"',
    "gpt-4\\n": '"gpt-4\\\\n"',
    '"gpt-4"': '"\\"gpt-4\\""',
    "gpt  4": "gpt  4",
    "gpt\t4": '"gpt\\t4"',
    "\u202egpt": '"\\u202egpt"',
    r"\u202egpt": r'"\\u202egpt"',
    "gpt\u200d-4": '"gpt\\u200d-4"',
    "gpt-4\u00a0": '"gpt-4\\u00a0"',
    "": '""',
    '""': r'"\"\""',
    "שלום": "שלום",
    "😀 👩‍👩‍👧‍👦🏳️‍🌈👩🏽‍💻🙂‍↔️": "😀 👩‍👩‍👧‍👦🏳️‍🌈👩🏽‍💻🙂‍↔️",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_differ_look_different(name: str) -> None:
    """Where nobody could tell a name from another it is shown as JSON, in every table."""
    assert len(set(NAMES.values())) == len(NAMES)
    text = Outline(page_of([row(name, "unchanged", model=name)])).text
    assert text.count(NAMES[name]) == (4 if len(NAMES[name]) > LABEL else 6)
    if NAMES[name].startswith('"'):
        assert json.loads(NAMES[name]) == name


def test_a_page_says_what_its_rules_mean() -> None:
    """Those that occur, in the words of the table of rules."""
    meanings = {rule.name: rule.meaning.replace("`", "") for rule in COERCION_RULES}
    text = "".join(Outline(page_of([row("f", "coerced", ("/a", "drop_null", "1", None))])).text)
    assert meanings["drop_null"] in text
    assert meanings["json_text"] not in text


def test_an_example_says_where_it_stood() -> None:
    """The model, the file and the place in it, for each."""
    rows = [
        row("f", "coerced", ("/a", "r", "1", "2"), model="m1"),
        row("f", "refused", model="m2", error="no"),
    ]
    places = [
        {"source_file": f"/data/{i}.jsonl", "source_position": 9, "source_line": 70 + i}
        for i in range(2)
    ]
    placed = [each | place for each, place in zip(rows, places, strict=True)]
    text = [each.strip() for each in Outline(page_of(placed)).text]
    for number in range(2):
        place = text.index(f"/data/{number}.jsonl, line {70 + number}")
        assert f"m{number + 1}" in text[place - 8 : place]


def test_what_is_not_listed_can_be() -> None:
    """The page says how."""
    rows = [row(f"f{i}", "unchanged") for i in range(9)]
    text = "".join(Outline(page(figures_of(rows).document(2), "t")).text)
    assert "And 7 more, which --top 9 lists." in text


def test_names_that_no_tool_has_are_apart_with_what_was_meant() -> None:
    """In none of the tables of tools, in calls of any layout."""
    unknown = "There is no tool `getWeather`"
    in_text = "There is no tool `nope`; call `search`"
    rows = [
        row("get_weather", "unchanged"),
        row("getWeather", "refused", error=unknown),
        row("nope", "refused", error=in_text),
    ]
    figures = figures_of(rows).document(50, ["search"])
    assert [(e["tool"], e["meant"], e["calls"], e["of"]) for e in figures["unknown"]] == [
        ("getWeather", "get_weather", 1, 3),
        ("nope", None, 1, 3),
    ]
    assert [each["tool"] for each in figures["tools"]] == ["get_weather"]
    assert figures["heat"]["tools"] == ["get_weather"]
    assert figures["refused"] == []
    assert figures["calls"]["refused"] == 2
    text = "".join(Outline(page(figures, "t")).text)
    assert "Probably meant" in text
    assert "no tool is like it" in text


def test_the_worst_is_first_as_far_as_it_is_certain() -> None:
    """One refused call of one is no more than a hint."""
    rows = [row("often", "refused" if i % 2 else "unchanged", error="no") for i in range(100)]
    rows += [row("once", "refused", error="no"), *[row("right", "unchanged")] * 200]
    document = figures_of(rows).document()
    assert [each["tool"] for each in document["tools"]] == ["often", "once", "right"]
    assert document["heat"]["cells"] == [
        [{"calls": 100, "refused": 50, "changed": 0}],
        [{"calls": 1, "refused": 1, "changed": 0}],
        [{"calls": 200, "refused": 0, "changed": 0}],
    ]


def test_results_that_do_not_match_have_a_section_of_their_own() -> None:
    """With each tool, and where and how its results differ from its schema."""
    output = {"properties": {"n": {"type": "integer"}}}
    tools = [{"name": "count", "inputSchema": {}, "outputSchema": output}]
    rows = []
    for content in ('{"n": 1}', '{"n": "1"}', "no"):
        messages = [{"role": "function", "name": "count", "content": content}]
        rows += correct_rows([{"messages": messages}], Corrector(tools), Layout("chat"))
    html = page(figures_of(rows, Layout("chat")).document(), "results")
    section = html[html.index('<section id="results">') :]
    assert re.search(r'<th scope="row">.*count.*</th>', section)
    assert "json_text" in section
    assert "the structured content is missing" in section


def luminance(colour: str) -> float:
    """How bright a colour is, by WCAG 2."""
    digits = "".join(digit * 2 for digit in colour) if len(colour) == 3 else colour
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("paper", ["paper", "raised"])
def test_what_is_drawn_stands_out(theme: int, paper: str) -> None:
    """Segments by 3:1 and text by 4.5:1 from what is behind them (WCAG 2, AA)."""
    [style] = re.findall("<style>(.*?)</style>", page_of([]), re.DOTALL)
    colours = dict(re.findall(r"--(\w+): #(\w+);", style.split(":root {")[1 + theme].split("}")[0]))
    contrasts = {}
    for name in ("unchanged", "coerced", "repaired", "refused", "ink", "faint"):
        pair = sorted(luminance(colours[each]) for each in (name, paper))
        contrasts[name] = (pair[1] + 0.05) / (pair[0] + 0.05)
    assert min(contrasts.values()) >= 3
    assert min(contrasts["ink"], contrasts["faint"]) >= 4.5
