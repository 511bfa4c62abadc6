"""Dialects: each a list of vocabularies, and the few facts that no keyword carries.

URIs and vocabularies are those of the meta-schemas at https://json-schema.org/specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted
from schema2model.schema import openapi_and_gemini
from schema2model.schema.vocabularies import Keyword, Vocabulary
from schema2model.schema.vocabularies.applicator import APPLICATOR
from schema2model.schema.vocabularies.core import CORE
from schema2model.schema.vocabularies.format import FORMAT_ANNOTATION, FORMAT_ASSERTION
from schema2model.schema.vocabularies.legacy import BOOLEAN_BOUNDS, DEPENDENCIES, TUPLES
from schema2model.schema.vocabularies.metadata import CONTENT, METADATA
from schema2model.schema.vocabularies.python_types import PYTHON_TYPES
from schema2model.schema.vocabularies.unevaluated import UNEVALUATED
from schema2model.schema.vocabularies.validation import VALIDATION

__all__ = ["DEFAULT", "Dialect", "dialect_for", "dialect_named", "with_python_types"]


@dataclass(frozen=True, eq=False)
class Dialect:
    """A dialect of JSON Schema.

    `checker` names the class of jsonschema-rs that gives its verdicts.
    `rewrite` turns a document into the dialect that `checker` reads, place for place.
    """

    uri: str
    name: str
    checker: str
    keywords: Mapping[str, Keyword]
    id_keyword: str = "$id"
    ref_overrides: bool = False
    rewrite: Callable[[Any], Any] | None = None

    def assertions(self, *, formats: bool) -> dict[str, Keyword]:
        """Return its keywords without annotations, and `format` as an assertion, if so asked."""
        known = {name: k for name, k in self.keywords.items() if k.function is not None}
        return known | FORMAT_ASSERTION if formats and "format" in self.keywords else known


@cache
def with_python_types(dialect: Dialect) -> Dialect:
    """Return a dialect that also asserts the types of Python that strings are of."""
    return replace(dialect, keywords={**dialect.keywords, **PYTHON_TYPES})


def _without(vocabulary: Vocabulary, *keywords: str) -> Vocabulary:
    return {name: keyword for name, keyword in vocabulary.items() if name not in keywords}


def _merged(*vocabularies: Vocabulary) -> Vocabulary:
    return {name: keyword for v in vocabularies for name, keyword in v.items()}


_ANNOTATIONS = (FORMAT_ANNOTATION, METADATA, CONTENT)
_SINCE_6 = ("const", "contains", "propertyNames", "if", "then", "else", "dependentSchemas")
_REFS = ("$dynamicRef", "$recursiveRef")

_2020 = (
    {name: f for name, f in CORE.items() if name != "$recursiveRef"},
    APPLICATOR,
    UNEVALUATED,
    VALIDATION,
    *_ANNOTATIONS,
    DEPENDENCIES,
)
_2019 = (
    _without(CORE, "$dynamicRef"),
    _without(APPLICATOR, "prefixItems"),
    TUPLES,
    UNEVALUATED,
    VALIDATION,
    *_ANNOTATIONS,
    DEPENDENCIES,
)
_7 = (
    _without(CORE, "$defs", *_REFS),
    _without(APPLICATOR, "prefixItems", "dependentSchemas"),
    TUPLES,
    _without(VALIDATION, "dependentRequired", "minContains", "maxContains"),
    FORMAT_ANNOTATION,
    METADATA,
    _without(CONTENT, "contentSchema"),
    DEPENDENCIES,
)
_6 = (*(_without(v, "if", "then", "else") for v in _7),)
_4 = (*(_without(v, *_SINCE_6) for v in _7), BOOLEAN_BOUNDS)

DEFAULT = Dialect(
    "https://json-schema.org/draft/2020-12/schema",
    "2020-12",
    "Draft202012Validator",
    _merged(*_2020),
)

DIALECTS = (
    DEFAULT,
    Dialect(
        "https://json-schema.org/draft/2019-09/schema",
        "2019-09",
        "Draft201909Validator",
        _merged(*_2019),
    ),
    Dialect(
        "http://json-schema.org/draft-07/schema",
        "draft-07",
        "Draft7Validator",
        _merged(*_7),
        ref_overrides=True,
    ),
    Dialect(
        "http://json-schema.org/draft-06/schema",
        "draft-06",
        "Draft6Validator",
        _merged(*_6),
        ref_overrides=True,
    ),
    Dialect(
        "http://json-schema.org/draft-04/schema",
        "draft-04",
        "Draft4Validator",
        _merged(*_4),
        id_keyword="id",
        ref_overrides=True,
    ),
    Dialect(
        "https://spec.openapis.org/oas/3.0/schema",
        "openapi-3.0",
        DEFAULT.checker,
        DEFAULT.keywords,
        rewrite=openapi_and_gemini.from_openapi,
    ),
    Dialect(
        "https://ai.google.dev/api/caching#Schema",
        "gemini",
        DEFAULT.checker,
        DEFAULT.keywords,
        rewrite=openapi_and_gemini.from_gemini,
    ),
)

NAMES = (*(each.name for each in DIALECTS), "openapi-3.1")
"""The short names in messages and help."""

_ALIASES = {
    "draft4": "draft-04",
    "draft-4": "draft-04",
    "draft-6": "draft-06",
    "draft-7": "draft-07",
    "openapi-3.1": "2020-12",
    "draft6": "draft-06",
    "draft7": "draft-07",
    "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
    "json-schema.org/schema": "2020-12",
}

VOCABULARIES: dict[str, Vocabulary] = {
    f"https://json-schema.org/draft/{draft}/vocab/{name}": vocabulary
    for draft, old in (("2019-09", TUPLES), ("2020-12", {}))
    for name, vocabulary in {
        "core": CORE,
        "applicator": _merged(APPLICATOR, old),
        "unevaluated": UNEVALUATED,
        "validation": VALIDATION,
        "meta-data": METADATA,
        "format": FORMAT_ANNOTATION,
        "format-annotation": FORMAT_ANNOTATION,
        "format-assertion": FORMAT_ASSERTION,
        "content": CONTENT,
    }.items()
}
"""The vocabularies that a meta-schema of one's own may name under `$vocabulary`."""


def _plain_uri(uri: str) -> str:
    """Return a dialect's URI without what people write differently: scheme, empty fragment."""
    return uri.removesuffix("#").removeprefix("http://").removeprefix("https://")


_BY_NAME = {d.name: d for d in DIALECTS} | {_plain_uri(d.uri): d for d in DIALECTS}
_BY_NAME |= {alias: _BY_NAME[name] for alias, name in _ALIASES.items()}


def dialect_named(name: str) -> Dialect:
    """Return the dialect of a URI or short name.

    Raises:
        SchemaError: if there is none.

    >>> dialect_named("draft-07").uri
    'http://json-schema.org/draft-07/schema'

    """
    found = _BY_NAME.get(_plain_uri(name)) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(NAMES)
        message = f"unknown dialect {quoted(name)}; known are {known}, and their $schema URIs"
        raise SchemaError(message)
    return found


def dialect_for(schema: Any, fallback: Dialect, resources: Mapping[str, Any]) -> Dialect:
    """Return the dialect that a document declares by `$schema`, or else the fallback.

    A `$schema` may also be the URI of a meta-schema among the resources: then the vocabularies
    under its `$vocabulary` make the dialect, or else the meta-schema's own `$schema` does.
    """
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if uri is None:
        return fallback
    if isinstance(uri, str):
        meta = resources.get(uri.removesuffix("#"), resources.get(uri))
        if isinstance(meta, dict) and _plain_uri(uri) not in _BY_NAME:
            return _dialect_of(uri, meta, fallback)
    return dialect_named(uri)


def _dialect_of(uri: str, meta: dict[str, Any], fallback: Dialect) -> Dialect:
    base = dialect_named(meta["$schema"]) if "$schema" in meta else fallback
    declared = meta.get("$vocabulary")
    if not isinstance(declared, dict):
        return base
    unknown = [name for name, must in declared.items() if must and name not in VOCABULARIES]
    if unknown:
        message = f"the dialect {quoted(uri)} requires the unknown vocabulary {quoted(unknown[0])}"
        raise SchemaError(message)
    keywords = _merged(*(VOCABULARIES[name] for name in declared if name in VOCABULARIES))
    return Dialect(uri, uri, base.checker, keywords, base.id_keyword)
