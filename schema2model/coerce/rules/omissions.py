"""Values by which a model says that it leaves an optional property out.

Models are shown `limit: int = 10` as a plain integer, and send null, `"None"` or `""` for the
default. Such a property is left out if its schema rejects the value.
"""

from __future__ import annotations

from typing import Any

from schema2model.coerce.rules.scalars import null_word
from schema2model.coercions import Coercion
from schema2model.schema.nodes import Node

__all__ = ["omission"]

_PLACEHOLDERS = frozenset(("", "null", "none", "undefined", "n/a"))
_MAX_LENGTH = 2 * max(map(len, _PLACEHOLDERS))
"""Characters of a placeholder, with blanks around it: a longer text is not normalised."""


def omission(coercion: Coercion, node: Node, value: Any) -> str | None:
    """Return the rule that leaves an optional property out, if its value is a placeholder.

    Args:
        coercion: the rules that are switched on.
        node: the property's subschema, which rejects the value.
        value: the value that was sent.

    """
    if value is None:
        return "drop_null" if coercion.drop_null else None
    if type(value) is str:
        if coercion.drop_null_words and null_word(value) is None and not node.accepts("string"):
            return "drop_null_words"
        is_placeholder = len(value) <= _MAX_LENGTH and value.strip().lower() in _PLACEHOLDERS
    else:
        is_placeholder = type(value) is dict and not value
    return "drop_placeholders" if is_placeholder and coercion.drop_placeholders else None
