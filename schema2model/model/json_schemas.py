"""JSON schemas of parts of a document: by themselves, and among those that pydantic collects."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, cast
from urllib.parse import quote, urljoin

from pydantic import BaseModel, ConfigDict
from pydantic_core import core_schema as cs

from schema2model.errors import SchemaError
from schema2model.json.pointers import pointer
from schema2model.model.class_names import class_identifier
from schema2model.schema.dialects import DEFAULT, Dialect
from schema2model.schema.modernizing import modernize
from schema2model.schema.nodes import Place
from schema2model.schema.references import ROOT_URI, Documents
from schema2model.schema.subschemas import DEFINITIONS, objects_within, subschemas
from schema2model.schema.vocabularies.python_types import without_marks

__all__ = [
    "definition_ref",
    "embedded_schema",
    "is_defined",
    "schema_resource",
    "self_contained",
    "with_whole_document",
]

_OF_DOCUMENTS = (
    *DEFINITIONS,
    "$schema",
    "$id",
    "$vocabulary",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
)
_OF_OPENAPI = ("discriminator", "xml", "externalDocs")
"""Keywords that OpenAPI restricts and JSON Schema ignores."""

_ANNOTATIONS = ("title", "description", "default", "deprecated", "examples", "$comment")


_IN_FRAGMENTS = "/~!$&'()*+,;=:@?"
"""Characters of the fragment of a URI besides letters, digits and `-._`."""


def self_contained(documents: Documents, place: Place) -> dict[str, Any] | None:
    """Return a subschema with the definitions that it needs.

    None if there is something in it that its own document has to say: where a reference leads
    that is not found in the documents, or what a keyword means in another dialect.
    """
    targets = _reference_targets(documents, place)
    schema = documents.at(place)
    dialect = documents.dialect_of(place.document)
    if targets is None or not isinstance(schema, dict):
        return None
    if any(documents.dialect_of(target.document) is not dialect for target in targets):
        return None
    keys: dict[Place, str] = {}
    for target in targets:
        wanted = _definition_name(target)
        while wanted in keys.values():
            wanted += "_"
        keys[target] = wanted
    own = {
        target: f"#/$defs{quote(pointer((key,)), safe=_IN_FRAGMENTS)}"
        for target, key in keys.items()
    }
    made: dict[str, Any] = _rewrite_references(documents, place, own)
    if targets:
        made["$defs"] = {key: _rewrite_references(documents, at, own) for at, key in keys.items()}
    return made


def with_whole_document(documents: Documents, place: Place) -> dict[str, Any]:
    """Return a reference to a part of a document, next to the whole document."""
    document, dialect = documents.by_uri[place.document], documents.dialect
    dialect = DEFAULT if dialect.rewrite else dialect
    uri = urljoin(f"{ROOT_URI}whole", document.get(dialect.id_keyword, ""))
    reference = {"$ref": f"{uri}#{quote(place.pointer, safe='/~')}"}
    whole = {"whole": without_marks({**document, dialect.id_keyword: uri})}
    if dialect.ref_overrides:
        return {"allOf": [reference], "definitions": whole}
    return {**reference, "$defs": whole}


def embedded_schema(
    documents: Documents, place: Place, ref_of: Callable[[Place], str], handler: Any
) -> dict[str, Any] | None:
    """Return a schema among others that pydantic puts in one document, as OpenAPI's.

    What it refers to is defined in that document, under `$defs` or wherever the others are, and
    every reference is a JSON Pointer into it. None if a reference leads out of the documents.

    Args:
        documents: those that the schema was compiled from.
        place: its location in them.
        ref_of: gives pydantic's reference for the definition at a location.
        handler: pydantic's.

    """
    if _reference_targets(documents, place) is None:
        return None

    def in_one_mode(core: cs.CoreSchema) -> Any:
        return handler(cs.model_schema(_OneMode, core))

    names: dict[Place, str] = {}
    new: dict[Place, str] = {}
    todo = [place]
    for at in todo:  # which grows on the way
        for target in _direct_targets(documents, at) or ():
            if target in names:
                continue
            ref = ref_of(target)
            names[target] = in_one_mode(cs.definition_reference_schema(ref))["$ref"]
            try:
                handler.resolve_ref_schema({"$ref": names[target]})
            except LookupError:
                new[target] = ref
                todo.append(target)
    if new:
        definitions = [
            _definition_schema(ref, _pydantic_schema(documents, target, names))
            for target, ref in new.items()
        ]
        in_one_mode(cs.definitions_schema(cs.any_schema(), definitions))
    return _pydantic_schema(documents, place, names)


class _OneMode(BaseModel):
    """Lets pydantic define schemas once, not once for validation and once for serialization.

    Those of compiled models are the same in both modes. Where two refer to each other, pydantic
    does not find out, and writes `Node-Input` and `Node-Output`.
    """

    model_config = ConfigDict(json_schema_mode_override="validation")


def _digest(thing: Any) -> str:
    """Return a collision-resistant digest of a value."""
    return sha256(repr(thing).encode("utf-8", "replace")).hexdigest()[:16]


def definition_ref(place: Place, documents: Documents) -> str:
    """Return pydantic's reference for the definition at a location in documents."""
    return f"{_definition_name(place)}:{id(documents)}{_digest(place)}"


def _definition_name(place: Place) -> str:
    """Return the name of a definition: its own, or one that is made of the last key to it."""
    last = str(place.path[-1]) if place.path else "Root"
    return last if is_defined(place) else class_identifier(last)


def is_defined(place: Place) -> bool:
    """Return whether a place is that of a definition, or of a component of OpenAPI."""
    is_component = place.path[-3:-1] == ("components", "schemas")
    return is_component or place.path[-2:-1] in {(keyword,) for keyword in DEFINITIONS}


def _pydantic_schema(
    documents: Documents, place: Place, names: Mapping[Place, str]
) -> dict[str, Any]:
    """Return a schema as pydantic takes it, with references to its definitions."""
    made = _rewrite_references(documents, place, names, modern=True)
    if isinstance(made, dict) and made.get("$ref", 0) == names.get(place, 1):
        del made["$ref"]  # which says nothing
    return _protect_data(made) if isinstance(made, dict) else ({} if made else {"not": {}})


def _definition_schema(ref: str, schema: dict[str, Any]) -> cs.CoreSchema:
    """Return a core schema for which pydantic generates this JSON schema."""
    metadata = {"pydantic_js_functions": [lambda _core, _handler: schema]}
    return cs.any_schema(ref=ref, metadata=metadata)


def _reference_targets(documents: Documents, place: Place) -> dict[Place, None] | None:
    """Return the targets of a subschema's references; None if one is not in the documents."""
    found: dict[Place, None] = {}
    todo = [place]
    for start in todo:  # which grows on the way
        targets = _direct_targets(documents, start)
        if targets is None:
            return None
        new = [target for target in targets if target not in found]
        found.update(dict.fromkeys(new))
        todo += new
    return found


def _direct_targets(documents: Documents, place: Place) -> tuple[Place, ...] | None:
    """Return the targets of the references in a subschema itself; None if one is not there."""
    if place not in documents.targets:
        parts = _known_subschemas(documents, documents.at(place), place)
        found = [
            _reference_target(documents, part, at)
            for part, at in parts
            if isinstance(part.get("$ref"), str)
        ]
        known = tuple(dict.fromkeys(target for target in found if target is not None))
        documents.targets[place] = None if None in found else known
    return documents.targets[place]


def _reference_target(documents: Documents, schema: Any, place: Place) -> Place | None:
    """Return the target of a schema's reference; None if it is not in the documents."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    try:
        found = documents.resolve(reference, place) if isinstance(reference, str) else None
    except SchemaError:  # not a URI
        return None
    return found[1] if found else None


def _known_subschemas(
    documents: Documents, schema: Any, place: Place
) -> list[tuple[dict[str, Any], Place]]:
    """Return a schema and its subschemas, with their places, but for definitions."""
    dialect = documents.dialect_of(place.document)
    known = dialect.keywords.keys() - DEFINITIONS
    todo = [(schema, place)]
    for part, at in todo:  # which grows on the way
        if isinstance(part, dict) and not (dialect.ref_overrides and "$ref" in part):
            said = {keyword: value for keyword, value in part.items() if keyword in known}
            todo += documents.children(said, at)
    return [(part, at) for part, at in todo if isinstance(part, dict)]


def _rewrite_references(
    documents: Documents, place: Place, names: Mapping[Place, str], *, modern: bool = False
) -> Any:
    """Return a copy of a schema in which references have the names of what they lead to.

    It means the same in any document: it has no identifiers, and no definitions. Or rather in any
    of its dialect; if it is to be `modern`, in any of 2020-12 and of OpenAPI 3.1.
    """
    dialect = documents.dialect_of(place.document)
    made = without_marks(copy.deepcopy(documents.at(place)))
    for part, at in _known_subschemas(documents, made, place):
        target = _reference_target(documents, part, at)
        for keyword in (*_OF_DOCUMENTS, dialect.id_keyword):
            part.pop(keyword, None)
        if target is not None:
            part["$ref"] = names[target]
            for keyword in [*part] if dialect.ref_overrides else ():
                if keyword != "$ref" and keyword not in _ANNOTATIONS:
                    del part[keyword]
        if modern:
            modernize(part, dialect)
            hint = _discriminator(part.get("discriminator"), documents, at, names)
            for keyword in _OF_OPENAPI:
                part.pop(keyword, None)
            if hint is not None:
                part["discriminator"] = hint
    return made


def _discriminator(
    given: Any, documents: Documents, place: Place, names: Mapping[Place, str]
) -> dict[str, Any] | None:
    """Return OpenAPI's `discriminator`, with references rewritten as elsewhere.

    None if it is not one; JSON Schema does not define the keyword.
    """
    if not isinstance(given, dict) or not isinstance(given.get("propertyName"), str):
        return None
    made: dict[str, Any] = {"propertyName": given["propertyName"]}
    mapping = given.get("mapping")
    targets = {
        tag: _reference_target(documents, {"$ref": reference}, place)
        for tag, reference in (mapping.items() if isinstance(mapping, dict) else ())
    }
    found = {tag: names[target] for tag, target in targets.items() if target and target in names}
    return {**made, "mapping": found} if found else made


def schema_resource(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a schema with an identifier, to which its references lead (2020-12 Core 9.3).

    It means the same anywhere, since it names its dialect.
    """
    mark = f"{ROOT_URI}{_digest(schema)}"
    uri = schema.get("$id", mark)
    todo = [schema]
    for part in todo:  # which grows on the way
        reference = part.get("$ref")
        if isinstance(reference, str):
            local = uri == mark and reference.startswith("#")
            part["$ref"] = _foreign_reference(uri + reference if local else reference)
        below = [each for _, each in subschemas(part) if isinstance(each, dict)]
        todo += [each for each in below if "$id" not in each]
    named = {} if dialect is DEFAULT or dialect.rewrite else {"$schema": dialect.uri}
    return cast("dict[str, Any]", _protect_data({"$id": uri, **named, **schema}))


_ADDRESSES = ("http://", "https://")
"""How a `$ref` begins for which pydantic does not look among its definitions."""


class _ForeignReference(str):
    """A string under a key `$ref` that is not a reference to one of pydantic's definitions.

    It may be data, such as a default, or lead to an identifier. pydantic takes it for an address:
    `GenerateJsonSchema.get_json_ref_counts` and `_garbage_collect_definitions` look up all other
    strings under `$ref`, anywhere in a schema, and fail with a KeyError. To rename the key is no
    way out: the document is the user's model's, which nothing of ours sees when it is complete.
    """

    __slots__ = ()

    def startswith(self, prefix: Any, *between: Any) -> bool:
        return prefix == _ADDRESSES or super().startswith(prefix, *between)


def _foreign_reference(text: str) -> str:
    """Return a text under a key `$ref` that pydantic is to leave alone."""
    return text if text.startswith(_ADDRESSES) else _ForeignReference(text)


def _protect_data(schema: Any) -> Any:
    """Return the schema with its data protected: pydantic takes no part of it for a reference."""
    references: set[int] = set()
    todo = [schema]
    for part in todo:  # which grows on the way
        if isinstance(part, dict) and (part is schema or "$id" not in part):
            references.add(id(part))
            todo += [below for _, below in subschemas(part)]
    for part in objects_within(schema):
        given = part.get("$ref")
        if type(given) is str and id(part) not in references:
            part["$ref"] = _foreign_reference(given)
    return schema
