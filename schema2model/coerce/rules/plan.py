"""The plan: the possible readings of a value for the types that a schema expects, in their order.

It is written down once. `lowering` takes from it what pydantic-core can try, `search` tries all of
it, and the fields of compiled models describe it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from schema2model.coerce.rules.guesses import (
    comma_items,
    container_text,
    enveloped_item,
    enveloped_items,
    inner_list,
    one_item,
    only_item,
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
from schema2model.coerce.search.readings import CHANGE, GUESS, WILD_GUESS, WORD, Cost
from schema2model.coercions import Coercion
from schema2model.schema.nodes import Node

__all__ = ["Alternative", "Plan", "name_spelling", "one_type", "spelling"]


class ValueRule(NamedTuple):
    """A rule on a single value: its field of `Coercion`, its function, and what it costs."""

    name: str
    function: Callable[[Any], Any]
    cost: Cost


_ONLY = ValueRule("single_item", only_item, GUESS)
_SINGLE = (ValueRule("item_envelope", enveloped_item, GUESS), _ONLY)
_RULES: Mapping[str, tuple[ValueRule, ...]] = {
    "null": (ValueRule("null_words", null_word, WORD),),
    "boolean": (ValueRule("boolean_words", boolean_word, WORD), *_SINGLE),
    "integer": (
        ValueRule("number_text", integer_text, CHANGE),
        ValueRule("integral_floats", integral_float, CHANGE),
        *_SINGLE,
    ),
    "number": (
        ValueRule("number_text", number_text, CHANGE),
        ValueRule("allow_inf_nan", number_beyond_json, WORD),
        *_SINGLE,
    ),
    "string": (
        ValueRule("scalar_to_text", scalar_text, WORD),
        ValueRule("container_to_text", container_text, WILD_GUESS),
        *_SINGLE,
    ),
    "array": (
        ValueRule("nested_list", inner_list, GUESS),
        ValueRule("item_envelope", enveloped_items, GUESS),
        ValueRule("xml_items", xml_items, GUESS),
        ValueRule("comma_text", comma_items, GUESS),
        ValueRule("scalar_to_list", one_item, WILD_GUESS),
    ),
    "object": (_ONLY,),
}
"""The rules by expected type, in the order in which their readings are tried."""

_REARRANGING = ("item_envelope", "listed_pairs", "flattened_keys", "sole_key")
"""Rules that know the schema, and put the parts of a value elsewhere."""

_CROSS_MEMBER_RULES = (
    *_REARRANGING,
    *("text_over_string", "null_words_over_string", "allow_inf_nan", "envelope", "key_spelling"),
    *("drop_unknown", "container_to_text", "scalar_to_list", "single_item", "nested_list"),
    "drop_placeholders",
)
"""Rules under which a member's reading may depend on others, or replace its container or name."""


class Alternative(NamedTuple):
    """A possible reading of a value."""

    rule: str
    """The field of `Coercion` that allows it."""
    function: Callable[[Any], Any]
    """Converts the value; returns the same object if it does not apply."""
    targets: tuple[str, ...]
    """The types that it is made for."""
    cost: Cost
    """The cost of the reading."""

    def charge(self, made: Any) -> Cost:
        """The cost of a reading, given the converted value.

        A float in JSON text is not an exact integer: for `"1.0"`, `number_text` comes first.
        """
        return WORD if type(made) is float and "number" not in self.targets else self.cost


class Plan:
    """The alternatives for every node, under the rules that are switched on.

    `name` is the tool's, which may be next to its arguments in an envelope.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": ["integer", "null"]}).engine
    >>> [alternative.rule for alternative in engine.plan.alternatives(engine.root)]
    ['json_text', 'loose_json_text', 'number_text', 'integral_floats', 'null_words']
    """

    def __init__(self, coercion: Coercion, name: str = "") -> None:
        self.coercion = coercion
        self.name = name
        self.is_off = coercion.is_off
        self._by_node: dict[int, tuple[Alternative, ...]] = {}
        self._by_types: dict[tuple[str, ...], tuple[Alternative, ...]] = {}

    @functools.cached_property
    def members_are_independent(self) -> bool:
        """Whether no rule takes a container or a name for another."""
        return not any(getattr(self.coercion, rule) for rule in _CROSS_MEMBER_RULES)

    @functools.cached_property
    def rearranges(self) -> bool:
        """Whether any rule puts the parts of a value elsewhere."""
        return any(getattr(self.coercion, rule) for rule in _REARRANGING)

    def alternatives(self, node: Node) -> tuple[Alternative, ...]:
        """The possible readings under a node's own types and choices, the likeliest first."""
        if node.choices is None:
            return () if node.types is None else self._of_types(node.types)
        found = self._by_node.get(id(node))
        if found is None:
            read, others = self._of_text(node.expected_types), self._of_kinds(node.expected_types)
            found = (*read, *self._of_choices(node.choices), *others)
            self._by_node[id(node)] = found
        return found

    def _of_types(self, types: tuple[str, ...]) -> tuple[Alternative, ...]:
        found = self._by_types.get(types)
        if found is None:
            found = self._by_types[types] = (*self._of_text(types), *self._of_kinds(types))
        return found

    def _of_text(self, types: tuple[str, ...]) -> Iterator[Alternative]:
        """JSON, exact or loose, in a string where no string is expected."""
        if types == ("string",):
            return
        if self.coercion.json_text:
            function = exact_json_text if {"integer", "number"} <= {*types} else json_text
            yield Alternative("json_text", function, types, CHANGE)
        if self.coercion.loose_json_text:
            yield Alternative("loose_json_text", loose_json_text, types, WORD)
            if "array" in types:
                yield Alternative("loose_json_text", set_text, types, WORD)

    def _of_choices(self, choices: list[Any]) -> Iterator[Alternative]:
        if self.coercion.quoted_choices:
            yield Alternative("quoted_choices", unquoted, ("string",), WORD)
        if self.coercion.choice_spelling:
            spelled = functools.partial(_choice, _by_spelling(choices))
            yield Alternative("choice_spelling", spelled, ("string",), GUESS)

    def _of_kinds(self, types: tuple[str, ...]) -> Iterator[Alternative]:
        both = "number" in types and "integer" in types
        for kind in types:
            if both and kind == "integer":
                continue  # an integer is a number
            for rule in _RULES[kind]:
                if getattr(self.coercion, rule.name):
                    exact = both and rule.name == "number_text"
                    function = exact_number_text if exact else rule.function
                    targets = ("integer", "number") if both and kind == "number" else (kind,)
                    yield Alternative(rule.name, function, targets, rule.cost)


def one_type(node: Node) -> tuple[str, bool] | None:
    """The only type a node asks for besides null, and whether null is one; None if not so."""
    if node.choices is not None or node.types is None:
        return None
    kinds = [kind for kind in node.types if kind != "null"]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return (kinds[0], "null" in node.types) if len(kinds) == 1 else None


# ------------------------------------------------------------------------------------- spelling
_SEPARATOR = re.compile(r"(?<=[^\W\d_])[\s_\\-]+(?=[^\W\d_])")


def spelling(name: str) -> str:
    """A name without its case, and without what may separate its words.

    >>> spelling("Max-Results "), spelling("max_results")
    ('maxresults', 'maxresults')
    """
    return _SEPARATOR.sub("", name.strip()).casefold()


def name_spelling(name: str) -> str:
    """The normalised spelling of a property's name, without signs before or after it.

    >>> name_spelling("_from"), name_spelling("From")
    ('from', 'from')
    """
    return spelling(name).strip("_$") or name


def _by_spelling(choices: list[Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for choice in choices:
        if isinstance(choice, str):
            found.setdefault(spelling(choice), []).append(choice)
    return found


def _choice(spellings: dict[str, list[str]], value: Any) -> Any:
    """The one choice that a text spells otherwise."""
    same = spellings.get(spelling(value), ()) if type(value) is str else ()
    return same[0] if len(same) == 1 else value
