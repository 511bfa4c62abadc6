"""Arguments as they stand in a text: JSON, JSON in a JSON string, or a text for each parameter."""

from __future__ import annotations

from typing import Any, Final

from pydantic_core import from_json

from schema2model.calls.names import ToolNames
from schema2model.errors import ToolError

__all__ = ["by_schema", "unwrapped"]

_ENVELOPES: Final = frozenset(
    ("arguments", "input", "parameters", "params", "properties", "args", "kwargs")
)
"""A parameter that holds all of them, where the tool declares none of that name."""
_CONTAINERS: Final = frozenset((dict, list))


def unwrapped(text: str) -> str:
    """The text of arguments that were written as a JSON string."""
    if text[:1] == '"':
        try:
            inner = from_json(text)
        except ValueError:
            return text
        return inner if type(inner) is str else text
    return text


def by_schema(names: ToolNames, name: str, values: dict[str, str], strings: frozenset[str]) -> Any:
    """Arguments whose values are text: the schema says what each of them is."""
    compiled = names.schema(name)
    if len(values) == 1:
        (key,) = values
        if key in _ENVELOPES and key not in names.parameters(name) and "{" in values[key]:
            return compiled.validate_json(values[key])
    read = names.schema(name, untyped=True).validate(values)
    if not strings and not any(type(value) in _CONTAINERS for value in read.values()):
        return read
    settled = {
        key: value
        for key, text in values.items()
        if (value := _settled(text, read.get(key), is_string=key in strings)) is not None
    }
    if settled:
        try:
            return compiled.validate({**read, **settled})
        except ToolError:
            pass
    return read


def _settled(text: str, read: Any, *, is_string: bool) -> Any:
    """What the text itself says that a value is, where the schema might read it otherwise."""
    if is_string:
        return text if type(read) is not str else None
    if type(read) is dict or type(read) is list:
        try:
            value = from_json(text, allow_inf_nan=False)
        except ValueError:
            return None
        return value if type(value) is type(read) and value != read else None
    return None
