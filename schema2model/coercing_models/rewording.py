"""pydantic's errors with messages that a language model can act on."""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, ValidationError

from schema2model.errors import NOTHING_SENT, context_of, issue_of

__all__ = ["reworded"]


def reworded(error: ValidationError, kind: Any) -> ValidationError:
    """Return an error with the same types, locations and inputs, and with our messages.

    Errors of the user's own validators keep their words. Values are not quoted if the
    configuration of `kind` has `hide_input_in_errors`.

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
        lines = [
            InitErrorDetails(
                type=_reword_line(line, hides=hides), loc=line["loc"], input=line["input"]
            )
            for line in error.errors(include_url=False)
        ]
    except RecursionError:  # a value nests too deeply to be quoted
        return error
    return ValidationError.from_exception_data(error.title, lines, hide_input=hides)


def _reword_line(line: ErrorDetails, *, hides: bool) -> PydanticCustomError:
    kind: Any = line["type"]
    template: Any = line["msg"]
    context: dict[str, Any] = dict(line.get("ctx", {}))
    issue = issue_of(line)
    if issue.keyword == "schema":
        return PydanticCustomError(kind, template, context)
    if hides:
        found = issue.found if issue.found == NOTHING_SENT else ""
        context["message"] = dataclasses.replace(issue, found=found).message
        for quoting in ("found", "keyword"):
            context.pop(quoting, None)
        return PydanticCustomError(kind, "{message}", context)
    return PydanticCustomError(kind, "{message}", context | context_of(issue))
