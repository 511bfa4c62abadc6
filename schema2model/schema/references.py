"""Identifiers and references: the targets of `$ref` (2020-12 Core, sections 8.2 and 9).

jsonschema-rs has checked before that every reference resolves. Here references are followed so
that coercion and pydantic-core reach what they lead to. Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from schema2model.errors import SchemaError
from schema2model.json.equality import type_exact_bytes, type_exact_equal
from schema2model.json.pointers import along_pointer, pointer
from schema2model.json.quoting import quoted
from schema2model.schema.dialects import DEFAULT, Dialect, dialect_for
from schema2model.schema.nodes import Place
from schema2model.schema.subschemas import REFERENCES, subschemas
from schema2model.schema.uris import absolute_uri

__all__ = ["DOCUMENT_URI", "ROOT_URI", "Documents"]

ROOT_URI = "https://schema2model.invalid/"
"""The URI of a root document that names none; the `.invalid` domain never resolves (RFC 2606)."""

DOCUMENT_URI = f"{ROOT_URI}document"
"""The URI of a document of components. The root document has a property for each of them."""

_META_SCHEMA = re.compile(rb"https?://json-schema\.org/draft[-/0-9]+(?:schema|meta/[a-z-]+)")
"""The URI of a meta-schema in a marshalled document."""


class Documents:
    """The root document and the resources given with it, with what can be referred to in them.

    Documents of OpenAPI or Gemini are rewritten as JSON Schema that means the same. A meta-schema
    that one of them mentions is a resource, too.
    """

    def __init__(
        self, root: Any, content: bytes, dialect: Dialect, resources: Mapping[str, Any]
    ) -> None:
        """Collect the documents; `content` is the root document as `type_exact_bytes` has it."""
        self.dialect = dialect
        self.by_uri: dict[str, Any] = {}
        for uri, document in resources.items():
            key = absolute_uri("", uri).removesuffix("#")
            if key in self.by_uri and self.by_uri[key] != document:
                message = f"two resources have the URI {quoted(key)}"
                raise SchemaError(message)
            self.by_uri[key] = document
        contents = [type_exact_bytes(document) for document in resources.values()]
        for document, spelled in zip(
            (root, *resources.values()), (content, *contents), strict=True
        ):
            for uri in _mentioned_meta_schemas(document, spelled):
                self.by_uri = _meta_schemas(uri, dialect.checker) | self.by_uri
        self.by_uri[ROOT_URI] = root
        self._dialects = {ROOT_URI: dialect}
        self._identified: dict[str, tuple[Any, Place]] | None = None
        self.targets: dict[Place, tuple[Place, ...] | None] = {}
        """The targets of the references in subschemas, once a model of one was described."""
        for uri, document in self.by_uri.items():
            try:
                rewrite = self.dialect_of(uri).rewrite
            except SchemaError:  # of a dialect unknown, and perhaps unused
                continue
            if rewrite is not None:
                self.by_uri[uri] = rewrite(document)

    @classmethod
    def alone(cls, root: Any) -> Documents:
        """Return a document without resources, in the default dialect."""
        return cls(root, b"", DEFAULT, {})

    def root(self) -> Place:
        """Return the place of the root document."""
        return self._based(self.by_uri[ROOT_URI], Place(ROOT_URI, (), ROOT_URI))

    def base_of(self, uri: str) -> str:
        """Return the base URI of a document: the one that it gives itself, or that it came with."""
        try:
            return self._based(self.by_uri[uri], Place(uri, (), uri)).base
        except SchemaError:  # of a dialect unknown, and perhaps unused
            return uri

    def retrieved(self, uri: str) -> Any:
        """Return the document of a URI, or of a base URI.

        Raises:
            LookupError: if there is none.

        """
        uri = uri.removesuffix("#")
        if uri in self.by_uri:
            return self.by_uri[uri]
        for known, document in self.by_uri.items():
            if self.base_of(known) == uri:
                return document
        message = "it is not among the resources, and nothing is fetched"
        raise LookupError(message)

    def dialect_of(self, uri: str) -> Dialect:
        """Return the dialect of the document at a URI."""
        if uri not in self._dialects:
            document = self.by_uri[uri]
            self._dialects[uri] = dialect_for(document, self.dialect, self.by_uri)
        return self._dialects[uri]

    def below(self, schema: Any, place: Place, tokens: tuple[str | int, ...]) -> tuple[Any, Place]:
        """Return the subschema that a path leads to, and its place."""
        for token in tokens:
            schema = schema[token]
        place = Place(place.document, place.path + tokens, place.base)
        if type(schema) is dict and ("$id" in schema or "id" in schema):
            place = self._based(schema, place)
        return schema, place

    def at(self, place: Place) -> Any:
        """Return the subschema at a place."""
        schema = self.by_uri[place.document]
        for token in place.path:
            schema = schema[token]
        return schema

    def resolve(self, reference: str, place: Place) -> tuple[Any, Place] | None:
        """Return the target of a reference at a place; None if it is not found here."""
        uri, _, fragment = absolute_uri(place.base, reference).partition("#")
        if fragment and not fragment.startswith("/"):
            return self._identifiers().get(f"{uri}#{fragment}")
        found: tuple[Any, Place] | None
        if uri in self.by_uri:
            found = self.by_uri[uri], self._based(self.by_uri[uri], Place(uri, (), uri))
        else:
            found = self._identifiers().get(uri)
        return self._follow_pointer(*found, fragment) if found and fragment else found

    def unresolved(self, target: str) -> Place | None:
        """Return the place of a keyword whose reference is not found here.

        Args:
            target: the end of the reference; any other is the second choice.

        """
        found: list[Place] = []
        for schema, place in self.reached(self.by_uri[ROOT_URI], self.root()):
            for keyword, reference in _references(schema):
                if self.resolve(reference, place) is None:
                    at = place._replace(path=(*place.path, keyword))
                    if unquote(reference).endswith(target):
                        return at
                    found.append(at)
        return next(iter(found), None)

    def reached(
        self, schema: Any, place: Place, *, by_references: bool = True
    ) -> Iterator[tuple[dict[str, Any], Place]]:
        """Yield the schema objects in a schema, itself first, and those that it refers to."""
        seen = set[int]()
        todo = [(schema, place)]
        for part, at in todo:  # which grows on the way
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part, at
                todo += self.children(part, at)
                referring = _references(part) if by_references else ()
                todo += filter(None, (self.resolve(reference, at) for _, reference in referring))

    def _follow_pointer(self, schema: Any, place: Place, fragment: str) -> tuple[Any, Place] | None:
        path: list[str | int] = [*place.path]
        try:
            for key, part in along_pointer(schema, unquote(fragment)):
                path.append(key)
                schema = part
                if type(schema) is dict and ("$id" in schema or "id" in schema):
                    place = self._based(schema, place._replace(path=tuple(path)))
        except LookupError:
            return None
        place = Place(place.document, tuple(path), place.base)
        return (schema, place) if isinstance(schema, (dict, bool)) else None

    def _based(self, schema: Any, place: Place) -> Place:
        """Return the place, with the base URI that an identifier in the schema gives it."""
        if type(schema) is not dict:
            return place
        dialect = self.dialect_of(place.document)
        identifier = schema.get(dialect.id_keyword)
        if not isinstance(identifier, str) or (dialect.ref_overrides and "$ref" in schema):
            return place
        base = absolute_uri(place.base, identifier).partition("#")[0]
        return Place(place.document, place.path, base)

    def require_unique_identifiers(self) -> None:
        """Collect the identifiers of all documents.

        Raises:
            SchemaError: if two subschemas have the same, perhaps in two spellings.

        """
        self._identifiers()

    def _identifiers(self) -> dict[str, tuple[Any, Place]]:
        """Every identified subschema, by absolute URI; made when first asked for."""
        if self._identified is None:
            self._identified = {}
            for uri in self.by_uri:
                try:
                    self.dialect_of(uri)
                except SchemaError:  # of a dialect unknown, and perhaps unused
                    continue
                self._identify(uri, self.by_uri[uri], Place(uri, (), uri))
                self._collect_identifiers(uri)
        return self._identified

    def _collect_identifiers(self, uri: str) -> None:
        dialect = self.dialect_of(uri)
        root = self.by_uri[uri]
        start = self._based(root, Place(uri, (), uri))
        for schema, place in self.reached(root, start, by_references=False):
            if dialect.ref_overrides and "$ref" in schema:
                continue
            identifier = schema.get(dialect.id_keyword)
            if isinstance(identifier, str):
                self._identify(absolute_uri(place.base, identifier).rstrip("#"), schema, place)
            for keyword in ("$anchor", "$dynamicAnchor") if not dialect.ref_overrides else ():
                anchor = schema.get(keyword)
                if isinstance(anchor, str):
                    self._identify(f"{place.base}#{anchor}", schema, place)

    def _identify(self, uri: str, schema: Any, place: Place) -> None:
        """Add an identified subschema.

        Raises:
            SchemaError: if another subschema has the identifier.

        """
        assert self._identified is not None  # noqa: S101 - for the type checker
        known, other = self._identified.setdefault(uri, (schema, place))
        if known is not schema and not type_exact_equal(known, schema):
            places = " and ".join(sorted(_describe_place(each) for each in (other, place)))
            message = f"{quoted(uri)} identifies two subschemas: {places}"
            raise SchemaError(message, pointer=pointer(place.path))

    def children(self, schema: dict[str, Any], place: Place) -> list[tuple[Any, Place]]:
        """Return the direct subschemas of a schema, with their places."""
        return [self.below(schema, place, path) for path, _ in subschemas(schema)]


def _references(schema: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the keywords of a schema object that refer to others, and what they say."""
    said = [(keyword, schema.get(keyword)) for keyword in REFERENCES]
    return [(keyword, reference) for keyword, reference in said if isinstance(reference, str)]


def _mentioned_meta_schemas(root: Any, content: bytes) -> set[str]:
    """Return the URIs of the meta-schemas that a document mentions, other than as its own.

    >>> document = {"$ref": "http://json-schema.org/draft-07/schema#"}
    >>> _mentioned_meta_schemas(document, type_exact_bytes(document))
    {'http://json-schema.org/draft-07/schema'}
    """
    mentioned = _META_SCHEMA.findall(content)
    is_own = type(root) is dict and "$schema" in root
    return {uri.decode() for uri in mentioned} if len(mentioned) > is_own else set()


@lru_cache
def _meta_schemas(uri: str, checker: str) -> dict[str, Any]:
    """Return a meta-schema and those that it refers to, by URI; none that the checker lacks."""
    draft = getattr(jsonschema_rs, checker.removesuffix("Validator"))
    reference: dict[str, Any] = {"$ref": uri}
    try:
        bundle = jsonschema_rs.bundle(reference, draft=draft, offline=True)
    except jsonschema_rs.ReferencingError:
        return {}
    found: dict[str, Any] = bundle.get("$defs") or bundle.get("definitions", {})
    return found


def _describe_place(place: Place) -> str:
    """Return a place as a message shows it."""
    path = pointer(place.path) or "the root"
    return path if place.document == ROOT_URI else f"{path} of {place.document}"
