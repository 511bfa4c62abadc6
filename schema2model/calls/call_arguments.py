"""The arguments of a call in a text: JSON, JSON in a JSON string, or a text for each parameter."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, Final

from pydantic_core import from_json

from schema2model.calls.tool_names import ToolNames
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.json.equality import json_key

__all__ = ["by_schema", "repeated_name", "unwrapped"]

_ENVELOPES: Final = frozenset(
    ("arguments", "input", "parameters", "params", "properties", "args", "kwargs")
)
"""A parameter that holds all of them, where the tool declares none of that name."""
_NAME_END: Final = re.compile(r'"\s*:')
"""The end of a name, or something like it in a string."""
_CONTAINERS: Final = frozenset((dict, list))


def unwrapped(text: str) -> str:
    """The text of arguments that were written as a JSON string."""
    if text[:1] == '"':
        try:
            inner = from_json(text)
        except (TypeError, ValueError):
            return text
        return inner if type(inner) is str else text
    return text


def repeated_name(text: str, members: int) -> str | None:
    """Return a name that has two different values in one object; None for text that is not JSON.

    `members` is the number of members that were read.

    >>> repeated_name('{"a": 1, "a": 2}', 1), repeated_name('{"a": 1, "a": 1}', 1)
    ('a', None)
    """
    if len(_NAME_END.findall(text)) == members:
        return None
    try:
        json.loads(text, object_pairs_hook=_unrepeated, strict=False)
    except _RepeatedError as error:
        return str(error)
    except (ValueError, RecursionError):
        pass
    return None


class _RepeatedError(Exception):
    """A name that is repeated with another value."""


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        for name, value in pairs:
            if json_key(value) != json_key(members[name]):
                raise _RepeatedError(name)
    return members


def by_schema(names: ToolNames, name: str, values: dict[str, str], strings: Collection[str]) -> Any:
    """Arguments whose values are text: the schema says what each of them is."""
    if len(values) == 1:
        (key,) = values
        if key in _ENVELOPES and key not in names.parameters(name) and "{" in values[key]:
            return names.schema(name).validate_json(values[key])
    read = names.untyped(name).validate(values)
    for value in read.values():
        if type(value) in _CONTAINERS:
            return _settled(names.schema(name), values, strings, read)
    for key in strings:
        if type(read.get(key)) is not str:
            return _settled(names.schema(name), values, strings, read)
    return read


def _settled(
    schema: CompiledSchema, values: dict[str, str], strings: Collection[str], read: dict[str, Any]
) -> Any:
    """The arguments, with strings unchanged and JSON parsed."""
    settled: dict[str, Any] = {}
    for key in strings:
        if type(read.get(key)) is not str:
            settled[key] = values[key]
    for key, text in values.items():
        if key not in strings and (value := _in_json(text, read.get(key))) is not None:
            settled[key] = value
    if settled:
        try:
            return schema.validate({**read, **settled})
        except ToolError:
            pass
    return read


def _in_json(text: str, read: Any) -> Any:
    """The object or list that a text is in JSON, if the schema reads it otherwise."""
    if type(read) not in _CONTAINERS:
        return None
    try:
        value = from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):
        return None
    return value if type(value) is type(read) and value != read else None
