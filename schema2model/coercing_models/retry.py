"""A second attempt at data that a type has refused: with the refused parts coerced."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pydantic_core import ValidationError, from_json

from schema2model.coercing_models.rewording import Diagnosis, reworded
from schema2model.coercing_models.type_schemas import accepted_schema
from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json, has_json_text
from schema2model.json.values import NotJSONError, is_shallow, map_leaves

if TYPE_CHECKING:
    from schema2model.coerce.search.readings import Reading

__all__ = ["SecondAttempts"]

_NOTHING: Any = object()
"""Marks the absence of a value to try."""

_Places = dict[Any, "_Places | None"]
"""The places of errors, by the first key of their locations; None is all that is there."""

Diagnose = Callable[[], Diagnosis]


class SecondAttempts:
    """Second attempts at the data for one type, by its own JSON schema.

    Args:
        kind: the type.
        coercion: the rules by which its data is coerced.
        copies: whether to keep a copy of the data, because a validator of the type gets it first
            and may change it.

    >>> from pydantic import BaseModel
    >>> class Search(BaseModel):
    ...     tags: list[str]
    >>> attempts = SecondAttempts(Search, Coercion.default)
    >>> try:
    ...     Search.model_validate({"tags": "a"})
    ... except ValidationError as error:
    ...     attempts.retry(error, {"tags": '["a"]'}, Search.model_validate)
    Search(tags=['a'])

    """

    def __init__(self, kind: Any, coercion: Coercion, *, copies: bool = False) -> None:
        self.kind = kind
        self.coercion = coercion
        self.copies = copies

    def keep_copy(self, value: Any) -> Any:
        """Return the data to coerce if it is refused: a copy where a validator may change it."""
        return dict(value) if self.copies and type(value) is dict else value

    def retry(self, first: ValidationError, value: Any, validate: Callable[[Any], Any]) -> Any:
        """Coerce refused data and validate it once more.

        Args:
            first: why it was refused.
            value: the data.
            validate: what refused it.

        Raises:
            ValidationError: the errors of the coerced data, or else `first`, in our words.

        """
        try:
            return self._validated(first, *self._coerced(value, first), validate)
        except ValidationError:
            raise
        except Exception:  # noqa: BLE001 - a validator may have changed the data the first time
            raise reworded(first, self.kind) from None

    def retry_json(
        self,
        first: ValidationError,
        text: str | bytes | bytearray,
        validate: Callable[[str], Any],
    ) -> Any:
        """Repair and coerce refused text and validate it once more.

        Raises:
            ValidationError: the errors of the coerced data, or else `first`, in our words.

        """
        return self._validated(first, *self._repaired(text, first), validate)

    def _validated(
        self,
        first: ValidationError,
        data: Any,
        diagnose: Diagnose,
        validate: Callable[[Any], Any],
    ) -> Any:
        """Validate data once more; `first` is the error if there is none, `_NOTHING`."""
        if data is _NOTHING:
            raise reworded(first, self.kind, diagnose) from None
        try:
            return validate(data)
        except ValidationError as again:
            raise reworded(again, self.kind, diagnose) from None

    @functools.cached_property
    def accepted(self) -> CompiledSchema | None:
        """The compiled schema of the data that the type accepts; None if it has none."""
        return accepted_schema(self.kind, self.coercion)  # when it is first needed

    @property
    def _compiled(self) -> CompiledSchema | None:
        return None if self.coercion == Coercion.off else self.accepted

    def _repaired(self, text: Any, first: ValidationError) -> tuple[Any, Diagnose]:
        """Return the JSON of the text's data, with its refused parts coerced, and its diagnosis."""
        compiled = self._compiled
        if compiled is None or not isinstance(text, (str, bytes, bytearray)):
            return _NOTHING, Diagnosis
        try:
            reading = compiled._engine.search.read_text(text)
        except ToolError as error:
            return _NOTHING, functools.partial(Diagnosis, error.issues)
        diagnose = functools.partial(self._diagnosis, reading)
        try:
            original = from_json(text)
        except (TypeError, ValueError):  # also half a surrogate pair
            original = _NOTHING
        try:
            merged = _merge_attempt(original, reading.attempt, _refused_places(first))
            return canonical_json(merged), diagnose
        except NotJSONError:
            return _NOTHING, diagnose

    def _coerced(self, value: Any, first: ValidationError) -> tuple[Any, Diagnose]:
        """Return the data with its refused parts coerced as well as possible, and its diagnosis.

        Python objects that are not JSON do not change. No second attempt follows if one of them
        is an iterator: the first attempt has used it up.
        """
        compiled = self._compiled
        if compiled is None or not is_shallow(value):
            return _NOTHING, Diagnosis
        strangers: dict[str, Any] = {}
        diagnose: Diagnose = Diagnosis
        try:
            shown = _replace_strangers(strangers, value)
            reading = compiled._engine.search.read(shown)
            diagnose = functools.partial(self._diagnosis, reading)
            attempt = reading.attempt
            # half a surrogate pair, which was escaped in a string: no error could show it
            if not has_json_text(attempt) and has_json_text(shown):
                return _NOTHING, diagnose
            if strangers:
                if any(hasattr(type(each), "__next__") for each in strangers.values()):
                    return _NOTHING, diagnose
                attempt = map_leaves(functools.partial(_stranger_of, strangers), attempt)
            return _merge_attempt(value, attempt, _refused_places(first)), diagnose
        except (ToolError, RecursionError, _TokenError):
            return _NOTHING, diagnose

    @functools.cached_property
    def _declared(self) -> CompiledSchema | None:
        """The schema with the names that a message may tell, which are valid without options."""
        return accepted_schema(self.kind, self.coercion, is_without_options=True)

    def _diagnosis(self, reading: Reading) -> Diagnosis:
        """Return the issues of a reading, but for those that quote Python objects.

        Raises:
            RecursionError: if the caller's stack is nearly full.

        """
        compiled = self._declared
        if compiled is None:
            return Diagnosis()
        try:
            if compiled is not self.accepted:
                reading = compiled._engine.search.read(reading.attempt)
            compiled._engine.search.result(reading)
        except ToolError as error:
            issues = [each for each in error.issues if _MARK not in each.message]
            return Diagnosis(issues, reading.attempt)
        return Diagnosis()


# --------------------------------------------------------------------- parts that are not JSON
_MARK = uuid4().hex
_SCALARS = frozenset({str, int, bool, type(None)})


class _TokenError(ValueError):
    """A rule of coercion has changed a token, so that nobody knows what it stood for."""


def _replace_strangers(strangers: dict[str, Any], value: Any) -> Any:
    """Return the value with a token for each part that is not JSON.

    `strangers` collects the replaced parts by token.
    """
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _replace_strangers(strangers, inner) for key, inner in value.items()}
    if type(value) is list:
        return [_replace_strangers(strangers, inner) for inner in value]
    if type(value) in _SCALARS or (type(value) is float and math.isfinite(value)):
        return value
    token = f"{len(strangers)} {_MARK}"
    strangers[token] = value
    return token


def _stranger_of(strangers: dict[str, Any], leaf: Any) -> Any:
    """Return the object of a token; any other part of a value unchanged."""
    if type(leaf) is not str or _MARK not in leaf:
        return leaf
    if leaf not in strangers:
        raise _TokenError
    return strangers[leaf]


# ------------------------------------------------------------------- parts that were not refused
def _refused_places(error: ValidationError) -> _Places | None:
    """Return the places of an error; None if it is about the whole."""
    places: _Places = {}
    for line in error.errors(include_url=False, include_context=False, include_input=False):
        *around, last = line["loc"] or (None,)
        within: _Places | None = places
        for key in around:
            within = within.setdefault(key, {}) if within is not None else None
        if within is not None:
            within[last] = None
    return None if None in places else places


def _merge_attempt(original: Any, attempt: Any, refused: _Places | None) -> Any:
    """Return the original with its refused parts from the coerced attempt.

    A refused place may be no part of the original: a missing key, a branch of a union, or in what a
    validator has made. Then the whole attempt is taken.
    """
    if refused is None:
        return attempt
    if type(original) is dict and type(attempt) is dict and refused.keys() <= original.keys():
        kept = {
            key: _merge_member(original, attempt, key, refused)
            for key in original
            if key in attempt or key not in refused
        }
        return {**kept, **{key: attempt[key] for key in attempt if key not in original}}
    if type(original) is list and type(attempt) is list and len(original) == len(attempt):
        indices = range(len(original))
        if all(key in indices for key in refused):
            return [_merge_member(original, attempt, index, refused) for index in indices]
    return attempt


def _merge_member(original: Any, attempt: Any, key: Any, refused: _Places) -> Any:
    if key not in refused:
        return original[key]
    return _merge_attempt(original[key], attempt[key], refused[key])
