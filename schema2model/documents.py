"""`compile_document`: the components of a document as models that share their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from schema2model.coerce.engine import Defaults, Engine, FallbackReader, Formats, Messages
from schema2model.coercions import Coercion, Preset
from schema2model.compiled import compile_schema
from schema2model.errors import SchemaError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import abridged_repr, quoted
from schema2model.model.arguments_model import ArgumentsModel
from schema2model.model.blueprints import model_for
from schema2model.schema.not_a_schema import instead_of_schema
from schema2model.schema.references import DOCUMENT_URI

__all__ = ["compile_document", "component_pointers", "dialect_of_document", "document_engine"]

_DEFINED_UNDER = (("components", "schemas"), ("$defs",), ("definitions",))
"""The places of a document's components."""

_DIALECTS = {"2.0": "draft-04", "3.0": "openapi-3.0", "3.1": "openapi-3.1", "3.2": "openapi-3.1"}
"""The dialects of OpenAPI's versions. Swagger 2.0 has no name for its own."""


def compile_document(  # noqa: PLR0913 - one option, one argument
    document: Mapping[str, Any],
    *,
    coercion: Preset | Coercion = "default",
    dialect: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
    fallback_reader: FallbackReader | None = None,
    defaults: Defaults | None = None,
    messages: Messages = "plain",
) -> Mapping[str, type[ArgumentsModel]]:
    """Compile all components of an OpenAPI or JSON Schema document into models.

    Each component is one class, wherever others refer to it. A component that only refers to
    another is that one's class. Every model has the name that its component has.

    Args:
        document: a document with `components/schemas`, `$defs` or `definitions`, as Python values.
        coercion: as for `compile_schema`, as are the other options.
        dialect: the dialect of a document that declares none by `openapi`, `swagger` or `$schema`.
        formats: see `coercion`.
        resources: see `coercion`.
        fallback_reader: see `coercion`.
        defaults: see `coercion`.
        messages: see `coercion`.

    Returns:
        A read-only mapping from the names of components to their models.

    Raises:
        SchemaError: if a component is not a valid schema, a reference leads nowhere, two components
            have one name, or the document has no components.
        TypeError: see `compile_schema`.
        ValueError: see `compile_schema`.

    >>> shop = {
    ...     "openapi": "3.1.0",
    ...     "components": {
    ...         "schemas": {
    ...             "Guest": {"type": "object", "properties": {"name": {"type": "string"}}},
    ...             "Table": {
    ...                 "type": "object",
    ...                 "properties": {
    ...                     "seats": {"type": "integer"},
    ...                     "host": {"$ref": "#/components/schemas/Guest"},
    ...                 },
    ...             },
    ...         }
    ...     },
    ... }
    >>> models = compile_document(shop)
    >>> table = models["Table"].model_validate({"seats": "4", "host": {"name": "Ada"}})
    >>> table, type(table.host) is models["Guest"]
    (Table(seats=4, host=Guest(name='Ada')), True)

    """
    engine = document_engine(
        document,
        coercion=coercion,
        dialect=dialect,
        formats=formats,
        resources=resources,
        fallback_reader=fallback_reader,
        defaults=defaults,
        messages=messages,
    )
    blueprint = model_for(engine).__blueprint__
    found = {name: blueprint.model_of(node) for name, node in engine.components.items()}
    return MappingProxyType(found)


def document_engine(
    document: Mapping[str, Any],
    *,
    dialect: str | None,
    resources: Mapping[str, Any] | None = None,
    **options: Any,
) -> Engine:
    """Compile a schema that has a property for each component of a document.

    Raises:
        SchemaError: see `compile_document`.

    """
    references = {
        name: {"$ref": f"{DOCUMENT_URI}#{quote(at, safe='/~')}"}
        for name, at in component_pointers(document).items()
    }
    own_dialect = dialect_of_document(document)
    if own_dialect is not None:  # a `$schema` is then that of the document, not of its components
        document = {key: value for key, value in document.items() if key != "$schema"}
    declared = {"$schema": document["$schema"]} if "$schema" in document else {}
    further = {} if resources is None else resources
    compiled = compile_schema(
        {**declared, "properties": references},
        dialect=own_dialect or dialect,
        # which refuses resources that are no mapping
        resources={DOCUMENT_URI: document, **further} if isinstance(further, Mapping) else further,
        **options,
    )
    return compiled._engine


def component_pointers(document: Any) -> dict[str, str]:
    """Return JSON Pointers to the components of a document, by their names.

    Raises:
        SchemaError: if it has none, or two of one name.

    >>> component_pointers({"$defs": {"a/b": {}}})
    {'a/b': '/$defs/a~1b'}

    """
    if not isinstance(document, Mapping):
        message = instead_of_schema(document)
        raise SchemaError(message or f"a document is a mapping, not {abridged_repr(document)}")
    found: dict[str, str] = {}
    places = [*_definitions(document)]
    if not places:
        message = "the document has no components: none of components/schemas, $defs, definitions"
        raise SchemaError(message)
    for path, names in places:
        for name in names:
            # half a surrogate pair has no place in the URI of a reference
            if not isinstance(name, str) or name != name.encode(errors="ignore").decode():
                message = f"{pointer(path)} has a name that is not text: {abridged_repr(name)}"
                raise SchemaError(message, pointer=pointer(path))
            if name in found:
                at = pointer((*path, name))
                message = f"two components are called {quoted(name)}: {found[name]} and {at}"
                raise SchemaError(message, pointer=at)
            found[name] = pointer((*path, name))
    return found


def _definitions(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for path in _DEFINED_UNDER:
        found: Any = document
        for key in path:
            found = found.get(key) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping):
            yield path, found


def dialect_of_document(document: Mapping[str, Any]) -> str | None:
    """Return the dialect of the schemas in an OpenAPI document; None if it does not declare one.

    Raises:
        SchemaError: for an unknown version.

    >>> dialect_of_document({"openapi": "3.0.3"}), dialect_of_document({"$defs": {}})
    ('openapi-3.0', None)

    """
    version = document.get("openapi", document.get("swagger"))
    if version is None:
        return None
    known = _DIALECTS.get(".".join(str(version).split(".")[:2]))
    if known is None:
        message = f"unknown version of OpenAPI {abridged_repr(version)}; known are 2.0 to 3.2"
        raise SchemaError(message, pointer="/openapi")
    declared = document.get("jsonSchemaDialect")
    is_own = isinstance(declared, str) and not declared.startswith(_OPENAPI_DIALECTS)
    return declared if known == "openapi-3.1" and is_own else known


_OPENAPI_DIALECTS = ("https://spec.openapis.org/oas/3.1/", "https://spec.openapis.org/oas/3.2/")
"""Dialects that are 2020-12 with annotations of OpenAPI."""
