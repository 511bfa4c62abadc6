"""The canonical JSON text of a value, and why a value has none."""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Iterable
from typing import Any, Final

from pydantic_core import to_json

from schema2model.json.values import (
    TOO_LONG,
    NotJSONError,
    is_shallow,
    may_exceed_limits,
    plain_copy,
)
from schema2model.limits import MAX_DIGITS

__all__ = ["canonical_json", "has_json_text", "not_json_error"]


_HALF_A_PAIR: Final = 0xED
"""The first byte of half a surrogate pair as marshal writes it, and of few other characters. The
search for an integer takes a quarter of the time of that for bytes."""

_TOO_SHORT_FOR_LONG: Final = MAX_DIGITS // 3
"""Bytes that marshal writes for no integer of more than `MAX_DIGITS` digits."""

_LONG_INTEGERS: Final = (
    re.compile(rb"\0\0(?<=[l\xec].[\x03-\xff]\0\0)", re.DOTALL),
    re.compile(rb"\xff\xff(?<=[l\xec].[\0-\xfc]\xff\xff)", re.DOTALL),
)
"""A place where marshal may have written an integer of more than `MAX_DIGITS` digits: its mark and
the number of its groups of 15 bits, which is negative if the integer is. The search takes a quarter
of the time of writing the value as JSON, in one pattern three quarters."""

_TOO_SHORT_FOR_LONGER: Final = 2**17
"""Bytes that marshal writes for no integer of more groups than two bytes count."""


def _why_not_text(
    value: Any, path: tuple[str | int, ...] = ()
) -> tuple[tuple[str | int, ...], str]:
    r"""Return the path and the reason of a part that has no JSON text in UTF-8.

    Half a surrogate pair and an integer of thousands of digits are values to Python alone.

    >>> _why_not_text(["a", "\ud800"])
    ((1,), 'half of a surrogate pair, which is not Unicode text')
    """
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return path, "half of a surrogate pair, which is not Unicode text"
    if isinstance(value, int) and not -TOO_LONG < value < TOO_LONG:
        return path, f"an integer of more than {MAX_DIGITS} digits"
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, list):
        members = enumerate(value)
    elif isinstance(value, dict):
        members = value.items()
    for key, item in members:
        for found in (_why_not_text(key, (*path, key)), _why_not_text(item, (*path, key))):
            if found[1]:
                return found
    return (), ""


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any, *, lone_surrogates: bool = False) -> str:
    r"""Return the JSON text of a value: compact, in the given order, with the fewest escapes.

    Args:
        value: anything; what is not JSON is refused.
        lone_surrogates: whether half of a surrogate pair is written, as an escape. JSON's grammar
            allows that, but many readers refuse it.

    Raises:
        NotJSONError: for what has no JSON text, such as NaN or too long an integer.

    >>> canonical_json({"città": [1, 2.0]})
    '{"città":[1,2.0]}'
    >>> canonical_json("\ud800", lone_surrogates=True)
    '"\\ud800"'

    """
    try:
        text = _COMPACT.encode(value)
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError:
        if lone_surrogates:
            return json.dumps(value, separators=(",", ":"))
        raise not_json_error(value) from None
    except Exception:  # noqa: BLE001 - a hostile value may raise anything
        raise not_json_error(value) from None
    return text


def has_json_text(value: Any, *, is_copied: bool = False) -> bool:
    r"""Return whether a value of JSON's types has a JSON text in UTF-8 that is within the limits.

    The limits of depth and size hold for a plain copy already, so `is_copied` saves their time.

    >>> has_json_text({"a": [1, "b"]}), has_json_text(["\ud800"]), has_json_text(10**5000)
    (True, False, False)
    """
    written = marshal.dumps(value)
    try:
        if not is_copied and may_exceed_limits(written) and not is_shallow(value):
            return False
        if _may_contain_long_integer(written):
            json.dumps(value)  # first: `to_json` writes an integer in time quadratic in its digits
        if _HALF_A_PAIR in written:
            to_json(value)
    except ValueError:
        return False
    return True


def _may_contain_long_integer(written: bytes) -> bool:
    """Return whether a marshalled value may contain an integer of more than `MAX_DIGITS` digits."""
    size = len(written)
    return size > _TOO_SHORT_FOR_LONG and (
        size > _TOO_SHORT_FOR_LONGER or any(each.search(written) for each in _LONG_INTEGERS)
    )


def not_json_error(value: Any) -> NotJSONError:
    """Why a value that could not be written has no JSON text, and where in it.

    >>> not_json_error([1, float("inf")]).path
    [1]
    """
    try:
        path, reason = _why_not_text(plain_copy(value))
    except NotJSONError as error:
        return error
    except Exception:  # noqa: BLE001 - a hostile value may raise anything
        path, reason = (), ""
    found = NotJSONError(reason or f"a {type(value).__name__} that cannot be written as text")
    found.path = [*path]
    return found
