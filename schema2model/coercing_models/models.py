"""`CoercingModel`: hand-written pydantic models that coerce what they would refuse.

Data is validated as it is. If that fails, the refused parts are coerced by the model's own JSON
schema, as the arguments of a tool are, and the data is validated again. The model decides both
times: its validators always run, only its errors are raised, and data that it accepts is never
changed.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
import warnings
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar, cast, overload

from pydantic import BaseModel, GetCoreSchemaHandler, GetPydanticSchema
from pydantic_core import SchemaValidator, ValidationError, core_schema as cs
from typing_extensions import Self

from schema2model.coercing_models.retry import SecondAttempts
from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.json.quoting import abridged_repr
from schema2model.model.attributes import ClassAttribute
from schema2model.tools.annotations import core_schema_type, map_core_schema, with_different_keys

__all__ = ["CoercingModel", "coercing", "without_coercion"]

_C = TypeVar("_C", bound=type)

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments

    _M = TypeVar("_M", bound=BaseModel)

    class PartialModel(PartialArguments, Generic[_M]):
        """The data of one model while its text arrives."""

        def finish(self) -> _M:
            """Validate the whole text, as `model_validate_json` does."""


# ------------------------------------------------------------------------------- core schemas
_INSIDE = threading.local()
"""Has attributes while one of our validators runs in this thread; nested ones then do nothing.

Only the outermost one sees all of the data, and so can decide that the data is valid without
coercion. Two attempts at each level would also double the work from level to level.
"""


class _Wrapper:
    """The wrap validator that we put around one type."""

    def __init__(self, attempts: SecondAttempts) -> None:
        self.attempts = attempts

    def validate(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        """Validate with pydantic's own `handler`; if that refuses the value, try once more."""
        inside = _INSIDE.__dict__
        if inside:
            return handler(value)
        inside["in"] = self
        try:
            kept = self.attempts.keep_copy(value)
            try:
                return handler(value)
            except ValidationError as error:
                first = error
            return self.attempts.retry(first, kept, handler)
        finally:
            inside.clear()


def _wrap_validator(
    kind: type, coercion: Coercion, schema: Any, handler: GetCoreSchemaHandler
) -> SecondAttempts | None:
    """Put our validator around the core schema that pydantic has made of a class, in place.

    None if it is there already: pydantic keeps the core schemas of complete classes.
    """
    definition: Any = handler.resolve_ref_schema(schema)
    if _is_ours(definition):
        return None
    attempts = SecondAttempts(kind, coercion, copies=_sees_data_first(definition))
    inner = with_different_keys(definition)
    reference = inner.pop("ref", None)
    definition.clear()
    definition.update(
        cs.no_info_wrap_validator_function(
            _Wrapper(attempts).validate, cast("cs.CoreSchema", inner), ref=reference
        )
    )
    return attempts


def _is_ours(part: Any) -> bool:
    """Return whether a part of a core schema is a wrap validator of ours."""
    return core_schema_type(part) == "function-wrap" and isinstance(
        getattr(part["function"]["function"], "__self__", None), _Wrapper
    )


def _sees_data_first(part: Any) -> bool:
    """Return whether a class has a validator that runs before those of its fields."""
    while part["type"] in _AROUND_FIELDS:
        part = part["schema"]
    return part["type"] in {"function-before", "function-wrap", "function-plain"}


_AROUND_FIELDS = frozenset({"function-after", "model", "dataclass"})


def _without_wrappers(part: Any) -> Any:
    """Return a part of a core schema without our validators."""
    if _is_ours(part):
        inner = _without_wrappers(part["schema"])
        return {**inner, "ref": part["ref"]} if "ref" in part else inner
    return map_core_schema(part, _without_wrappers)


def _complete(model: type[BaseModel]) -> Any:
    """Return the validator of a class, which is completed if some of its names were not defined."""
    hasattr(model.__pydantic_validator__, "validate_python")  # a placeholder then completes it
    return model.__pydantic_validator__


def _second_attempts(model: type[CoercingModel]) -> SecondAttempts:
    _complete(model)
    made = vars(model)["__second_attempts__"]
    # a class need not call our `__get_pydantic_core_schema__`
    own = isinstance(made, SecondAttempts)
    return made if own else SecondAttempts(model, model.__coercion__, copies=True)


_AS_IT_IS = ClassAttribute("__as_it_is__", lambda model: without_coercion(_complete(model)))
_SECOND_ATTEMPTS = ClassAttribute("__second_attempts__", _second_attempts)


def without_coercion(validator: Any) -> Any:
    """Return a validator without the wrap validators in it; its mappings keep keys apart."""
    if type(validator) is not SchemaValidator:  # a plugin's, which has to see every call
        return _Inside(validator)
    given, config = tuple[Any, ...](validator.__reduce__()[1])[:2]
    schema = with_different_keys(_without_wrappers(given))
    build: Any = SchemaValidator
    try:
        return build(schema, config, _use_prebuilt=False)
    except TypeError:  # in pydantic 2.12, classes within that are complete keep their validators
        return _Inside(build(schema, config))


class _Inside:
    """A validator during whose calls our wrap validators do nothing."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        validate = getattr(self._validator, name)

        def inside(*args: Any, **options: Any) -> Any:
            before = dict(_INSIDE.__dict__)
            _INSIDE.__dict__["in"] = self
            try:
                return validate(*args, **options)
            finally:
                _INSIDE.__dict__.clear()
                _INSIDE.__dict__.update(before)

        return inside


# ------------------------------------------------------------------------------------- models
def _unknown_keywords(model: type, given: dict[str, Any]) -> TypeError:
    names = ", ".join(f"`{name}`" for name in given)
    message = (
        f"{model.__name__} takes no class keyword {names}: a CoercingModel takes `coercion` and "
        "the settings of pydantic's ConfigDict"
    )
    if "defaults" in given:
        message += "; its defaults are Python's, `limit: int = 10`"
    return TypeError(message)


class CoercingModel(BaseModel):
    r"""A pydantic model that undoes what language models get wrong in its data.

    The class keyword `coercion` gives the rules, as for `compile_schema`; subclasses inherit it.
    The rules of a model also hold for the models within it.

    If it is a part of an ordinary model or type, it coerces its own part of the data. Malformed
    text is repaired only by its own `model_validate_json`.

    >>> class Search(CoercingModel, coercion="default"):
    ...     tags: list[str]
    ...     limit: int | None = None
    >>> Search.model_validate({"tags": "['low_stock']", "limit": "null"})
    Search(tags=['low_stock'], limit=None)
    >>> Search.model_validate_json("```json\n{tags: ['low_stock']}\n```")
    Search(tags=['low_stock'], limit=None)

    """

    __coercion__: ClassVar[Coercion] = Coercion.default
    __second_attempts__: ClassVar[SecondAttempts]
    __as_it_is__: ClassVar[Any]  # the validator without coercion, also in models within

    def __init_subclass__(cls, *, coercion: Preset | Coercion | None = None, **kwargs: Any) -> None:
        try:
            super().__init_subclass__(**kwargs)
        except TypeError as error:
            if not kwargs or "keyword argument" not in str(error):
                raise
            raise _unknown_keywords(cls, kwargs) from error
        if coercion is not None:
            cls.__coercion__ = coercion_named(coercion)
        # those of the base class are not inherited
        cls.__second_attempts__, cls.__as_it_is__ = _SECOND_ATTEMPTS, _AS_IT_IS  # type: ignore[assignment]

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> cs.CoreSchema:
        schema = handler(source)
        attempts = _wrap_validator(cls, cls.__coercion__, schema, handler)
        if attempts is not None:  # the class was built, or built again
            cls.__second_attempts__ = attempts
            cls.__as_it_is__ = _AS_IT_IS
        return schema

    def __init__(self, /, *args: Any, **data: Any) -> None:
        """Validate keyword arguments, as `model_validate` does."""
        if args or self.__pydantic_root_model__:
            super().__init__(*args, **data)
            return

        kept = self.__second_attempts__.keep_copy(data) if self.__second_attempts__.copies else data
        made = first = None
        try:
            made = self.__as_it_is__.validate_python(data, self_instance=self)
        except ValidationError as error:
            first = error
        if first is not None:
            validate = functools.partial(self.__as_it_is__.validate_python, self_instance=self)
            made = self.__second_attempts__.retry(first, kept, validate)
        if made is not self:
            message = (
                "A custom validator is returning a value other than `self`; "
                "`__init__` has no use for it"
            )
            warnings.warn(message, stacklevel=2)

    # Pydantic takes it for its own `__init__`, and readers see no positional arguments.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]
    __init__.__signature__ = inspect.signature(BaseModel.__init__)  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Validate data, as it is or else coerced.

        Args:
            obj: the data.
            options: those of pydantic's `BaseModel.model_validate`.

        Raises:
            pydantic.ValidationError: what the model says of the coerced data.

        """
        kept = cls.__second_attempts__.keep_copy(obj) if cls.__second_attempts__.copies else obj
        try:
            return cls.__as_it_is__.validate_python(obj, **options)  # type: ignore[no-any-return]
        except ValidationError as error:
            first = error
        validate = functools.partial(cls.__as_it_is__.validate_python, **options)
        return cls.__second_attempts__.retry(first, kept, validate)  # type: ignore[no-any-return]

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
        except ValidationError as error:
            first = error
        validate = functools.partial(cls.__as_it_is__.validate_json, **options)
        return cls.__second_attempts__.retry_json(first, json_data, validate)  # type: ignore[no-any-return]

    @classmethod
    def partial(cls, *, strings: bool = False) -> PartialModel[Self]:
        """Return the data of one model while its text arrives; see `CompiledSchema.partial`.

        `feed` shows JSON values; `finish` returns the model, or raises pydantic's error.

        Args:
            strings: also show strings while they grow, where the schema accepts every string.

        Raises:
            TypeError: if the model has no JSON schema; the log says why.

        >>> class Search(CoercingModel):
        ...     tags: list[str]
        ...     limit: int
        >>> search = Search.partial()
        >>> search.feed('{"limit": "10", "tags": ["a"')
        {'limit': 10, 'tags': []}
        >>> search.feed("]}"), search.finish()
        ({'limit': 10, 'tags': ['a']}, Search(tags=['a'], limit=10))

        """
        from schema2model.coerce.partial import PartialArguments  # noqa: PLC0415 - few stream

        compiled = cls.__second_attempts__.accepted
        if compiled is None:
            message = f"{cls.__name__} has no JSON schema by which its data could be shown"
            raise TypeError(message)
        made = PartialArguments(compiled._engine, strings=strings, finish=cls.model_validate_json)
        return cast("PartialModel[Self]", made)

    @classmethod
    def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
        """Validate data in which all values are strings, as pydantic does. Nothing is coerced."""
        return cls.__as_it_is__.validate_strings(obj, **options)  # type: ignore[no-any-return]


@overload
def coercing(kind: _C) -> _C: ...
@overload
def coercing(*, coercion: Preset | Coercion = "default") -> Callable[[_C], _C]: ...
def coercing(kind: Any = None, *, coercion: Preset | Coercion = "default") -> Any:
    """Return a subclass with coercion of a pydantic model or dataclass.

    The subclass has the same name. Use it as a decorator of your own classes, or as a function on
    classes whose bases you cannot change. A dataclass coerces in a `TypeAdapter` and within models.

    Args:
        kind: the class.
        coercion: the rules, as for `compile_schema`.

    Raises:
        TypeError: for any other class.

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
    body = {name: getattr(kind, name, None) for name in ("__module__", "__qualname__", "__doc__")}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        bases = (kind,) if issubclass(kind, CoercingModel) else (kind, CoercingModel)
        return types.new_class(kind.__name__, bases, {"coercion": rules}, lambda b: b.update(body))
    if isinstance(kind, type) and is_dataclass(kind):
        return _coercing_dataclass(kind, rules, body)
    message = f"coercing takes a pydantic model or a dataclass, got {abridged_repr(kind)}"
    raise TypeError(message)


def _coercing_dataclass(kind: Any, rules: Coercion, body: dict[str, Any]) -> Any:
    def core_schema(cls: Any, source: Any, handler: GetCoreSchemaHandler) -> cs.CoreSchema:
        own = getattr(super(made, cls), "__get_pydantic_core_schema__", None)
        schema: cs.CoreSchema = handler(source) if own is None else own(source, handler)
        _wrap_validator(source, rules, schema, handler)
        return schema

    def parametrised(cls: Any, parameters: Any) -> Any:
        """Return a generic alias with our core schema, since pydantic does not ask its class."""
        alias = super(made, cls).__class_getitem__(parameters)
        return Annotated[alias, GetPydanticSchema(functools.partial(core_schema, cls))]

    body |= {"__slots__": (), "__get_pydantic_core_schema__": classmethod(core_schema)}
    bases = [kind]
    if parameters := getattr(kind, "__parameters__", ()):
        generic: Any = Generic
        bases.append(generic[parameters])
        body["__class_getitem__"] = classmethod(parametrised)
    made: Any = types.new_class(kind.__name__, tuple(bases), {}, lambda b: b.update(body))
    return made
