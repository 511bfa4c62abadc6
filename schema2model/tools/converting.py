"""Validated JSON values as a function's own types: models, dataclasses, enums, dates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from schema2model.errors import Issue, SchemaError, ToolError, issue_of
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.values import NotJSONError
from schema2model.tools.annotations import decimal_validator, json_validator, long_numbers

__all__ = ["ABSENT", "Converter", "Gate", "core_parameters", "first_line", "widened", "widener"]

ABSENT = object()
"""A default for parameters that were not sent, which are then not passed on."""

_SAME: dict[str, frozenset[str]] = {
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

_NEUTRAL = frozenset({"metadata", "serialization", "ref", "copy_default", "custom_error_type"})


class Converter:
    """Turns valid arguments into what the parameters' annotations ask for.

    Args:
        name: the tool's name, for messages.
        adapter: pydantic's reading of the parameters, which returns them as a dict.
        optional: the parameters that the function has a default for.
        reserved: names that no argument may have, because the application fills them in.
        schema: the schema that was made of the parameters and has checked the arguments.

    >>> import datetime
    >>> def named(**arguments: datetime.date): return arguments
    >>> convert = Converter("f", TypeAdapter(named), optional=frozenset(), reserved=frozenset())
    >>> convert({"when": "2024-01-31"})
    {'when': datetime.date(2024, 1, 31)}

    """

    __slots__ = ("_from_long_numbers", "_name", "_optional", "_reserved", "_schema", "_validate")

    def __init__(
        self,
        name: str,
        adapter: TypeAdapter[Any],
        *,
        optional: frozenset[str],
        reserved: frozenset[str],
        schema: Any = True,
    ) -> None:
        self._name = name
        self._schema = schema
        self._validate = json_validator(adapter, schema_checks=schema is not True)
        self._from_long_numbers = decimal_validator(adapter)
        self._optional = optional
        self._reserved = reserved

    def __call__(self, arguments: dict[str, Any], text: str | None = None) -> dict[str, Any]:
        """The named arguments of the function.

        Args:
            arguments: valid arguments.
            text: the text that spells them, if there is one: a Decimal keeps its digits.

        Raises:
            ToolError: where a type refuses a value that the schema does not.

        """
        if not self._reserved.isdisjoint(arguments):
            raise _surplus(self._name, arguments, self._reserved.intersection(arguments))
        values = self._converted(arguments, text)
        if len(values) == len(arguments):
            return values
        # What was not sent is left to the function, whose own default may be any object.
        return {
            name: value
            for name, value in values.items()
            if name in arguments or (name not in self._optional and value is not ABSENT)
        }

    def _converted(self, arguments: dict[str, Any], text: str | None) -> dict[str, Any]:
        try:
            if text is not None and self._from_long_numbers is not None:
                numbers = long_numbers(text)
                if numbers:
                    spelled = canonical_json(arguments)
                    return self._from_long_numbers.validate_json(spelled, context=numbers)  # type: ignore[no-any-return]
            return self._validate(arguments)  # type: ignore[no-any-return]
        except ToolError:
            raise
        except ValidationError as error:
            found = _issues(error, arguments, self._schema)
        except (ValueError, TypeError) as error:
            expected = f"valid arguments ({first_line(str(error))})"
            found = (Issue("", "value", expected, quoted(arguments)),)
        raise ToolError.for_arguments(self._name, found)


def widener(tool: str, names: Collection[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A faster converter for functions of plain types: it turns whole numbers into floats.

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
                values = {**values, name: _float(number, name, tool)}
        return values

    return widen


def _float(number: int, name: str, tool: str) -> float:
    try:
        return float(number)
    except OverflowError:
        issue = Issue(pointer([name]), "maximum", "a number of at most 1.8e308", quoted(number))
        raise ToolError.for_arguments(tool, (issue,)) from None


class Gate:
    """Refuses arguments that the schema allows but that the function cannot be called with.

    Args:
        name: the tool's name, for messages.
        accepted: the arguments that the function takes; None if it takes any.
        required: those that it has to be given.
        reserved: names that no argument may have, because the application fills them in.

    >>> gate = Gate("f", accepted=frozenset({"a"}), required=["a"], reserved=frozenset())
    >>> gate({"a": 1})
    {'a': 1}
    >>> gate({})
    Traceback (most recent call last):
        ...
    schema2model.errors.ToolError: Error parsing arguments for `f`:
    - /a: expected a value (required), found nothing

    """

    __slots__ = ("_accepted", "_name", "_required", "_reserved")

    def __init__(
        self,
        name: str,
        *,
        accepted: frozenset[str] | None,
        required: Iterable[str],
        reserved: frozenset[str],
    ) -> None:
        self._name = name
        self._accepted = accepted
        self._required = frozenset(required)
        self._reserved = reserved

    def __call__(self, arguments: Any) -> dict[str, Any]:
        """The arguments, unchanged.

        Raises:
            ToolError: where there are too many or too few.

        """
        if not isinstance(arguments, dict):
            issue = Issue("", "type", "an object", quoted(arguments))
            raise ToolError.for_arguments(self._name, (issue,))
        names = arguments.keys()
        accepted, reserved = self._accepted, self._reserved
        if not (reserved.isdisjoint(names) if accepted is None else accepted.issuperset(names)):
            surplus = names & reserved if accepted is None else names - accepted
            raise _surplus(self._name, arguments, surplus)
        if not names >= self._required:
            missing = sorted(self._required - names)
            issues = [
                Issue(pointer([name]), "required", "a value (required)", "nothing")
                for name in missing
            ]
            raise ToolError.for_arguments(self._name, tuple(issues))
        return arguments


def _surplus(tool: str, arguments: dict[str, Any], names: Collection[str]) -> ToolError:
    issues = [
        Issue(pointer([name]), "additionalProperties", "no such property", quoted(value))
        for name, value in arguments.items()
        if name in names
    ]
    return ToolError.for_arguments(tool, tuple(issues))


def _issues(error: ValidationError, arguments: dict[str, Any], schema: Any) -> tuple[Issue, ...]:
    """Pydantic's errors as issues; if a validator raised a ToolError, that is raised again."""
    found = []
    for detail in error.errors(include_url=False):
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, ToolError):
            raise cause
        path = _path(detail["loc"], arguments, missing=detail["type"] == "missing")
        place = pointer(path)
        issue = issue_of(detail)
        if issue.keyword == "schema":  # the words of a validator, or of another type
            text = first_line(detail["msg"])
            start = "Input should be "
            if text.startswith(start):
                expected = text.removeprefix(start)
            else:
                expected = f"a valid value ({text.removeprefix('Value error, ')})"
            issue = Issue(place, detail["type"], expected, _quoted(detail["input"]))
        found.append(replace(issue, path=place, _schema=_schema_at(schema, path)))
    return tuple(dict.fromkeys(found))


def _schema_at(schema: Any, path: list[int | str]) -> Any:
    """The schema of a place; True if a reference or a union is on the way to it."""
    for token in path:
        if not isinstance(schema, dict):
            return True
        member = schema.get("items" if type(token) is int else "properties", True)
        member = (
            member.get(token, True) if isinstance(token, str) and member is not True else member
        )
        schema = member
    return schema if path else True


def _path(loc: tuple[int | str, ...], value: Any, *, missing: bool) -> list[int | str]:
    """The part of pydantic's location that leads through the arguments.

    The rest of it names validators and branches of unions. What is missing is named, too.
    """
    path: list[int | str] = []
    for token in loc:
        inside = isinstance(value, dict) and token in value
        if inside or (isinstance(value, list) and type(token) is int and token < len(value)):
            value = value[token]
            path.append(token)
    return [*path, loc[-1]] if missing and isinstance(value, dict) else path


def _quoted(value: Any) -> str:
    try:
        return quoted(value)
    except (TypeError, NotJSONError):
        return f"a {type(value).__name__}"


def first_line(text: str) -> str:
    r"""The first line of another library's message, cut to a readable length.

    >>> first_line("Input should be a date\nFor further information visit ...")
    'Input should be a date'
    """
    first = text.split("\n", 1)[0]
    return first if len(first) <= _MAX_LINE else first[: _MAX_LINE - 1] + "…"


_MAX_LINE = 200
"""Characters of another library's message that are passed on."""


# ---------------------------------------------------------------------------- pydantic-core
def core_parameters(adapter: TypeAdapter[Any]) -> dict[str, str | None]:
    """The parameters that pydantic sees, each with its alias or None.

    >>> def search(query: str, limit: int = 10) -> None: ...
    >>> core_parameters(TypeAdapter(search))
    {'query': None, 'limit': None}
    """
    found: dict[str, str | None] = {}
    for parameter in _arguments_schema(adapter)["arguments_schema"]:
        alias = parameter.get("alias")
        if alias is not None and not isinstance(alias, str):
            message = f"`{parameter['name']}` has several aliases; give it one, Field(alias=...)"
            raise SchemaError(message)
        found[parameter["name"]] = alias
    return found


def widened(adapter: TypeAdapter[Any], optional: Collection[str]) -> frozenset[str] | None:
    """The parameters that take floats, if all others take JSON values as they are.

    None if another parameter needs conversion, say to a date. `optional` are the parameters that
    the function has a default for.

    >>> import datetime
    >>> def search(query: str, tags: list[str] | None = None) -> None: ...
    >>> def travel(when: datetime.date) -> None: ...
    >>> widened(TypeAdapter(search), {"tags"}), widened(TypeAdapter(travel), ())
    (frozenset(), None)
    """
    schema = _arguments_schema(adapter)
    if not _is_plain(schema.get("var_kwargs_schema", {"type": "any"})):
        return None
    floats = set()
    for parameter in schema["arguments_schema"]:
        inner, name = parameter["schema"], parameter["name"]
        if "alias" in parameter:
            return None
        if inner["type"] == "default" and name in optional:
            inner = inner["schema"]
        if _is_float(inner):
            floats.add(name)
        elif not _is_plain(inner):
            return None
    return frozenset(floats)


def _arguments_schema(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    core: Mapping[str, Any] = adapter.core_schema
    if core["type"] == "definitions":
        core = core["schema"]
    return core["arguments_schema"]  # type: ignore[no-any-return]


def _is_float(schema: Any) -> bool:
    if schema["type"] == "nullable" and schema.keys() <= _SAME["nullable"] | _NEUTRAL:
        schema = schema["schema"]
    settings: set[str] = set(schema)
    return schema["type"] == "float" and settings <= _SAME["int"] | _NEUTRAL


def _is_plain_key(schema: Any) -> bool:
    return schema["type"] in {"any", "str"} and schema.keys() - _NEUTRAL == {"type"}


def _is_plain(schema: Any) -> bool:
    kind = schema["type"]
    if kind not in _SAME or not schema.keys() <= _SAME[kind] | _NEUTRAL:
        return False
    if kind == "literal":
        return all(type(value) in {str, bool, type(None)} for value in schema["expected"])
    if kind == "dict" and not _is_plain_key(schema.get("keys_schema", {"type": "str"})):
        return False
    branches = [
        branch[0] if isinstance(branch, tuple) else branch for branch in schema.get("choices", ())
    ]
    inner = [schema[key] for key in ("items_schema", "values_schema", "schema") if key in schema]
    return all(map(_is_plain, [*branches, *inner]))
