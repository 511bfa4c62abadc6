"""jsonschema-rs, the judge: whether a schema is one, whether a value is valid, and why not.

Every schema is checked first: one that is invalid, has a reference that is remote or leads nowhere,
or a pattern that no regular expression engine could bound, is refused then and never later. Where
all keywords are plain, the meta-schema is enough for that. Such a schema is compiled only when a
verdict is first asked for, which for most schemas is never. Any other is compiled during the walk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

import jsonschema_rs

from schema2model.errors import SchemaError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.values import shallow_only
from schema2model.schema.dialects import DIALECTS
from schema2model.schema.misuse import unknown_type
from schema2model.schema.nodes import Place
from schema2model.schema.references import ROOT_URI, Documents
from schema2model.schema.subschemas import stands_alone, subschemas

__all__ = ["Verdicts"]

_CHECKED = [dialect for dialect in DIALECTS if dialect.id_keyword == "$id"]
"""Dialects in which an identifier is `$id`; the `id` of draft 4 may also be a common property."""

MAX_KNOWN = 10_000
"""Facts about one schema that are kept."""

T = TypeVar("T")

_CONTENT = ("contentEncoding", "contentMediaType")


_REFERENCE = re.compile(
    r"(Pointer|Anchor|Resource|Invalid URI reference) '(.*)'(?: does not| is not|: )", re.DOTALL
)
"""How jsonschema-rs begins to say what is wrong with a reference."""

_ROOT = Place(ROOT_URI, (), ROOT_URI)


class _Annotation:
    """A keyword that asserts nothing, in the place of one of jsonschema-rs's own."""

    def __init__(self, parent_schema: Any, value: Any, schema_path: Any) -> None: ...

    def validate(self, instance: Any) -> None: ...


class _Refusal:
    """Stands for the validator of a part that cannot be compiled apart from the whole schema."""

    def is_valid(self, instance: Any) -> bool:  # noqa: ARG002
        return False

    def iter_errors(self, instance: Any) -> tuple[()]:  # noqa: ARG002
        return ()


class Verdicts:
    """The verdicts on the root document and on every subschema in it.

    Raises:
        SchemaError: if the root document is not what its meta-schema wants.

    """

    def __init__(self, documents: Documents, *, assert_formats: bool) -> None:
        self.documents = documents
        self.dialect = documents.dialect
        self.root = documents.by_uri[ROOT_URI]
        self._options: dict[str, Any] = {
            "validate_formats": assert_formats,
            "retriever": documents.retrieved,
        }
        if documents.dialect.checker in {"Draft6Validator", "Draft7Validator"}:
            self._options["keywords"] = dict.fromkeys(_CONTENT, _Annotation)
        self._parts: dict[Place, Any] = {}
        self._uses: dict[tuple[Place, str | tuple[str, ...]], Callable[[Any], bool]] = {}
        self._known: dict[Hashable, Any] = {}
        self._root: Any = None
        self._bounded = False
        self.is_valid: Callable[[Any], bool] = self._first_is_valid
        if self.dialect not in _CHECKED:
            self.compile()
            return
        with _told():
            _meta_schema(self.dialect.checker).validate(self.root)

    def compile(self) -> None:
        """Compile the root document, if that has not been done.

        Raises:
            SchemaError: if that cannot be done.

        """
        if self._root is None:
            with _told():
                self._root = self._compiled(self.root)
            self._begin()

    def bound(self) -> None:
        """From now on, refuse values that are too deep or too large, however much they share."""
        self._bounded = True
        if self._root is not None:
            self._begin()

    def _begin(self) -> None:
        is_valid = self._root.is_valid
        self.is_valid = shallow_only(is_valid) if self._bounded else is_valid

    def _first_is_valid(self, value: Any) -> bool:
        self.compile()
        return self.is_valid(value)

    def _compiled(self, schema: Any) -> Any:
        declared = isinstance(schema, dict) and "$schema" in schema
        is_own = declared and self.dialect.name == schema["$schema"]
        make = jsonschema_rs.validator_for if is_own else self._checker
        try:
            return make(schema, **self._options)
        except BaseException as error:
            if type(error).__module__ != "pyo3_runtime":
                raise
            message = "jsonschema-rs cannot compile it"  # it panics where two have one "$id"
            raise SchemaError(message) from None

    @property
    def _checker(self) -> Any:
        return getattr(jsonschema_rs, self.dialect.checker)

    def part(self, place: Place) -> Callable[[Any], bool]:
        """Whether a value is valid under the subschema at a place."""
        verdict: Callable[[Any], bool] = self._part(place).is_valid
        return verdict

    def _part(self, place: Place) -> Any:
        """The validator of the subschema at a place; compiled when first asked for."""
        if place.document == ROOT_URI and not place.path:
            self.compile()
            return self._root
        validator = self._parts.get(place)
        if validator is None:
            validator = self._parts[place] = self._judge(self._spelled(place))
        return validator

    def every(self, place: Place) -> Callable[[Any], bool]:
        """Whether every item of a list is valid under the subschema at a place."""
        return self._derived(place, "items", lambda: {"items": self._spelled(place)})

    def only(self, place: Place, *keywords: str) -> Callable[[Any], bool]:
        """Whether a value is valid under these keywords of the subschema at a place."""

        def alone() -> dict[str, Any]:
            schema = self.documents.at(place)
            return {name: self._alone(place, name, schema[name]) for name in keywords}

        return self._derived(place, keywords, alone)

    def any_branch(self, place: Place, keyword: str) -> Callable[[Any], bool]:
        """Whether at least one branch of a union at a place accepts a value."""

        def branches() -> dict[str, Any]:
            return {"anyOf": self._alone(place, keyword, self.documents.at(place)[keyword])}

        return self._derived(place, f"any {keyword}", branches)

    def known(self, about: Hashable, work_out: Callable[[], T]) -> T:
        """What follows from the schema alone, worked out when it is first asked for."""
        try:
            found: T = self._known[about]
        except KeyError:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[about] = work_out()
        return found

    def asserted(self, place: Place) -> list[str]:
        """The keywords of the subschema at a place that its dialect asserts, in their order."""
        return self.known(("asserted", place), lambda: self._asserted(place))

    def _asserted(self, place: Place) -> list[str]:
        schema = self.documents.at(place)
        if not isinstance(schema, dict):
            return []
        dialect = self.documents.dialect_of(place.document)
        if dialect.ref_overrides and "$ref" in schema:
            return ["$ref"]
        known = dialect.assertions(formats=self._options["validate_formats"])
        return [name for name in schema if name in known]

    def _derived(
        self, place: Place, use: str | tuple[str, ...], make: Callable[[], Any]
    ) -> Callable[[Any], bool]:
        """The verdict of a schema made of the one at a place; compiled when first asked for."""
        verdict = self._uses.get((place, use))
        if verdict is None:
            verdict = self._uses[place, use] = self._judge(make()).is_valid
        return verdict

    def _alone(self, place: Place, keyword: str, value: Any) -> Any:
        """A keyword's value that means the same apart from its document."""
        below = place._replace(path=(*place.path, keyword))
        alone = value
        for tokens, _ in subschemas({keyword: value}):
            if len(tokens) == 1:
                return self._spelled(below)
            key = int(tokens[1]) if isinstance(value, list) else tokens[1]
            if alone is value:
                alone = value.copy()
            alone[key] = self._spelled(below._replace(path=(*below.path, key)))
        return alone

    def _spelled(self, place: Place) -> Any:
        """The subschema at a place, or a reference to it where it would mean another thing."""
        part = self.documents.at(place)
        if place.document == ROOT_URI and stands_alone(part):
            return part
        base = self.documents.base_of(place.document)
        return {"$ref": f"{base}#{quote(place.pointer, safe='/~')}"}

    def _judge(self, schema: Any) -> Any:
        try:
            return self._compiled(schema)
        except (ValueError, jsonschema_rs.ReferencingError):
            return _Refusal()  # the whole is judged all the same

    def require(self, value: Any) -> Any:
        """The value itself, if it is valid; for use as an after-validator.

        Raises:
            ValueError: if it is not.

        """
        if (self._root or self._part(_ROOT)).is_valid(value):
            return value
        raise ValueError

    def errors(self, place: Place, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
        """Everything that the subschema at a place refuses in a value."""
        return iter(self._part(place).iter_errors(value))


@contextmanager
def _told() -> Iterator[None]:
    """What jsonschema-rs says of a schema, as a SchemaError."""
    try:
        yield
    except jsonschema_rs.ValidationError as error:
        raise _schema_error(error) from None
    except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
        raise SchemaError(str(error)) from None


@lru_cache
def _meta_schema(checker: str) -> Any:
    """The validator of schemas in a draft of jsonschema-rs."""
    uri = next(dialect.uri for dialect in DIALECTS if dialect.checker == checker)
    return getattr(jsonschema_rs, checker)({"$ref": uri})


def _schema_error(error: jsonschema_rs.ValidationError) -> SchemaError:
    place = pointer(error.instance_path)
    words = _words(error)
    message = words if not place else f"{place}: {words}"
    return SchemaError(message[:500], pointer=place)


def _words(error: jsonschema_rs.ValidationError) -> str:
    """What is wrong with a schema, without a word about the schema of schemas."""
    path, given = error.instance_path, error.instance
    keyword = path[-1] if path else None
    if error.kind.name == "$ref":
        return _reference_words(error.message)
    if error.kind.name == "anyOf":
        return unknown_type(given) if keyword == "type" else f"{quoted(given)} is no schema"
    if error.kind.name == "format":
        return (
            f"{quoted(given)} is no regular expression" if keyword == "pattern" else error.message
        )
    if error.kind.name == "type" and error.message.endswith('"boolean", "object"'):
        return f"{quoted(given)} is no schema"
    if keyword == "required" and isinstance(given, bool):
        return f"{quoted(given)} is no list of names; it stands in the schema of the object"
    return error.message


def _reference_words(message: str) -> str:
    """What is wrong with a reference, from what jsonschema-rs says of it."""
    found = _REFERENCE.match(message)
    if found is None:
        return "a reference leads nowhere"
    kind, target = found.groups()
    if kind == "Invalid URI reference":
        return f"the reference {quoted(target)} is no URI"
    if kind == "Resource":
        where = "neither in the schema nor among the resources"
        return f"{quoted(target)} is {where}; nothing is fetched"
    return f"the reference to {quoted(f'#{target}')} leads nowhere"
