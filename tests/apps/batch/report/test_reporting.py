"""The promises of a report's figures: what is counted, and that memory is bounded."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from reported import CALLS, ORDER, figures_of, row

from schema2model.apps.batch import Corrector, Layout, correct_rows
from schema2model.apps.batch.report.mistakes import (
    CAPACITY,
    MAX_EXAMPLES,
    MAX_TEXT,
    Mistake,
    Mistakes,
)
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary
from schema2model.limits import MAX_COUNTED_MODELS, MAX_COUNTED_RULES


def corrected_calls() -> list[dict[str, Any]]:
    """The table's calls, as `batch` would write them."""
    rows = [
        {"model": model, "tool": "order", "arguments": arguments} for model, arguments, _ in CALLS
    ]
    return list(correct_rows(rows, Corrector([ORDER])))


def test_the_figures_are_those_of_the_table() -> None:
    """Each call counts once for each parameter and rule, and in the shares of its model.

    Rules are counted by calls and values, whatever the parameter.
    """
    document = figures_of(corrected_calls()).document()
    counts = {"unchanged": 1, "coerced": 2, "repaired": 1, "refused": 2}
    assert document["rows"] == document["calls"] == counts
    assert document["tools"] == [{"tool": "order", "calls": 6, **counts}]
    assert [(m["model"], m["calls"], m["refused"]) for m in document["models"]] == [
        ("b", 4, 2),
        ("a", 2, 0),
    ]
    wanted = Counter(mistake for _, _, mistakes in CALLS for mistake in mistakes)
    entries = document["changed"] + document["refused"]
    assert {(e["path"], e["what"]): e["calls"] for e in entries} == wanted
    assert {e["of"] for e in entries} == {6}
    [most, *_] = document["changed"]
    assert most["models"] == [
        {"model": "a", "calls": 1, "of": 2},
        {"model": "b", "calls": 1, "of": 4},
    ]
    assert [(e["before"], e["after"], e["model"]) for e in most["examples"]] == [
        ('"2"', "2", "a"),
        ('"3"', "3", "b"),
    ]
    assert document["rules"] == [
        {"rule": "json_text", "calls": 2, "values": 3, "of": 6},
        {"rule": "boolean_words", "calls": 1, "values": 1, "of": 6},
        {"rule": "repair_text", "calls": 1, "values": 2, "of": 6},
    ]


def test_conversations_count_by_their_calls() -> None:
    """With the arguments of the call that was refused, whatever else is in the conversation."""
    calls = [
        {"id": str(i), "function": {"name": "order", "arguments": json.dumps(arguments)}}
        for i, (_, arguments, _) in enumerate(CALLS[:4])
    ]
    rows: list[dict[str, Any]] = [
        {"messages": [{"role": "assistant", "tool_calls": calls}], "model": "a"},
        {"messages": "no messages", "model": "a"},
    ]
    layout = Layout("chat", prefix="x_")
    rows.append({**rows[0], "messages": json.dumps(rows[0]["messages"])})
    corrected = list(correct_rows(rows, Corrector([ORDER]), layout))
    document = figures_of(corrected, layout).document()
    assert document["rows"] == {"unchanged": 0, "coerced": 0, "repaired": 0, "refused": 3}
    assert document["calls"] == {"unchanged": 2, "coerced": 4, "repaired": 0, "refused": 2}
    refused = {e["what"]: e for e in document["refused"]}
    assert refused["a JSON array (required)"]["examples"][0]["sent"] == '{"urgent": true}'
    [damaged] = document["damaged"]
    assert damaged["what"] == 'the row has no list of messages in "messages"'
    assert (damaged["rows"], damaged["of"]) == (1, 3)


def test_long_names_are_told_apart() -> None:
    """By what they end in too; names, parameters and expectations."""
    long = "x" * MAX_TEXT
    rows = []
    for end in "ab":
        change = (f"/{long}{end}", "json_text", "1", "1")
        rows.append(row(f"{long}{end}", "coerced", change, model=f"{long}{end}"))
        error = f"Error parsing arguments for `f`:\n- /p: must be {long}{end}, not 1"
        rows.append(row("f", "refused", error=error))
    document = figures_of(rows).document()
    for entries in ("models", "tools"):
        names = [entry[entries[:-1]] for entry in document[entries]]
        assert len(set(names)) == len(names) == 3
        assert max(map(len, names)) == MAX_TEXT
    assert len({entry["path"] for entry in document["changed"]}) == 2
    assert len({entry["what"] for entry in document["refused"]}) == 2


def test_what_is_kept_is_bounded() -> None:
    """However many models, tools, parameters and characters there are; the sums stay right."""
    number = 3 * CAPACITY
    rows = []
    for i in range(number):
        change = (f"/p{i}", f"rule{i}", "x" * 10_000, None)
        rows.append(row("often", "coerced", ("/q", "json_text", str(i), "1"), model=f"m{i % 99}"))
        rows.append(row(f"t{i}" * 1000, "coerced", change, model=f"m{i}"))
    document = figures_of(rows).document(3)
    assert document["calls"]["coerced"] == 2 * number
    assert document["tools"][0]["calls"] == number
    assert all(len(document[name]) <= 3 for name in ("models", "tools", "pairs", "changed"))
    assert document["unlisted"]["changed"] < 2 * CAPACITY
    assert document["unlisted"]["rules"] <= MAX_COUNTED_RULES
    first, second, _ = document["changed"]
    assert (first["path"], first["calls"], first["at_most"]) == ("/q", number, number)
    assert len(first["examples"]) == MAX_EXAMPLES
    assert len(first["models"]) == MAX_COUNTED_MODELS + 1
    assert sum(each["calls"] for each in first["models"]) == number
    assert second["calls"] <= second["at_most"] <= second["calls"] + document["missed"]["changed"]
    assert len(second["examples"][0]["before"]) == MAX_TEXT + 1


@pytest.mark.parametrize("seed", range(5))
def test_the_true_number_is_within_the_bounds(seed: int) -> None:
    """Of what is remembered, and of what is forgotten."""
    chosen = random.Random(seed)  # noqa: S311 - no secret
    given = [int(chosen.paretovariate(0.6)) for _ in range(5000)]
    mistakes = Mistakes(capacity=20)
    for number in given:
        mistakes.add(Mistake(None, "", str(number)), None, {}, "")
    true = Counter(given)
    kept = {int(each["what"]): each for each in mistakes.documents()}
    assert len(kept) <= 40
    assert all(each["calls"] <= true[n] <= each["at_most"] for n, each in kept.items())
    assert all(true[number] <= mistakes.missed for number in true.keys() - kept.keys())
    assert {number for number, _ in true.most_common(5)} <= kept.keys()


DAMAGED = [
    {"model": "a", "tool": None, "arguments": "{}"},
    {"model": "a", "arguments": "{}"},
    {"model": "a", "tool": "order", "arguments": "{}", "tools": "no tools"},
]


@pytest.mark.parametrize("damaged", [[], DAMAGED])
def test_batch_and_its_report_count_the_same(damaged: list[dict[str, Any]]) -> None:
    """Calls, rows by status, and damaged rows, which are nobody's most refused parameter."""
    rows = [{"model": model, "tool": "order", "arguments": args} for model, args, _ in CALLS]
    layout = Layout(tools="tools")
    corrector = Corrector([ORDER])
    summary = Summary()
    for each in (*rows, *damaged):
        summary.add_row(correct_row(each, corrector, layout), each, layout)
    report = figures_of(list(correct_rows([*rows, *damaged], corrector, layout)), layout)
    document, counted = report.document(), summary.document()
    assert document["rows"] == counted["rows"]
    assert sum(document["calls"].values()) == counted["found"] == len(rows)
    of_pairs = sum(each[status] for each in counted["calls"] for status in document["calls"])
    assert of_pairs == counted["found"]
    assert sum(each["rows"] for each in document["damaged"]) == counted["damaged"] == len(damaged)
    assert {each["tool"] for each in document["refused"]} == {"order"}
