"""JSON schemas of parts of a document: by themselves, and among those that pydantic collects."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import quote, unquote, urljoin
from zlib import crc32

from pydantic_core import core_schema as cs

from schema2model.model.fields import words_joined
from schema2model.schema.references import ROOT_URI
from schema2model.schema.subschemas import subschemas
from schema2model.values import pointer_tokens

__all__ = ["definition_ref", "embedded", "resource", "self_contained", "with_whole"]

_DEFINITIONS = ("$defs", "definitions")
_OF_DOCUMENTS = (*_DEFINITIONS, "$schema", "$id", "id")
_UNLIKE_POINTERS = frozenset(
    ("$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef")
)
_ANNOTATIONS = ("title", "description", "default", "deprecated", "examples", "$comment")


def self_contained(document: Any, schema: Any) -> dict[str, Any] | None:
    """A subschema with the definitions that it needs; None if its references are too intricate.

    >>> document = {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"items": {"$ref": "#/items"}}}}
    >>> self_contained(document, document["items"])
    {'$ref': '#/$defs/a', '$defs': {'a': {'items': {'$ref': '#/$defs/Items'}},
                                    'Items': {'$ref': '#/$defs/a'}}}
    """
    targets = _targets(document, schema)
    if targets is None or not isinstance(schema, dict):
        return None
    keys: dict[str, str] = {}
    for reference in targets:
        defined = reference.startswith(("#/$defs/", "#/definitions/"))
        last = _last_token(reference)
        wanted = last if defined else words_joined(last)
        while wanted in keys.values():
            wanted += "_"
        keys[reference] = wanted
    own = {reference: f"#/$defs/{_escaped(key)}" for reference, key in keys.items()}
    made: dict[str, Any] = _rewritten(schema, own)
    if targets:
        made["$defs"] = {key: _rewritten(targets[ref], own) for ref, key in keys.items()}
    return made


def with_whole(
    document: dict[str, Any], pointer: str, *, identifier: str, overrides: bool
) -> dict[str, Any]:
    """A part of a document by its JSON Pointer, with the whole document beside it.

    Args:
        document: a schema.
        pointer: where in it the part stands.
        identifier: the dialect's keyword for identifiers.
        overrides: whether `$ref` hides what stands beside it.

    """
    uri = urljoin(f"{ROOT_URI}whole", document.get(identifier, ""))
    reference = {"$ref": f"{uri}#{quote(pointer, safe='/~')}"}
    whole = {"whole": {**document, identifier: uri}}
    if overrides:
        return {"allOf": [reference], "definitions": whole}
    return {**reference, "$defs": whole}


def embedded(
    document: Any, schema: Any, ref_of: Callable[[str], str], handler: Any, *, overrides: bool
) -> dict[str, Any] | None:
    """A schema among others that pydantic puts in one document, as OpenAPI's.

    What it refers to is defined in that document, under `$defs` or wherever the others are. None
    if its references are too intricate for that.

    Args:
        document: the document that the schema is from, or the schema itself.
        schema: the schema.
        ref_of: what pydantic is to know a definition by, which a JSON Pointer leads to.
        handler: pydantic's.
        overrides: whether `$ref` hides what stands beside it, as it did before 2019-09.

    """
    targets = _targets(document, schema)
    if targets is None:
        return None
    refs = {reference: ref_of(reference) for reference in targets}
    names = {
        reference: handler(cs.definition_reference_schema(ref))["$ref"]
        for reference, ref in refs.items()
    }
    defined = {
        refs[reference]: _named(target, names, overrides=overrides)
        for reference, target in targets.items()
        if target is not schema and not _is_alias(target, names, names[reference])
    }
    if defined:
        definitions = [_defined(ref, made) for ref, made in defined.items()]
        handler(cs.definitions_schema(cs.any_schema(), definitions))
    return _named(schema, names, overrides=overrides)


def _is_alias(target: Any, names: Mapping[str, str], own: str) -> bool:
    """Whether a definition only refers to what has the same name."""
    return isinstance(target, dict) and names.get(target.get("$ref", "")) == own


def definition_ref(document: Any, reference: str) -> str:
    """What pydantic is to know a definition of a document by."""
    mark = crc32(repr(document).encode("utf-8", "replace"))
    number = crc32(reference.encode("utf-8", "replace"))
    return f"{words_joined(_last_token(reference))}:{mark:08x}{number:08x}"


def _last_token(reference: str) -> str:
    """The last key in the pointer of a reference."""
    return (pointer_tokens(unquote(reference.partition("#")[2])) or ["Root"])[-1]


def _named(schema: Any, names: Mapping[str, str], *, overrides: bool) -> dict[str, Any]:
    """A schema as pydantic takes it, with references to its definitions."""
    made = _quoted(_rewritten(schema, names, overrides=overrides))
    return made if isinstance(made, dict) else ({} if made else {"not": {}})


def _defined(ref: str, schema: dict[str, Any]) -> cs.CoreSchema:
    """A definition of which pydantic is to make this schema."""
    metadata = {"pydantic_js_functions": [lambda _core, _handler: schema]}
    return cs.any_schema(ref=ref, metadata=metadata)


def _targets(document: Any, schema: Any) -> dict[str, Any] | None:
    """What a subschema refers to in its document, directly or not, by JSON Pointers alone.

    None if it refers to anything in another way.
    """
    own = document.get("$id") if isinstance(document, dict) else None
    found: dict[str, Any] = {}
    todo = [schema]
    for part in todo:  # which grows on the way
        if not isinstance(part, dict):
            continue
        named = part is not document and isinstance(part.get("$id"), str)
        if named or not _UNLIKE_POINTERS.isdisjoint(part):
            return None
        reference = part.get("$ref")
        if isinstance(reference, str) and reference not in found:
            local = reference.removeprefix(own) if isinstance(own, str) and own else reference
            target = _at(document, local)
            if target is None:
                return None
            found[reference] = target
            todo.append(target)
        todo += [below for tokens, below in subschemas(part) if tokens[0] not in _DEFINITIONS]
    return found


def _at(document: Any, reference: str) -> Any:
    """What a JSON Pointer leads to; None for any other reference."""
    if reference not in {"", "#"} and not reference.startswith("#/"):
        return None
    schema = document
    try:
        for token in pointer_tokens(unquote(reference[1:])):
            schema = schema[int(token) if isinstance(schema, list) else token]
    except (TypeError, ValueError, LookupError):
        return None
    return schema


def _rewritten(schema: Any, names: Mapping[str, str], *, overrides: bool = False) -> Any:
    """A copy of a schema with other references, and without definitions of its own."""
    made = copy.deepcopy(schema)
    todo = [made]
    for part in todo:  # which grows on the way
        if not isinstance(part, dict):
            continue
        for keyword in _OF_DOCUMENTS:
            if keyword in _DEFINITIONS or part is made:
                part.pop(keyword, None)
        reference = part.get("$ref")
        if isinstance(reference, str):
            part["$ref"] = names[reference]
            if overrides:
                for keyword in [*part]:
                    if keyword != "$ref" and keyword not in _ANNOTATIONS:
                        del part[keyword]
        todo += [below for _, below in subschemas(part)]
    return made


def resource(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with an identifier, to which its references lead (2020-12 Core 9.3).

    It means the same wherever it stands.
    """
    mark = f"{ROOT_URI}{crc32(repr(schema).encode('utf-8', 'replace')):08x}"
    uri = schema.get("$id", mark)
    todo = [schema]
    for part in todo:  # which grows on the way
        reference = part.get("$ref")
        if isinstance(reference, str):
            local = uri == mark and reference.startswith("#")
            part["$ref"] = _Text(uri + reference if local else reference)
        below = [each for _, each in subschemas(part) if isinstance(each, dict)]
        todo += [each for each in below if "$id" not in each]
    return cast("dict[str, Any]", _quoted({"$id": uri, **schema}))


class _Text(str):
    """A text under a key `$ref` that is no reference to a definition of pydantic's.

    It may be data, such as a default, or lead to an identifier. pydantic looks for a definition
    unless the text begins as an address in the network does.
    """

    __slots__ = ()

    def startswith(self, *_: Any) -> bool:
        return True


def _quoted(schema: Any) -> Any:
    """The same schema, of which no part that is data refers to anything for pydantic."""
    references: set[int] = set()
    todo = [schema]
    for part in todo:  # which grows on the way
        if isinstance(part, dict) and (part is schema or "$id" not in part):
            references.add(id(part))
            todo += [below for _, below in subschemas(part)]
    queue = [schema]
    for part in queue:  # the same, of all there is
        if isinstance(part, dict):
            given = part.get("$ref")
            if type(given) is str and id(part) not in references:
                part["$ref"] = _Text(given)
            queue += part.values()
        elif isinstance(part, list):
            queue += part
    return schema


def _escaped(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1").replace("%", "%25")
