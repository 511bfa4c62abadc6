"""The base of compiled models: an ordinary BaseModel that people and frameworks can read.

What is valid is for the engine to say, that is, for the schema. An instance holds what was sent:
validated Python values in its `__dict__`, in which objects are plain dicts until somebody asks for
an attribute that has declared properties of its own. `blueprints` makes the models.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict
from pydantic.config import ExtraValues
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, GenerateJsonSchema, JsonSchemaMode
from pydantic_core import (
    PydanticUndefined,
    SchemaSerializer,
    SchemaValidator,
    core_schema as cs,
)
from typing_extensions import Self

from schema2model.errors import ToolError
from schema2model.model.attributes import ClassAttribute, init_signature
from schema2model.model.dumps import dump_json_text, dump_values, serialize_nested
from schema2model.model.instances import (
    OWN_NAMES,
    copy_instance,
    get_argument,
    get_default,
    held_properties,
    holding,
    is_root,
    new_instance,
    sent_properties,
    set_argument,
    set_extra,
    set_fields_set,
    set_values,
    slot_value,
    without_models,
)
from schema2model.model.pydantic_validation import (
    model_core_schema,
    refuse_extra,
    validate_with_options,
)
from schema2model.model.subclasses import (
    ArgumentsType,
    declared_private,
    private_attributes,
    require_plain_subclass,
)
from schema2model.model.validation_errors import validate_keywords, validation_error

if TYPE_CHECKING:
    from schema2model.coerce.engine import Engine

__all__ = ["ArgumentsModel"]


class ArgumentsModel(BaseModel, metaclass=ArgumentsType):
    """The base of compiled models.

    An instance holds the properties that were sent and no others. An attribute that was not sent
    is the schema's default, or None. Arguments that are not an object are held
    under `root` and counts no field as set.

    A subclass may add methods, properties and private attributes.
    """

    model_config = ConfigDict(extra="allow", protected_namespaces=(), defer_build=True)

    if TYPE_CHECKING:  # an annotation would be evaluated again for every model
        __engine__: ClassVar[Engine]
        __blueprint__: ClassVar[Any]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> cs.CoreSchema:
        return model_core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """Return the schema as given, with references to definitions of pydantic's."""
        return cls.__blueprint__.embedded(cls, handler)  # type: ignore[no-any-return]

    def __init__(self, /, **data: Any) -> None:
        """Validate keyword arguments, as `model_validate` does; None may be an absent property."""
        made = validate_keywords(type(self).model_validate, data)
        set_values(self, made.__dict__)
        set_extra(self, made.__pydantic_extra__)

    # --------------------------------------------------------------------------- validation
    @classmethod
    def model_validate(  # noqa: PLR0913, PLR0917 - pydantic's options
        cls,
        obj: Any,
        # not by keyword only: Python calls it faster, by 2 % of a correct call
        strict: bool | None = None,  # noqa: FBT001
        extra: ExtraValues | None = None,
        from_attributes: bool | None = None,  # noqa: FBT001
        context: Any | None = None,
        by_alias: bool | None = None,  # noqa: FBT001
        by_name: bool | None = None,  # noqa: FBT001
    ) -> Self:
        """Validate a value, coercing it as the schema's rules allow.

        Args:
            obj: any Python value; it is never changed.
            strict: if true, nothing is coerced, as with `coercion="off"`.
            extra: refused, as the schema says which properties there may be.
            from_attributes: whether attributes of objects are read.
            context: has no effect, nor have `by_alias` and `by_name`: a compiled model
                has neither validators nor aliases.
            by_alias: see `context`.
            by_name: see `context`.

        Raises:
            pydantic.ValidationError: where no reading of it is valid.
            TypeError: for `extra`.

        """
        if strict or extra is not None or from_attributes:
            made = validate_with_options(
                cls, obj, strict=strict, extra=extra, attributes=from_attributes
            )
            return cast("Self", made)
        try:
            instance = new_instance(cls)
            values = instance.__engine__.accept(obj)  # asking the class for it takes thrice as long
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            engine = cls.__engine__
            try:
                return cast("Self", holding(cls, engine.recover(obj)))
            except ToolError as error:
                if issubclass(type(obj), cls):
                    return cast("Self", obj)
                plain = without_models(obj, converts=cls.__blueprint__.converts)
                if plain is not obj:
                    return cls.model_validate(plain)
                lax = engine.coercion.number_text
                raise validation_error(error, cls.__name__, obj, lax=lax) from None
        if type(values) is not dict or not OWN_NAMES.isdisjoint(values):
            return holding(cls, values)  # type: ignore[no-any-return]
        # `holding` for what is usual, without the call
        set_values(instance, values)
        set_extra(instance, None)
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
    ) -> Self:
        """Validate argument text as a provider sent it, repairing it where it has to be.

        The options are those of `model_validate`.

        Raises:
            pydantic.ValidationError: where no reading of it is valid.
            TypeError: for `extra`.

        """
        refuse_extra(extra)
        engine = cls.__engine__.uncoerced if strict else cls.__engine__
        try:
            return cast("Self", holding(cls, engine.validate_json(json_data)))
        except ToolError as error:
            lax = engine.coercion.number_text
            raise validation_error(error, cls.__name__, json_data, lax=lax) from None

    @classmethod
    def model_validate_strings(  # noqa: PLR0913 - pydantic's options
        cls,
        obj: Any,
        *,
        strict: bool | None = None,
        extra: ExtraValues | None = None,
        context: Any | None = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
    ) -> Self:
        """Validate a value whose parts are all strings, with `model_validate`."""
        return cls.model_validate(obj, strict=strict, extra=extra)

    @classmethod
    def model_construct(cls, /, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Return an instance that holds properties as they are given, without validation."""
        instance = holding(cls, values)
        if _fields_set is not None:
            set_fields_set(instance, _fields_set)
        return cast("Self", instance)

    @classmethod
    def model_rebuild(cls, *, force: bool = False, **options: Any) -> bool | None:
        """Do nothing, as pydantic does for a complete model: a compiled one always is."""
        return True if force else None

    @classmethod
    def model_json_schema(
        cls,
        by_alias: bool | None = True,  # noqa: FBT001, FBT002 - pydantic's options
        ref_template: str = DEFAULT_REF_TEMPLATE,
        schema_generator: type[GenerateJsonSchema] = GenerateJsonSchema,
        mode: JsonSchemaMode = "validation",
        **options: Any,
    ) -> dict[str, Any]:
        """Return the JSON Schema as it was given, in every mode.

        Only a `ref_template` changes it: then references are written as that says.
        """
        if ref_template != DEFAULT_REF_TEMPLATE:
            return super().model_json_schema(
                by_alias, ref_template, schema_generator, mode, **options
            )
        return cls.__blueprint__.json_schema()  # type: ignore[no-any-return]

    # -------------------------------------------------------------------------------- dumps
    def model_dump(self, **options: Any) -> Any:
        """Return the arguments: what was sent, typed, and nothing else.

        Options are those of pydantic's `BaseModel.model_dump`. `exclude_unset` has no effect, as
        there is nothing but what was sent.
        """
        extra = self.__pydantic_extra__
        if extra is None and not options:
            return {**self.__dict__}
        return dump_values(type(self), {**self.__dict__}, extra, options)

    def model_dump_json(self, **options: Any) -> str:
        """Return the JSON text of `model_dump()`.

        Raises:
            ToolError: for what has no JSON text: NaN, too long an integer, half a surrogate pair.

        """
        names = ("indent", "ensure_ascii")
        layout: dict[str, Any] = {name: options.pop(name) for name in names if name in options}
        return dump_json_text(self.model_dump(**options), type(self).__name__, layout)

    # --------------------------------------------------------------------------- attributes
    @property
    def model_extra(self) -> dict[str, Any] | None:
        """The properties that the schema does not declare."""
        fields = type(self).__pydantic_fields__
        return {name: value for name, value in self if name not in fields}

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that is computed on first access.

        An object that has declared properties is a model. A declared property that was not sent is
        its default, or None.
        """
        if name == "__pydantic_fields_set__":
            set_fields_set(self, {*sent_properties(self)})
            return self.__pydantic_fields_set__
        if name == "__pydantic_private__":
            return private_attributes(self)
        if name.startswith("__pydantic_"):
            raise AttributeError(name)
        extra = self.__pydantic_extra__
        if name in self.__dict__ or (extra is not None and name in extra):
            return get_argument(self, name)
        if name.startswith("_") and not name.endswith("__"):
            private = private_attributes(self)
            if private.get(name, PydanticUndefined) is not PydanticUndefined:
                return private[name]
        if not is_root(self) and name in type(self).__pydantic_fields__:
            return get_default(self, name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an argument, without validation.

        Names that begin with an underscore and are not properties are private: frameworks keep
        their own data there.
        """
        cls = type(self)
        if name not in {*sent_properties(self)} and (
            is_root(self) or name not in cls.__pydantic_fields__
        ):
            if name in cls.__class_vars__:
                message = f"{name!r} is a ClassVar of `{cls.__name__}` and cannot be set"
                raise AttributeError(message)
            if name.startswith("_") and not name.endswith("__"):
                private_attributes(self)[name] = value
                return
            if hasattr(type(getattr_static(cls, name, None)), "__set__"):
                object.__setattr__(self, name, value)
                return
            # other values than objects are `root`, and nothing else is; objects may be open
            accepts_name = name == "root" if is_root(self) else not cls.__blueprint__.is_closed
            if not accepts_name:
                message = f'"{cls.__name__}" object has no field "{name}"'
                raise ValueError(message)
        set_argument(self, name, value)

    def __delattr__(self, name: str) -> None:
        """Remove an argument."""
        extra: Any = self.__pydantic_extra__
        if extra is not None and name in extra:
            del extra[name]
        elif name in self.__dict__:
            del self.__dict__[name]
        else:
            super().__delattr__(name)
        if extra is not None:
            extra.forget(name)

    def __iter__(self) -> Any:
        """Return names and values that were sent; objects with declared properties are models."""
        return ((name, get_argument(self, name)) for name in [*held_properties(self)])

    def __repr_args__(self) -> Any:
        """Yield the properties that were sent."""
        yield from self

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *type(self).__pydantic_fields__})

    # -------------------------------------------------------------------- copies and equality
    def __eq__(self, other: object) -> bool:
        """Return whether schemas, arguments and private attributes are equal."""
        if not isinstance(other, ArgumentsModel):
            return NotImplemented
        one, two = vars(type(self)).get("__blueprint__"), vars(type(other)).get("__blueprint__")
        return (
            (type(self) is type(other) or (one is not None and one == two))
            and ArgumentsModel.model_dump(self) == ArgumentsModel.model_dump(other)
            and declared_private(self) == declared_private(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return cast("Self", copy_instance(self, copy.copy))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return cast("Self", copy_instance(self, lambda part: copy.deepcopy(part, memo)))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with some arguments changed; these are not validated."""
        made = self.__deepcopy__() if deep else self.__copy__()
        for name, value in (update or {}).items():
            set_argument(made, name, value)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an instance of its class or, if that cannot be imported, of the compiled model."""
        kinds = type(self).__mro__
        kind = next(each for each in kinds if "__blueprint__" in vars(each) or _is_importable(each))
        state = (slot_value(self, "__pydantic_fields_set__"), declared_private(self))
        return holding, (kind, ArgumentsModel.model_dump(self)), state if any(state) else None

    def __setstate__(self, state: Any) -> None:
        names, private = state
        if names is not None:
            set_fields_set(self, names)
        if private:
            private_attributes(self).update(private)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Let a subclass have the fields of the compiled model, and none of its own."""
        require_plain_subclass(cls, _LATER)


def _is_importable(cls: type) -> bool:
    """Return whether pickle finds a class by its name."""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls


_LATER: dict[str, Callable[[Any], Any]] = {
    "__engine__": lambda cls: cls.__blueprint__.own_engine(),
    "__pydantic_core_schema__": lambda cls: cls.__get_pydantic_core_schema__(cls, None),
    "__pydantic_fields__": lambda cls: cls.__blueprint__.fields(),
    "__pydantic_validator__": lambda cls: SchemaValidator(cls.__pydantic_core_schema__),
    "__signature__": init_signature,
}
"""Class attributes that are computed on first access."""

for _name, _make in _LATER.items():
    type.__setattr__(ArgumentsModel, _name, ClassAttribute(_name, _make))
ArgumentsModel.__pydantic_serializer__ = SchemaSerializer(
    cs.any_schema(
        serialization=cs.plain_serializer_function_ser_schema(serialize_nested, info_arg=True)
    )
)
ArgumentsModel.__pydantic_complete__ = True
del ArgumentsModel.model_config["defer_build"]  # or every TypeAdapter would put it off, too
