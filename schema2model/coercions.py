"""Which mistakes are undone: `Coercion`, and one function for each rule on a single value.

A rule function takes a plain value and returns what it can only have meant, or the same object
where the rule has nothing to say. It knows no schema: whether the reading is right, the schema
judges. Rules that need the schema (dropping a null, spelling a key) are in `readings`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from schema2model.text.exact import NOTHING, exact_json
from schema2model.values import MAX_DIGITS, is_integral_float

__all__ = ["GUESS", "RULES", "Coercion", "Rule", "coercion_named"]


@dataclass(frozen=True, slots=True)
class Coercion:
    """One switch for each rule; the presets are four of its values.

    >>> Coercion.default.replace(boolean_words=False).boolean_words
    False
    >>> Coercion.off.json_text
    False
    """

    default: ClassVar[Coercion]
    """What users get: what can only have been meant."""
    off: ClassVar[Coercion]
    """A plain JSON Schema validator."""
    untyped: ClassVar[Coercion]
    """For transports that send every parameter as text: strings are read by the schema."""
    lenient: ClassVar[Coercion]
    """Adds guesses that most people would make."""

    json_text: bool = True
    """A string of JSON is read where no string may stand, at any depth: `"[1]"` becomes `[1]`."""
    loose_json_text: bool = True
    """JSON5 or a Python literal in a string is read where no string may stand: `"['a', True]"`."""
    number_text: bool = True
    """`" 10 "`, `"1e3"` and `"+5"` are read as numbers; no digit of an integer is lost."""
    allow_inf_nan: bool = False
    """`"NaN"` and `"-inf"` are read as numbers, and these numbers pass; JSON has none."""
    boolean_words: bool = True
    """`"yes"`, `"off"`, `"T"`, `1`, `0` and the like are read as booleans."""
    null_words: bool = True
    """`"null"`, `"None"` and `""` are read as null where no string may stand."""
    integral_floats: bool = True
    """`3.0` becomes `3` where an integer is wanted."""
    scalar_to_text: bool = True
    """A number or boolean becomes its JSON text where a string is wanted."""
    drop_null: bool = True
    """An optional property that may not be null is left out when it is null."""
    quoted_choices: bool = True
    """A member of an enumeration is read without quotes around it: `"\\"asc\\""`."""
    empty_arguments: bool = True
    """`""`, `"null"` and null for a whole call are read as no arguments, `{}`."""
    listed_arguments: bool = True
    """A whole call is read out of the list that has nothing else in it."""
    repair_text: bool = True
    """Argument text that is not JSON is mended: fences, prose, JSON5, Python, missing brackets."""
    text_over_string: bool = False
    """JSON containers, numbers and booleans are read also where a string may stand."""
    null_words_over_string: bool = False
    """`"null"` and `"None"` are null also where a string may stand."""
    container_to_text: bool = False
    """An object or array becomes its compact JSON text where a string is wanted."""
    scalar_to_list: bool = False
    """A single value becomes a list of one where an array is wanted."""
    comma_text: bool = False
    """`"a, b"` becomes a list where an array is wanted."""
    choice_spelling: bool = False
    """A member of an enumeration is read in other case or spacing."""
    key_spelling: bool = False
    """An unknown key is read as the absent declared one that it spells differently."""
    drop_unknown: bool = False
    """Unknown keys are dropped where none are allowed."""
    envelope: bool = False
    """The call is read out of `{"arguments": ...}`, `input`, `kwargs` or `_`."""
    item_envelope: bool = False
    """Items are read out of `{"item": ...}`, or from under `"0"`, `"1"`, ..."""
    single_item: bool = False
    """The item of a one-element list is read where a single value is wanted."""
    cut_off_text: bool = False
    """Argument text that ends inside a string, key or number is read as far as it goes."""

    def replace(self, **changes: bool) -> Coercion:
        """A copy with some rules switched.

        Raises:
            TypeError: for a name that is no rule.

        """
        return dataclasses.replace(self, **changes)

    @property
    def reads_strings(self) -> bool:
        """Whether a string may be read as something else even where it is valid."""
        return self.text_over_string or self.null_words_over_string


_LENIENT = [
    "container_to_text",
    "scalar_to_list",
    "comma_text",
    "choice_spelling",
    "key_spelling",
    "drop_unknown",
    "envelope",
    "item_envelope",
    "single_item",
    "cut_off_text",
]

Coercion.default = Coercion()
Coercion.off = Coercion(**{f.name: False for f in dataclasses.fields(Coercion)})
Coercion.untyped = Coercion(text_over_string=True, null_words_over_string=True)
Coercion.lenient = Coercion(**dict.fromkeys(_LENIENT, True))

_PRESETS: Mapping[str, Coercion] = {
    name: getattr(Coercion, name) for name in ("default", "off", "untyped", "lenient")
}


def coercion_named(coercion: str | Coercion) -> Coercion:
    """A preset by its name; a `Coercion` is returned as it is.

    Raises:
        ValueError: for an unknown name.

    """
    if isinstance(coercion, Coercion):
        return coercion
    try:
        return _PRESETS[coercion]
    except (KeyError, TypeError):
        message = f"unknown coercion {coercion!r}; one of {', '.join(_PRESETS)}, or a Coercion"
        raise ValueError(message) from None


# ------------------------------------------------------------------------------- single values
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*", re.ASCII)
_FAST_DIGITS = 18
_BOOLEANS = dict.fromkeys(("true", "yes", "on", "1", "t", "y"), True) | dict.fromkeys(
    ("false", "no", "off", "0", "f", "n"), False
)
_NULLS = frozenset(("null", "none", ""))
_NON_FINITE = frozenset(("nan", "inf", "infinity"))
_LONGEST_WORD = 16
_QUOTES = frozenset("\"'`")


def json_text(value: Any) -> Any:
    """Read what a text spells in exact JSON.

    >>> json_text('["a"]'), json_text("no")
    (['a'], 'no')

    """
    if type(value) is not str:
        return value
    parsed = exact_json(value)
    return value if parsed is NOTHING else parsed


def integer_text(value: Any) -> Any:
    """Read a number with no fraction from text, every digit of it.

    >>> integer_text(" 10.0 "), integer_text("1e3"), integer_text("10.5")
    (10, 1000, '10.5')
    """
    if type(value) is not str:
        return value
    if value.isdigit() and value.isascii() and len(value) < _FAST_DIGITS:
        return int(value)
    if len(value) > MAX_DIGITS or (match := _NUMBER.fullmatch(value)) is None:
        return value
    number = Decimal(match[1])
    if abs(number.adjusted()) >= MAX_DIGITS or number != number.to_integral_value():
        return value
    return int(number)


def number_text(value: Any) -> Any:
    """Read a number from text: an `int` where it has neither point nor exponent.

    >>> number_text("12345678901234567890"), number_text("-.5"), number_text("1e400")
    (12345678901234567890, -0.5, '1e400')
    """
    if type(value) is not str:
        return value
    if len(value) > MAX_DIGITS or (match := _NUMBER.fullmatch(value)) is None:
        return value
    if match[1].lstrip("+-").isdigit():
        return int(match[1])
    nearest = float(match[1])
    return nearest if math.isfinite(nearest) else value


def exact_number_text(value: Any) -> Any:
    """Read a number from text: as `number_text`, but the integer it spells if a float loses digits.

    >>> exact_number_text("1.0"), exact_number_text("12345678901234567890.0")
    (1.0, 12345678901234567890)
    """
    number = number_text(value)
    exact = integer_text(value) if type(number) is float else number
    return exact if type(exact) is int and exact != number else number


def number_beyond_json(value: Any) -> Any:
    """Read NaN and the infinities from text.

    >>> number_beyond_json("-inf")
    -inf
    """
    if type(value) is str and len(value) <= _LONGEST_WORD:
        word = value.strip().lower()
        if word.lstrip("+-") in _NON_FINITE:
            return float(word)
    return value


def integral_float(value: Any) -> Any:
    """Read a float without a fraction as the integer it equals.

    >>> integral_float(3.0), integral_float(3.5)
    (3, 3.5)
    """
    return int(value) if is_integral_float(value) else value


def boolean_word(value: Any) -> Any:
    """Read a boolean from a word, or from 1 and 0.

    >>> boolean_word("Yes"), boolean_word(0), boolean_word("maybe")
    (True, False, 'maybe')
    """
    if type(value) is str:
        word = _BOOLEANS.get(value)
        if word is None and len(value) <= _LONGEST_WORD:
            word = _BOOLEANS.get(value.strip().lower())
        return value if word is None else word
    return value == 1 if type(value) is int and value in (0, 1) else value


def null_word(value: Any) -> Any:
    """Read null from a word for it, or from empty text.

    >>> null_word("None"), null_word("nothing")
    (None, 'nothing')
    """
    if type(value) is str and (
        value in _NULLS or (len(value) <= _LONGEST_WORD and value.strip().lower() in _NULLS)
    ):
        return None
    return value


def scalar_text(value: Any) -> Any:
    """Write a number or boolean as its JSON text.

    >>> scalar_text(True), scalar_text(1.5), scalar_text(None)
    ('true', '1.5', None)
    """
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or type(value) is float:
        try:
            return json.dumps(value, allow_nan=False)
        except ValueError:  # not finite, or more digits than Python writes
            return value
    return value


def unquoted(value: Any) -> Any:
    """Take one pair of quotes away.

    >>> unquoted("'asc'"), unquoted("asc")
    ('asc', 'asc')
    """
    if type(value) is str:
        text = value.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
            return text[1:-1]
    return value


# ------------------------------------------------------------------------- guesses, for lenient
def container_text(value: Any) -> Any:
    """Write an object or array as its compact JSON text.

    >>> container_text({"a": [1, 2]})
    '{"a":[1,2]}'
    """
    if type(value) is dict or type(value) is list:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def one_item(value: Any) -> Any:
    """Make a list of a single value.

    >>> one_item("a"), one_item(["a"])
    (['a'], ['a'])
    """
    return value if type(value) is list or value is None else [value]


def comma_items(value: Any) -> Any:
    """Make a list of what commas separate, if there is something between all of them.

    >>> comma_items("a, b")
    ['a', 'b']
    """
    if type(value) is str and "," in value:
        items = [item.strip() for item in value.split(",")]
        if all(items):
            return items
    return value


def enveloped_items(value: Any) -> Any:
    """Make a list of an object that stands for one.

    >>> enveloped_items({"0": "a", "1": "b"}), enveloped_items({"item": [1, 2]})
    (['a', 'b'], [1, 2])
    """
    if type(value) is not dict or not value:
        return value
    if value.keys() == {"item"}:
        return value["item"] if type(value["item"]) is list else [value["item"]]
    if list(value) == [str(index) for index in range(len(value))]:
        return list(value.values())
    return value


def enveloped_item(value: Any) -> Any:
    """Take a value out of `{"item": ...}`.

    >>> enveloped_item({"item": 14})
    14
    """
    return value["item"] if type(value) is dict and value.keys() == {"item"} else value


def only_item(value: Any) -> Any:
    """Take the only item out of a list.

    >>> only_item([5]), only_item([5, 6])
    (5, [5, 6])
    """
    return value[0] if type(value) is list and len(value) == 1 else value


class Rule(NamedTuple):
    """A rule on a single value: its field of `Coercion`, its function, how far it guesses."""

    name: str
    function: Callable[[Any], Any]
    guess: int


_WORD = 1
"""How far a word guesses: of readings with as many changes, one without words is taken."""

GUESS = 10**12
"""How far the lenient rules guess: no reading with one is taken where there is one without."""

_LISTS = Rule("single_item", only_item, GUESS)
_ITEM = Rule("item_envelope", enveloped_item, GUESS)
_SINGLE = (_ITEM, _LISTS)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "null": (Rule("null_words", null_word, _WORD),),
    "boolean": (Rule("boolean_words", boolean_word, _WORD), *_SINGLE),
    "integer": (
        Rule("number_text", integer_text, 0),
        Rule("integral_floats", integral_float, 0),
        *_SINGLE,
    ),
    "number": (
        Rule("number_text", number_text, 0),
        Rule("allow_inf_nan", number_beyond_json, _WORD),
        *_SINGLE,
    ),
    "string": (
        Rule("scalar_to_text", scalar_text, _WORD),
        Rule("container_to_text", container_text, GUESS + 1),
        *_SINGLE,
    ),
    "array": (
        Rule("item_envelope", enveloped_items, GUESS),
        Rule("comma_text", comma_items, GUESS),
        Rule("scalar_to_list", one_item, GUESS + 1),
    ),
    "object": (_LISTS,),
}
"""The rules by the type that is wanted, each list in the order in which readings are tried."""
