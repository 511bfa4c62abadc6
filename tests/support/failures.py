"""What libraries may raise over one call of many; each says what nobody else may read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pydantic

SECRET = "s3cret-value"  # noqa: S105 - it is none
"""What stands in each error, and must stand in no answer, row or log."""

PATTERNS = ["(?i)^x-", "(?P<a>x)", "(?s).", r"\A", r"\z", "a++", "]", "}", "^*", "$?"]
"""Patterns that libraries understand in different ways, or not at all."""


class PanicException(BaseException):
    """As libraries in Rust raise it: no `Exception`."""


class _Mute(Exception):  # noqa: N818 - a name of any kind
    """It cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError(SECRET)

    __repr__ = __str__


def _raised(action: Callable[[], Any]) -> BaseException:
    """The error that something real ends with."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 - that is what is asked for
        return error
    raise AssertionError


FAILURES: list[BaseException] = [
    ValueError(SECRET),
    KeyError(SECRET),
    RuntimeError(SECRET),
    RecursionError(SECRET),
    MemoryError(SECRET),
    AssertionError(SECRET),
    OSError(5, SECRET),
    StopIteration(SECRET),
    _Mute(),
    PanicException(SECRET),
    _raised(lambda: jsonschema_rs.validate({"type": "integer"}, SECRET)),
    _raised(lambda: pydantic.TypeAdapter(int).validate_python(SECRET)),
    _raised(lambda: json.loads(SECRET)),
    _raised(lambda: SECRET.encode().join([b"\xff", b"\xff"]).decode()),
    _raised(f"{SECRET}\ud800".encode),
]
"""Of Python's own, of every library that reads arguments, and stranger ones."""


def raising(function: Callable[..., Any], error: BaseException) -> Callable[..., Any]:
    """The function, but it raises an error where `SECRET` is among the arguments."""

    def wrapper(*given: Any, **options: Any) -> Any:
        if SECRET in repr(given[1:]):
            raise error
        return function(*given, **options)

    return wrapper
