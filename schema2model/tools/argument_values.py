"""The values that applications and frameworks pass as the arguments of a call."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from schema2model.tools.developer_mistakes import refuse_call_object

__all__ = ["jsonable", "unpacked"]


def unpacked(arguments: Any, name: str) -> Any:
    """The members of a mapping; other values of JSON as they are, for the schema to refuse.

    Raises:
        TypeError: for an object in which a provider sends a call.

    """
    if issubclass(type(arguments), Mapping):  # not isinstance, which asks the value for its class
        with contextlib.suppress(Exception):  # a hostile mapping may raise anything
            return dict(arguments)
    refuse_call_object(arguments, name)
    return arguments


def jsonable(arguments: Any) -> Any:
    """The JSON values of instances that frameworks have made; others as they are."""
    try:
        return to_jsonable_python(arguments, by_alias=True, round_trip=True)
    except ValueError:
        return arguments  # which the schema refuses with a reason
