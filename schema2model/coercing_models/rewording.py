"""pydantic's errors with messages that a language model can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, ValidationError

from schema2model.errors import (
    NOTHING_SENT,
    Issue,
    context_of,
    has_context,
    is_of_validator,
    issue_of,
)
from schema2model.json.pointers import path_in_data, pointer
from schema2model.json.quoting import quoted

__all__ = ["Diagnosis", "reworded"]

_OF_NAMES = frozenset(("required", "additionalProperties"))
"""The keywords of lines about names that are missing or not declared."""


class Diagnosis(NamedTuple):
    """The issues of data under a schema, and the data that their paths lead through."""

    issues: Sequence[Issue] = ()
    data: Any = None


def reworded(
    error: ValidationError, kind: Any, diagnose: Callable[[], Diagnosis] = Diagnosis
) -> ValidationError:
    """Return an error with the same types, locations and inputs, and with our messages.

    Errors of the user's own validators keep their words. Values are not quoted if the
    configuration of `kind` has `hide_input_in_errors`.

    Args:
        error: that of the type.
        kind: the type.
        diagnose: returns the issues of the data under the schema of the type. They give the words
            of the lines that they are the causes of.

    >>> from pydantic import BaseModel
    >>> class Search(BaseModel):
    ...     limit: int
    >>> try:
    ...     Search.model_validate({"limit": "ten"})
    ... except ValidationError as error:
    ...     reworded(error, Search).errors()[0]["msg"]
    'must be an integer, without quotes, not "ten"'

    """
    config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None)
    hides = isinstance(config, dict) and bool(config.get("hide_input_in_errors"))
    try:
        found = error.errors(include_url=False)
        is_diagnosed = not (hides or all(map(has_context, found)))
        diagnosis = diagnose() if is_diagnosed else Diagnosis()
        lines = [
            InitErrorDetails(
                type=_reword_line(line, diagnosis, hides=hides),
                loc=line["loc"],
                input=line["input"],
            )
            for line in found
        ]
    except RecursionError:  # a value nests too deeply to be quoted
        return error
    return ValidationError.from_exception_data(error.title, lines, hide_input=hides)


def _reword_line(line: ErrorDetails, diagnosis: Diagnosis, *, hides: bool) -> PydanticCustomError:
    kind: Any = line["type"]
    context: dict[str, Any] = dict(line.get("ctx", {}))
    issue, location = issue_of(line), line["loc"]
    is_own = has_context(line)
    if not (hides or is_own or is_of_validator(kind, line["msg"], context)):
        cause = _cause(issue, location, diagnosis)
        if cause is not None:
            message = str(cause) if location and not cause.path else cause.message
            context |= {"path": cause.path, "levels": len(location), **context_of(cause)}
            return PydanticCustomError(kind, "{message}", {**context, "message": message})
    if issue.keyword == "schema":
        template: Any = line["msg"]
        return PydanticCustomError(kind, template, context)
    if hides:
        if is_own:  # its advice, or the fault of a text, may quote values, too
            wanted = "the JSON of one object" if issue._is_of_text else issue.wanted
            issue = replace(issue, wanted=wanted, advice=None)
        issue = replace(issue, found=issue.found if issue.found == NOTHING_SENT else "")
    return PydanticCustomError(kind, "{message}", context | context_of(issue))


def _cause(issue: Issue, location: tuple[str | int, ...], diagnosis: Diagnosis) -> Issue | None:
    """Return the diagnosed issue that is the cause of a line; None if none is.

    It is that of the same place, or about the name there, or that of the structure of all.

    Args:
        issue: that of the line alone.
        location: where it is, with branches of unions and validators.
        diagnosis: that of the data.

    """
    if len(diagnosis.issues) == 1 and diagnosis.issues[0]._is_of_text:
        return diagnosis.issues[0]  # two values of one name, of which pydantic took the last
    is_missing = issue.found == NOTHING_SENT and location != ()
    path = path_in_data(location, diagnosis.data, is_missing=is_missing)
    place = pointer(path)
    for each in diagnosis.issues:
        # a validator may have made something with parts of its own
        if each.path == place and (len(path) == len(location) or each.found == issue.found):
            return each
    if issue.keyword not in _OF_NAMES or not location:
        return None
    for each in diagnosis.issues:
        owner = each.path.rpartition("/")[0]
        names_it = each._is_of_names and quoted(location[-1]) in each.message
        if names_it and f"{place}/".startswith(f"{owner}/"):
            return each
    is_of_all = len(diagnosis.issues) == 1 and not diagnosis.issues[0].path
    return diagnosis.issues[0] if is_of_all and isinstance(diagnosis.data, dict) else None
