"""Verdicts of jsonschema-rs on schemas and on values.

Every schema is checked first: an invalid one, a reference that is remote or leads nowhere, or a
pattern that no regular expression engine could bound, is refused then and never later. If no
keyword needs more, the meta-schema decides. Such a schema is compiled only for the first verdict,
which most schemas never need. Any other is compiled during the walk.
"""

from __future__ import annotations

import copy
import json
import re
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

import jsonschema_rs

from schema2model.errors import SchemaError
from schema2model.json.canonical import has_json_text, not_json_error
from schema2model.json.pointers import pointer
from schema2model.json.quoting import printable, quoted
from schema2model.json.values import SCALARS, TYPES, NotJSONError, finite, is_shallow
from schema2model.limits import MAX_CACHED_FACTS, MAX_DEPTH, MAX_DERIVED_SUBSCHEMAS
from schema2model.schema.dialects import DIALECTS
from schema2model.schema.nodes import Node, Place
from schema2model.schema.not_a_schema import unknown_type
from schema2model.schema.pattern_limits import refuse_costly_patterns
from schema2model.schema.references import ROOT_URI, Documents
from schema2model.schema.subschemas import map_subschemas, stands_alone
from schema2model.schema.unique_items import UniqueItems, may_compare_numbers
from schema2model.schema.vocabularies.metadata import METADATA
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE, TextOfType

__all__ = ["Verdicts"]

T = TypeVar("T")

_CONTENT = ("contentEncoding", "contentMediaType")
_FORMATS = "validate_formats"

MAX_SHARED = 200
"""Maximum characters of a schema whose validator is kept for others."""

_REFERENCE = re.compile(
    r"(Pointer|Anchor|Resource|Invalid URI reference) '(.*)'(?: does not| is not|: )", re.DOTALL
)
"""The beginning of jsonschema-rs's messages about references."""

_ROOT = Place(ROOT_URI, (), ROOT_URI)


class _Annotation:
    """A keyword that asserts nothing, instead of one of jsonschema-rs's own."""

    def __init__(self, parent_schema: Any, value: Any, schema_path: Any) -> None: ...

    def validate(self, instance: Any) -> None: ...


class _RefusingValidator:
    """Refuses every value: a validator for a subschema that cannot be compiled by itself."""

    def is_valid(self, instance: Any) -> bool:  # noqa: ARG002
        return False

    def iter_errors(self, instance: Any) -> tuple[()]:  # noqa: ARG002
        return ()


_REFUSING = _RefusingValidator()


class _ShallowValidator:
    """A validator for values up to a depth; it refuses deeper ones, without an error."""

    def __init__(self, validator: Any, max_depth: int) -> None:
        self._validator = validator
        self._max_depth = max_depth

    def is_valid(self, instance: Any) -> bool:
        return is_shallow(instance, self._max_depth) and self._validator.is_valid(instance)

    def iter_errors(self, instance: Any) -> Any:
        is_small = is_shallow(instance, self._max_depth)
        return self._validator.iter_errors(instance) if is_small else ()


class _Tests(dict[Node, Callable[[Any], bool]]):
    """The test of each node: whether a value is valid under it; made when first asked for.

    Nodes are found by identity: the hash of a place takes longer than most validations.
    """

    def __init__(self, verdicts: Verdicts) -> None:
        super().__init__()
        self._verdicts: Verdicts = weakref.proxy(verdicts)  # or they would keep each other alive

    def __missing__(self, node: Node) -> Callable[[Any], bool]:
        # a chain would be compiled from each of its ends; a dynamic scope begins with the first
        target = node if self._verdicts.is_dynamic else node.dereferenced()
        test: Callable[[Any], bool]
        if isinstance(target.schema, bool):  # also refuses, as all do, what it cannot convert
            test = jsonschema_rs.Draft202012Validator(target.schema).is_valid
        else:
            test = self._verdicts.is_valid_at(target.place)
        self[node] = test
        return test


class Verdicts:
    """The verdicts on the root document and on every subschema in it.

    Raises:
        SchemaError: if the root document is invalid under its meta-schema.

    """

    is_dynamic: bool
    """True if a reference depends on those before it, which a walk finds out."""
    max_depth = MAX_DEPTH
    """Maximum levels of values that are validated."""

    def __init__(
        self, documents: Documents, *, assert_formats: bool, has_unique_items: bool = False
    ) -> None:
        self.documents = documents
        self.dialect = documents.dialect
        self.root = documents.by_uri[ROOT_URI]
        self._options: dict[str, Any] = {
            _FORMATS: assert_formats,
            "retriever": documents.retrieved,
        }
        keywords: dict[str, Any] = {}
        if documents.dialect.checker in {"Draft6Validator", "Draft7Validator"}:
            keywords |= dict.fromkeys(_CONTENT, _Annotation)
        if PYTHON_TYPE in documents.dialect.keywords:
            keywords[PYTHON_TYPE] = TextOfType
        if has_unique_items and any(map(may_compare_numbers, documents.by_uri.values())):
            keywords["uniqueItems"] = UniqueItems
        if keywords:
            self._options["keywords"] = keywords
        self.tests = _Tests(self)
        self._derivations: dict[Hashable, Any] = {}
        self._derived_size = 0
        self._memo: dict[Hashable, Any] = {}
        self._root: Any = None
        self._place = _ROOT
        self.components: Mapping[Place, str] = {}
        """The subschemas that the root document has a property for, and no more."""
        if self.dialect.id_keyword != "$id":  # draft 4's `id` may also be a common property
            self.compile()
            return
        _or_schema_error(_meta_schema(self.dialect.checker).validate, self.root)

    def require_valid_schema(self, schema: Any, place: Place) -> None:
        """Check the subschema at a place by the meta-schema of its document.

        Raises:
            SchemaError: if it is invalid.

        """
        checker = self.documents.dialect_of(place.document).checker
        _or_schema_error(_meta_schema(checker).validate, schema, path=place.path)

    def compile(self) -> None:
        """Compile the root document, once.

        Raises:
            SchemaError: if it cannot be compiled.

        """
        if self._root is None:
            # before jsonschema-rs compiles any, which is what costs
            for document in self.documents.by_uri.values():
                refuse_costly_patterns(document)
            self._root = _or_schema_error(self._compiled, self.root, self.documents)

    def limit_depth(self, max_depth: int) -> None:
        """Refuse deeper values, as a walk has found that they may take too long."""
        if max_depth < MAX_DEPTH:
            self.compile()
            self.max_depth = max_depth
            self._root = _ShallowValidator(self._root, max_depth)

    def require_shallow(self, value: Any) -> None:
        """Refuse a value that is too deep to be validated.

        Raises:
            NotJSONError: if it is.

        """
        if self.max_depth < MAX_DEPTH and not is_shallow(value, self.max_depth):
            message = (
                f"more than {self.max_depth} levels of nesting, which may have too many readings"
            )
            raise NotJSONError(message)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is valid as a whole."""
        # in the place of the method: later calls go to jsonschema-rs at once
        self.is_valid = self.is_valid_at(self._place)  # type: ignore[assignment, method-assign]
        return self.is_valid(value)

    def within(self, place: Place) -> Verdicts:
        """Return the verdicts on the values of the subschema at a place alone."""
        self.compile()
        made = copy.copy(self)
        vars(made).pop("is_valid", None)
        made._place = place
        made.tests, made._memo = _Tests(made), {}
        made._derivations, made._derived_size = {}, 0
        return made

    def _compiled(self, schema: Any) -> Any:
        declared = isinstance(schema, dict) and "$schema" in schema
        is_own = declared and self.dialect.name == schema["$schema"]
        make = jsonschema_rs.validator_for
        if not is_own:
            make = getattr(jsonschema_rs, self.dialect.checker)
        try:
            return make(schema, **self._options)
        except BaseException as error:
            if type(error).__module__ != "pyo3_runtime":
                raise
            message = "jsonschema-rs cannot compile it"  # it panics where two have one "$id"
            raise SchemaError(message) from None

    def is_valid_at(self, place: Place) -> Callable[[Any], bool]:
        """Return the test whether a value is valid under the subschema at a place."""
        component = self.components.get(place)
        if component is None:
            return self._validator(place).is_valid  # type: ignore[no-any-return]
        self.compile()  # once for all of them
        is_valid = self._root.is_valid
        return lambda value: is_valid({component: value})

    def all_valid_at(self, place: Place) -> Callable[[Any], bool]:
        """Return the test whether every item of a list is valid under the subschema at a place."""
        derived = self._derived((place, "items"), lambda: {"items": self._self_contained(place)})
        return derived.is_valid  # type: ignore[no-any-return]

    def valid_for_keywords(self, place: Place, *keywords: str) -> Callable[[Any], bool]:
        """Return the test whether a value is valid under some keywords of the subschema there."""

        def schema() -> dict[str, Any]:
            whole = self.documents.at(place)
            said = {name: whole[name] for name in keywords}
            return map_subschemas(
                said, lambda _, path: self._self_contained(place._replace(path=place.path + path))
            )

        return self._derived((place, keywords), schema).is_valid  # type: ignore[no-any-return]

    def any_valid_at(self, places: tuple[Place, ...]) -> Callable[[Any], bool]:
        """Return the test whether a value is valid under the subschema at one place or more."""

        def schema() -> dict[str, Any]:
            return {"anyOf": [self._self_contained(place) for place in places]}

        return self._derived((places, "any"), schema).is_valid  # type: ignore[no-any-return]

    def memo(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` returned for a key: a fact that follows from the schema alone."""
        try:
            value: T = self._memo[key]
        except KeyError:
            if len(self._memo) >= MAX_CACHED_FACTS:
                self._memo.clear()
            value = self._memo[key] = compute()
        return value

    def asserted(self, place: Place) -> list[str]:
        """Return the keywords of the subschema at a place that its dialect asserts, in order."""
        return self.memo(("asserted", place), lambda: self._asserted(place))

    def _asserted(self, place: Place) -> list[str]:
        schema = self.documents.at(place)
        if not isinstance(schema, dict):
            return []
        dialect = self.documents.dialect_of(place.document)
        if dialect.ref_overrides and "$ref" in schema:
            return ["$ref"]
        known = dialect.assertions(formats=self._options["validate_formats"])
        return [name for name in schema if name in known]

    def _validator(self, place: Place) -> Any:
        """Return the validator of the subschema at a place."""
        if place.document == ROOT_URI and not place.path:
            self.compile()
            return self._root
        return self._derived((place, "itself"), lambda: self._self_contained(place))

    def _derived(self, key: Hashable, schema: Callable[[], Any]) -> Any:
        """Return the validator of a schema derived from the document's; compiled once."""
        validator = self._derivations.get(key)
        if validator is None:
            validator = _REFUSING  # the whole is validated all the same
            if self._derived_size <= MAX_DERIVED_SUBSCHEMAS:
                with suppress(ValueError, jsonschema_rs.ReferencingError):
                    made = schema()
                    size = 1
                    if not stands_alone(made):  # what it refers to is compiled with it
                        size = len([*self.documents.reached(made, self.documents.root())])
                    self._derived_size += size
                    if self._derived_size <= MAX_DERIVED_SUBSCHEMAS:
                        validator = self._shared(made) or self._compiled(made)
                        if self.max_depth < MAX_DEPTH:
                            validator = _ShallowValidator(validator, self.max_depth)
            self._derivations[key] = validator
        return validator

    def _shared(self, schema: Any) -> Any:
        """Return the validator of a schema like `{"type": "integer"}`, the same for all schemas.

        Most properties have such a one, but for annotations. None for others.
        """
        text = _sharable_text(schema)
        if text is None:
            return None
        keywords = tuple(self._options.get("keywords", {}).items())
        return _compiled_text(text, self.dialect.checker, keywords, self._options[_FORMATS])

    def _self_contained(self, place: Place) -> Any:
        """Return the subschema at a place, or a reference to it if it refers to anything."""
        schema = self.documents.at(place)
        if self.documents.dialect_of(place.document) is self.dialect and stands_alone(schema):
            return schema
        base = self.documents.base_of(place.document)
        return {"$ref": f"{base}#{quote(place.pointer, safe='/~')}"}

    def requirement(self, *, infinities: bool) -> Callable[[Any], Any]:
        """Return an after-validator of whole values, which returns a valid one as it is.

        Args:
            infinities: whether they count as the largest floats.

        """

        def require(value: Any) -> Any:
            if self.is_valid(finite(value) if infinities else value):
                return value
            raise ValueError

        return require

    def errors(self, place: Place, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
        """Return all errors of a value under the subschema at a place."""
        return iter(self._validator(place).iter_errors(value))


def _sharable_text(schema: Any) -> str | None:
    """Return the short JSON of a schema whose assertions are scalars, or `type`; None for others.

    None with a pattern, too, whose automaton may be large.

    >>> _sharable_text({"type": ["string", "null"], "title": "City"})
    '{"type": ["string", "null"]}'
    >>> [_sharable_text(schema) for schema in ({"enum": ["a"]}, {"not": {}}, {"pattern": "a"})]
    [None, None, None]
    """
    if not isinstance(schema, dict):
        return None
    asserted = {name: value for name, value in schema.items() if name not in METADATA}
    for name, value in asserted.items():
        is_plain = name != "pattern" and not name.startswith("$")
        if not is_plain or (type(value) not in SCALARS and name != "type"):
            return None
    text = json.dumps(asserted)
    return text if len(text) <= MAX_SHARED else None


@lru_cache(1_000)
def _compiled_text(text: str, checker: str, keywords: tuple[Any, ...], formats: bool) -> Any:  # noqa: FBT001
    options = {"keywords": dict(keywords)} if keywords else {}
    return getattr(jsonschema_rs, checker)(json.loads(text), **{_FORMATS: formats}, **options)


def _or_schema_error(
    check: Callable[[Any], T],
    schema: Any,
    documents: Documents | None = None,
    path: tuple[str | int, ...] = (),
) -> T:
    """Check the schema at a path, and raise errors of jsonschema-rs about it as SchemaErrors."""
    try:
        return check(schema)
    except jsonschema_rs.ValidationError as error:
        place, words = pointer((*path, *error.instance_path)), _words(error)
        if documents is not None and not place and error.kind.name == "$ref":
            found = _REFERENCE.match(error.message)
            at = documents.unresolved(found[2] if found else "")
            place = "" if at is None else at.pointer
        message = f"{place}: {words}" if place else words
        raise SchemaError(message[:500], pointer=place) from None
    except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
        message, place = str(error), ""
        if not has_json_text(schema):
            fault = not_json_error(schema)
            place = pointer(fault.path)
            message = f"{printable(place) or 'the schema'} is not JSON: {fault}"
        raise SchemaError(message, pointer=place) from None


@lru_cache
def _meta_schema(checker: str) -> Any:
    """Return the validator of schemas in a draft of jsonschema-rs."""
    uri = next(dialect.uri for dialect in DIALECTS if dialect.checker == checker)
    return getattr(jsonschema_rs, checker)({"$ref": uri}, keywords={"uniqueItems": UniqueItems})


def _words(error: jsonschema_rs.ValidationError) -> str:
    """Describe what is wrong with a schema, without its meta-schema."""
    path, given = error.instance_path, error.instance
    keyword = path[-1] if path else None
    if error.kind.name == "$ref":
        return _reference_words(error.message)
    if keyword in {"exclusiveMinimum", "exclusiveMaximum"} and isinstance(given, bool):
        older = f"{quoted(given)} is how draft 4 writes it"
        return f'{older}; pass dialect="draft-04", or write a number'
    if keyword == "items" and given and isinstance(given, list):
        return (
            f"{quoted(given)} is how drafts before 2020-12 write it; "
            'pass dialect="draft-07", or write "prefixItems"'
        )
    if error.message == "Unexpected type":  # in a resource
        return unknown_type(given)
    if error.kind.name == "anyOf":
        return unknown_type(given) if keyword == "type" else f"{quoted(given)} is not a schema"
    if error.kind.name == "format":
        return (
            f"{quoted(given)} is not a regular expression"
            if keyword == "pattern"
            else error.message
        )
    if error.kind.name == "type" and error.message.endswith('"boolean", "object"'):
        advice = (
            f'; write {{"type": {quoted(given)}}}'
            if isinstance(given, str) and given in TYPES
            else ""
        )
        return f"{quoted(given)} is not a schema{advice}"
    if keyword == "required" and isinstance(given, bool):
        return f"{quoted(given)} is not a list of names; make a list in the schema of the object"
    if error.kind.name == "type" and error.message.endswith('type "array"'):
        return f"{error.message}; write a list"
    return error.message


def _reference_words(message: str) -> str:
    """Describe what is wrong with a reference, from jsonschema-rs's message."""
    found = _REFERENCE.match(message)
    if found is None:
        return "a reference leads nowhere"
    kind, target = found.groups()
    if kind == "Invalid URI reference":
        return f"the reference {quoted(target)} is not a URI"
    if kind == "Resource":
        where = "neither in the schema nor among the resources"
        return f"{quoted(target)} is {where}; nothing is fetched"
    return f"the reference to {quoted(f'#{target}')} leads nowhere"
