"""The text of a tool's result, as a model reads it."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

__all__ = ["encodable", "result_text"]


def result_text(result: Any) -> str:
    """Write the result of a tool for a model: text as it is, other values as JSON.

    Models, dataclasses, dates, sets and bytes have a JSON form. An exception is its type and
    message; any other object is its `str`.

    >>> result_text("sunny"), result_text({"days": {3}}), result_text(KeyError("x"))
    ('sunny', '{"days":[3]}', "KeyError: 'x'")
    """
    if isinstance(result, str):
        return encodable(result)
    if isinstance(result, BaseException):
        return encodable(_shown(result))
    try:
        return to_json(result, fallback=_shown, bytes_mode="utf8").decode()
    except ValueError:  # bytes that are not text, or a circular reference
        try:
            return to_json(result, fallback=_shown, bytes_mode="base64").decode()
        except ValueError:
            return encodable(_shown(result))


def encodable(text: str) -> str:
    r"""Replace lone surrogates by question marks: with them, a request could not be sent.

    >>> encodable("a\ud800")
    'a?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _shown(value: Any) -> str:
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return str(value)
