"""`Coercion`: which mistakes are undone, one switch a rule, and the presets.

To add a rule, add a field with its sentence to `Coercion`, and an example to `_EXAMPLES`. What the
documentation and the reports say about it is read from here, by `coercion_rules`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple, get_args

__all__ = [
    "PRESETS",
    "Coercion",
    "CoercionExample",
    "CoercionRule",
    "Preset",
    "coercion_named",
    "coercion_rules",
]


Preset = Literal["default", "off", "untyped", "forgiving", "lenient"]
"""The names of the presets."""


@dataclass(frozen=True, slots=True)
class Coercion:
    """One switch for each rule; the presets are some of its values.

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
    """For transports that send every parameter as text: strings are read by the schema."""
    forgiving: ClassVar[Coercion]
    """Adds guesses that regroup or respell what was sent; they drop nothing but placeholders."""
    lenient: ClassVar[Coercion]
    """Adds to these what drops something, or reads text that was cut off."""

    json_text: bool = True
    """A JSON string is parsed where no string is allowed, at any depth: `"[1]"` becomes `[1]`."""
    loose_json_text: bool = True
    """JSON5 or a Python literal is parsed where no string is allowed: `"['a', True]"`."""
    number_text: bool = True
    """`" 10 "`, `"1e3"` and `"+5"` become numbers; no digit of an integer is lost."""
    allow_inf_nan: bool = False
    """`"NaN"` and `"-inf"` become numbers, and these numbers are valid; JSON has none."""
    boolean_words: bool = True
    """`"yes"`, `"off"`, `"T"`, `1`, `0` and the like become booleans."""
    null_words: bool = True
    """`"null"`, `"None"` and `""` become null where no string is allowed."""
    integral_floats: bool = True
    """`3.0` becomes `3` where an integer is expected."""
    scalar_to_text: bool = True
    """A number or boolean becomes its JSON text where a string is expected."""
    drop_null: bool = True
    """An optional property that may not be null is left out when it is null."""
    drop_null_words: bool = True
    """An optional property that takes no string is left out when it is `""`, `"null"` or
    `"None"`."""
    quoted_choices: bool = True
    """A member of an enumeration loses the quotes around it: `"\\"asc\\""`."""
    empty_arguments: bool = True
    """`""`, `"null"` and null for a whole call become no arguments, `{}`."""
    listed_arguments: bool = True
    """A whole call is taken out of a list with one item."""
    repair_text: bool = True
    """Text that is not JSON is repaired: fences, prose, JSON5, Python, missing brackets."""
    text_over_string: bool = False
    """JSON containers, numbers and booleans are parsed also where a string is allowed."""
    null_words_over_string: bool = False
    """`"null"` and `"None"` become null also where a string is allowed."""
    container_to_text: bool = False
    """An object or array becomes its compact JSON text where a string is expected."""
    scalar_to_list: bool = False
    """A single value becomes a list of one where an array is expected."""
    comma_text: bool = False
    """`"a, b"` becomes a list where an array is expected."""
    choice_spelling: bool = False
    """A member of an enumeration matches in other case or spacing, if exactly one does."""
    key_spelling: bool = False
    """An unknown key is read as the absent one that it spells differently, if that one is
    required or no others are allowed."""
    drop_unknown: bool = False
    """Unknown keys are dropped where none are allowed."""
    envelope: bool = False
    """The call is taken out of `{"arguments": ...}` or `input`, `kwargs`, `params` and the like."""
    item_envelope: bool = False
    """Items are taken out of `{"item": ...}`, or of the keys `"0"`, `"1"`, ..."""
    xml_items: bool = False
    """Items are taken out of `<item>...</item>`, one after the other."""
    single_item: bool = False
    """The item of a one-element list replaces it where a single value is expected."""
    nested_list: bool = False
    """A list that is the only item of a list replaces it."""
    drop_placeholders: bool = False
    """An optional property is left out when it is `""`, `"null"`, `"undefined"`, `"N/A"` or `{}`
    and may not be that."""
    flattened_keys: bool = False
    """Unknown keys such as `a.b` and `a[0].b` become paths, if the schema has them."""
    sole_key: bool = False
    """The only unknown key becomes the only missing required one, if its value fits there."""
    listed_pairs: bool = False
    """A list of `{"key": ..., "value": ...}` becomes an object."""
    cut_off_text: bool = False
    """`repair_text` also completes text that ends in a string, key or number, or after a comma."""

    def __new__(cls, *presets: object, **rules: object) -> Coercion:  # noqa: PYI034 - it is final
        """Check the names and the values of rules, before a typo changes what is coerced.

        Raises:
            TypeError: for anything but rules by name, each True or False.

        """
        if presets:
            message = f"Coercion takes rules by name; write coercion={presets[0]!r} for a preset"
            raise TypeError(message)
        for rule, value in rules.items():
            if rule not in cls.__slots__:
                from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

                near = get_close_matches(rule, cls.__slots__, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                message = f"there is no rule of coercion {rule!r}{hint}"
                raise TypeError(message)
            if type(value) is not bool:
                message = f"{rule} is True or False, not {value!r}"
                raise TypeError(message)
        return object.__new__(cls)

    def replace(self, **changes: bool) -> Coercion:
        """A copy with some rules switched.

        Raises:
            TypeError: for an unknown rule, and a value that is not a boolean.

        >>> Coercion.default.replace(comma_texts=True)
        Traceback (most recent call last):
        ...
        TypeError: there is no rule of coercion 'comma_texts'; did you mean 'comma_text'?

        """
        return dataclasses.replace(self, **changes)

    @property
    def is_off(self) -> bool:
        """Whether nothing is read as anything else."""
        return self == Coercion.off

    @property
    def reads_strings(self) -> bool:
        """Whether a string may be read as something else even where it is valid."""
        return self.text_over_string or self.null_words_over_string


_FORGIVING = (
    "scalar_to_list",
    "comma_text",
    "choice_spelling",
    "key_spelling",
    "envelope",
    "item_envelope",
    "xml_items",
    "single_item",
    "nested_list",
    "drop_placeholders",
    "flattened_keys",
    "sole_key",
    "listed_pairs",
)

Coercion.default = Coercion()
Coercion.off = Coercion(**{f.name: False for f in dataclasses.fields(Coercion)})
Coercion.untyped = Coercion(text_over_string=True, null_words_over_string=True)
Coercion.forgiving = Coercion(**dict.fromkeys(_FORGIVING, True))
Coercion.lenient = Coercion.forgiving.replace(drop_unknown=True, cut_off_text=True)

PRESETS: Mapping[str, Coercion] = {name: getattr(Coercion, name) for name in get_args(Preset)}
"""The presets by their names."""


def coercion_named(coercion: str | Coercion) -> Coercion:
    """A preset by its name; a `Coercion` is returned as it is.

    Raises:
        ValueError: for an unknown name.

    """
    if isinstance(coercion, Coercion):
        return coercion
    try:
        return PRESETS[coercion]
    except (KeyError, TypeError):
        message = f"unknown coercion {coercion!r}; one of {', '.join(PRESETS)}, or a Coercion"
        raise ValueError(message) from None


# ---------------------------------------------------------------------------- what the rules mean
class CoercionExample(NamedTuple):
    """A wrong value that a rule, and no other, makes right."""

    schema: Any
    sent: Any
    result: Any
    """The result of `sent` under `schema`."""
    is_text: bool = False
    """Whether `sent` is the text of a whole call, as a provider delivers it."""


class CoercionRule(NamedTuple):
    """The description of a rule."""

    name: str
    """Its field of `Coercion`."""
    meaning: str
    """Its effect: the sentence below that field, with code in backticks."""
    example: CoercionExample
    presets: tuple[str, ...]
    """The names of the presets that have it."""


@cache
def coercion_rules() -> tuple[CoercionRule, ...]:
    """Every rule, in the order of the fields of `Coercion`.

    >>> rule = next(rule for rule in coercion_rules() if rule.name == "comma_text")
    >>> rule.meaning
    '`"a, b"` becomes a list where an array is expected.'
    >>> rule.example.sent, rule.example.result, rule.presets
    ('a, b', ['a', 'b'], ('forgiving', 'lenient'))
    """
    meanings = _sentences()
    return tuple(
        CoercionRule(
            field.name,
            meanings[field.name],
            _EXAMPLES[field.name],
            tuple(name for name, preset in PRESETS.items() if getattr(preset, field.name)),
        )
        for field in dataclasses.fields(Coercion)
    )


def _sentences() -> dict[str, str]:
    """The string below each field of `Coercion`; only the source has it."""
    import ast  # noqa: PLC0415 - only documentation and reports need it
    import inspect  # noqa: PLC0415 - the same
    from itertools import pairwise  # noqa: PLC0415 - the same

    [declared] = ast.parse(inspect.getsource(Coercion)).body
    return {
        ast.unparse(field.target): " ".join(ast.literal_eval(sentence.value).split())
        for field, sentence in pairwise(getattr(declared, "body", ()))
        if isinstance(field, ast.AnnAssign) and field.value and isinstance(sentence, ast.Expr)
    }


_CITY = {"properties": {"city": {"type": "string"}}, "additionalProperties": False}

_EXAMPLES: Mapping[str, CoercionExample] = {
    "json_text": CoercionExample({"type": "array"}, '["a"]', ["a"]),
    "loose_json_text": CoercionExample({"type": "object"}, "{a: True}", {"a": True}),
    "number_text": CoercionExample({"type": "integer"}, "10.0", 10),
    "allow_inf_nan": CoercionExample({"type": "number"}, "-inf", float("-inf")),
    "boolean_words": CoercionExample({"type": "boolean"}, "yes", result=True),
    "null_words": CoercionExample({"type": "null"}, "None", None),
    "integral_floats": CoercionExample({"type": "integer"}, 3.0, 3),
    "scalar_to_text": CoercionExample({"type": "string"}, 10, "10"),
    "drop_null": CoercionExample({"properties": {"a": {"type": "string"}}}, {"a": None}, {}),
    "drop_null_words": CoercionExample({"properties": {"a": {"type": "integer"}}}, {"a": ""}, {}),
    "quoted_choices": CoercionExample({"enum": ["asc", "desc"]}, "'asc'", "asc"),
    "empty_arguments": CoercionExample({"type": "object"}, "", {}),
    "listed_arguments": CoercionExample({"type": "object"}, [{"a": 1}], {"a": 1}),
    "repair_text": CoercionExample(
        {"type": "object"}, 'Here it is: {"a": 1}', {"a": 1}, is_text=True
    ),
    "text_over_string": CoercionExample({"type": ["array", "string"]}, '["a"]', ["a"]),
    "null_words_over_string": CoercionExample({"type": ["string", "null"]}, "None", None),
    "container_to_text": CoercionExample({"type": "string"}, {"a": 1}, '{"a":1}'),
    "scalar_to_list": CoercionExample({"type": "array"}, "a", ["a"]),
    "comma_text": CoercionExample({"type": "array"}, "a, b", ["a", "b"]),
    "choice_spelling": CoercionExample({"enum": ["asc", "desc"]}, "ASC ", "asc"),
    "key_spelling": CoercionExample(_CITY, {"City": "Rome"}, {"city": "Rome"}),
    "drop_unknown": CoercionExample(_CITY, {"city": "Rome", "x": 1}, {"city": "Rome"}),
    "envelope": CoercionExample(_CITY, {"arguments": {"city": "Rome"}}, {"city": "Rome"}),
    "item_envelope": CoercionExample({"type": "array"}, {"item": [1, 2]}, [1, 2]),
    "xml_items": CoercionExample({"type": "array"}, "<item>a</item><item>b</item>", ["a", "b"]),
    "single_item": CoercionExample({"type": "integer"}, [5], 5),
    "nested_list": CoercionExample(
        {"type": "array", "items": {"type": "integer"}}, [[5, 6]], [5, 6]
    ),
    "drop_placeholders": CoercionExample(
        {"properties": {"sort": {"enum": ["asc", "desc"]}}}, {"sort": "N/A"}, {}
    ),
    "flattened_keys": CoercionExample(
        {"properties": {"a": {"properties": {"b": {}}}}, "required": ["a"]},
        {"a.b": 1},
        {"a": {"b": 1}},
    ),
    "sole_key": CoercionExample(
        {"properties": {"city": {"type": "string"}}, "required": ["city"]},
        {"place": "Rome"},
        {"city": "Rome"},
    ),
    "listed_pairs": CoercionExample(
        {"type": "object"}, [{"key": "a", "value": 1}, {"key": "b", "value": 2}], {"a": 1, "b": 2}
    ),
    "cut_off_text": CoercionExample(
        {"type": "object"}, '{"a": "once upon a', {"a": "once upon a"}, is_text=True
    ),
}
"""An example for every rule, each held by a test."""
