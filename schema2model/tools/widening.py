"""Functions of plain types: their arguments are JSON values, but for integers that become floats.

For them no pydantic validator has to run after the schema's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from pydantic import TypeAdapter

from schema2model.errors import Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted

__all__ = ["arguments_schema", "float_parameters", "widener"]

_SAME: Final[dict[str, frozenset[str]]] = {
    "any": frozenset({"type"}),
    "none": frozenset({"type"}),
    "bool": frozenset({"type"}),
    "int": frozenset({"type", "le", "ge", "lt", "gt"}),
    "str": frozenset({"type", "min_length", "max_length"}),
    "list": frozenset({"type", "items_schema", "min_length", "max_length"}),
    "dict": frozenset({"type", "keys_schema", "values_schema", "min_length", "max_length"}),
    "nullable": frozenset({"type", "schema"}),
    "union": frozenset({"type", "choices"}),
    "literal": frozenset({"type", "expected"}),
}
"""The types of core schemas that return a valid JSON value unchanged, and the settings with which
they still do."""

_NEUTRAL: Final = frozenset(
    {"metadata", "serialization", "ref", "copy_default", "custom_error_type"}
)
"""Settings that do not matter to the values that a core schema returns."""


def float_parameters(adapter: TypeAdapter[Any], optional: Collection[str]) -> frozenset[str] | None:
    """Return the parameters that take floats, if all others take JSON values as they are.

    None if another parameter needs conversion, say to a date. `optional` are the parameters that
    the function has a default for.

    >>> import datetime
    >>> def search(query: str, tags: list[str] | None = None) -> None: ...
    >>> def travel(when: datetime.date) -> None: ...
    >>> float_parameters(TypeAdapter(search), {"tags"}), float_parameters(TypeAdapter(travel), ())
    (frozenset(), None)
    """
    schema = arguments_schema(adapter)
    if not _is_plain(schema.get("var_kwargs_schema", {"type": "any"})):
        return None
    floats = set()
    for parameter in schema["arguments_schema"]:
        inner, name = parameter["schema"], parameter["name"]
        if "alias" in parameter:
            return None
        if inner["type"] == "default" and name in optional:  # an ellipsis is no default
            inner = inner["schema"]
        if _is_float(inner):
            floats.add(name)
        elif not _is_plain(inner):
            return None
    return frozenset(floats)


def arguments_schema(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    """Return the core schema of the parameters of a function.

    >>> def search(query: str) -> None: ...
    >>> [each["name"] for each in arguments_schema(TypeAdapter(search))["arguments_schema"]]
    ['query']
    """
    core: Mapping[str, Any] = adapter.core_schema
    if core["type"] == "definitions":
        core = core["schema"]
    return core["arguments_schema"]  # type: ignore[no-any-return]


def _is_float(schema: Any) -> bool:
    if schema["type"] == "nullable" and schema.keys() <= _SAME["nullable"] | _NEUTRAL:
        schema = schema["schema"]
    settings: set[str] = set(schema)
    return schema["type"] == "float" and settings <= _SAME["int"] | _NEUTRAL


def _is_plain(schema: Any) -> bool:
    kind = schema["type"]
    if kind not in _SAME or not schema.keys() <= _SAME[kind] | _NEUTRAL:
        return False
    if kind == "literal":
        return all(type(value) in {str, bool, type(None)} for value in schema["expected"])
    if kind == "dict":  # keys are strings in JSON
        keys = schema.get("keys_schema", {"type": "str"})
        if keys["type"] not in {"any", "str"} or keys.keys() - _NEUTRAL != {"type"}:
            return False
    branches = [
        branch[0] if isinstance(branch, tuple) else branch for branch in schema.get("choices", ())
    ]
    inner = [schema[key] for key in ("items_schema", "values_schema", "schema") if key in schema]
    return all(map(_is_plain, [*branches, *inner]))


def widener(tool: str, names: Collection[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a converter for functions of plain types, which turns integers into floats.

    Args:
        tool: the tool's name, for messages.
        names: the parameters that take floats.

    >>> widener("f", ["x"])({"x": 1, "n": 1})
    {'x': 1.0, 'n': 1}

    """
    floats = tuple(names)

    def widen(arguments: dict[str, Any]) -> dict[str, Any]:
        values = arguments
        for name in floats:
            number = arguments.get(name)
            if type(number) is int:
                try:
                    values = {**values, name: float(number)}
                except OverflowError:
                    found, largest = quoted(number), "a number of at most 1.8e308"
                    issue = Issue(pointer([name]), "maximum", largest, found)
                    raise ToolError.for_arguments(tool, (issue,)) from None
        return values

    return widen
