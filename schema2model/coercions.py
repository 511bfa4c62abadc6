"""`Coercion`: which mistakes are undone, one switch a rule, and the presets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

__all__ = ["Coercion", "coercion_named"]


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
    def is_off(self) -> bool:
        """Whether nothing is read as anything else."""
        return self == Coercion.off

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
