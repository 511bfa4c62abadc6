"""A vocabulary of our own: the Python type of strings and sets, in a schema made of annotations.

JSON Schema says `{"type": "string", "format": "date"}` of a date, and `format` asserts nothing.
Whoever makes the schema of an annotation knows the type, and gives it to the engine by location
(`TypeMarks`). The engine writes it into its own copy of the schema, where nobody else sees it, and
accepts only the strings that pydantic reads as that type.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

from schema2model.json.quoting import quoted
from schema2model.schema.vocabularies import Vocabulary, residual

__all__ = [
    "BYTE_SIZE",
    "DECIMAL_OR_FLOAT",
    "NAMES_LIKE",
    "NAME_EXAMPLE",
    "PYTHON_TYPE",
    "PYTHON_TYPES",
    "TIMES",
    "TYPE_NAMES",
    "USUAL_TEXTS",
    "TextOfType",
    "TypeMarks",
    "has_only_digits",
    "mark_types",
    "text_check",
    "without_marks",
]

TypeMarks: TypeAlias = tuple[tuple[tuple[str | int, ...], str], ...]
"""The names of types, each with the path to the subschema of its strings; and for mappings whose
keys are of a type, `NAMES_LIKE` with a key."""

PYTHON_TYPE: Final = "$pythonType"
"""The keyword; its value is the name of a type."""

NAME_EXAMPLE: Final = "$nameExample"
"""An annotation of a mapping whose keys are of a type: one of them."""

NAMES_LIKE: Final = "names like "

DECIMAL_OR_FLOAT: Final = "decimal-or-float"
"""The name of a Decimal in a union with a float, which pydantic makes of a number."""

BYTE_SIZE: Final = "byte-size"
"""The name of a `ByteSize`, whose texts are not made of numbers: pydantic takes integers alone."""

_UUID_VERSIONS: Final = (1, 3, 4, 5, 6, 7, 8)
"""The versions of UUIDs that pydantic has types for."""

TYPE_NAMES: Final = frozenset(
    (
        "date",
        "date-time",
        "time",
        "duration",
        "decimal",
        DECIMAL_OR_FLOAT,
        "uuid",
        *(f"uuid{version}" for version in _UUID_VERSIONS),
        "uri",
        "multi-host-uri",
        "email",
        "name-email",
        "ipvanyaddress",
        "ipvanynetwork",
        "ipvanyinterface",
        "zoneinfo",
        "ipv4",
        "ipv6",
        "ipv4network",
        "ipv6network",
        "ipv4interface",
        "ipv6interface",
    )
)
"""The names of types: the format that pydantic gives their strings, if they have one."""

TIMES: Final = frozenset(("date", "date-time", "time", "duration"))
"""Formats of types that pydantic also makes of numbers."""

_DIGITS: Final = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*")


def _types() -> dict[str, Any]:
    """The types by name, which is the format of their strings, if they have one."""
    import datetime as dt  # noqa: PLC0415 - few schemas are made of annotations
    import decimal  # noqa: PLC0415 - as datetime
    import ipaddress  # noqa: PLC0415 - as datetime
    import uuid  # noqa: PLC0415 - as datetime
    import zoneinfo  # noqa: PLC0415 - as datetime

    import pydantic  # noqa: PLC0415 - as datetime
    from pydantic_core import MultiHostUrl  # noqa: PLC0415 - as datetime

    return {
        "date": dt.date,
        "date-time": dt.datetime,
        "time": dt.time,
        "duration": dt.timedelta,
        "decimal": decimal.Decimal,
        DECIMAL_OR_FLOAT: decimal.Decimal,
        "uuid": uuid.UUID,
        **{f"uuid{n}": getattr(pydantic, f"UUID{n}") for n in _UUID_VERSIONS},
        "uri": pydantic.AnyUrl,
        "multi-host-uri": MultiHostUrl,
        "ipvanyaddress": pydantic.IPvAnyAddress,
        "ipvanynetwork": pydantic.IPvAnyNetwork,
        "ipvanyinterface": pydantic.IPvAnyInterface,
        "zoneinfo": zoneinfo.ZoneInfo,
        "ipv4": ipaddress.IPv4Address,
        "ipv6": ipaddress.IPv6Address,
        "ipv4network": ipaddress.IPv4Network,
        "ipv6network": ipaddress.IPv6Network,
        "ipv4interface": ipaddress.IPv4Interface,
        "ipv6interface": ipaddress.IPv6Interface,
    }


_DAY = (
    r"[12][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
)
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?"
USUAL_TEXTS: Final = {
    "date": rf"^{_DAY}\z",
    "time": rf"^{_TIME}(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])?\z",
    "decimal": r"^-?[0-9]{1,30}(?:\.[0-9]{1,30})?\z",
    "date-time": rf"^{_DAY}T{_TIME}(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])?\z",
    "uuid": r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\z",
}
"""Patterns of texts that are surely of a type. pydantic-core matches them by itself, which takes a
third of the time of asking `text_check`."""


def has_only_digits(text: str) -> bool:
    """Return whether a text spells a number, which pydantic counts in seconds since 1970.

    >>> has_only_digits("20261224"), has_only_digits("2026-12-24")
    (True, False)
    """
    return _DIGITS.fullmatch(text) is not None


@cache
def text_check(name: str) -> Callable[[str], bool] | None:
    """Return the test whether a string is one of a type's; None for an unknown type.

    Digits are not dates or times.

    >>> is_date = text_check("date")
    >>> [is_date(text) for text in ("2026-12-24", "20261224", "null")]
    [True, False, False]
    >>> text_check("decimal")("1e5"), text_check("uuid")("0" * 32)
    (True, True)
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 - few schemas are made of annotations

    if name in {"email", "name-email"}:
        return lambda text: "@" in text  # pydantic has a package of its own check the rest
    kind = _types().get(name)
    if kind is None:
        return None
    is_readable: Callable[[str], bool] = TypeAdapter(kind).validator.isinstance_python
    if name not in TIMES:
        return is_readable
    is_number = _DIGITS.fullmatch
    return lambda text: is_number(text) is None and is_readable(text)


def mark_types(schema: Any, marks: TypeMarks) -> None:
    """Write the names of types into an engine's own copy of the schema, in place."""
    for path, name in marks:
        subschema = schema
        for token in path:
            subschema = subschema[token]
        example = name.removeprefix(NAMES_LIKE)
        subschema[PYTHON_TYPE if example == name else NAME_EXAMPLE] = example


def without_marks(schema: Any) -> Any:
    """Return a schema without the names of types, as others see it.

    >>> without_marks({"anyOf": [{"type": "string", PYTHON_TYPE: "date"}, {"type": "null"}]})
    {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
    """
    if type(schema) is dict:
        kept = schema.keys() - {PYTHON_TYPE, NAME_EXAMPLE}
        return {k: without_marks(value) for k, value in schema.items() if k in kept}
    return [*map(without_marks, schema)] if type(schema) is list else schema


class TextOfType:
    """The keyword for jsonschema-rs."""

    def __init__(self, parent_schema: Any, value: str, schema_path: Any) -> None:  # noqa: ARG002 - jsonschema-rs's signature
        self._is_text_of_type = text_check(value)

    def validate(self, instance: Any) -> None:
        """Refuse a string that is not one of the type's.

        Raises:
            ValueError: for such a string.

        """
        test = self._is_text_of_type
        if type(instance) is str and test is not None and not test(instance):
            message = f"{quoted(instance)} is not of the type"
            raise ValueError(message)


PYTHON_TYPES: Vocabulary = {PYTHON_TYPE: residual(PYTHON_TYPE, instance="string")}
