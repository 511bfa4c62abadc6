"""Fields of the proxy's log records, for logs that programs read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["ATTRIBUTE", "log_fields", "rule_fields"]

ATTRIBUTE = "schema2model"
"""The attribute of a log record that has the fields."""


def log_fields(event: str, **fields: Any) -> dict[str, Any]:
    """Return the `extra` of a log record: the event and its fields, without values of arguments.

    >>> log_fields("call", tool="search", outcome="coerced")
    {'schema2model': {'event': 'call', 'tool': 'search', 'outcome': 'coerced'}}
    """
    return {ATTRIBUTE: {"event": event, **fields}}


def rule_fields(found: Iterable[Any], reason: str) -> list[dict[str, str]]:
    """Return the paths of changes or issues, each with its rule or keyword, without duplicates."""
    pairs = dict.fromkeys((str(each.path), str(getattr(each, reason))) for each in found)
    return [{"path": path, "rule": rule} for path, rule in pairs]
