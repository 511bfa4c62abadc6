"""Vocabulary Unevaluated: what no other keyword has looked at (2020-12 Core, section 11)."""

from __future__ import annotations

from schema2model.schema.vocabularies import Vocabulary, residual

__all__ = ["UNEVALUATED"]

UNEVALUATED: Vocabulary = {
    "unevaluatedItems": residual("unevaluatedItems", instance="array", subschema=True),
    "unevaluatedProperties": residual("unevaluatedProperties", instance="object", subschema=True),
}
