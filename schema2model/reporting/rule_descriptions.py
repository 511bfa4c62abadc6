"""Descriptions of the rules, from the fields of `Coercion`."""

from __future__ import annotations

from schema2model.coercions import coercion_rules

__all__ = ["meanings"]


def meanings() -> dict[str, list[str]]:
    """The words about each rule; every second piece, from the second one, is code.

    >>> meanings()["integral_floats"]
    ['', '3.0', ' becomes ', '3', ' where an integer is expected.']
    """
    return {rule.name: rule.meaning.split("`") for rule in coercion_rules()}
