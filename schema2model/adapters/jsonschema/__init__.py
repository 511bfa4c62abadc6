"""For code that wants a validator: one like python-jsonschema's, and a function like Ajv's.

validator = validator_for(schema); validator.validate(instance); validator.iter_errors(instance)
check = compile(schema); if not check(instance): print(check.errors)

Nothing is coerced here. `CompiledSchema` has the rest: `compile_schema(schema).validate(value)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict

from typing_extensions import Unpack

from schema2model.adapters.jsonschema.exceptions import UnknownType, ValidationError, best_match
from schema2model.adapters.jsonschema.telling import ErrorLister
from schema2model.cache import compile_schema
from schema2model.coerce.recipe import Formats
from schema2model.compiled import engine_of
from schema2model.json.pointers import pointer
from schema2model.json.values import is_shallow
from schema2model.limits import MAX_CONTEXT_DEPTH

__all__ = [
    "Check",
    "UnknownType",
    "ValidationError",
    "Validator",
    "best_match",
    "compile",
    "validator_for",
]

Path = Iterable["str | int"]


class Options(TypedDict, total=False):
    """Options of a validator; see `validator_for`."""

    dialect: str | None
    formats: Formats | None
    resources: Mapping[str, Any] | None


def validator_for(
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    *,
    dialect: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
) -> Validator:
    """A validator, like that of `jsonschema.validators.validator_for(schema)(schema)`.

    Args:
        schema: as for `compile_schema`, like the options.
        dialect: for a schema without `$schema`; 2020-12 if not given.
        formats: `"assert"` checks them; python-jsonschema does not by default.
        resources: other documents, by URI. Nothing is fetched.

    Raises:
        SchemaError: see `compile_schema`.

    >>> list(validator_for({"items": {"type": "integer"}}).iter_errors([1, "2"]))
    [<ValidationError: "'2' is not of type 'integer'">]

    """
    return Validator(schema, dialect=dialect, formats=formats, resources=resources)


def compile(  # noqa: A001 - Ajv's name
    schema: Mapping[str, Any] | bool,  # noqa: FBT001
    *,
    dialect: str | None = None,
    formats: Formats | None = "assert",
    resources: Mapping[str, Any] | None = None,
) -> Check:
    """A function, like that of `new Ajv({allErrors: true}).compile(schema)`.

    Args:
        schema: as for `validator_for`, like the options.
        dialect: see there.
        formats: `"annotate"` does not check them; Ajv does by default.
        resources: see there.

    Raises:
        SchemaError: see `compile_schema`.

    >>> check = compile({"type": "integer"})
    >>> check(1), check("1"), check.errors[0]["message"]
    (True, False, "'1' is not of type 'integer'")

    """
    return Check(validator_for(schema, dialect=dialect, formats=formats, resources=resources))


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
        self._teller = ErrorLister(engine_of(self._compiled), self.schema, options.get("resources"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(schema={self.schema!r})"

    @classmethod
    def check_schema(cls, schema: Any, dialect: str | None = None) -> None:
        """Nothing, for a schema that is one.

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
        """A validator with another `schema`, or with other options.

        >>> [*validator_for({"type": "string"}).evolve(schema={"type": "null"}).iter_errors("a")]
        [<ValidationError: "'a' is not of type 'null'">]

        """
        return type(self)(changes.pop("schema", self.schema), **{**self._options, **changes})

    def is_type(self, instance: Any, type: str) -> bool:  # noqa: A002 - python-jsonschema's name
        """Whether an instance is of one of JSON Schema's types.

        Raises:
            UnknownType: for one that there is not.

        >>> validator_for(True).is_type(True, "integer")
        False

        """
        return self._teller.types.is_type(instance, type)

    def is_valid(self, instance: Any) -> bool:
        """Whether it satisfies the schema. Never raises."""
        return self._compiled.is_valid(instance)

    def validate(self, instance: Any) -> None:
        """Raise the first error, if there is one.

        Raises:
            ValidationError: where `is_valid` says no.

        """
        for error in self.iter_errors(instance):
            raise error

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Everything that is wrong: nothing if the instance is valid, and only then."""
        if self.is_valid(instance):
            return
        found = self._told(instance) or list(self._summed_up(instance))
        yield from found or [self._error("no plain JSON", instance=instance)]

    def _told(self, instance: Any) -> list[ValidationError]:
        """The errors of jsonschema-rs."""
        if not is_shallow(instance, MAX_CONTEXT_DEPTH):
            return []
        try:
            return self._teller.errors(instance)
        except ValueError:
            return []  # no JSON

    def _summed_up(self, instance: Any) -> Iterator[ValidationError]:
        """The issues for models, as errors."""
        error = self._compiled.explain(instance).error
        for issue in error.issues if error else ():
            tokens = (t.replace("~1", "/").replace("~0", "~") for t in issue.path.split("/")[1:])
            path, part = _walked(instance, tokens)
            yield self._error(str(issue), validator=issue.keyword, instance=part, path=path)

    def _error(self, message: str, **details: Any) -> ValidationError:
        return ValidationError(message, **details, type_checker=self._teller.types)


class Check:
    """Made by `compile`. `errors` is None, or a list of those that the last call has found."""

    def __init__(self, validator: Validator) -> None:
        self.schema = validator.schema
        self.errors: list[dict[str, Any]] | None = None
        self._validator = validator

    def __call__(self, data: Any) -> bool:
        """Whether data is valid; if not, `errors` says why. They are Ajv's but for `params`."""
        found = [
            {
                "instancePath": pointer(error.absolute_path),
                "schemaPath": f"#{error.schema_pointer}",
                "keyword": error.validator or "false schema",
                "message": error.message,
            }
            for error in self._validator.iter_errors(data)
        ]
        self.errors = found or None
        return not found


def _walked(value: Any, path: Path) -> tuple[list[str | int], Any]:
    """The value at a path, with indices for numbers in arrays; None if there is none."""
    walked: list[str | int] = []
    for step in path:
        try:
            key: Any = int(step) if isinstance(value, list) else step
            value = value[key]
        except (LookupError, TypeError, ValueError):
            return walked, None
        walked.append(key)
    return walked, value
