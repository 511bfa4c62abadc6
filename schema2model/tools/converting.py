"""Validated JSON values as a function's own types: models, dataclasses, enums, dates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from schema2model.errors import NO_PROPERTY, NOTHING_SENT, Issue, ToolError, first_line, issue_of
from schema2model.json.pointers import path_in_data, pointer
from schema2model.json.quoting import quoted
from schema2model.tools.annotations import json_validator
from schema2model.tools.parameters import InstanceArguments

__all__ = [
    "ABSENT",
    "Converter",
    "class_converter",
    "undeclared_arguments",
]

ABSENT: Final = object()
"""A default for parameters that were not sent, which are then not passed on."""


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

    __slots__ = ("_name", "_optional", "_reserved", "_schema", "_validate")

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
        self._validate = json_validator(adapter)
        self._optional = optional
        self._reserved = reserved

    def __call__(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Convert arguments to those of the function, by name.

        Raises:
            ToolError: where a type refuses a value that the schema does not.

        """
        if self._reserved and not self._reserved.isdisjoint(arguments):
            raise undeclared_arguments(
                self._name, arguments, self._reserved.intersection(arguments)
            )
        values: dict[str, Any] = self.validated(arguments)
        if len(values) == len(arguments):
            return values
        # What was not sent is left to the function, whose own default may be any object.
        return {
            name: value
            for name, value in values.items()
            if name in arguments or (name not in self._optional and value is not ABSENT)
        }

    def validated(self, arguments: dict[str, Any]) -> Any:
        """Return what pydantic makes of the arguments.

        Raises:
            ToolError: where it refuses them.

        """
        try:
            return self._validate(arguments)
        except ToolError:
            raise
        except ValidationError as error:
            found = _issues(error, arguments, self._schema)
        except (ValueError, TypeError) as error:
            expected = f"valid arguments ({first_line(str(error))})"
            found = (Issue("", "value", expected, quoted(arguments)),)
        raise ToolError.for_arguments(self._name, found)


def class_converter(
    convert: Callable[[Any], dict[str, Any]] | None, whole: Converter
) -> Callable[[dict[str, Any]], InstanceArguments]:
    """Return a converter to the arguments of a class that validates them itself, and its instance.

    A model would validate once more what its annotations have made of the JSON: text that has been
    decoded would be decoded again.

    Args:
        convert: the conversion by the annotations of the parameters, if they need any.
        whole: the conversion to an instance.

    >>> from pydantic import Base64Str, TypeAdapter, create_model
    >>> note = TypeAdapter(create_model("Note", text=(Base64Str, ...)))
    >>> whole = Converter("Note", note, optional=frozenset(), reserved=frozenset())
    >>> class_converter(None, whole)({"text": "aGVsbG8="}).call()
    Note(text='hello')

    """

    def convert_all(arguments: dict[str, Any]) -> InstanceArguments:
        values = arguments if convert is None else convert(arguments)
        return InstanceArguments(values, whole.validated(arguments))

    return convert_all


def undeclared_arguments(tool: str, arguments: dict[str, Any], names: Collection[str]) -> ToolError:
    """Return the error for arguments that the function cannot be called with.

    >>> print(undeclared_arguments("f", {"a": 1}, {"a"}))
    Error parsing arguments for `f`:
    - leave "a" out: there is no such argument
    <BLANKLINE>
    Fix the errors and try again.
    """
    issues = [
        Issue(pointer([name]), "additionalProperties", NO_PROPERTY, quoted(value))
        for name, value in arguments.items()
        if name in names
    ]
    return ToolError.for_arguments(tool, tuple(issues))


def _issues(error: ValidationError, arguments: dict[str, Any], schema: Any) -> tuple[Issue, ...]:
    """Return pydantic's errors as issues; raise the ToolError of a validator again."""
    found = []
    for detail in _of_meant_branches(error.errors(include_url=False), arguments):
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, ToolError):
            raise cause
        issue = issue_of(detail)
        is_missing = issue.found == NOTHING_SENT
        path = path_in_data(detail["loc"], arguments, is_missing=is_missing)
        # the words of a validator, or of another type
        keyword = detail["type"] if issue.keyword == "schema" else issue.keyword
        own = _schema_at(schema, path)
        found.append(replace(issue, path=pointer(path), keyword=keyword, _schema=own))
    return tuple(dict.fromkeys(found))


def _of_meant_branches(
    details: Sequence[ErrorDetails], arguments: dict[str, Any]
) -> list[ErrorDetails]:
    """Return pydantic's errors without those of the less likely branches of a union.

    A branch is likely if it accepts the kind of the value, then if it accepts what its members are
    told apart by, then if it refuses few of them.
    """
    branches = [_branch(detail, arguments) for detail in details]
    refused: dict[Any, tuple[int, int, int]] = {}
    for detail, branch in zip(details, branches, strict=True):
        if branch is not None:
            kind = detail["type"]
            other_kind = kind.endswith("_type") and len(detail["loc"]) == len(branch)
            other_tag = kind in {"literal_error", "enum", "missing"}
            kinds, tags, count = refused.get(branch, (0, 0, 0))
            refused[branch] = kinds + other_kind, tags + other_tag, count + 1
    least: dict[Any, tuple[int, int, int]] = {}
    for branch, counted in refused.items():
        least[branch[:-1]] = min(counted, least.get(branch[:-1], counted))
    return [
        detail
        for detail, branch in zip(details, branches, strict=True)
        if branch is None or refused[branch] == least[branch[:-1]]
    ]


def _branch(detail: ErrorDetails, arguments: dict[str, Any]) -> tuple[int | str, ...] | None:
    """Return the location of the outermost branch of a union that made an error, if one did."""
    location = detail["loc"][: -1 if detail["type"] == "missing" else None]
    path = path_in_data(location, arguments)
    for size, token in enumerate(location, 1):
        if path[size - 1 : size] != [token]:
            return location[:size]
    return None


def _schema_at(schema: Any, path: list[int | str]) -> Any:
    """Return the schema at a path; True if a reference or a union is on the way to it."""
    for token in path:
        if not isinstance(schema, dict):
            return True
        schema = schema.get("items" if type(token) is int else "properties", True)
        if isinstance(token, str) and schema is not True:
            schema = schema.get(token, True)
    return schema if path else True
