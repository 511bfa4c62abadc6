"""Values by which a model says that it leaves an optional property out.

Models are shown `limit: int = 10` as a plain integer, and send null, `"None"` or `""` where they
mean the default. Such a property is left out, if its schema refuses what was sent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from schema2model.coerce.rules.scalars import null_word
from schema2model.coerce.search.readings import CHANGE, GUESS, WORD, Cost
from schema2model.coercions import Coercion
from schema2model.schema.nodes import Node

__all__ = ["Omission", "omission"]

_PLACEHOLDERS = frozenset(("", "null", "none", "undefined", "n/a"))
_LONGEST = max(map(len, _PLACEHOLDERS))


class Omission(NamedTuple):
    """A rule by which an optional property may be left out, and what that costs."""

    rule: str
    cost: Cost


_NULL = Omission("drop_null", CHANGE)
_NULL_WORD = Omission("drop_null_words", WORD)
_PLACEHOLDER = Omission("drop_placeholders", GUESS)


def omission(coercion: Coercion, node: Node, value: Any) -> Omission | None:
    """The rule that leaves out an optional property, if the value it has says so.

    Args:
        coercion: the rules that are switched on.
        node: the property's subschema, which rejects the value.
        value: what was sent.

    """
    if value is None:
        return _NULL if coercion.drop_null else None
    if type(value) is str:
        if coercion.drop_null_words and null_word(value) is None and not node.accepts("string"):
            return _NULL_WORD
        said = len(value) <= 2 * _LONGEST and value.strip().lower() in _PLACEHOLDERS
    else:
        said = type(value) is dict and not value
    return _PLACEHOLDER if said and coercion.drop_placeholders else None
