"""The arguments of a call in a text: JSON, JSON in a JSON string, or a text for each parameter."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection
from typing import Any, Final

from pydantic_core import from_json

from schema2model.calls.tool_names import ToolNames
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
    repeated: list[str] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        read = dict(pairs)
        if len(read) < len(pairs):
            repeated.extend(key for key, value in pairs if json_key(value) != json_key(read[key]))
        return read

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text, object_pairs_hook=read_object, strict=False)
    return repeated[0] if repeated else None


def by_schema(names: ToolNames, name: str, values: dict[str, str], strings: Collection[str]) -> Any:
    """Arguments whose values are text: the schema says what each of them is.

    Strings are unchanged, and JSON is parsed, if the result is valid.
    """
    if len(values) == 1:
        (key,) = values
        if key in _ENVELOPES and key not in names.parameters(name) and "{" in values[key]:
            return names.schema(name).validate_json(values[key])
    read = names.untyped(name).validate(values)
    settled: dict[str, Any] = {
        key: values[key] for key in strings if type(read.get(key)) is not str
    }
    for key, value in read.items():
        if type(value) in _CONTAINERS and key in values and key not in strings:
            try:
                written = from_json(values[key], allow_inf_nan=False)
            except (TypeError, ValueError):  # half a surrogate pair
                continue
            if type(written) is type(value) and written != value:
                settled[key] = written
    if settled:
        try:
            return names.schema(name).validate({**read, **settled})
        except ToolError:
            pass
    return read
