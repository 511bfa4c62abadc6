"""The rules that are switched on: what a value may mean for each type, in the order of trial.

What each costs is `COSTS` in `coercions`; `search.reader` takes the reading that costs least.
`lowering` takes from the rules what pydantic-core can try, `search` tries all of them, and the
fields of compiled models describe them.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator
from typing import Any, Final, NamedTuple

from schema2model.coerce.rules import guesses, scalars
from schema2model.coercions import COERCION_RULES, COSTS, WORD, Coercion, Cost, RuleFunction, Scope
from schema2model.json.names import spelling
from schema2model.json.parsing import NOTHING
from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies.python_types import BYTE_SIZE, PYTHON_TYPE

__all__ = ["ActiveRules", "Alternative", "one_type"]

_BY_TYPE: Final = {
    kind: [(rule.name, rule.functions[kind]) for rule in COERCION_RULES if kind in rule.functions]
    for kind in ("null", "boolean", "integer", "number", "string", "array", "object")
}
"""The rules by expected type, in the order in which the search tries their readings."""

_OF_TYPES: Final = frozenset(("repeated_items",))
"""Rules that the Python type of an array switches on."""


class Alternative(NamedTuple):
    """A possible reading of a value."""

    rule: str
    """The field of `Coercion` that allows it."""
    function: RuleFunction
    targets: tuple[str, ...]
    """The types that it converts to."""

    def charge(self, converted: Any) -> Cost:
        """Return the cost of the reading with this result.

        A float in JSON text is not an exact integer: for `"1.0"`, `number_text` comes first.
        """
        is_inexact = type(converted) is float and "number" not in self.targets
        return WORD if is_inexact else COSTS[self.rule]


class ActiveRules:
    """The alternatives for every node, under the rules that are switched on.

    `name` is the tool's, which may be next to its arguments in an envelope.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": ["integer", "null"]})._engine
    >>> [alternative.rule for alternative in engine.rules.alternatives(engine.root)]
    ['json_text', 'loose_json_text', 'number_text', 'integral_floats', 'null_words']
    """

    def __init__(self, coercion: Coercion, name: str = "") -> None:
        self.coercion = coercion
        self.name = name
        self.is_off, self.reads_strings = coercion.is_off, coercion.reads_strings
        self.repairs = coercion.repair_text and coercion.json_text and coercion.loose_json_text
        self._alternatives: dict[Hashable, tuple[Alternative, ...]] = {}

    @functools.cached_property
    def members_are_independent(self) -> bool:
        """True if no rule makes the reading of a member depend on others."""
        return not self._has_scope("members", "structure")

    @functools.cached_property
    def restructures(self) -> bool:
        """True if a rule may restructure a value."""
        return self._has_scope("structure")

    def _has_scope(self, *scopes: Scope) -> bool:
        """Return whether a rule that is on looks at more than a value by itself."""
        return any(
            rule.scope in scopes and getattr(self.coercion, rule.name) for rule in COERCION_RULES
        )

    def alternatives(self, node: Node) -> tuple[Alternative, ...]:
        """Return the alternatives for a node's own types and choices, the likeliest first."""
        if node.types is None and node.choices is None:
            return ()
        residual = node.residual
        facts = (
            node.types,
            "value" in node.properties,
            node.schema[PYTHON_TYPE] if PYTHON_TYPE in residual else "",
            "uniqueItems" in residual and node.schema["uniqueItems"],
        )
        key = facts if node.choices is None else node
        alternatives = self._alternatives.get(key)
        if alternatives is None:
            shape = _Shape(node.expected_types, *facts[1:])
            alternatives = self._alternatives[key] = (
                _alternatives_of_shape(self.coercion, shape)
                if node.choices is None
                else _alternatives(self.coercion, shape, node.choices)
            )
        return alternatives

    def native_alternatives(self, node: Node) -> list[Alternative]:
        """Return the alternatives that pydantic-core can try, for a node of one type.

        The search tries guesses and loosely written JSON.
        """
        return [
            alternative
            for alternative in (self.alternatives(node) if one_type(node) else ())
            if not COSTS[alternative.rule].guesses and alternative.rule != "loose_json_text"
        ]

    def omission(self, node: Node, value: Any) -> str | None:
        """Return the rule that leaves an optional property out, if its value is a placeholder.

        Models are shown `limit: int = 10` as a plain integer, and send null, `"None"` or `""` for
        the default. `node`, the property's subschema, rejects the value.
        """
        coercion = self.coercion
        if value is None:
            return "drop_null" if coercion.drop_null else None
        if type(value) is str:
            if not scalars.is_placeholder(value):  # a word for null is one, too
                return None
            drops = coercion.drop_null_words and scalars.null_word(value) is None
            if drops and (not node.accepts("string") or _is_null_by_default(node)):
                return "drop_null_words"
        elif type(value) is not dict or value:
            return None
        return "drop_placeholders" if coercion.drop_placeholders else None


def _is_null_by_default(node: Node) -> bool:
    """Return whether the default of a property is null."""
    return type(node.schema) is dict and node.schema.get("default", NOTHING) is None


class _Shape(NamedTuple):
    """The facts about a node, besides its choices, on which its alternatives depend."""

    types: tuple[str, ...]
    has_value: bool
    """Whether it declares a property `value`."""
    python_type: str
    """The Python type of its strings, or of its items as a whole; empty if they have none."""
    is_unique: bool
    """Whether the items of an array have to be unique."""


def _alternatives(
    coercion: Coercion, shape: _Shape, choices: list[Any] | None = None
) -> tuple[Alternative, ...]:
    """Return the alternatives for a shape and choices that the switches allow."""
    types, has_value, python_type, is_unique = shape
    # a list of one pair is an object without a property `value`, not its item
    is_map = "object" in types and not has_value
    return tuple(
        each._replace(function=guesses.only_unpaired_item)
        if is_map and each.function is guesses.only_item
        else each
        for each in _rules_for(types, choices, python_type)
        if (is_unique or each.rule != "repeated_items")
        and (
            getattr(coercion, each.rule)
            or (python_type and each.rule in _OF_TYPES and not coercion.is_off)
        )
    )


_alternatives_of_shape = functools.lru_cache(1_000)(_alternatives)
"""Those without choices, which many schemas share."""


def _rules_for(
    types: tuple[str, ...], choices: list[Any] | None, python_type: str
) -> Iterator[Alternative]:
    """Yield all rules for some types and choices; an integer is a number."""
    if python_type and "string" in types:
        yield Alternative("quoted_choices", scalars.bare_text, ("string",))
    numbers = ("integer", "number") if {"integer", "number"} <= {*types} else ()
    if types != ("string",):
        exact = scalars.exact_json_text if numbers else scalars.json_text
        yield Alternative("json_text", exact, types)
        yield Alternative("loose_json_text", scalars.loose_json_text, types)
    if "array" in types:
        yield Alternative("loose_json_text", scalars.set_text, types)
    if choices is not None:
        yield Alternative("quoted_choices", scalars.unquoted, ("string",))
        respelled = functools.partial(_respelled_choice, _by_spelling(choices))
        yield Alternative("choice_spelling", respelled, ("string",))
    for kind in types:
        if numbers and kind == "integer":
            continue
        for rule, function in _BY_TYPE[kind]:
            if python_type == BYTE_SIZE and function is scalars.scalar_text:
                continue
            if numbers and function is scalars.number_text:
                function = scalars.exact_number_text  # noqa: PLW2901
            targets = numbers if numbers and kind == "number" else (kind,)
            yield Alternative(rule, function, targets)


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
