"""The repair of JSON text in a string where no string is allowed: the text of one parameter.

The grammars, the law of conservation and the judgement by the schema are those of the text of a
whole call (`text.grammars`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schema2model.coerce.node_view import NodeView
from schema2model.coerce.search.readings import Reading, Step
from schema2model.coercions import WORD
from schema2model.schema.nodes import Node
from schema2model.text import grammars
from schema2model.text.budget import Budget
from schema2model.text.exact import TextError

__all__ = ["read_damaged_text", "repair_steps"]


def repair_steps(text: Any, found: grammars.TextReading) -> list[Step]:
    """Return the changes of a repaired text: of the whole, and each edit."""
    whole: Step = ((), "repair_text", text, found.value)
    return [whole, *(((), "repair_text", around, edit) for around, edit in found.edits())]


def read_damaged_text(
    node: Node,
    text: str,
    read: Callable[[grammars.TextReading], Reading],
    budget: Budget,
    *,
    accept_truncated: bool,
) -> Reading | None:
    """Return the reading of the nearest value of a text; None if there is none, or two.

    Args:
        node: the subschema that the value has to satisfy.
        text: the text.
        read: reads a value of the text by the schema.
        budget: the work that the texts of the call may still cost.
        accept_truncated: whether truncated text is completed.

    """

    def judge(found: grammars.TextReading) -> Reading | None:
        if found.exact or _is_amid_prose(node, found):
            return None
        reading = read(found)
        if not reading.valid:
            return None
        steps = (*repair_steps(text, found), *reading.steps)
        cost = WORD.plus(reading.cost)
        return Reading(reading.value, reading.value, valid=True, cost=cost, steps=steps)

    outer_cost, budget.max_cost = budget.max_cost, None
    try:
        found = grammars.readings(
            text, NodeView((node,)), budget=budget, accept_truncated=accept_truncated
        )
        return grammars.choose_reading(found, judge, budget)
    except TextError:
        return None
    finally:
        budget.max_cost = outer_cost


def _is_amid_prose(node: Node, found: grammars.TextReading) -> bool:
    """Return whether the value may be a part of prose: `all of [1, 2]`.

    An object where one is expected is not. A list is not if a colon or the end of a line announces
    it, and no word follows it on its line.
    """
    spans = [token for token in found.covering_tokens() if token.json]
    if not spans or (type(found.value) is dict and node.accepts("object")):
        return False
    before, after = found.text[: spans[0].start].rstrip(" \t"), found.text[spans[-1].end :]
    return before[-1:].isalnum() or after.strip(" \t")[:1].isalnum()
