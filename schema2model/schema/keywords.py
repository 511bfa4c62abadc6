"""The records of all keywords, in every dialect."""

from __future__ import annotations

from schema2model.schema.vocabularies import Keyword
from schema2model.schema.vocabularies.applicator import APPLICATOR
from schema2model.schema.vocabularies.core import CORE
from schema2model.schema.vocabularies.format import FORMAT_ANNOTATION
from schema2model.schema.vocabularies.legacy import BOOLEAN_BOUNDS, DEPENDENCIES, TUPLES
from schema2model.schema.vocabularies.metadata import CONTENT, METADATA
from schema2model.schema.vocabularies.unevaluated import UNEVALUATED
from schema2model.schema.vocabularies.validation import VALIDATION

__all__ = ["KEYWORDS"]

_VOCABULARIES = (
    CORE,
    APPLICATOR,
    UNEVALUATED,
    FORMAT_ANNOTATION,
    VALIDATION,
    METADATA,
    CONTENT,
    TUPLES,
    DEPENDENCIES,
    BOOLEAN_BOUNDS,
)

KEYWORDS: list[tuple[str, Keyword]] = [
    item for vocabulary in _VOCABULARIES for item in vocabulary.items()
]
"""Names and records; a keyword that a draft has changed occurs once for each meaning."""
