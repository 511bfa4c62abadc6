"""Long integers under `uniqueItems`, and the time that jsonschema-rs takes to compare them.

It looks for equal items by their hashes, and the hash of an integer is that of the nearest float.
Long integers that are nearly equal have the same: it compares them pair by pair. A hundred of 4,000
digits take it seconds, and so do a thousand of 19 digits in sequence.
"""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from schema2model.json.values import NotJSONError
from schema2model.limits import MAX_COMPARED_PAIRS

__all__ = ["comparable_only"]

_FEW: Final = 20
"""Integers, of as many digits as JSON may have, that are compared within that."""

_LONG: Final = (ord("l"), ord("l") | 0x80)
"""The bytes before an integer of more than 32 bits as marshal writes it, and of some letters."""

_EXACT: Final = 2**53
_BITS: Final = 64
_BITS_A_PAIR: Final = 16
"""Bits of a longer integer that take as long as a pair of 64 bits."""

_TOO_MANY: Final = "more long integers that are nearly equal than can be compared"


def comparable_only(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test that raises NotJSONError for a value that would take it too long.

    >>> test = comparable_only(lambda value: True)
    >>> test([10**22, 10**22 + 1]), test([2**63 + 2048 * number for number in range(999)])
    (True, True)
    >>> test([10**22 + number for number in range(999)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    schema2model.json.values.NotJSONError: more long integers that are nearly equal than ...
    """

    def test(value: Any) -> bool:
        written = marshal.dumps(value)
        if sum(map(written.count, _LONG)) > _FEW and _work(value) > MAX_COMPARED_PAIRS:
            raise NotJSONError(_TOO_MANY)
        return is_valid(value)

    return test


def _work(value: Any) -> float:
    """Return the number of pairs that have the same hash, each multiplied by its time."""
    alike: dict[float, list[int]] = defaultdict(list)
    queue, seen = [value], {id(value)}
    for part in queue:  # it grows during the loop
        members = part.values() if type(part) is dict else part if type(part) is list else ()
        for each in members:
            kind = type(each)
            if kind is int and not -_EXACT < each < _EXACT:
                alike[_nearest_float(each)].append(each.bit_length())
            elif kind in {dict, list} and id(each) not in seen:
                seen.add(id(each))
                queue.append(each)
    return sum(
        len(lengths) ** 2 / 2 * (1 if max(lengths) <= _BITS else max(lengths) / _BITS_A_PAIR)
        for lengths in alike.values()
    )


def _nearest_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
