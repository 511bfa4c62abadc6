"""`CoercingModel`: models that people write, with the coercion of those that are compiled.

Data is validated as it is. Only if that fails is it read by the model's own JSON schema, as the
arguments of a tool are, and validated again. The model judges both times: its validators are never
bypassed, its errors are the only ones, and data that it accepts is not touched.
"""

from __future__ import annotations

import functools
import math
import threading
import types
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, ClassVar, TypeVar, cast, overload
from uuid import uuid4

from pydantic import BaseModel, GetCoreSchemaHandler, RootModel
from pydantic_core import SchemaValidator, ValidationError, core_schema as cs
from typing_extensions import Self

from schema2model.accepted import accepted_by
from schema2model.coercions import Coercion, coercion_named
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.instances import is_shallow
from schema2model.preparing import canonical_json

__all__ = ["CoercingModel", "coercing"]

_C = TypeVar("_C", bound=type)


class _Coercer:
    """Validates data for one type, as it is or else coerced."""

    _again = threading.local()  # which has attributes while data is validated again

    def __init__(self, kind: type, coercion: Coercion) -> None:
        self.kind = kind
        self.coercion = coercion

    def validate(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        """The function of a wrap validator.

        What is validated again is validated only once on every level: otherwise the work would
        double from each level to the next.
        """
        try:
            return handler(value)
        except ValidationError:
            again = self._again.__dict__
            if again:
                raise
            value = self.coerced(value)
        again["by"] = self
        try:
            return handler(value)
        finally:
            again.clear()

    def coerced(self, value: Any) -> Any:
        """What the data comes closest to. Never raises.

        What is no JSON is left as it is: objects that a program has put there.
        """
        compiled = self._compiled
        if compiled is None or not is_shallow(value):
            return value
        strangers: dict[str, Any] = {}
        try:
            reading = compiled._read(_without(strangers, value))  # noqa: SLF001
        except ToolError:
            return value
        return _with(strangers, reading.attempt) if strangers else reading.attempt

    def repaired(self, text: str | bytes | bytearray) -> str | None:
        """The JSON text of what the text comes closest to; None if there is no data in it."""
        compiled = self._compiled
        if compiled is None:
            return None
        try:
            return canonical_json(compiled._read_text(text).attempt)  # noqa: SLF001
        except ToolError:
            return None

    @functools.cached_property
    def _compiled(self) -> CompiledSchema | None:
        return accepted_by(self.kind, self.coercion)  # when it is first needed


_MARK = uuid4().hex


def _without(strangers: dict[str, Any], value: Any) -> Any:
    """JSON with strings in the places of what is none, which are collected."""
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _without(strangers, inner) for key, inner in value.items()}
    if type(value) is list:
        return [_without(strangers, inner) for inner in value]
    if type(value) in _SCALARS or (type(value) is float and math.isfinite(value)):
        return value
    token = f"{len(strangers)} {_MARK}"
    strangers[token] = value
    return token


def _with(strangers: dict[str, Any], value: Any) -> Any:
    """The reverse of `_without`."""
    if type(value) is dict:
        return {key: _with(strangers, inner) for key, inner in value.items()}
    if type(value) is list:
        return [_with(strangers, inner) for inner in value]
    return strangers.get(value, value) if type(value) is str else value


_SCALARS = frozenset({str, int, bool, type(None)})


def _wrapped(schema: Any, coercer: _Coercer, handler: GetCoreSchemaHandler) -> cs.CoreSchema:
    """What pydantic has made of a class, with our validator around it, wherever it refers to it."""
    definition: Any = handler.resolve_ref_schema(schema)
    if not _is_ours(definition):  # as what pydantic has kept is
        inner = dict(definition)
        reference = inner.pop("ref", None)
        definition.clear()
        definition.update(
            cs.no_info_wrap_validator_function(
                coercer.validate, cast("cs.CoreSchema", inner), ref=reference
            )
        )
    return cast("cs.CoreSchema", schema)


def _is_ours(part: Any) -> bool:
    """Whether a part of a core schema is a wrap validator of ours."""
    if type(part) is not dict or part.get("type") != "function-wrap":
        return False
    return isinstance(getattr(part["function"]["function"], "__self__", None), _Coercer)


def _unwrapped(part: Any) -> Any:
    """A part of a core schema without our validators."""
    if _is_ours(part):
        inner = _unwrapped(part["schema"])
        return {**inner, "ref": part["ref"]} if "ref" in part else inner
    if type(part) is dict:
        return {k: v if k in _OPAQUE else _unwrapped(v) for k, v in part.items()}
    if type(part) in {list, tuple}:
        return type(part)(map(_unwrapped, part))
    return part


_OPAQUE = frozenset({"metadata", "serialization", "config", "default", "expected", "members"})
"""What in a core schema holds no other, or none that validates."""


class _Unbuilt:
    """In the place of a validator until it is first used: a class may not be complete before."""

    def __init__(self, model: type[CoercingModel]) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        getattr(self._model.__pydantic_validator__, name)  # which completes the class
        validator: Any = self._model.__pydantic_validator__
        if type(validator) is SchemaValidator:  # and not a plugin's, which wants to see all
            schema, *options = tuple[Any, ...](validator.__reduce__()[1])
            validator = SchemaValidator(_unwrapped(schema), *options)
            self._model.__as_it_is__ = validator
        return getattr(validator, name)


class CoercingModel(BaseModel):
    r"""A pydantic model that undoes what language models get wrong in its data.

    The class keyword `coercion`, which subclasses inherit, gives the rules, as for
    `compile_schema`. Of models within models, those of the outermost hold.

    Where such a model is a part of a model or type that is none, it reads its own part of the data.
    Malformed text is repaired by `model_validate_json` of the model itself.

    >>> class Search(CoercingModel, coercion="default"):
    ...     tags: list[str]
    ...     limit: int | None = None
    >>> Search.model_validate({"tags": "['low_stock']", "limit": "null"})
    Search(tags=['low_stock'], limit=None)
    >>> Search.model_validate_json("```json\n{tags: ['low_stock']}\n```")
    Search(tags=['low_stock'], limit=None)

    """

    __coercer__: ClassVar[_Coercer] = _Coercer(BaseModel, Coercion.default)
    __as_it_is__: ClassVar[Any]  # the validator without coercion, here and in what is within

    def __init_subclass__(cls, *, coercion: str | Coercion | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        rules = cls.__coercer__.coercion if coercion is None else coercion_named(coercion)
        cls.__coercer__ = _Coercer(cls, rules)
        cls.__as_it_is__ = _Unbuilt(cls)
        if cls.__pydantic_root_model__ and cls.__init__ is CoercingModel.__init__:
            cls.__init__ = RootModel.__init__  # type: ignore[assignment, method-assign]

    def __init__(self, /, **data: Any) -> None:
        """As `model_validate`, from keyword arguments."""
        try:
            made = self.__as_it_is__.validate_python(data, self_instance=self)
        except ValidationError:
            made = None
        if made is not self:
            super().__init__(**data)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # so pydantic need not call it

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> cs.CoreSchema:
        return _wrapped(handler(source), cls.__coercer__, handler)

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Validate data, as it is or else coerced.

        Args:
            obj: the data.
            options: those of pydantic's `BaseModel.model_validate`.

        Raises:
            pydantic.ValidationError: what the model says of the coerced data.

        """
        try:
            return cls.__as_it_is__.validate_python(obj, **options)  # type: ignore[no-any-return]
        except ValidationError:
            again = cls.__coercer__.coerced(obj)
        return cls.__as_it_is__.validate_python(again, **options)  # type: ignore[no-any-return]

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Validate argument text, as it is or else repaired and coerced.

        Args:
            json_data: the text that a provider sent.
            options: those of pydantic's `BaseModel.model_validate_json`.

        Raises:
            pydantic.ValidationError: what the model says of the coerced data, or that the text has
                none.

        """
        try:
            return cls.__as_it_is__.validate_json(json_data, **options)  # type: ignore[no-any-return]
        except ValidationError:
            again = cls.__coercer__.repaired(json_data)
            if again is None:
                raise
        return cls.__as_it_is__.validate_json(again, **options)  # type: ignore[no-any-return]

    @classmethod
    def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
        """Validate data that is all strings, as pydantic does: there is nothing left to coerce."""
        return cls.__as_it_is__.validate_strings(obj, **options)  # type: ignore[no-any-return]


CoercingModel.__as_it_is__ = _Unbuilt(CoercingModel)  # as __init_subclass__ does for the others


@overload
def coercing(kind: _C) -> _C: ...
@overload
def coercing(*, coercion: str | Coercion = "default") -> Callable[[_C], _C]: ...
def coercing(kind: Any = None, *, coercion: str | Coercion = "default") -> Any:
    """A pydantic model or dataclass with coercion, for classes whose bases may not change.

    It is a subclass of the same name: a decorator for one's own classes, a function for others'. A
    dataclass coerces as a part of models, and in a `TypeAdapter`.

    Args:
        kind: the class.
        coercion: the rules, as for `compile_schema`.

    Raises:
        TypeError: for what is neither.

    >>> from dataclasses import dataclass
    >>> from pydantic import TypeAdapter
    >>> @coercing
    ... @dataclass
    ... class Search:
    ...     tags: list[str]
    >>> TypeAdapter(Search).validate_python({"tags": '["low_stock"]'})
    Search(tags=['low_stock'])

    """
    if kind is None:
        return lambda decorated: coercing(decorated, coercion=coercion)  # type: ignore[call-overload]
    rules = coercion_named(coercion)
    same = {name: getattr(kind, name, None) for name in ("__module__", "__qualname__", "__doc__")}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        bases = (kind,) if issubclass(kind, CoercingModel) else (kind, CoercingModel)
        return types.new_class(
            kind.__name__, bases, {"coercion": rules}, lambda body: body.update(same)
        )
    if not (isinstance(kind, type) and is_dataclass(kind)):
        message = f"a pydantic model or a dataclass can be made coercing, not {kind!r}"
        raise TypeError(message)

    def core_schema(cls: type, source: Any, handler: GetCoreSchemaHandler) -> cs.CoreSchema:
        return _wrapped(handler(source), _Coercer(cls, rules), handler)

    same["__get_pydantic_core_schema__"] = classmethod(core_schema)
    return types.new_class(kind.__name__, (kind,), {}, lambda body: body.update(same))
