"""`Coercion`: a switch for each rule of coercion, which is a record, and the presets.

To add a rule, add a field to `Coercion`, as a record of its cost, its preset, an example, and the
functions that apply it, with its sentence below. The search, the presets, the documentation and the
reports take all from `COERCION_RULES`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, zip_longest
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias, get_args

from typing_extensions import TypedDict, Unpack

from schema2model.coerce.rules import guesses, scalars
from schema2model.json.quoting import abridged_repr

__all__ = [
    "CHANGE",
    "COERCION_RULES",
    "COSTS",
    "FREE",
    "PRESETS",
    "STATUSES",
    "WORD",
    "Coercion",
    "CoercionExample",
    "CoercionRule",
    "CoercionSwitches",
    "Cost",
    "Preset",
    "RuleFunction",
    "Status",
    "coercion_named",
    "status_of",
]


class CoercionSwitches(TypedDict, total=False):
    """Switches of rules, as `Coercion.replace` takes them."""

    json_text: bool
    loose_json_text: bool
    number_text: bool
    allow_inf_nan: bool
    boolean_words: bool
    null_words: bool
    integral_floats: bool
    scalar_to_text: bool
    drop_null: bool
    drop_null_words: bool
    quoted_choices: bool
    empty_arguments: bool
    listed_arguments: bool
    sole_envelope: bool
    repair_text: bool
    text_over_string: bool
    null_words_over_string: bool
    container_to_text: bool
    scalar_to_list: bool
    comma_text: bool
    digit_groups: bool
    choice_spelling: bool
    key_spelling: bool
    drop_unknown: bool
    envelope: bool
    flattened_object: bool
    item_envelope: bool
    xml_items: bool
    single_item: bool
    nested_list: bool
    drop_placeholders: bool
    flattened_keys: bool
    sole_key: bool
    listed_pairs: bool
    html_entities: bool
    cut_off_text: bool
    repeated_items: bool


Preset = Literal["default", "off", "untyped", "forgiving", "lenient"]
"""The names of the presets."""


class Cost(NamedTuple):
    """The cost of a reading. Costs compare from the left; the search takes the least.

    >>> Cost(changes=9) < Cost(guesses=1)
    True
    """

    guesses: int = 0
    """Number of guesses. A reading without a guess wins over one that has any."""
    changes: int = 0
    """Number of changes."""
    words: int = 0
    """Number of changes that rest on a word, such as "yes", or turn a scalar into text."""

    def plus(self, other: Cost) -> Cost:
        """Return the sum of both costs."""
        if other is FREE:
            return self
        return Cost(
            self.guesses + other.guesses, self.changes + other.changes, self.words + other.words
        )


FREE = Cost()
"""Nothing is changed."""
CHANGE = Cost(changes=1)
"""A change that can only have been meant."""
WORD = Cost(changes=1, words=1)
"""A change that rests on a word."""
GUESS = Cost(guesses=1, changes=1)
"""A change that most people would make."""
WILD_GUESS = Cost(guesses=1, changes=1, words=1)
"""A guess that loses to others."""
LOSS = Cost(guesses=2, changes=1)
"""A change that drops something."""


RuleFunction: TypeAlias = Callable[[Any], Any]
"""Converts a value; returns the same object if it does not apply."""


class CoercionExample(NamedTuple):
    """A wrong value that a rule, and no other, corrects."""

    schema: Any
    sent: Any
    result: Any
    """The result of `sent` under `schema`."""
    is_text: bool = False
    """Whether `sent` is the text of a whole call, as a provider delivers it."""


Scope = Literal["value", "members", "structure"]
"""The subject of a rule: a value by itself; members together, or a container that they may replace;
or the structure of a value, which the schema has otherwise."""


class CoercionRule(NamedTuple):
    """A rule."""

    name: str
    """Its field of `Coercion`."""
    cost: Cost
    """The cost of each application. A repair of text weighs its edits by itself."""
    preset: Preset | None
    """The first preset that has it."""
    example: CoercionExample
    functions: Mapping[str, RuleFunction]
    """Functions that make the value of an expected type; other rules are the search's own."""
    scope: Scope

    @property
    def meaning(self) -> str:
        """Its effect: the sentence below its field, with code in backticks."""
        return _sentences()[self.name]

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of the presets that have it."""
        return tuple(preset for preset in PRESETS if getattr(PRESETS[preset], self.name))


def _rule(  # noqa: PLR0913 - one for each fact
    cost: Cost,
    preset: Preset | None,
    schema: Any,
    sent: Any,
    result: Any,
    *,
    is_text: bool = False,
    by: Mapping[str, RuleFunction] = MappingProxyType({}),
    scope: Scope = "value",
) -> Any:
    """Return the field of a rule, which is off without a preset that has it; `by` its functions."""
    facts = (cost, preset, CoercionExample(schema, sent, result, is_text), by, scope)
    return dataclasses.field(default=preset == "default", metadata={"rule": facts})


_STRING, _INTEGER, _ARRAY, _OBJECT = (
    {"type": name} for name in ("string", "integer", "array", "object")
)
_ORDER = {"enum": ["asc", "desc"]}
_CITY = {"properties": {"city": _STRING}, "additionalProperties": False}
_NEEDED = {"properties": {"city": _STRING}, "required": ["city"]}
_NESTED = {"properties": {"a": {"properties": {"b": {}}}}, "required": ["a"]}
_WRAPPED = {"properties": {"req": _OBJECT}, "required": ["req"], "additionalProperties": False}
_PAIRS = [{"key": "a", "value": 1}, {"key": "b", "value": 2}]

_SCALARS = ("boolean", "integer", "number", "string")


class _Hashed:
    """Has a place for a hash."""

    __slots__ = ("_hash",)

    _hash: int


@dataclass(frozen=True, slots=True)
class Coercion(_Hashed):
    """A switch for each rule; the presets are some of its values.

    >>> Coercion.default.replace(boolean_words=False).boolean_words
    False
    >>> Coercion.off.json_text
    False
    """

    default: ClassVar[Coercion]
    """The default: rules for values with one likely meaning."""
    off: ClassVar[Coercion]
    """A plain JSON Schema validator."""
    untyped: ClassVar[Coercion]
    """For transports that send every parameter as text: the schema decides how to parse strings."""
    forgiving: ClassVar[Coercion]
    """Adds guesses that regroup or respell values; they drop nothing but placeholders."""
    lenient: ClassVar[Coercion]
    """Adds to `forgiving` the rules that drop values, or complete truncated text."""

    json_text: bool = _rule(CHANGE, "default", _ARRAY, '["a"]', ["a"])
    """A JSON string is parsed where no string is allowed, at any depth: `"[1]"` becomes `[1]`."""
    loose_json_text: bool = _rule(WORD, "default", _OBJECT, "{a: True}", {"a": True})
    """A JSON5 or Python literal is parsed where no string is allowed: `"['a', True]"`."""
    number_text: bool = _rule(
        CHANGE,
        "default",
        _INTEGER,
        "10.0",
        10,
        by={"integer": scalars.integer_text, "number": scalars.number_text},
    )
    """`" 10 "`, `"1e3"` and `"+5"` become numbers; no digit of an integer is lost."""
    allow_inf_nan: bool = _rule(
        WORD,
        None,
        {"type": "number"},
        "-inf",
        float("-inf"),
        by={"number": scalars.number_beyond_json},
        scope="members",
    )
    """`"NaN"` and `"-inf"` become numbers, and these numbers are valid; JSON has none."""
    boolean_words: bool = _rule(
        WORD,
        "default",
        {"type": "boolean"},
        "yes",
        result=True,
        by={"boolean": scalars.boolean_word},
    )
    """`"yes"`, `"off"`, `"T"`, `1`, `0` and the like become booleans."""
    null_words: bool = _rule(
        WORD, "default", {"type": "null"}, "None", None, by={"null": scalars.null_word}
    )
    """`"null"`, `"None"` and `""` become null where no string is allowed."""
    integral_floats: bool = _rule(
        CHANGE, "default", _INTEGER, 3.0, 3, by={"integer": scalars.integral_float}
    )
    """`3.0` becomes `3` where an integer is expected."""
    scalar_to_text: bool = _rule(
        WORD, "default", _STRING, 10, "10", by={"string": scalars.scalar_text}
    )
    """A number or boolean becomes its JSON text where a string is expected."""
    drop_null: bool = _rule(CHANGE, "default", {"properties": {"a": _STRING}}, {"a": None}, {})
    """An optional property that may not be null is left out when it is null."""
    drop_null_words: bool = _rule(WORD, "default", {"properties": {"a": _INTEGER}}, {"a": ""}, {})
    """An optional property is left out when it is `""`, `"null"` or `"None"`, and may not be a
    string or has the default null."""
    quoted_choices: bool = _rule(WORD, "default", _ORDER, "'asc'", "asc")
    """A member of an enumeration loses the quotes around it: `"\\"asc\\""`."""
    empty_arguments: bool = _rule(CHANGE, "default", _OBJECT, "", {})
    """`""`, `"null"` and null for a whole call become `{}`, no arguments."""
    listed_arguments: bool = _rule(CHANGE, "default", _OBJECT, [{"a": 1}], {"a": 1})
    """A whole call is taken out of a list with one item."""
    sole_envelope: bool = _rule(
        CHANGE, "default", _CITY, {"input": {"city": "Rome"}}, {"city": "Rome"}
    )
    """The arguments are taken out of `{"arguments": ...}`, `input`, `INVALID_JSON` and the like,
    also out of a list of one in it, if the call has nothing else and no guess is needed. Out of any
    other key, they need all required names and only declared ones."""
    repair_text: bool = _rule(
        FREE, "default", _OBJECT, 'Here it is: {"a": 1}', {"a": 1}, is_text=True
    )
    """Text that is not JSON is repaired: fences, prose, JSON5, Python, missing brackets. With
    `loose_json_text`, this includes the text of an object or array in a parameter."""
    text_over_string: bool = _rule(
        CHANGE, "untyped", {"type": ["array", "string"]}, '["a"]', ["a"], scope="members"
    )
    """JSON containers, numbers and booleans are parsed also where a string is allowed."""
    null_words_over_string: bool = _rule(
        CHANGE, "untyped", {"type": ["string", "null"]}, "None", None, scope="members"
    )
    """`"null"` and `"None"` become null also where a string is allowed."""
    container_to_text: bool = _rule(
        WILD_GUESS,
        None,
        _STRING,
        {"a": 1},
        '{"a":1}',
        by={"string": guesses.container_text},
        scope="members",
    )
    """An object or array becomes its compact JSON text where a string is expected."""
    scalar_to_list: bool = _rule(
        WILD_GUESS, "forgiving", _ARRAY, "a", ["a"], by={"array": guesses.one_item}, scope="members"
    )
    """A single value becomes a list of one where an array is expected."""
    comma_text: bool = _rule(
        GUESS, "forgiving", _ARRAY, "a, b", ["a", "b"], by={"array": guesses.comma_items}
    )
    """`"a, b"`, or a line for each item, becomes a list where an array is expected."""
    digit_groups: bool = _rule(
        GUESS,
        "forgiving",
        _INTEGER,
        "1,000",
        1000,
        by={"integer": guesses.grouped_integer, "number": guesses.grouped_number},
    )
    """`"1,000"` becomes an integer, and `"1,234.5"` a number: a comma before each three digits."""
    choice_spelling: bool = _rule(GUESS, "forgiving", _ORDER, "ASC ", "asc")
    """A member of an enumeration matches in another case or spacing, if exactly one does."""
    key_spelling: bool = _rule(
        GUESS, "forgiving", _CITY, {"City": "Rome"}, {"city": "Rome"}, scope="members"
    )
    """An unknown key becomes the missing one that differs only in spelling or that it abbreviates
    (`env`), if that one is required or no other keys are allowed. A key that may mean something
    else stays: `{"desc": true}` is not a description. The proxy respells names of tools, too, a
    `Toolset` with every preset but `off`."""
    drop_unknown: bool = _rule(
        LOSS, "lenient", _CITY, {"city": "Rome", "x": 1}, {"city": "Rome"}, scope="members"
    )
    """Unknown keys are dropped where none are allowed."""
    envelope: bool = _rule(
        GUESS, "forgiving", _CITY, {"city": {"city": "Rome"}}, {"city": "Rome"}, scope="structure"
    )
    """The arguments are taken out of an envelope, also with a guess or next to the tool's name, and
    a parameter out of an object with its own name: `{"edits": {"edits": [...]}}`. The text in
    `{"arguments": "ls"}` becomes the only required parameter, if that is a string."""
    flattened_object: bool = _rule(
        GUESS, "forgiving", _WRAPPED, {"a": 1}, {"req": {"a": 1}}, scope="members"
    )
    """The only required parameter is made of its members if it is an object, and of a list if it is
    an array."""
    item_envelope: bool = _rule(
        GUESS,
        "forgiving",
        _ARRAY,
        {"item": [1, 2]},
        [1, 2],
        by={**dict.fromkeys(_SCALARS, guesses.enveloped_item), "array": guesses.enveloped_items},
        scope="structure",
    )
    """Items are taken out of `{"item": ...}`, or of the keys `"0"`, `"1"`, ..."""
    xml_items: bool = _rule(
        GUESS,
        "forgiving",
        _ARRAY,
        "<item>a</item><item>b</item>",
        ["a", "b"],
        by={"array": guesses.xml_items},
    )
    """`"<item>a</item><item>b</item>"` becomes a list where an array is expected."""
    single_item: bool = _rule(
        GUESS,
        "forgiving",
        _INTEGER,
        [5],
        5,
        by=dict.fromkeys((*_SCALARS, "object"), guesses.only_item),
        scope="members",
    )
    """The item of a one-element list replaces it where a single value is expected."""
    nested_list: bool = _rule(
        GUESS,
        "forgiving",
        {**_ARRAY, "items": _INTEGER},
        [[5, 6]],
        [5, 6],
        by={"array": guesses.inner_list},
        scope="members",
    )
    """A list that is the only item of a list replaces it."""
    drop_placeholders: bool = _rule(
        GUESS, "forgiving", {"properties": {"a": _ORDER}}, {"a": "N/A"}, {}, scope="members"
    )
    """An optional property is left out when it is `""`, `"null"`, `"undefined"`, `"N/A"` or `{}`,
    and its schema forbids that."""
    flattened_keys: bool = _rule(
        GUESS, "forgiving", _NESTED, {"a.b": 1}, {"a": {"b": 1}}, scope="structure"
    )
    """Unknown keys such as `a.b` and `a[0].b` become paths, if the schema has them."""
    sole_key: bool = _rule(
        WILD_GUESS, "forgiving", _NEEDED, {"city_name": "Rome"}, {"city": "Rome"}, scope="structure"
    )
    """The only unknown key becomes the only missing required one, if its value is valid there and
    not a boolean, and neither name negates the other (`dont_send`)."""
    listed_pairs: bool = _rule(
        GUESS, "forgiving", _OBJECT, _PAIRS, {"a": 1, "b": 2}, scope="structure"
    )
    """A list of `{"key": ..., "value": ...}` becomes an object, and an empty list an empty one."""
    html_entities: bool = _rule(FREE, None, _STRING, "R&amp;D", "R&D", scope="members")
    """HTML entities in strings are decoded once, if they end in a semicolon. For providers that
    escape."""
    cut_off_text: bool = _rule(FREE, "lenient", _OBJECT, '{"a": "once', {"a": "once"}, is_text=True)
    """`repair_text` also completes text that ends in a string, key or number, or after a comma."""
    repeated_items: bool = _rule(
        LOSS,
        None,
        {**_ARRAY, "uniqueItems": True},
        [5, 5],
        [5],
        by={"array": guesses.distinct_items},
        scope="members",
    )
    """Of equal items of an array that has to have unique ones, the first stays. It is on for an
    array that is a `set` of a Python function or model."""
    # a new rule comes last: pickles hold the switches in this order

    def __new__(cls, *presets: object, **rules: object) -> Coercion:  # noqa: PYI034 - it is final
        """Check the names and the values of rules, before a typo turns off the wrong one.

        Raises:
            TypeError: for anything but rules by name, each True or False.

        """
        if presets:
            message = f"Coercion takes rules by name; write coercion={presets[0]!r} for a preset"
            raise TypeError(message)
        for rule, value in rules.items():
            if rule not in cls.__slots__:
                from schema2model.json.names import nearest  # noqa: PLC0415 - for mistakes only

                near = nearest(rule, cls.__slots__)
                hint = f"; did you mean {near!r}?" if near else ""
                message = f"unknown rule of coercion {abridged_repr(rule)}{hint}"
                raise TypeError(message)
            if type(value) is not bool:
                message = f"{rule} is True or False, not {abridged_repr(value)}"
                raise TypeError(message)
        return object.__new__(cls)

    def __hash__(self) -> int:
        # asked for at each lookup of a schema, and computing it takes longer than the lookup
        try:
            return self._hash
        except AttributeError:
            rules = attrgetter(*Coercion.__slots__)(self)
            object.__setattr__(self, "_hash", hash(rules))
        return self._hash

    def replace(self, **changes: Unpack[CoercionSwitches]) -> Coercion:
        """Return a copy with some rules switched.

        Raises:
            TypeError: for an unknown rule, and a value that is not a boolean.

        >>> Coercion.default.replace(comma_texts=True)
        Traceback (most recent call last):
        ...
        TypeError: unknown rule of coercion 'comma_texts'; did you mean 'comma_text'?

        """
        return dataclasses.replace(self, **changes)

    @property
    def is_off(self) -> bool:
        """Whether all rules are off."""
        return not self.json_text and self == Coercion.off

    @property
    def reads_strings(self) -> bool:
        """Whether rules apply to valid strings."""
        return self.text_over_string or self.null_words_over_string or self.html_entities


def _restore_switches(self: Coercion, state: list[bool]) -> None:
    """Restore the switches of a pickle; rules that are newer than it have their default."""
    for field, switch in zip_longest(dataclasses.fields(self), state):
        object.__setattr__(self, field.name, field.default if switch is None else switch)


# Python 3.10 puts its own into the class of a frozen dataclass with slots
Coercion.__setstate__ = _restore_switches  # type: ignore[attr-defined]


COERCION_RULES: Final = tuple(
    CoercionRule(field.name, *field.metadata["rule"]) for field in dataclasses.fields(Coercion)
)
"""Every rule, in the order of the fields of `Coercion`."""

COSTS: Final[Mapping[str, Cost]] = {rule.name: rule.cost for rule in COERCION_RULES}
"""The cost of each rule."""


def _with_rules_of(*presets: Preset) -> Coercion:
    return Coercion(**{rule.name: rule.preset in presets for rule in COERCION_RULES})


Coercion.default = _with_rules_of("default")
Coercion.off = _with_rules_of()
Coercion.untyped = _with_rules_of("default", "untyped")
Coercion.forgiving = _with_rules_of("default", "forgiving")
Coercion.lenient = _with_rules_of("default", "forgiving", "lenient")

PRESETS: Mapping[str, Coercion] = {name: getattr(Coercion, name) for name in get_args(Preset)}
"""The presets by their names."""


def coercion_named(coercion: str | Coercion) -> Coercion:
    """Return a preset by its name, and a `Coercion` unchanged.

    Raises:
        ValueError: for an unknown name.

    """
    if isinstance(coercion, Coercion):
        return coercion
    try:
        return PRESETS[coercion]
    except (KeyError, TypeError):
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

        rules = ", or a Coercion such as Coercion(json_text=False)"
        hint = suggestion(coercion, PRESETS) + (rules if not isinstance(coercion, str) else "")
        message = f"unknown coercion {abridged_repr(coercion)}; {hint}"
        raise ValueError(message) from None


@cache
def _sentences() -> dict[str, str]:
    """Return the docstring of each field of `Coercion`; only the source has it."""
    import ast  # noqa: PLC0415 - only documentation and reports need it
    import inspect  # noqa: PLC0415 - only documentation and reports need it

    [declared] = ast.parse(inspect.getsource(Coercion)).body
    return {
        ast.unparse(field.target): " ".join(ast.literal_eval(sentence.value).split())
        for field, sentence in pairwise(getattr(declared, "body", ()))
        if isinstance(field, ast.AnnAssign) and field.value and isinstance(sentence, ast.Expr)
    }


Status = Literal["unchanged", "coerced", "repaired", "refused"]

STATUSES: Final[tuple[Status, ...]] = ("unchanged", "coerced", "repaired", "refused")
"""The statuses, the best first: valid as sent; valid after values were corrected; valid after the
text was repaired; refused."""


class _Change(Protocol):
    @property
    def rule(self) -> str: ...


def status_of(changes: Collection[_Change]) -> Literal["unchanged", "coerced", "repaired"]:
    """Return how arguments became valid: `repaired` if their text was not JSON.

    >>> from schema2model.types import Change
    >>> status_of([Change("/a", "json_text", "1", 1)])
    'coerced'
    """
    if not changes:
        return "unchanged"
    is_repaired = any(each.rule.startswith(("repair_text", "fallback_reader")) for each in changes)
    return "repaired" if is_repaired else "coerced"
