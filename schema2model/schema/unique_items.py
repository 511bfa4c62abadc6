"""The keyword `uniqueItems` for jsonschema-rs, where items may be numbers.

Its own compares integers of more than 53 bits pair by pair if the nearest float is the same: a
hundred of 4,000 digits take it seconds, and so do thousands of 19 digits in sequence.
"""

from __future__ import annotations

from typing import Any

from schema2model.json.equality import json_key
from schema2model.json.quoting import quoted
from schema2model.schema.subschemas import objects_within

__all__ = ["UniqueItems", "may_compare_numbers"]


class UniqueItems:
    """The keyword."""

    def __init__(self, parent_schema: Any, value: Any, schema_path: Any) -> None:  # noqa: ARG002 - jsonschema-rs's signature
        self._is_on = value is True

    def validate(self, instance: Any) -> None:
        """Refuse an array with equal items.

        Raises:
            ValueError: for such an array.

        """
        is_array = self._is_on and isinstance(instance, (list, tuple))
        if is_array and len({*map(json_key, instance)}) < len(instance):
            message = f"{quoted(instance)} has non-unique elements"
            raise ValueError(message)


def may_compare_numbers(document: Any) -> bool:
    """Return whether a schema in a document has `uniqueItems`, for more than strings.

    Anywhere in it: references may lead outside of subschemas. To ask this keyword takes a
    microsecond more than jsonschema-rs's own.

    >>> may_compare_numbers({"properties": {"tags": {"uniqueItems": True}}})
    True
    >>> may_compare_numbers({"uniqueItems": True, "items": {"type": "string"}})
    False
    """
    for part in objects_within(document):
        items = part.get("items")
        is_text = type(items) is dict and items.get("type") == "string"
        if "uniqueItems" in part and not is_text:
            return True
    return False
