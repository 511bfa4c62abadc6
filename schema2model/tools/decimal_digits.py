"""The digits of Decimals that a model sends as numbers in JSON text.

A parser makes a float of a number, and a float holds some 17 digits and no zeros after them. Where
a function expects a Decimal and nothing else, the number goes on as the string of its digits, which
pydantic reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from schema2model.json.parsing import NOTHING, Spellings, exact_json, spelled
from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE

__all__ = ["keep_decimal_digits"]


def keep_decimal_digits(root: Node, arguments: Any, text: str) -> Any:
    """Return valid arguments with the digits that their text has for Decimals, as strings.

    Args:
        root: the node of their schema, which was made of annotations.
        arguments: the arguments, which are not changed.
        text: the text that they came from. If it is not JSON, they stay as they are, and so do
            numbers that a rule has moved to another place.

    """
    found = spelled(text)
    if found is None:  # no number has other digits than its float
        found = (exact_json(text) if _POINT_ZERO.search(text) else NOTHING), {}
    return _with_digits((root,), arguments, *found)


_POINT_ZERO: Final = re.compile(r"[0-9]\.0(?![0-9])")
"""A number whose float pydantic takes for an integer."""


def _with_digits(nodes: Sequence[Node], argument: Any, sent: Any, spellings: Spellings) -> Any:
    """Return a part of the arguments with the digits that were sent."""
    kind = type(argument)
    if kind is not type(sent):
        return argument
    if kind is float:
        _, digits = spellings.get(id(sent), (sent, repr(sent)))
        # an exponent is another way to write the same digits
        is_other = argument != sent or (
            "e" in digits.lower() and Decimal(digits) == Decimal(repr(sent))
        )
        return argument if is_other or not any(map(_is_decimal, nodes)) else digits
    parts = [part for node in nodes for part in node.all_in_place()]
    if kind is dict:
        return {
            name: _with_digits(
                [child for part in parts for child in part.property_subschemas(name)],
                member,
                sent[name],
                spellings,
            )
            if name in sent
            else member
            for name, member in argument.items()
        }
    if kind is list and len(argument) == len(sent):
        return [
            _with_digits(
                [child for part in parts for child in part.item_subschemas(index)],
                item,
                sent[index],
                spellings,
            )
            for index, item in enumerate(argument)
        ]
    return argument


def _is_decimal(node: Node) -> bool:
    """Return whether a node describes a Decimal, or null, and nothing else."""
    branches = [each for each in node.dereferenced().any_of if not each.is_null()]
    texts = [each for each in branches if PYTHON_TYPE in each.residual]
    numbers = [each for each in branches if each.types == ("number",)]
    return len(texts) == len(numbers) == 1 and {*branches} == {*texts, *numbers}
