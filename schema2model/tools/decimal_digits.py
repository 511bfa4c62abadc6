"""The digits of Decimals that a model sends as numbers in JSON text.

A parser makes a float of a number, and a float holds some 17 digits and no zeros after them. Where
pydantic would make a Decimal of it, the number goes on as the string of its digits, which pydantic
reads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from schema2model.errors import ToolError
from schema2model.json.parsing import NOTHING, exact_json, spelled
from schema2model.regexes import regex
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE

__all__ = ["convert_with_digits", "keep_decimal_digits"]


def convert_with_digits(
    root: Node, arguments: Any, text: str, convert: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """Convert valid arguments to those of the function, with the digits that their text has.

    Args:
        root: the node of their schema, which was made of annotations.
        arguments: the arguments, which are not changed.
        text: the text that they came from. Where it is not JSON, or a rule has moved a number to
            another place, a number has the digits of its only spelling in the text.
        convert: turns arguments, with strings for Decimals, into those of the function.

    """
    digits = _Digits(text)
    kept = _with_digits((root,), arguments, digits.sent, digits)
    if digits.of_union:
        digits.of_floats = True
        as_strings = _with_digits((root,), arguments, digits.sent, digits)
        with contextlib.suppress(ToolError):
            as_numbers = convert(arguments)
            if convert(as_strings) != as_numbers:  # another branch of the union has them
                return as_numbers
    return convert(kept)


def keep_decimal_digits(root: Node, arguments: Any, text: str) -> Any:
    """Return valid arguments with strings for Decimals, for another reader of their types.

    They stay as they are where it may take a string for another branch of a union.
    """
    digits = _Digits(text)
    kept = _with_digits((root,), arguments, digits.sent, digits)
    return arguments if digits.of_union else kept


_POINT_ZERO: Final = regex(r"[0-9]\.0(?![0-9])")
"""A number whose float pydantic takes for an integer."""

_NUMBER: Final = regex(r"(?<![\w.])-?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?(?![\w.])")


class _Digits:
    """The digits of the numbers in a text.

    Attributes:
        sent: what the text says, if it is JSON.
        of_union: whether some of them are in a container for which a union has several branches.
        of_floats: whether numbers get the digits of their floats instead.

    """

    def __init__(self, text: str) -> None:
        found = spelled(text)
        if found is None:  # no number has other digits than its float
            found = (exact_json(text) if _POINT_ZERO.search(text) else NOTHING), {}
        self.sent: Any
        self.sent, self._spellings = found
        self.of_union = self.of_floats = False
        self._text = text
        self._in_text: dict[float, set[str]] | None = None

    def of(self, number: float, sent: Any) -> float | str:
        """Return a number as it is spelled; as it is if that is not known, or says no more.

        Args:
            number: the argument.
            sent: the value at its place in the text, where that is JSON.

        """
        if self.of_floats:
            return repr(number)
        if type(sent) is float and sent == number:
            _, digits = self._spellings.get(id(sent), (sent, repr(sent)))
        else:
            if self._in_text is None:
                self._in_text = {}
                for each in _NUMBER.findall(self._text):
                    self._in_text.setdefault(float(each), set()).add(each)
            spelled_so = self._in_text.get(number, ())
            if len(spelled_so) != 1:
                return number
            (digits,) = spelled_so
        # an exponent is another way to write the same digits
        is_same = "e" in digits.lower() and Decimal(digits) == Decimal(repr(number))
        return number if is_same else digits


def _with_digits(nodes: Sequence[Node], argument: Any, sent: Any, digits: _Digits) -> Any:
    """Return a part of the arguments with the digits that were sent."""
    kind = type(argument)
    if kind is float:
        beside = [found for found in map(_beside_decimal, nodes) if found is not None]
        kept = digits.of(argument, sent) if beside else argument
        # of a string of a whole number, pydantic makes an integer where the union has one
        return argument if any(beside) and Decimal(kept) % 1 == 0 else kept
    if kind not in {dict, list}:
        return argument
    parts = Parts.in_place(nodes)
    made: Any
    if kind is dict:
        members = sent if type(sent) is dict else {}
        made = {
            name: _with_digits(
                parts.property_subschemas(name),
                member,
                members.get(name, NOTHING),
                digits,
            )
            for name, member in argument.items()
        }
    else:
        is_same = type(sent) is list and len(sent) == len(argument)
        made = [
            _with_digits(
                parts.item_subschemas(index),
                item,
                sent[index] if is_same else NOTHING,
                digits,
            )
            for index, item in enumerate(argument)
        ]
    if not digits.of_union and made != argument:
        digits.of_union = any(map(_has_branches, parts.nodes))
    return made


def _has_branches(node: Node) -> bool:
    """Return whether a node is a union of several types, apart from null."""
    return len([each for each in (*node.any_of, *node.one_of) if not each.is_null()]) > 1


def _beside_decimal(node: Node) -> list[Node] | None:
    """Return the branches next to a Decimal: integers or booleans; None if there is another."""
    branches = [each for each in node.dereferenced().any_of if not each.is_null()]
    noted = [each for each in branches if PYTHON_TYPE in each.residual]
    texts = [each for each in noted if each.schema[PYTHON_TYPE] == "decimal"]
    numbers = [each for each in branches if each.types == ("number",)]
    beside = [each for each in branches if each.types in {("integer",), ("boolean",)}]
    is_decimal = len(texts) == len(numbers) == 1 and len(branches) == 2 + len(beside)
    return beside if is_decimal else None
