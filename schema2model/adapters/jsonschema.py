"""For code that wants a validator: one like python-jsonschema's, and a function like Ajv's.

validator = validator_for(schema); validator.validate(instance); validator.iter_errors(instance)
check = compile(schema); if not check(instance): print(check.errors)

Nothing is coerced here. `CompiledSchema` has the rest: `compile_schema(schema).validate(value)`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jsonschema_rs

from schema2model.cache import compile_schema
from schema2model.compiled import CompiledSchema
from schema2model.engine.engine import Formats
from schema2model.values import is_shallow, pointer

__all__ = ["Check", "ValidationError", "Validator", "compile", "validator_for"]

MAX_DEPTH = 6
"""Levels of an instance of which every error is told with all of its context: jsonschema-rs tells
of every branch of every union on the way down, and they multiply from level to level."""

Path = Iterable[str | int]


def validator_for(
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    *,
    dialect: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
) -> Validator:
    """What `jsonschema.validators.validator_for(schema)(schema)` makes: a validator.

    Args:
        schema: as for `compile_schema`, like the options.
        dialect: for a schema without `$schema`; 2020-12 if not given.
        formats: python-jsonschema does not check them unless it is told to: `"assert"`.
        resources: other documents, by URI. Nothing is fetched.

    Raises:
        SchemaError: see `compile_schema`.

    >>> list(validator_for({"items": {"type": "integer"}}).iter_errors([1, "2"]))
    [<ValidationError: '"2" is not of type "integer"'>]

    """
    options: dict[str, Any] = {"dialect": dialect, "formats": formats, "resources": resources}
    return Validator(compile_schema(schema, coercion="off", **options))


def compile(  # noqa: A001 - Ajv's name
    schema: Mapping[str, Any] | bool,  # noqa: FBT001
    *,
    dialect: str | None = None,
    formats: Formats | None = "assert",
    resources: Mapping[str, Any] | None = None,
) -> Check:
    """What `new Ajv({allErrors: true}).compile(schema)` makes: a function.

    Args:
        schema: as for `validator_for`, like the options.
        dialect: see there.
        formats: Ajv checks them unless it is told not to: `"annotate"`.
        resources: see there.

    Raises:
        SchemaError: see `compile_schema`.

    >>> check = compile({"type": "integer"})
    >>> check(1), check("1"), check.errors[0]["message"]
    (True, False, '"1" is not of type "integer"')

    """
    return Check(validator_for(schema, dialect=dialect, formats=formats, resources=resources))


class ValidationError(ValueError):
    """One thing that is wrong with an instance, with the attributes of python-jsonschema's.

    `validator` is the keyword that refuses it and `validator_value` what the schema says there;
    `instance` is the part that is refused. `path` leads to that and `schema_path` to the keyword,
    from `parent`, which is the error of a union whose `context` holds those of its branches.
    `schema_pointer` is the keyword's own place, behind references.
    Of instances that are deep, or no JSON, less is told: the message, `path` and `validator`.
    """

    def __init__(  # noqa: PLR0913 - one attribute, one argument
        self,
        message: str,
        *,
        validator: str | None = None,
        validator_value: Any = None,
        instance: Any = None,
        path: Path = (),
        schema_path: Path = (),
        schema_pointer: str = "",
        parent: ValidationError | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.validator = validator
        self.validator_value = validator_value
        self.instance = instance
        self.path = self.relative_path = deque(path)
        self.schema_path = self.relative_schema_path = deque(schema_path)
        self.schema_pointer = schema_pointer
        self.parent = parent
        self.context: list[ValidationError] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.message!r}>"

    @property
    def absolute_path(self) -> deque[str | int]:
        """The keys and indices that lead to the part that is refused, from the whole."""
        return (self.parent.absolute_path if self.parent else deque()) + self.path

    @property
    def absolute_schema_path(self) -> deque[str | int]:
        """The keywords, names and indices that lead to the keyword; references are followed."""
        return (self.parent.absolute_schema_path if self.parent else deque()) + self.schema_path


class Validator:
    """Made by `validator_for`."""

    def __init__(self, compiled: CompiledSchema) -> None:
        self.schema = compiled.schema
        self._compiled = compiled

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
        found = list(self._told(instance)) or list(self._summed_up(instance))
        yield from found or [ValidationError("no plain JSON", instance=instance)]

    def _told(self, instance: Any) -> Iterator[ValidationError]:
        """What jsonschema-rs tells."""
        if not is_shallow(instance, MAX_DEPTH):
            return
        verdicts, place = self._compiled.engine.verdicts, self._compiled.engine.root.place
        try:
            for error in verdicts.errors(place, instance):
                yield self._error(error, None)
        except ValueError:
            return  # no JSON

    def _error(
        self, theirs: jsonschema_rs.ValidationError, parent: ValidationError | None
    ) -> ValidationError:
        path, schema_path = theirs.instance_path, _followed(theirs.evaluation_path)
        by_keyword = theirs.kind.name != "falseSchema"
        error = ValidationError(
            theirs.message,
            validator=str(schema_path[-1]) if by_keyword else None,
            validator_value=self._said(theirs) if by_keyword else None,
            instance=theirs.instance,
            path=path[len(parent.absolute_path) if parent else 0 :],
            schema_path=schema_path[len(parent.absolute_schema_path) if parent else 0 :],
            schema_pointer=pointer(theirs.schema_path),
            parent=parent,
        )
        for branch in getattr(theirs.kind, "context", ()):
            error.context += [self._error(inner, error) for inner in branch]
        return error

    def _said(self, theirs: jsonschema_rs.ValidationError) -> Any:
        """The keyword's value, if it is in this document and not in another, or one within it."""
        base = (theirs.absolute_keyword_location or "").partition("#")[0]
        schema = self.schema if isinstance(self.schema, dict) else {}
        if base and base != str(schema.get("$id", schema.get("id"))).rstrip("#"):
            return None
        return _walked(self.schema, theirs.schema_path)[1]

    def _summed_up(self, instance: Any) -> Iterator[ValidationError]:
        """What models are told."""
        error = self._compiled.explain(instance).error
        for issue in error.issues if error else ():
            tokens = (t.replace("~1", "/").replace("~0", "~") for t in issue.path.split("/")[1:])
            path, part = _walked(instance, tokens)
            yield ValidationError(str(issue), validator=issue.keyword, instance=part, path=path)


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


_NAMES_FOLLOW = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})


def _followed(path: Path) -> list[str | int]:
    """A path through a schema without every `$ref` on the way, but with properties so called."""
    kept: list[str | int] = []
    is_name = False
    for step in path:
        if is_name or step != "$ref":
            kept.append(step)
        is_name = not is_name and step in _NAMES_FOLLOW
    return kept


def _walked(value: Any, path: Path) -> tuple[list[str | int], Any]:
    """What a path leads to, with indices for numbers in arrays; None if it leads nowhere."""
    walked: list[str | int] = []
    for step in path:
        try:
            key: Any = int(step) if isinstance(value, list) else step
            value = value[key]
        except (LookupError, TypeError, ValueError):
            return walked, None
        walked.append(key)
    return walked, value
