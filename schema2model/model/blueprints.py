"""Builds models: that of a schema, and those of its nested objects."""

from __future__ import annotations

import copy
import marshal
from abc import ABCMeta
from typing import Any
from urllib.parse import quote

from pydantic.fields import FieldInfo

from schema2model.coerce.engine import Engine
from schema2model.model.arguments_model import ArgumentsModel
from schema2model.model.attributes import Annotations, model_attribute
from schema2model.model.class_names import class_names
from schema2model.model.conversions import Conversion, conversion_of
from schema2model.model.fields import Fields
from schema2model.model.instances import MATERIALIZE_LOCK, OWN_NAMES, holding
from schema2model.model.json_schemas import (
    definition_ref,
    embedded_schema,
    is_defined,
    schema_resource,
    self_contained,
    with_whole_document,
)
from schema2model.model.objects import Objects, default_of
from schema2model.schema.discriminators import string_choices
from schema2model.schema.nodes import Node, Place
from schema2model.schema.references import DOCUMENT_URI, ROOT_URI

__all__ = ["Blueprint", "model_for", "model_within"]

_SCALARS = frozenset(("null", "boolean", "integer", "number", "string"))
_OF_OBJECTS = frozenset(("types", "properties", "patterns", "additional", "required"))


class Blueprint:
    """The source of a model: a compiled schema, and the node of the model.

    Everything that validation does not need is made on first access.
    """

    __slots__ = ("_holding", "_objects", "conversions", "engine", "node")

    def __init__(self, engine: Engine, node: Node, objects: Objects | None = None) -> None:
        self.engine = engine
        """That of the whole schema."""
        self.node = node
        self._objects = objects
        self._holding: dict[str | None, bool] = {}
        self.conversions: dict[str, Conversion] = {}
        """The properties whose strings are dates and the like, with `formats="convert"`."""
        if self.converts:
            found = {name: conversion_of(each) for name, each in self.objects.fields(node).items()}
            self.conversions = {name: each for name, each in found.items() if each is not None}

    @property
    def converts(self) -> bool:
        """True if attributes are Python objects where the schema gives a format."""
        return self.engine.source.formats == "convert"

    def __eq__(self, other: object) -> bool:
        """Return whether both are at the same location of equal schemas."""
        return isinstance(other, Blueprint) and (
            self.node is other.node
            or (self.node.place == other.node.place and self.engine.source == other.engine.source)
        )

    def __hash__(self) -> int:
        return hash(self.node.place)

    @property
    def objects(self) -> Objects:
        """The shapes of the schema's objects."""
        if self._objects is None:
            self._objects = Objects(self.engine.verdicts)
        return self._objects

    @property
    def names(self) -> dict[Node, str]:
        """The class names of all models of the schema."""
        objects = self.objects
        if not objects.names:
            objects.names = class_names(
                self.engine.root,
                _root_name(self.engine),
                objects.shapes,
                self.engine.components,
            )
        return objects.names

    @property
    def is_named(self) -> bool:
        """True for the model of a whole schema, and for those of its definitions."""
        return self.node is self.engine.root or is_defined(self.node.place)

    def class_name(self) -> str:
        """Return the class name of the model."""
        return self.names.get(self.node, "Model")

    def fields(self) -> dict[str, FieldInfo]:
        """Return the fields of the model."""
        with MATERIALIZE_LOCK:
            fields = Fields(self.objects, self.engine.rules, self.model_of, converts=self.converts)
            return fields.make_fields(self.node)

    def discriminators(self) -> dict[str, list[str]]:
        """Return the properties whose strings distinguish the branches of unions."""
        fields = self.objects.fields(self.node)
        texts = {n: string_choices(nodes[0].dereferenced()) for n, nodes in fields.items() if nodes}
        return {name: found for name, found in texts.items() if found}

    @property
    def is_closed(self) -> bool:
        """True if objects have no properties other than the declared ones."""
        return self.objects.shapes[self.node].closed

    def own_engine(self) -> Engine:
        """Return the engine for the arguments of this model alone."""
        if self.node is self.engine.root:
            return self.engine
        return self.engine.within(self.node, self.class_name())

    def json_schema(self) -> Any:
        """Return a copy of the schema of this model alone."""
        if self.node is self.engine.root:
            return marshal.loads(self.engine.source.content)  # noqa: S302 - our own bytes
        documents, place = self.engine.verdicts.documents, self.node.place
        schema = None if self.engine.dynamic else self_contained(documents, place)
        if schema is not None:
            return schema
        if place.document in {ROOT_URI, DOCUMENT_URI}:
            return with_whole_document(documents, place)
        return {"$ref": f"{place.document}#{quote(place.pointer, safe='/~')}"}

    def embedded(self, model: type[ArgumentsModel], handler: Any) -> dict[str, Any]:
        """Return the schema of the model, or of a subclass of it, among others in one document."""
        documents, place = self.engine.verdicts.documents, self.node.place

        def ref_of(target: Place) -> str:
            found = model if target == place else None
            node = self.engine.nodes.get(target)
            if found is None and node in self.names:
                found = self.model_of(node)
                found = found if found.__blueprint__.node.place == target else None
            ref = None if found is None else found.__pydantic_core_schema__.get("ref")
            return str(ref) if ref else definition_ref(target, documents)

        made = None if self.engine.dynamic else embedded_schema(documents, place, ref_of, handler)
        if made is None:
            made = schema_resource(model.model_json_schema(), documents.dialect)
        if "$ref" in made and "ref" not in model.__pydantic_core_schema__:
            # pydantic would write the siblings of `$ref` into the definition that it leads to
            made["allOf"] = [{"$ref": made.pop("$ref")}, *made.get("allOf", ())]
        return made

    def pickle_arguments(self) -> tuple[Any, ...]:
        """Return the arguments from which pickle restores the model."""
        if self.node is self.engine.root:
            return model_for, (self.engine,)
        return model_within, (self.engine, tuple(self.node.place))

    # ------------------------------------------------------------------------ models within
    def model_of(self, node: Node) -> type[ArgumentsModel]:
        """Return the model of objects at a node; the same one wherever the node is referred to."""
        with MATERIALIZE_LOCK:
            node = node.dereferenced()
            if node is self.engine.root.dereferenced():
                return model_for(self.engine)
            models = self.objects.models
            if node not in models:
                made = Blueprint(self.engine, node, self.objects)
                models[node] = _make_class(made, made.class_name())
            return models[node]

    def holds_models(self, name: str | None) -> bool:
        """Return whether a property, or for None the whole, may hold objects with fields."""
        found = self._holding.get(name)
        if found is None:
            nodes = self._property_nodes(name)
            found = self._holding[name] = self.objects.may_hold_fields(nodes)
        return found

    def with_models(self, name: str | None, value: Any) -> Any:
        """Return a value of a property, or for None the whole, with models for its objects."""
        with MATERIALIZE_LOCK:
            return self._with_models(self._property_nodes(name), value)

    def _property_nodes(self, name: str | None) -> list[Node]:
        if name is None:
            return [self.node]
        return self.objects.fields(self.node).get(name, [])

    def _with_models(self, nodes: Any, value: Any) -> Any:
        if type(value) is dict:
            node = self.objects.matching_schema(nodes, value, "object")
            if node is None:
                return value
            if self.objects.fields(node):
                return holding(self.model_of(node), value.copy())
            inner = self.objects.property_schemas(node)
            return {key: self._with_models(inner(key), each) for key, each in value.items()}
        if type(value) is list:
            node = self.objects.matching_schema(nodes, value, "array")
            if node is None:
                return value
            items = self.objects.item_schemas(node)
            return [self._with_models(items(index), each) for index, each in enumerate(value)]
        return value

    # ------------------------------------------------------------------------------ defaults
    def default_value(self, name: str) -> Any:
        """Return a copy of the default of a property; None if it has none."""
        nodes = self._property_nodes(name)
        return copy.deepcopy(default_of(nodes[0])[1]) if len(nodes) == 1 else None


def model_for(engine: Engine) -> type[ArgumentsModel]:
    """Return the model of a compiled schema, made when it is first asked for."""
    if engine.model is None:
        with MATERIALIZE_LOCK:
            if engine.model is None:
                engine.model = _make_class(Blueprint(engine, engine.root), _root_name(engine))
    return engine.model  # type: ignore[no-any-return]


def _root_name(engine: Engine) -> str:
    """Return the name of a schema as a class name: any text without null and surrogates."""
    return engine.name.encode("utf-8", "ignore").decode().replace("\0", "")


def model_within(engine: Engine, place: tuple[Any, ...]) -> type[ArgumentsModel]:
    """Return the model of the objects at a place in a compiled schema: what was pickled."""
    blueprint: Blueprint = model_for(engine).__blueprint__
    return blueprint.model_of(engine.nodes[Place(*place)])


def _make_class(blueprint: Blueprint, name: str) -> type[ArgumentsModel]:
    node = blueprint.node
    schema = node.schema if isinstance(node.schema, dict) else {}
    description = schema.get("description")
    namespace: dict[str, Any] = {
        "__annotations__": Annotations(blueprint),
        "__module__": __name__,
        "__doc__": description if isinstance(description, str) else None,
        "__blueprint__": blueprint,
    }
    if node is blueprint.engine.root:
        namespace["__engine__"] = blueprint.engine
    # a descriptor only where a value may hold objects: reading any other attribute costs nothing
    holders = [
        n for n, each in node.properties.items() if not _SCALARS.issuperset(each.types or "?")
    ]
    if not node.properties or not node.has_only(_OF_OBJECTS):
        holders = [*blueprint.objects.fields(node)] + (["root"] if node.accepts("array") else [])
    for attribute in (*holders, *blueprint.conversions):
        is_special = attribute.startswith("__") and attribute.endswith("__")  # to Python
        if attribute not in OWN_NAMES and not is_special:
            namespace[attribute] = model_attribute(attribute)
    # pydantic has no annotations to collect, which would take most of the time
    return ABCMeta.__new__(type(ArgumentsModel), name, (ArgumentsModel,), namespace)
