"""`Validator`: our verdicts in python-jsonschema's methods, and its errors for what is invalid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, TypedDict

from typing_extensions import Unpack

from schema2model.adapters.jsonschema.exceptions import FormatError, ValidationError
from schema2model.compiled import compile_schema
from schema2model.extras import extra
from schema2model.json.pointers import nearest_part, pointer
from schema2model.json.values import is_shallow
from schema2model.limits import MAX_CONTEXT_DEPTH
from schema2model.types import Formats

with extra("jsonschema"):
    from jsonschema import validators
    from referencing import Registry, Resource
    from referencing.jsonschema import specification_with

__all__ = ["FormatChecker", "Options", "Validator"]


class FormatChecker:
    """Says to check formats: `Draft7Validator(schema, format_checker=FormatChecker())`.

    >>> FormatChecker().conforms("2026-02-30", "date")
    False
    """

    def check(self, instance: object, format: str) -> None:  # noqa: A002 - python-jsonschema's name
        """Check an instance.

        Raises:
            FormatError: if it does not have the format.

        """
        if not self.conforms(instance, format):
            message = f"{instance!r} is not a {format!r}"
            raise FormatError(message)

    def conforms(self, instance: object, format: str) -> bool:  # noqa: A002 - python-jsonschema's name
        """Return whether an instance has a format; all values have an unknown one."""
        return compile_schema({"format": format}, formats="assert").is_valid(instance)


class Options(TypedDict, total=False):
    """Options of a validator; see `validator_for`."""

    dialect: str | None
    formats: Formats | None
    resources: Mapping[str, Any] | None


class Validator:
    """Made by `validator_for`.

    Args:
        schema: what it validates by.
        options: `dialect`, `formats` and `resources`, as for `validator_for`.

    Raises:
        SchemaError: see `compile_schema`.

    """

    def __init__(self, schema: Mapping[str, Any] | bool, **options: Unpack[Options]) -> None:  # noqa: FBT001
        self._options = options
        self._compiled = compile_schema(schema, coercion="off", **options)
        self.schema = self._compiled.schema

    def __repr__(self) -> str:
        return f"{type(self).__name__}(schema={self.schema!r})"

    @classmethod
    def check_schema(cls, schema: Any, dialect: str | None = None) -> None:
        """Raise an error if a schema is invalid.

        Args:
            schema: what may be one.
            dialect: for one without `$schema`; 2020-12 if not given.

        Raises:
            SchemaError: for what is none; also where it refers to what is not in it.

        >>> Validator.check_schema({"type": "whole"})
        Traceback (most recent call last):
            ...
        schema2model.errors.SchemaError: /type: unknown type "whole"; ...

        """
        compile_schema(schema, coercion="off", dialect=dialect)

    def evolve(self, **changes: Any) -> Validator:
        """Return a validator with another `schema`, or with other options.

        >>> [*Validator({"type": "string"}).evolve(schema={"type": "null"}).iter_errors("a")]
        [<ValidationError: "'a' is not of type 'null'">]

        """
        return type(self)(changes.pop("schema", self.schema), **{**self._options, **changes})

    def is_type(self, instance: Any, type: str) -> bool:  # noqa: A002 - python-jsonschema's name
        """Return whether an instance is of one of JSON Schema's types.

        Raises:
            UnknownType: for one that there is not.

        >>> Validator(True).is_type(True, "integer")
        False

        """
        return bool(self._theirs.is_type(instance, type))

    def is_valid(self, instance: Any) -> bool:
        """Return whether it satisfies the schema. Never raises."""
        return self._compiled.is_valid(instance)

    def validate(self, instance: Any) -> None:
        """Raise the first error, if there is one.

        Raises:
            ValidationError: where `is_valid` says no.

        """
        for error in self.iter_errors(instance):
            raise error

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Return everything that is wrong: nothing if the instance is valid, and only then."""
        if self.is_valid(instance):
            return
        found = self._list_errors(instance) or list(self._issues_as_errors(instance))
        yield from found or [self._error("no plain JSON", instance=instance)]

    @cached_property
    def _theirs(self) -> Any:
        """The validator of python-jsonschema that makes the errors. It fetches nothing."""
        engine = self._compiled._engine
        dialect, source = engine.verdicts.dialect, engine.source
        kind = getattr(validators, dialect.checker)
        specification = specification_with(kind.META_SCHEMA["$schema"])
        resources = [
            (uri, Resource.from_contents(document, default_specification=specification))
            for uri, document in source.own_resources().items()
            if isinstance(document, dict)  # true and false are no schemas of draft 4
        ]
        return kind(
            dialect.rewrite(self.schema) if dialect.rewrite else self.schema,
            registry=Registry().with_resources(resources),
            format_checker=FormatChecker() if source.formats == "assert" else None,
        )

    def _list_errors(self, instance: Any) -> list[ValidationError]:
        """Return python-jsonschema's errors; none where it finds none, or fails."""
        if not is_shallow(instance, MAX_CONTEXT_DEPTH):
            return []
        try:
            return [*map(self._as_ours, self._theirs.iter_errors(instance))]
        except Exception:  # noqa: BLE001 - Python does not read every pattern of JSON Schema
            return []

    def _as_ours(self, error: Any) -> ValidationError:
        """Return an error of python-jsonschema's, and those in its context, as one of ours."""
        made = self._error(
            error.message,
            validator=error.validator,
            path=error.relative_path,
            cause=error.cause,
            context=[*map(self._as_ours, error.context)],
            validator_value=error.validator_value,
            instance=error.instance,
            schema=error.schema,
            schema_path=error.relative_schema_path,
        )
        holder = self._pointers.get(id(error.schema))
        steps = error.absolute_schema_path
        made.schema_pointer = pointer(steps if holder is None else [*holder, error.validator])
        return made

    @cached_property
    def _pointers(self) -> dict[int, tuple[str | int, ...]]:
        """The paths to the objects of the schema, by their ids: errors hold the objects."""
        found: dict[int, tuple[str | int, ...]] = {}
        waiting: list[tuple[tuple[str | int, ...], Any]] = [((), self._theirs.schema)]
        for path, part in waiting:  # which grows on the way
            if isinstance(part, dict):
                found[id(part)] = path
                waiting += [((*path, name), member) for name, member in part.items()]
            elif isinstance(part, list):
                waiting += [((*path, index), member) for index, member in enumerate(part)]
        return found

    def _issues_as_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Yield the issues for models, as errors."""
        error = self._compiled.explain(instance).error
        for issue in error.issues if error else ():
            path, part = nearest_part(instance, issue.path)
            yield self._error(str(issue), validator=issue.keyword, instance=part, path=path)

    def _error(self, message: str, **details: Any) -> ValidationError:
        checker = self._theirs.TYPE_CHECKER
        return ValidationError(message, **details, type_checker=checker)  # type: ignore[call-arg]
