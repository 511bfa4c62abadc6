"""python-jsonschema's names: a class for each draft, `validate` and `FormatChecker`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from schema2model import errors
from schema2model.adapters.jsonschema.exceptions import SchemaError, ValidationError, best_match
from schema2model.adapters.jsonschema.validator import FormatChecker, Validator
from schema2model.schema.dialects import dialect_for, dialect_named

__all__ = [
    "Draft4Validator",
    "Draft6Validator",
    "Draft7Validator",
    "Draft201909Validator",
    "Draft202012Validator",
    "validate",
    "validator_class",
]


class _DraftValidator(Validator):
    """A validator of one draft, whatever `$schema` says, made as python-jsonschema makes it."""

    DIALECT: ClassVar[str]
    FORMAT_CHECKER: ClassVar[FormatChecker] = FormatChecker()

    def __init__(
        self,
        schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
        *,
        format_checker: Any = None,
        registry: Mapping[str, Any] | None = None,
        _root: Mapping[str, Any] | None = None,
    ) -> None:
        # a `referencing.Registry` has each schema as the `contents` of a resource
        given = (registry or {}).items()
        resources = {uri: getattr(each, "contents", each) for uri, each in given}
        self._root = schema if isinstance(schema, Mapping) and _root is None else _root
        self._made_with = {"format_checker": format_checker, "registry": registry}
        try:
            super().__init__(
                _of_draft(_with_definitions(schema, _root), self.DIALECT),
                dialect=self.DIALECT,
                formats="annotate" if format_checker is None else "assert",
                resources=resources or None,
            )
        except errors.SchemaError as error:
            raise _schema_error(error, schema) from None

    @classmethod
    def check_schema(cls, schema: Any, dialect: str | None = None) -> None:
        """Check a schema.

        Raises:
            SchemaError: if it is invalid, or refers to what is not in it.

        >>> Draft7Validator.check_schema({"type": 5})
        Traceback (most recent call last):
            ...
        schema2model.adapters.jsonschema.exceptions.SchemaError: /type: ...

        """
        dialect = dialect or cls.DIALECT
        try:
            Validator.check_schema(_of_draft(schema, dialect), dialect)
        except errors.SchemaError as error:
            raise _schema_error(error, schema) from None

    def evolve(self, **changes: Any) -> _DraftValidator:
        """Return a validator with another `schema`, `format_checker` or `registry`.

        A part of this schema may refer to its definitions still.
        """
        schema = changes.pop("schema", self.schema)
        return type(self)(schema, _root=self._root, **{**self._made_with, **changes})


def _schema_error(error: errors.SchemaError, schema: Any) -> SchemaError:
    steps = [step for step in error.pointer.split("/") if step]
    place = {"path": steps, "schema_path": steps}
    return SchemaError(str(error), **place, instance=schema)  # type: ignore[call-arg]


def _of_draft(schema: Any, dialect: str) -> Any:
    """Return a schema without a `$schema` that names another draft."""
    if not isinstance(schema, Mapping) or "$schema" not in schema:
        return schema
    try:
        same = dialect_for(dict(schema), dialect_named(dialect), {}) == dialect_named(dialect)
    except errors.SchemaError:
        same = False
    return schema if same else {key: schema[key] for key in schema if key != "$schema"}


def _with_definitions(schema: Any, root: Mapping[str, Any] | None) -> Any:
    """Return a part of a schema with the definitions of the whole."""
    if root is None or not isinstance(schema, Mapping):
        return schema
    shared = {key: root[key] for key in ("definitions", "$defs") if key in root}
    return {**shared, **schema}


class Draft4Validator(_DraftValidator):
    """A validator of draft 4."""

    DIALECT = "draft-04"


class Draft6Validator(_DraftValidator):
    """A validator of draft 6."""

    DIALECT = "draft-06"


class Draft7Validator(_DraftValidator):
    """A validator of draft 7."""

    DIALECT = "draft-07"


class Draft201909Validator(_DraftValidator):
    """A validator of draft 2019-09."""

    DIALECT = "2019-09"


class Draft202012Validator(_DraftValidator):
    """A validator of draft 2020-12."""

    DIALECT = "2020-12"


_CLASSES = (
    *(Draft4Validator, Draft6Validator, Draft7Validator),
    *(Draft201909Validator, Draft202012Validator),
)


def validator_class(
    schema: Any, default: type[_DraftValidator] = Draft202012Validator
) -> type[_DraftValidator]:
    """Return the class for the `$schema` of a schema.

    It is `jsonschema.validators.validator_for`, and called so in the module `validators`.

    >>> validator_class({"$schema": "http://json-schema.org/draft-07/schema#"}).__name__
    'Draft7Validator'
    """
    uri = schema.get("$schema") if isinstance(schema, Mapping) else None
    if not isinstance(uri, str):
        return default
    plain = uri.removesuffix("#")
    return next((each for each in _CLASSES if dialect_named(each.DIALECT).uri == plain), default)


def validate(
    instance: Any, schema: Any, cls: type[_DraftValidator] | None = None, **options: Any
) -> None:
    """Check a schema, and an instance by it, as `jsonschema.validate` does.

    Args:
        instance: any value.
        schema: the schema.
        cls: the class of the validator; that for `$schema` if it is not given.
        options: of the class: `format_checker`, `registry`.

    Raises:
        SchemaError: if the schema is invalid.
        ValidationError: the best match, if the instance is invalid.

    >>> validate({"a": 1}, {"properties": {"a": {"type": "string"}}})
    Traceback (most recent call last):
        ...
    schema2model.adapters.jsonschema.exceptions.ValidationError: 1 is not of type 'string'...

    """
    kind = cls or validator_class(schema)
    kind.check_schema(schema)
    error: ValidationError | None = best_match(kind(schema, **options).iter_errors(instance))
    if error is not None:
        raise error
