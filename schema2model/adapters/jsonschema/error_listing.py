"""The errors of python-jsonschema, from the refusals of jsonschema-rs.

jsonschema-rs finds which keywords reject which parts of an instance. The messages, their number and
their order are those of python-jsonschema.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from schema2model.adapters.jsonschema.exceptions import UnknownType, ValidationError
from schema2model.adapters.jsonschema.keyword_messages import Refusal, keyword_messages
from schema2model.coerce.engine import Engine
from schema2model.json.equality import type_exact_bytes
from schema2model.json.pointers import JSONPath, pointer
from schema2model.schema.nodes import Place
from schema2model.schema.references import ROOT_URI, Documents
from schema2model.schema.subschemas import REFERENCES

__all__ = ["ErrorLister", "Types"]

Theirs = jsonschema_rs.ValidationError
_Positions = dict[int, dict[Any, int]]
"""The positions of a dict's keys, by the dict's id."""

_NAMES_FOLLOW = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
_WITHIN = frozenset(
    {
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "unevaluatedItems",
    }
)
"""Keywords whose subschemas are of what an instance holds."""

_PART_OF = {"minContains": "contains", "maxContains": "contains", "then": "if", "else": "if"}
"""Keywords that another one sees to."""

_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
"""Exclusive bounds of draft 4, which are booleans."""


class Types:
    """JSON Schema's types, as a dialect has them.

    >>> Types("https://json-schema.org/draft/2020-12/schema").is_type(1.0, "integer")
    True
    """

    def __init__(self, dialect: str) -> None:
        self._integral = "draft-04" not in dialect

    def is_type(self, instance: Any, type: str) -> bool:  # noqa: A002 - python-jsonschema's name
        """Return whether an instance is of a type.

        Raises:
            UnknownType: for one that there is not.

        """
        match type:
            case "integer" | "number" if isinstance(instance, bool):
                return False
            case "integer" if isinstance(instance, float):
                return self._integral and instance.is_integer()
            case _ if type in _TYPES:
                return isinstance(instance, _TYPES[type])
        raise UnknownType(type, instance, None)


_TYPES: dict[str, Any] = {
    "null": type(None),
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "string": str,
    "array": list,
    "object": dict,
}


@dataclass(frozen=True, slots=True)
class _Site:
    """A keyword that refuses a part of an instance, or a false schema that does.

    `path` leads to that part and `steps` to the keyword, references followed; `schema` is what has
    the keyword, at `place`; `name` is the property's whose name is refused.
    """

    error: Theirs
    path: JSONPath
    instance: Any
    steps: JSONPath
    keyword: str | None = None
    schema: Any = False
    place: Place | None = None
    name: str | None = None


class ErrorLister:
    """Lists the errors of instances of one schema."""

    def __init__(self, engine: Engine, schema: Any) -> None:
        dialect = engine.verdicts.dialect
        self.types = Types(dialect.uri)
        self._engine = engine
        resources = engine.source.own_resources()
        self._documents = Documents(schema, type_exact_bytes(schema), dialect, resources)
        self._root = self._documents.by_uri[ROOT_URI], self._documents.root()
        self._is_newest = "2020-12" in dialect.uri
        self._is_old = "/draft-" in dialect.uri

    def errors(self, instance: Any) -> list[ValidationError]:
        """Return all errors.

        Raises:
            ValueError: for what is not JSON.

        """
        theirs = self._engine.verdicts.errors(self._engine.root.place, instance)
        return self._listed(theirs, instance, (), ())

    def _listed(
        self, theirs: Iterable[Theirs], whole: Any, path: JSONPath, steps: JSONPath
    ) -> list[ValidationError]:
        """Errors, each once, with paths that begin where those of their parent end."""
        sites: dict[Any, _Site] = {}
        known: _Positions = {}
        for error in sorted(theirs, key=lambda error: self._sort_key(error, whole, known)):
            for site in self._sites(error, whole):
                is_moved = len(site.path) != len(error.instance_path)
                way = () if is_moved else tuple(error.evaluation_path[:-1])
                sites.setdefault((site.path, site.steps, way, site.name), site)
        return [
            error for site in sites.values() for error in self._errors(site, whole, path, steps)
        ]

    def _sites(self, theirs: Theirs, whole: Any) -> Iterator[_Site]:
        """Yield the locations of an error in python-jsonschema: one, except for rejected names."""
        error: Theirs = getattr(theirs.kind, "error", theirs)  # of the name of a property
        path = _keys(whole, error.instance_path)
        steps, is_keyword = _without_references(error.evaluation_path)
        keyword = str(steps[-1]) if is_keyword else None
        if error.kind.name == "falseSchema":
            instance = _walked(whole, path)
            if keyword == "propertyNames":
                for name in instance:
                    yield _Site(error, path, name, steps, name=name)
                return
            if keyword == "items" and self._is_newest:
                path = path[:-1]
            elif keyword != "additionalProperties":
                yield _Site(error, path, instance, steps)
                return
        name = None if error is theirs else str(error.instance)
        instance = _walked(whole, path) if name is None else name
        if error.kind.name != "falseSchema" and instance != error.instance:
            instance = error.instance  # jsonschema-rs leaves empty names out of paths
        keyword = _PART_OF.get(str(keyword), str(keyword))
        schema, place = self._keyword_holder(error, keyword)
        if isinstance(schema, dict) and schema.get(keyword) is True:
            keyword = _EXCLUSIVE.get(keyword, keyword)
        steps = (*steps[:-1], keyword)
        yield _Site(error, path, instance, steps, keyword, schema, place, name)

    def _errors(
        self, site: _Site, whole: Any, path: JSONPath, steps: JSONPath
    ) -> Iterator[ValidationError]:
        known = isinstance(site.schema, dict)
        value = site.schema.get(site.keyword) if known else None
        error, passes = site.error, self._valid_for_value(site)
        refusal = Refusal(
            site.instance, value, site.schema, error.message, error.kind, passes, self._is_old
        )
        branches = getattr(error.kind, "context", ())
        for message, keyword in keyword_messages(site.keyword, refusal):
            context = []
            for branch in branches if all(branches) else ():
                context += self._listed(branch, whole, site.path, site.steps)
            listed = ValidationError(
                message,
                validator=keyword or site.keyword,
                path=site.path[len(path) :],
                context=context,
                validator_value=site.schema[keyword] if keyword else value,
                instance=site.instance,
                schema=site.schema,
                schema_path=site.steps[len(steps) :],
                type_checker=self.types,
            )
            listed.schema_pointer = pointer(error.schema_path)
            yield listed

    def _valid_for_value(self, site: _Site) -> Callable[[Any], bool]:
        """Return whether a value is valid under the subschema that is the keyword's value."""

        def passes(value: Any) -> bool:
            if site.place is None:
                return False
            _, place = self._documents.below(site.schema, site.place, (str(site.keyword),))
            return self._engine.verdicts.is_valid_at(place)(value)

        return passes

    def _keyword_holder(self, error: Theirs, keyword: str) -> tuple[Any, Place | None]:
        """Return the schema that has a keyword, and its place; nothing where it is not found."""
        uri, _, fragment = (error.absolute_keyword_location or "").partition("#")
        try:
            if uri:
                reference = f"{uri}#{fragment.rpartition('/')[0]}"
                found = self._documents.resolve(reference, self._root[1])
            else:
                steps = _keys(self._root[0], error.schema_path[:-1])
                found = self._documents.below(*self._root, steps)
        except (LookupError, TypeError):
            found = None
        is_found = found is not None and isinstance(found[0], dict) and keyword in found[0]
        return found if found is not None and is_found else (None, None)

    def _sort_key(self, error: Theirs, whole: Any, known: _Positions) -> list[int]:
        """Return the sort key of python-jsonschema's order: by keywords, names and items.

        It is unknown after a dynamic reference.
        """
        schema, place = self._root
        path = iter(_keys(whole, error.instance_path))
        order: list[int] = []
        keyword: Any = None
        for step in error.evaluation_path:
            is_keyword = keyword not in _NAMES_FOLLOW and isinstance(step, str)
            step = str(step) if isinstance(schema, dict) else step  # noqa: PLW2901
            key = _PART_OF.get(str(step), step) if is_keyword else step
            order.append(_position(schema, key, known))
            try:
                if is_keyword and step in REFERENCES:
                    schema, place = self._documents.resolve(schema[step], place) or (None, place)
                else:
                    schema, place = self._documents.below(schema, place, (step,))
            except (LookupError, TypeError):
                break
            inner = schema if is_keyword else None
            goes_on = isinstance(inner, list) or (is_keyword and step in _NAMES_FOLLOW)
            keyword = step if is_keyword else keyword
            if keyword in _WITHIN and not goes_on:
                at = next(path, None)
                order.append(-1 if at is None else _position(whole, at, known))
                whole = None if at is None else _walked(whole, (at,))
            keyword = step if is_keyword and goes_on else None
        return order


def _position(container: Any, key: Any, known: _Positions) -> int:
    """Return the position of a key or an index; the last one if it is missing."""
    if isinstance(key, int) or not isinstance(container, dict):
        return key if isinstance(key, int) else 0
    if id(container) not in known:
        known[id(container)] = {name: place for place, name in enumerate(container)}
    return known[id(container)].get(key, len(container))


def _without_references(path: Iterable[str | int]) -> tuple[JSONPath, bool]:
    """Return a path through a schema without references, and whether it leads to a keyword."""
    kept: list[str | int] = []
    is_keyword = names_follow = False
    for given in path:
        step = str(given) if names_follow else given
        is_keyword = not names_follow and isinstance(step, str)
        names_follow = is_keyword and step in _NAMES_FOLLOW
        if is_keyword and step == "$ref":
            is_keyword = False
        else:
            kept.append(step)
    return tuple(kept), is_keyword


def _keys(value: Any, path: Iterable[str | int]) -> JSONPath:
    """Return a path of jsonschema-rs's, in which names that are digits are numbers."""
    keys: list[str | int] = []
    for step in path:
        keys.append(str(step) if isinstance(value, dict) else step)
        value = _walked(value, keys[-1:])
    return tuple(keys)


def _walked(value: Any, path: Iterable[str | int]) -> Any:
    """Return the value at a path; None if there is none."""
    with contextlib.suppress(LookupError, TypeError):
        for key in path:
            value = value[key]
        return value
    return None
