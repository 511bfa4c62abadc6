"""Writes the schema of an encoding in the subset of a profile: the projection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, Final

from jsonschema_rs import Draft202012Validator

from schema2model.errors import SchemaError
from schema2model.json.equality import distinct
from schema2model.limits import MAX_PROJECTED
from schema2model.strict.encodings import (
    Array,
    Encoding,
    Field,
    Leaves,
    Link,
    Map,
    Noted,
    Object,
    Plain,
    Tagged,
    Union,
    free_name,
    reachable_encodings,
    without_notes,
)
from schema2model.strict.enforcement import join_notes
from schema2model.strict.profiles import Profile

__all__ = ["Emitter", "openapi_schema"]

Schema = dict[str, Any]

_LEVELS_INLINE: Final = 30
"""Maximum levels of schemas written inline where a provider has no limit of its own."""
_LEVELS_OF_AN_ENCODING: Final = 2
"""Maximum levels of objects that one encoding writes below its own."""


class Emitter:
    """Writes the encodings of one schema.

    What is shared, recursive or deep becomes a definition. A relaxed schema, which is for reading
    what a model wrote, requires only what the schema as given requires.
    """

    def __init__(
        self, profile: Profile, *, saves_budget: bool = False, relaxed: bool = False
    ) -> None:
        self.profile = profile
        self.saves_budget = saves_budget
        self.relaxed = relaxed
        self.definitions: dict[str, Schema] = {}
        self._names: dict[int, str] = {}
        self._shared: set[int] = set()
        self._count = 0
        self._tested: list[tuple[Union | Map, list[Schema]]] = []

    def emit(self, root: Object | Tagged) -> Schema:
        """Return the schema of a root.

        Raises:
            SchemaError: if it exceeds a limit of the provider.

        """
        encodings = reachable_encodings(root)
        uses = Counter(
            id(_link_target(child)) for encoding in encodings for child in encoding.children()
        )
        most = self.profile.max_enum_values
        listed = {id(each): len(_listed(each)) for each in encodings}
        # choices are easier to read where they apply, as long as a provider takes so many
        is_long = most is not None and sum(n * uses[at] for at, n in listed.items()) > most
        shareable = (Object, Union, Map, *((Plain,) if is_long else ()))
        self._shared = {
            id(encoding)
            for encoding in encodings
            if isinstance(encoding, shareable)
            and (listed[id(encoding)] or not isinstance(encoding, Plain))
            and uses[id(encoding)] > 1
            and self.profile.definitions
        }
        self._shared |= {
            id(_link_target(encoding)) for encoding in encodings if isinstance(encoding, Link)
        }
        self._shared.discard(id(root))  # it is written out, even if a link leads back to it
        schema = self._encoding_schema(root, 1)
        schema = self._with_description(schema, root.note, root.words)
        if any(
            isinstance(encoding, Link) and _link_target(encoding) is root for encoding in encodings
        ):
            self._names.get(id(root)) or self._add_definition(root, "root")
        if self.definitions:
            schema["$defs"] = self.definitions
        # decoding tests values by the strict schemas, so that a relaxed one sets no tests
        if not self.relaxed:
            for tested, schemas in self._tested:
                tested.make_tests = self._make_tests(schemas)
        _require_limits(schema, self.profile)
        return schema

    def _make_tests(self, schemas: list[Schema]) -> Callable[[], list[Callable[[Any], bool]]]:
        definitions = self.definitions

        def tests() -> list[Callable[[Any], bool]]:
            wholes = [{"allOf": [each], "$defs": definitions} for each in schemas]
            return [Draft202012Validator(each, validate_formats=False).is_valid for each in wholes]

        return tests

    # ----------------------------------------------------------------------------- one schema
    def schema(self, encoding: Encoding, level: int) -> Schema:
        """Return the schema of an encoding, `level` objects below the root or a definition."""
        self._count += 1
        if self._count > MAX_PROJECTED:
            message = f"the projection has more than {MAX_PROJECTED} subschemas"
            raise SchemaError(message)
        inner = without_notes(encoding)
        if isinstance(inner, Link):
            schema = self.schema(_link_target(inner), level)
            return self._with_description(schema, encoding.note, encoding.words)
        if self.saves_budget and level > 1 and _counts_for_request(inner):
            return self._reference_to(encoding)
        # providers count levels from a definition anew, so that a reference saves them
        too_deep = level + _LEVELS_OF_AN_ENCODING > (self.profile.max_levels or _LEVELS_INLINE)
        nests = isinstance(inner, (Object, Tagged, Leaves, Map))
        if id(inner) in self._shared or (nests and too_deep and self.profile.definitions):
            return self._with_notes(encoding, self._reference_to(inner))
        return self._with_notes(encoding, self._encoding_schema(inner, level))

    def _with_notes(self, encoding: Encoding, schema: Schema) -> Schema:
        """Return the schema of a without_notes encoding with the descriptions around it."""
        if isinstance(encoding, Noted):
            schema = self._with_notes(encoding.encoding, schema)
        elif "$ref" in schema:
            return schema
        return self._with_description(schema, encoding.note, encoding.words)

    def _reference_to(self, encoding: Encoding) -> Schema:
        name = self._names.get(id(encoding)) or self._add_definition(encoding, "")
        return {"$ref": f"#/$defs/{name}"}

    def _add_definition(self, encoding: Encoding, stem: str) -> str:
        stem = stem or without_notes(encoding).name or "definition"
        name = free_name(stem, self.definitions)
        # the name is taken before the schema is made, as a recursive one refers to it
        self._names[id(encoding)] = name
        self.definitions[name] = {}
        self.definitions[name] = self._with_notes(
            encoding, self._encoding_schema(without_notes(encoding), 1)
        )
        return name

    def _with_description(self, schema: Schema, note: str, words: str) -> Schema:
        if not note and not words:
            return schema
        if "$ref" in schema:  # some providers refuse keywords next to it
            return {"anyOf": [schema], "description": join_notes(note, words)}
        text = schema.get("description", "")
        if note:
            inherited = re.search(r"(?:^| )(Must be: .*)$", text)
            text = join_notes(note, inherited[1] if inherited and inherited[1] not in note else "")
        if words and words not in text:
            text = join_notes(text, words)
        return {**schema, "description": text}

    def _encoding_schema(self, encoding: Encoding, level: int) -> Schema:
        if isinstance(encoding, Plain):
            return dict(encoding.schema)
        if isinstance(encoding, Union):
            schemas = [self.schema(branch, level) for branch in encoding.branches]
            self._tested.append((encoding, schemas))
            return self._union_schema(schemas)
        if isinstance(encoding, Object):
            return self._object_schema(encoding, level)
        if isinstance(encoding, Tagged):
            return self._closed_object({encoding.key: self.schema(encoding.encoding, level + 1)})
        if isinstance(encoding, Map):
            return self._map_schema(encoding, level)
        if isinstance(encoding, Array):
            return {"type": "array", "items": self.schema(encoding.items, level), **encoding.bounds}
        if isinstance(encoding, Leaves):
            return self._encoding_schema(encoding.form, level)
        raise TypeError(encoding)

    def _union_schema(self, schemas: list[Schema]) -> Schema:
        """Return the union of schemas, without unions in it that have no description."""
        flat: list[Schema] = []
        for schema in schemas:
            flat += schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
        return {"anyOf": [*distinct(flat)]}

    # ------------------------------------------------------------------------------- objects
    def _closed_object(self, properties: Schema, required: list[str] | None = None) -> Schema:
        schema: Schema = {"type": "object", "properties": properties}
        schema["required"] = list(properties) if required is None else required
        schema["additionalProperties"] = False
        return schema

    def _object_schema(self, encoding: Object, level: int) -> Schema:
        properties = {
            field.key: self._property_schema(field, level + 1) for field in encoding.fields
        }
        may_be_optional = self.profile.optional or self.relaxed
        required = [field.key for field in encoding.fields if field.required or not may_be_optional]
        extra = encoding.extra
        if extra is not None and not extra.native:
            written = self.schema(extra, level + 1)
            text = "Further properties." if encoding.fields else "The properties."
            properties[encoding.extra_key] = self._with_description(written, text, "")
            if not self.relaxed:
                required.append(encoding.extra_key)
        schema = self._closed_object(properties, required)
        if extra is not None and extra.native:
            schema["additionalProperties"] = self._any_entry(self._kind_schemas(extra, level))
        return schema

    def _property_schema(self, field: Field, level: int) -> Schema:
        written = self.schema(field.encoding, level)
        if not field.nullable:
            return written
        text = written.pop("description", "") if "$ref" not in written else ""
        return self._with_description(self._union_schema([written, {"type": "null"}]), text, "")

    def _map_schema(self, encoding: Map, level: int) -> Schema:
        schemas = self._kind_schemas(encoding, level)
        if encoding.native:
            merged = self._any_entry(schemas)
            return {"type": "object", "properties": {}, "additionalProperties": merged}
        entries = []
        for kind, value in zip(encoding.kinds, schemas, strict=True):
            key: Schema = {"type": "string", **encoding.key_bounds}
            if kind.pattern is not None:
                key["description"] = f"Must be: matches the regular expression {kind.pattern}."
            entries.append(self._closed_object({"key": key, "value": value}))
        return {"type": "array", "items": self._any_entry(entries), **encoding.bounds}

    def _kind_schemas(self, encoding: Map, level: int) -> list[Schema]:
        schemas = [self.schema(kind.encoding, level + 1) for kind in encoding.kinds]
        self._tested.append((encoding, schemas))
        return schemas

    def _any_entry(self, schemas: list[Schema]) -> Schema:
        return schemas[0] if len(schemas) == 1 else self._union_schema(schemas)


def _link_target(encoding: Encoding) -> Encoding:
    while isinstance(encoding, (Link, Noted)):
        inner = encoding.target if isinstance(encoding, Link) else encoding.encoding
        if inner is None:
            message = "a recursive subschema accepts no value"
            raise SchemaError(message)
        encoding = inner
    return encoding


def _listed(encoding: Encoding) -> Collection[Any]:
    """Return the values that the schema of an encoding lists itself."""
    return encoding.schema.get("enum", ()) if isinstance(encoding, Plain) else ()


def _counts_for_request(encoding: Encoding) -> bool:
    """Return whether an encoding counts for the limits of a request."""
    return isinstance(encoding, Union) or (
        isinstance(encoding, Object) and not all(field.required for field in encoding.fields)
    )


# --------------------------------------------------------------------------------------- limits
def _require_limits(root: Schema, profile: Profile) -> None:
    """Refuse a projection that exceeds a limit of its provider.

    Raises:
        SchemaError: that names the limit.

    """
    parts = {"": root, **{f"/$defs/{name}": each for name, each in root.get("$defs", {}).items()}}
    characters = sum(map(len, root.get("$defs", ())))
    for part in parts.values():
        count = 0
        queue: list[tuple[Any, int]] = [(part, 0)]
        for schema, level in queue:  # which grows on the way
            if not isinstance(schema, dict):
                continue
            names = schema.get("properties", {})
            count += len(names)
            characters += sum(map(len, names))
            characters += sum(len(each) for each in schema.get("enum", ()) if isinstance(each, str))
            deeper = level + (schema.get("type") == "object")
            if profile.max_levels is not None and deeper > profile.max_levels:
                message = f"the projection is nested deeper than {profile.max_levels} levels"
                raise SchemaError(message)
            queue += [(each, deeper) for each in names.values()]
            queue += [(each, deeper) for each in schema.get("anyOf", ())]
            queue += [(schema.get(name), deeper) for name in ("items", "additionalProperties")]
        if profile.max_properties is not None and count > profile.max_properties:
            message = f"{profile.title} takes {profile.max_properties} properties, not {count}"
            raise SchemaError(message)
    if profile.max_characters is not None and characters > profile.max_characters:
        message = (
            f"{profile.title} takes {profile.max_characters} characters of names and choices, "
            f"not {characters}"
        )
        raise SchemaError(message)


# ---------------------------------------------------------------------------------- Gemini's Schema


def openapi_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without references as Gemini's `parameters` take it.

    >>> openapi_schema({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A name"})
    {'type': 'STRING', 'nullable': True, 'description': 'A name'}
    """
    branches = schema.get("anyOf")
    if branches is not None:
        kept = [openapi_schema(each) for each in branches if each.get("type") != "null"]
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        nullable = {"nullable": True} if len(kept) < len(branches) else {}
        if len(kept) == 1:
            return {**kept[0], **nullable, **rest}
        return {"anyOf": kept, **nullable, **rest}
    if schema.get("type") == "null":
        return {**schema, "type": "STRING", "nullable": True, "description": "Only null."}
    written = {key: each for key, each in schema.items() if key != "additionalProperties"}
    written["type"] = schema["type"].upper()
    if "enum" in schema:
        written["format"] = "enum"
    if "items" in schema:
        written["items"] = openapi_schema(schema["items"])
    if "properties" in schema:
        properties = schema["properties"]
        written["properties"] = {name: openapi_schema(each) for name, each in properties.items()}
        written["propertyOrdering"] = [*properties]
    return written
