"""The pydantic model of a schema: an ordinary BaseModel that people and frameworks can read.

Its core schema is the one that `lowering` made, with the search behind it. Its fields describe
every declared property; they take no part in validation.
"""

from __future__ import annotations

import marshal
import sys
from abc import ABCMeta
from inspect import Parameter, Signature
from keyword import iskeyword
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, cast
from zlib import crc32

from pydantic import BaseModel, ConfigDict
from pydantic.config import ExtraValues
from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    PydanticSerializationUnexpectedValue,
    SchemaSerializer,
    SchemaValidator,
    ValidationError,
    core_schema as cs,
    from_json,
)

from schema2model.engine.engine import Engine
from schema2model.engine.hints import hints_in
from schema2model.errors import Issue, ToolError
from schema2model.model.fields import fields_for
from schema2model.schema.references import ROOT_URI
from schema2model.schema.subschemas import subschemas
from schema2model.values import MAX_DIGITS, is_shallow, pointer_tokens, unwritable

__all__ = ["ArgumentsModel", "model_for"]

_SERIALIZER = SchemaSerializer(cs.any_schema(), {"ser_json_inf_nan": "constants"})


class _FieldsSignature:
    """The keyword parameters that pydantic gives the `__init__` of a model, made when asked for.

    Properties whose names are no identifiers are left out: no call could name them.
    """

    def __get__(self, instance: Any, owner: type[ArgumentsModel]) -> Signature:
        rest = Parameter("extra_data", Parameter.VAR_KEYWORD, annotation=Any)
        fields = owner.__pydantic_fields__
        return Signature(
            [
                Parameter(
                    name,
                    Parameter.KEYWORD_ONLY,
                    annotation=field.annotation,
                    default=Parameter.empty if field.is_required() else field.default,
                )
                for name, field in fields.items()
                if name.isidentifier() and not iskeyword(name)
            ]
            + ([rest] if "extra_data" not in fields else [])
        )


class ArgumentsModel(BaseModel):
    """The base of compiled models.

    An instance holds the properties that were sent and no others. Where the arguments are no
    object, it holds them under `root` and counts no field as set.
    """

    model_config = ConfigDict(extra="allow", protected_namespaces=(), defer_build=True)

    if TYPE_CHECKING:  # an annotation would be evaluated again for every model
        __engine__: ClassVar[Engine]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> cs.CoreSchema:
        return cs.no_info_plain_validator_function(
            cls.model_validate,
            metadata={"pydantic_js_functions": [cls.__get_pydantic_json_schema__]},
            serialization=cs.plain_serializer_function_ser_schema(_serialized, info_arg=True),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """The schema as given; with references in it, a resource of its own (2020-12 Core 9.3)."""
        schema = cls.model_json_schema()
        if "$id" in schema or "$ref" not in repr(schema):
            return schema
        uri = f"{ROOT_URI}{crc32(repr(schema).encode('utf-8', 'replace')):08x}"
        todo = [schema]
        for part in todo:  # which grows on the way
            if isinstance(part.get("$ref"), str) and part["$ref"].startswith("#"):
                part["$ref"] = uri + part["$ref"]
            todo += [below for _, below in subschemas(part) if isinstance(below, dict)]
        return {"$id": uri, **schema}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """A subclass of a compiled model has its fields."""
        if "__engine__" not in vars(cls):
            inherited = getattr(cls.__base__, "__pydantic_fields__", {})
            cls.__pydantic_fields__ = {**inherited, **cls.__pydantic_fields__}

    def __init__(self, /, **data: Any) -> None:
        """As `model_validate`, from keyword arguments."""
        made = self.model_validate(data)
        _set_values(self, made.__dict__)
        _set_extra(self, made.__pydantic_extra__)

    @classmethod
    def model_validate(  # noqa: PLR0913 - pydantic's options
        cls,
        obj: Any,
        *,
        strict: bool | None = None,
        extra: ExtraValues | None = None,
        from_attributes: bool | None = None,
        context: Any | None = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
    ) -> Any:
        """Validate a value, coercing it as the schema's rules allow.

        The options have no effect; they are there because frameworks pass them. What is valid is
        for the schema to say, and what is coerced for the `coercion` that it was compiled with.

        Raises:
            pydantic.ValidationError: where no reading of it is valid.

        """
        try:
            values = cls.__engine__.accept(obj)
        except Exception as refusal:  # noqa: BLE001 - a hostile value may raise anything
            try:
                values = cls.__engine__.recover(obj, hints_in(refusal))
            except ToolError as error:
                if issubclass(type(obj), cls):
                    return obj
                raise _validation_error(error, cls.__name__, obj) from None
        if type(values) is not dict or not _OWN_NAMES.isdisjoint(values):
            return cls.holding(values)
        # `holding` for what is usual, without the call
        instance = _new(cls)
        _set_values(instance, values)
        _set_extra(instance, None)
        return instance

    @classmethod
    def model_validate_json(  # noqa: PLR0913 - pydantic's options
        cls,
        json_data: str | bytes | bytearray,
        *,
        strict: bool | None = None,
        extra: ExtraValues | None = None,
        context: Any | None = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
    ) -> Any:
        """Validate argument text as a provider sent it, repairing it where it has to be.

        The options have no effect, as those of `model_validate`.

        Raises:
            pydantic.ValidationError: where no reading of it is valid.

        """
        try:
            return cls.holding(cls.__engine__.validate_json(json_data))
        except ToolError as error:
            raise _validation_error(error, cls.__name__, json_data) from None

    @classmethod
    def model_construct(cls, /, _fields_set: set[str] | None = None, **values: Any) -> Any:
        """An instance that holds properties as they are given, without validation."""
        instance = cls.holding(values)
        if _fields_set is not None:
            _set_fields_set(instance, _fields_set)
        return instance

    @classmethod
    def holding(cls, values: Any) -> Any:
        """An instance for validated arguments; what pydantic keeps besides is made when asked."""
        instance = _new(cls)
        if type(values) is not dict:
            _set_values(instance, {"root": values})
            _set_extra(instance, _ROOT)
        elif _OWN_NAMES.isdisjoint(values):
            _set_values(instance, values)
            _set_extra(instance, None)
        else:
            own = {name: value for name, value in values.items() if name in _OWN_NAMES}
            _set_values(instance, {k: v for k, v in values.items() if k not in own})
            _set_extra(instance, own)
        return instance

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The JSON Schema as it was given."""
        return cast("dict[str, Any]", marshal.loads(cls.__engine__.source.content))  # noqa: S302

    def model_dump(self, **options: Any) -> Any:
        """The arguments: what was sent, typed, and nothing else.

        Options are those of pydantic's `BaseModel.model_dump`. `exclude_unset` and
        `exclude_defaults` have no effect, as there is nothing but what was sent.
        """
        dumped: Any = self.__dict__.copy()
        extra = self.__pydantic_extra__
        if extra is _ROOT:
            dumped = dumped["root"]
        elif extra is not None:
            dumped.update(extra)
        if options:
            if options.pop("exclude_none", False) and extra is not _ROOT:
                dumped = {name: value for name, value in dumped.items() if value is not None}
            for unset in ("exclude_unset", "exclude_defaults"):
                options.pop(unset, None)
            return _SERIALIZER.to_python(dumped, **options)
        return dumped

    def model_dump_json(self, **options: Any) -> str:
        """The JSON text of `model_dump()`.

        Raises:
            ToolError: for what has no JSON text: NaN, too long an integer, half a surrogate pair.

        """
        layout = {name: options.pop(name) for name in ("indent", "ensure_ascii") if name in options}
        values = self.model_dump(**options)
        try:
            text = _SERIALIZER.to_json(values, **layout).decode()
            if "NaN" in text or "Infinity" in text or len(text) > MAX_DIGITS:
                from_json(text, allow_inf_nan=False)  # which tells numbers from strings
        except ValueError:
            raise ToolError.for_value(self.__engine__.name, unwritable(values)) from None
        return text

    def __iter__(self) -> Any:
        """Names and values of what was sent."""
        return iter(self.model_dump().items())

    def __eq__(self, other: object) -> bool:
        """Models of one schema are equal if their arguments are."""
        return (
            isinstance(other, ArgumentsModel)
            and self.__engine__.source == other.__engine__.source
            and self.model_dump() == other.model_dump()
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an argument, without validation."""
        names = self.model_fields_set | {name}
        if name in _OWN_NAMES:
            _set_extra(self, {**(self.__pydantic_extra__ or {}), name: value})
        else:
            self.__dict__[name] = value
        _set_fields_set(self, names)

    @property
    def model_extra(self) -> dict[str, Any] | None:
        """The properties that the schema does not declare."""
        fields = type(self).__pydantic_fields__
        return {name: v for name, v in self.model_dump().items() if name not in fields}

    def __getattr__(self, name: str) -> Any:
        """What is made when it is asked for.

        A declared property that was not sent is None, so that frameworks can ask for it.
        """
        if name == "__pydantic_fields_set__":
            sent = set() if self.__pydantic_extra__ is _ROOT else set(self.model_dump())
            _set_fields_set(self, sent)
            return sent
        if name == "__pydantic_private__" or name in type(self).__pydantic_fields__:
            return None
        return super().__getattr__(name)  # type: ignore[misc]

    def __reduce__(self) -> tuple[Any, ...]:
        """As one of its class or, where that cannot be imported, of the compiled model."""
        values = ArgumentsModel.model_dump(self)
        if _is_importable(type(self)):
            return self.holding, (values,)
        return _restored, (self.__engine__, values)


ArgumentsModel.__signature__ = _FieldsSignature()  # type: ignore[assignment] # pydantic sets its own

_OWN_NAMES = frozenset(
    name for name in (*dir(ArgumentsModel), "__engine__") if name.startswith(("model_", "_"))
)
"""Names that an instance needs for itself; properties of these names are kept among its extras."""


class _Root(dict[str, Any]):
    """Stands in the place of the extras where the arguments are no object, but under `root`."""

    def __copy__(self) -> _Root:
        return self

    def __deepcopy__(self, memo: Any) -> _Root:
        return self


_ROOT = _Root()

_PASSED_ON = (
    *("include", "exclude", "context", "by_alias", "exclude_unset", "exclude_defaults"),
    *("exclude_none", "exclude_computed_fields", "round_trip", "serialize_as_any"),
)
"""Options of a dump that are passed on to an instance within a model or type.

pydantic applies the mode to what comes back.
"""

_new = object.__new__
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__


def _serialized(value: Any, info: cs.SerializationInfo[Any]) -> Any:
    """What is dumped of an instance within a model or type."""
    if not isinstance(value, ArgumentsModel):
        message = f"a {type(value).__name__} is no instance of the model"
        raise PydanticSerializationUnexpectedValue(message)  # pydantic warns, and goes on
    if info.include is None and info.exclude is None and not info.exclude_none:
        return value.model_dump()
    return value.model_dump(**{name: getattr(info, name) for name in _PASSED_ON})


def _is_importable(cls: type) -> bool:
    """Whether pickle finds a class by its name."""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls


def _restored(engine: Engine, values: Any) -> ArgumentsModel:
    return model_for(engine).holding(values)  # type: ignore[no-any-return]


_MAKING = Lock()


def model_for(engine: Engine) -> type[ArgumentsModel]:
    """The model of a compiled schema, made when it is first asked for."""
    if engine.model is None:
        with _MAKING:
            engine.model = engine.model or _made(engine)
    return engine.model  # type: ignore[no-any-return]


def _made(engine: Engine) -> type[ArgumentsModel]:
    schema = engine.root.schema if isinstance(engine.root.schema, dict) else {}
    description = schema.get("description")
    namespace = {
        "__module__": __name__,
        "__doc__": description if isinstance(description, str) else None,
        "__engine__": engine,
    }
    name = engine.name.encode("utf-8", "ignore").decode().replace("\0", "")
    # there are no annotations to collect, which would take pydantic most of the time
    model: Any = ABCMeta.__new__(type(ArgumentsModel), name, (ArgumentsModel,), namespace)
    core = model.__get_pydantic_core_schema__(model, None)
    model.__pydantic_core_schema__ = core
    model.__pydantic_validator__ = SchemaValidator(core)
    model.__pydantic_serializer__ = SchemaSerializer(core)
    model.__pydantic_fields__ = fields_for(engine.root, engine.plan)
    model.__pydantic_complete__ = True
    return model  # type: ignore[no-any-return]


def _validation_error(error: ToolError, title: str, value: Any) -> ValidationError:
    lines: list[InitErrorDetails] = []
    try:
        # pydantic writes the whole of a value to show a part of it
        shown = value if is_shallow(value) else None
        for issue in error.issues:
            location, found = _located(issue.path, shown)
            lines.append(InitErrorDetails(type=_kind(issue), loc=location, input=found))
    except RecursionError:  # the caller's own stack was nearly full
        words = {"reason": str(error.args[0])}
        kind = PydanticCustomError("tool_arguments", "{reason}", words)
        lines = [InitErrorDetails(type=kind, loc=(), input=None)]
    return ValidationError.from_exception_data(title, lines)


def _kind(issue: Issue) -> PydanticCustomError:
    words = {
        "expected": issue.wanted,
        "found": issue.found,
        "advice": f"; {issue.advice}" if issue.advice else "",
        "keyword": issue.keyword,
    }
    return PydanticCustomError(
        "tool_arguments", "expected {expected}, found {found}{advice}", words
    )


def _located(path: str, value: Any) -> tuple[tuple[str | int, ...], Any]:
    """A JSON Pointer as pydantic has it, with indices as numbers, and the value there.

    If there is none (it is missing, or was read from text), the container around it is returned.
    """
    location: list[str | int] = []
    inside: Any = value
    for token in pointer_tokens(path):
        is_index = token.isdecimal() and type(inside) is not dict
        key: Any = int(token) if is_index else token
        location.append(key)
        if (type(inside) is dict and key in inside) or (
            type(inside) is list and type(key) is int and key < len(inside)
        ):
            inside = value = inside[key]
        else:
            inside = None
    return tuple(location), value
