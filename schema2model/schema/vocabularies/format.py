"""Vocabularies Format: `format`, annotation or assertion (2020-12 Validation, section 7)."""

from __future__ import annotations

import datetime as dt
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.schema.vocabularies import Keyword, Vocabulary, residual

__all__ = ["FORMAT_ANNOTATION", "FORMAT_ASSERTION", "STANDARD_FORMATS", "format_phrase"]

_TEXTS = {
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "name@example.com",
    "idn-email": "name@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "iri": "https://example.com/",
    "uri-reference": "/path",
    "iri-reference": "/path",
    "uri-template": "https://example.com/{id}",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "json-pointer": "/name",
    "relative-json-pointer": "0/name",
    "regex": "^a+$",
    "byte": "dGV4dA==",
}
"""A text in each format, except those that have today's date in them."""

STANDARD_FORMATS = ("date-time", "date", *(name for name in _TEXTS if name not in {"url", "byte"}))
"""The formats of 2020-12 Validation, section 7.3."""


def today() -> dt.date:
    """Return the date that examples show."""
    return dt.datetime.now(dt.timezone.utc).date()


def text_in(name: Any) -> str | None:
    """Return a text in the format `name`, or None if the format is unknown."""
    if name in ("date", "date-time"):
        return f"{today()}" if name == "date" else f"{today()}T12:00:00Z"
    return _TEXTS.get(name) if isinstance(name, str) else None


_SHAPES = {
    "date": "YYYY-MM-DD",
    "date-time": "YYYY-MM-DDThh:mm:ssZ",
    "time": "hh:mm:ssZ",
    "duration": "such as PT10M",
    "uuid": "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
    "zoneinfo": "Area/City",
}
"""The shapes of formats in words: an example would be copied."""


def format_phrase(values: list[Any]) -> str:
    """Return the words for the first of some formats: ` in the format "date" (YYYY-MM-DD)`."""
    name = values[0]
    shape = f" ({_SHAPES[name]})" if name in _SHAPES else ""
    return f" in the format {quoted(name)}{shape}"


_FACTS: dict[str, Any] = {"instance": "string", "phrase": format_phrase, "example": text_in}

FORMAT_ANNOTATION: Vocabulary = {"format": Keyword(None, **_FACTS)}
FORMAT_ASSERTION: Vocabulary = {"format": residual("format", **_FACTS)}
