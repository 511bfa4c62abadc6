"""`ExactModel`: the base of all classes that `schema2model codegen` generates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    ValidationError,
    core_schema as cs,
)

from schema2model.coercing_models.models import CoercingModel
from schema2model.json.quoting import quoted
from schema2model.model.validation_errors import validate_keywords
from schema2model.tools.annotations import core_schema_type, map_core_schema

__all__ = ["ExactModel"]


class ExactModel(CoercingModel):
    """A model whose fields hold JSON values as they are, or refuse them.

    An ordinary model converts `1` to a `bool`, even in a union with a model that accepts `1` as it
    is. An undeclared key may be the attribute of a field with an alias; then an ordinary
    model says that this field was sent.

    >>> from pydantic import TypeAdapter
    >>> class Flag(ExactModel, coercion="off"):
    ...     value: bool
    >>> class Count(ExactModel, coercion="off"):
    ...     value: int
    >>> TypeAdapter(Flag | Count).validate_python({"value": 1})
    Count(value=1)
    >>> from pydantic import Field
    >>> class Order(ExactModel):
    ...     placed_at: str | None = Field(None, alias="placed-at")
    >>> Order(placed_at="noon").model_dump()
    {'placed-at': 'noon'}

    """

    model_config = ConfigDict(serialize_by_alias=True)

    def __init__(self, /, **data: Any) -> None:
        """Validate keyword arguments, each by the name of its attribute or of its property.

        Where a property is optional, its annotation allows None. If None is refused, it is the same
        as no argument.

        Raises:
            pydantic.ValidationError: if they are not valid, or one property has two arguments.

        """
        sent = _by_property(type(self), data)
        validate_keywords(lambda given: super(ExactModel, self).__init__(**given), sent)

    # as for CoercingModel: validation of data does not go through it
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]
    __init__.__signature__ = inspect.signature(BaseModel.__init__)  # type: ignore[attr-defined]

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> cs.CoreSchema:
        schema = super().__get_pydantic_core_schema__(source, handler)
        within: Any = handler.resolve_ref_schema(schema)
        while within["schema"]["type"] != "model-fields":
            within = within["schema"]
        fields = within["schema"]["fields"]
        for field in fields.values():
            field["schema"] = _exact(field["schema"])
        aliases = {
            name: alias
            for name, field in fields.items()
            if (alias := field.get("validation_alias", name)) != name
        }
        if aliases and cls.model_config.get("extra") == "allow":
            within["schema"] = cs.no_info_wrap_validator_function(
                _SentFields(aliases), within["schema"]
            )
        return schema


def _by_property(model: type[BaseModel], data: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments under the names of the properties.

    Raises:
        ValidationError: if one property has two.

    """
    fields = model.__pydantic_fields__
    sent: dict[str, Any] = {}
    for name, value in data.items():
        key = (fields[name].alias or name) if name in fields else name
        if key in sent:
            attribute = next(each for each in fields if fields[each].alias == key)
            words = {"message": f"is given twice: as {quoted(key)} and as {quoted(attribute)}"}
            kind = PydanticCustomError("multiple_argument_values", "{message}", words)
            line = InitErrorDetails(type=kind, loc=(key,), input=value)
            raise ValidationError.from_exception_data(model.__name__, [line])
        sent[key] = value
    return sent


class _SentFields:
    """A validator of fields that does not take undeclared keys for their attributes."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases

    def __call__(self, data: Any, handler: Callable[[Any], Any]) -> Any:
        made = handler(data)
        _, undeclared, sent = made
        if undeclared and isinstance(data, Mapping):
            aliases = self._aliases.items()
            sent -= {name for name, key in aliases if name in undeclared and key not in data}
        return made


def _integral(value: float) -> float:
    """Return an integral float of any size as an integer; pydantic takes none above 2**63."""
    return int(value) if value.is_integer() else value


_FLOAT = cs.no_info_after_validator_function(_integral, cs.float_schema(strict=True))
_NUMBER: Any = cs.custom_error_schema(
    cs.union_schema([cs.int_schema(strict=True), _FLOAT]), "int_type"
)


def _exact(part: Any) -> Any:
    """Return a part of a core schema that converts no value but an integral float to an int."""
    kind = core_schema_type(part)
    if kind in {"bool", "float"}:
        exact: Any = {**part, "strict": True}
    elif kind == "int":
        exact = cs.chain_schema([_NUMBER, part])
    elif kind == "literal":
        exact = cs.union_schema([*_literals(part["expected"])])
    elif kind == "union":  # a float is no integer where both are allowed: the first is chosen
        choices = sorted(part["choices"], key=lambda each: core_schema_type(each) != "float")
        exact = {**part, "choices": [*map(_exact, choices)]}
    elif kind in {"json-or-python", "model"}:  # it is exact already, or another class
        return part
    else:
        return map_core_schema(part, _exact)
    return cs.json_or_python_schema(part, exact)


def _literals(expected: Iterable[Any]) -> Iterator[Any]:
    """Yield a core schema for the constants of each type; pydantic takes 1 for True."""
    gates: dict[type, Any] = {bool: cs.bool_schema(strict=True), int: _NUMBER}
    by_type: dict[type, list[Any]] = {}
    for constant in expected:
        by_type.setdefault(type(constant), []).append(constant)
    for kind, constants in by_type.items():
        literal = cs.literal_schema(constants)
        yield cs.chain_schema([gates[kind], literal]) if kind in gates else literal
