"""`Validator`: a validator with the methods of python-jsonschema's, for one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict

from typing_extensions import Unpack

from schema2model.adapters.jsonschema.error_listing import ErrorLister
from schema2model.adapters.jsonschema.exceptions import ValidationError
from schema2model.compiled import compile_schema
from schema2model.json.pointers import pointer_tokens
from schema2model.json.values import is_shallow
from schema2model.limits import MAX_CONTEXT_DEPTH
from schema2model.types import Formats

__all__ = ["Options", "Validator"]

Path = Iterable["str | int"]


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
        self._lister = ErrorLister(self._compiled._engine, self.schema)

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
        return self._lister.types.is_type(instance, type)

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

    def _list_errors(self, instance: Any) -> list[ValidationError]:
        """Return the errors of jsonschema-rs."""
        if not is_shallow(instance, MAX_CONTEXT_DEPTH):
            return []
        try:
            return self._lister.errors(instance)
        except ValueError:
            return []  # no JSON

    def _issues_as_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Yield the issues for models, as errors."""
        error = self._compiled.explain(instance).error
        for issue in error.issues if error else ():
            path, part = _walked(instance, pointer_tokens(issue.path))
            yield self._error(str(issue), validator=issue.keyword, instance=part, path=path)

    def _error(self, message: str, **details: Any) -> ValidationError:
        return ValidationError(message, **details, type_checker=self._lister.types)


def _walked(value: Any, path: Path) -> tuple[list[str | int], Any]:
    """Return the value at a path, with indices for numbers in arrays; None if there is none."""
    walked: list[str | int] = []
    for step in path:
        try:
            key: Any = int(step) if isinstance(value, list) else step
            value = value[key]
        except (LookupError, TypeError, ValueError):
            return walked, None
        walked.append(key)
    return walked, value
