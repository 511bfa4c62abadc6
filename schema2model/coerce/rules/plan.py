"""The plan: the possible readings of a value for the types that a schema expects, in their order.

`lowering` takes from it what pydantic-core can try, `search` tries all of it, and the fields of
compiled models describe it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from schema2model.coerce.rules.guesses import (
    comma_items,
    container_text,
    enveloped_item,
    enveloped_items,
    grouped_integer,
    grouped_number,
    inner_list,
    one_item,
    only_item,
    only_unpaired_item,
    xml_items,
)
from schema2model.coerce.rules.scalars import (
    boolean_word,
    exact_json_text,
    exact_number_text,
    integer_text,
    integral_float,
    json_text,
    loose_json_text,
    null_word,
    number_beyond_json,
    number_text,
    scalar_text,
    set_text,
    unquoted,
)
from schema2model.coercions import COSTS, WORD, Coercion, Cost
from schema2model.schema.nodes import Node
from schema2model.spellings import spelling

__all__ = ["Alternative", "Plan", "one_type"]


Conversion = Callable[[Any], Any]
"""Converts a value; returns the same object if it does not apply."""

_ONLY_ITEM = ("single_item", only_item)
_SINGLE: tuple[tuple[str, Conversion], ...] = (("item_envelope", enveloped_item), _ONLY_ITEM)
_RULES: Mapping[str, tuple[tuple[str, Conversion], ...]] = {
    "null": (("null_words", null_word),),
    "boolean": (("boolean_words", boolean_word), *_SINGLE),
    "integer": (
        ("number_text", integer_text),
        ("integral_floats", integral_float),
        ("digit_groups", grouped_integer),
        *_SINGLE,
    ),
    "number": (
        ("number_text", number_text),
        ("allow_inf_nan", number_beyond_json),
        ("digit_groups", grouped_number),
        *_SINGLE,
    ),
    "string": (("scalar_to_text", scalar_text), ("container_to_text", container_text), *_SINGLE),
    "array": (
        ("nested_list", inner_list),
        ("item_envelope", enveloped_items),
        ("xml_items", xml_items),
        ("comma_text", comma_items),
        ("scalar_to_list", one_item),
    ),
    "object": (_ONLY_ITEM,),
}
"""The rules by expected type, in the order in which the search tries their readings."""

_REARRANGING = ("envelope", "item_envelope", "listed_pairs", "flattened_keys", "sole_key")
"""Rules that arrange the parts of a value anew, as the schema has them."""

_CROSS_MEMBER_RULES = (
    *_REARRANGING,
    *("text_over_string", "null_words_over_string", "allow_inf_nan", "key_spelling"),
    *("flattened_object", "drop_unknown", "container_to_text", "scalar_to_list", "single_item"),
    *("nested_list", "drop_placeholders"),
)
"""Rules under which the reading of a member may depend on others, or replace its container."""


class Alternative(NamedTuple):
    """A possible reading of a value."""

    rule: str
    """The field of `Coercion` that allows it."""
    function: Conversion
    targets: tuple[str, ...]
    """The types that it converts to."""

    @property
    def cost(self) -> Cost:
        """The cost of the rule."""
        return COSTS[self.rule]

    def charge(self, converted: Any) -> Cost:
        """Return the cost of the reading with this result.

        A float in JSON text is not an exact integer: for `"1.0"`, `number_text` comes first.
        """
        return WORD if type(converted) is float and "number" not in self.targets else self.cost


class Plan:
    """The alternatives for every node, under the rules that are switched on.

    `name` is the tool's, which may be next to its arguments in an envelope.

    >>> from schema2model import compile_schema
    >>> from schema2model.compiled import engine_of
    >>> engine = engine_of(compile_schema({"type": ["integer", "null"]}))
    >>> [alternative.rule for alternative in engine.plan.alternatives(engine.root)]
    ['json_text', 'loose_json_text', 'number_text', 'integral_floats', 'null_words']
    """

    def __init__(self, coercion: Coercion, name: str = "") -> None:
        self.coercion = coercion
        self.name = name
        self.is_off = coercion.is_off
        self._by_node: dict[int, tuple[Alternative, ...]] = {}
        self._by_types: dict[tuple[str, ...], tuple[Alternative, ...]] = {}
        self._by_map_types: dict[tuple[str, ...], tuple[Alternative, ...]] = {}

    @functools.cached_property
    def members_are_independent(self) -> bool:
        """True if no rule makes the reading of a member depend on others."""
        return not any(getattr(self.coercion, rule) for rule in _CROSS_MEMBER_RULES)

    @functools.cached_property
    def rearranges(self) -> bool:
        """True if a rule arranges the parts of a value anew."""
        return any(getattr(self.coercion, rule) for rule in _REARRANGING)

    def alternatives(self, node: Node) -> tuple[Alternative, ...]:
        """Return the alternatives for a node's own types and choices, the likeliest first."""
        if node.choices is None:
            if node.types is None:
                return ()
            if "object" in node.types and "value" not in node.properties:
                return self._for_maps(node.types)
            return self._for_types(node.types)
        alternatives = self._by_node.get(id(node))
        if alternatives is None:
            types = node.expected_types
            alternatives = self._by_node[id(node)] = (
                *self._json_text(types),
                *self._for_choices(node.choices),
                *self._conversions(types),
            )
        return alternatives

    def _for_types(self, types: tuple[str, ...]) -> tuple[Alternative, ...]:
        alternatives = self._by_types.get(types)
        if alternatives is None:
            alternatives = (*self._json_text(types), *self._conversions(types))
            self._by_types[types] = alternatives
        return alternatives

    def _for_maps(self, types: tuple[str, ...]) -> tuple[Alternative, ...]:
        """Those for an object without a property `value`: a list of one pair is not its item."""
        alternatives = self._by_map_types.get(types)
        if alternatives is None:
            alternatives = self._by_map_types[types] = tuple(
                each._replace(function=only_unpaired_item) if each.function is only_item else each
                for each in self._for_types(types)
            )
        return alternatives

    def _if_on(
        self, rule: str, function: Conversion, targets: tuple[str, ...]
    ) -> Iterator[Alternative]:
        if getattr(self.coercion, rule):
            yield Alternative(rule, function, targets)

    def _json_text(self, types: tuple[str, ...]) -> Iterator[Alternative]:
        """Yield exact and loose JSON text, unless only a string is expected."""
        if types == ("string",):
            return
        is_exact = {"integer", "number"} <= {*types}
        yield from self._if_on("json_text", exact_json_text if is_exact else json_text, types)
        yield from self._if_on("loose_json_text", loose_json_text, types)
        if "array" in types:
            yield from self._if_on("loose_json_text", set_text, types)

    def _for_choices(self, choices: list[Any]) -> Iterator[Alternative]:
        yield from self._if_on("quoted_choices", unquoted, ("string",))
        respelled = functools.partial(_respelled_choice, _by_spelling(choices))
        yield from self._if_on("choice_spelling", respelled, ("string",))

    def _conversions(self, types: tuple[str, ...]) -> Iterator[Alternative]:
        """Yield the rules for each type; an integer is a number."""
        numbers = ("integer", "number") if {"integer", "number"} <= {*types} else ()
        for kind in types:
            for rule, function in () if numbers and kind == "integer" else _RULES[kind]:
                is_number_text = bool(numbers) and rule == "number_text"
                targets = numbers if numbers and kind == "number" else (kind,)
                yield from self._if_on(
                    rule, exact_number_text if is_number_text else function, targets
                )


def one_type(node: Node) -> tuple[str, bool] | None:
    """Return the only type of a node except null, and whether null is one; None if not so."""
    if node.choices is not None or node.types is None:
        return None
    kinds = [kind for kind in node.types if kind != "null"]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return (kinds[0], "null" in node.types) if len(kinds) == 1 else None


def _by_spelling(choices: list[Any]) -> dict[str, list[str]]:
    spellings: dict[str, list[str]] = {}
    for choice in choices:
        if isinstance(choice, str):
            spellings.setdefault(spelling(choice), []).append(choice)
    return spellings


def _respelled_choice(spellings: dict[str, list[str]], value: Any) -> Any:
    """Return the only choice with the spelling of a text."""
    same = spellings.get(spelling(value), ()) if type(value) is str else ()
    return same[0] if len(same) == 1 else value
