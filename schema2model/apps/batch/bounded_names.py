"""The names by which calls are counted, in bounded memory."""

from __future__ import annotations

import hashlib
import json
import re

from schema2model.json.pointers import any_item
from schema2model.limits import MAX_COUNTED_NAME

__all__ = ["shortened", "whole_name", "without_indices", "without_keys"]


def shortened(name: str, length: int = MAX_COUNTED_NAME) -> str:
    """Return the name, truncated with digits of its hash if it is long: names stay distinct.

    >>> shortened("a" * 300, 20), shortened("a" * 301, 20), shortened("a" * 20, 20)
    ('aaaaaaaaaaa…9835fa6b', 'aaaaaaaaaaa…eb22b48c', 'aaaaaaaaaaaaaaaaaaaa')
    """
    if len(name) <= length:
        return name
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: length - len(digits) - 1]}…{digits}"


def without_keys(place: str) -> str:
    """Return a path, or a URL without the password that it may begin with, and its user.

    >>> without_keys("s3://user:password@bucket/calls.jsonl")
    's3://…@bucket/calls.jsonl'
    >>> without_keys("abfs://container@account/calls.jsonl")
    'abfs://container@account/calls.jsonl'
    """
    return re.sub(r"(?<=://)[^/?#:@]*:[^/?#]*@", "…@", place)


def whole_name(place: str) -> str:
    r"""Return a path or URL for a message: unabridged, since its end matters most.

    >>> print(whole_name("a\nb.jsonl"))
    "a\nb.jsonl"
    """
    text = json.dumps(without_keys(place), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def without_indices(path: str) -> str:
    """Return a JSON Pointer without its indices, shortened; see `any_item`."""
    return shortened(any_item(path))
