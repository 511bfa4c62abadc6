"""Compiled models among other types, and subclasses of them, beside those that a person writes.

As in `test_twin`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import make_dataclass
from typing import Annotated, Any, Generic, TypeVar, Union, get_type_hints

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    RootModel,
    TypeAdapter,
    ValidationError,
    WrapValidator,
    create_model,
    validate_call,
)
from twin import FULL, SMALL, Rows, card_and_cash, errors_of, kept_as, subclass
from typing_extensions import TypedDict

KIND = TypeVar("KIND")
ROWS = Rows()
row = ROWS.row


# ------------------------------------------------------------------------------ among other types
@row
def as_a_field(model: Any) -> Any:
    """Of a model that a person writes, also in lists and beside null."""
    outer = create_model(
        "Outer", one=(model, ...), many=(list[model], ...), no=(model | None, None)
    )
    made = outer(one=FULL, many=[SMALL])
    schema = outer.model_json_schema()
    return made.one.ship.street, made.many[0].count, made.no, sorted(schema["properties"])


@row
def errors_of_a_field(model: Any) -> Any:
    """Where they are in the whole."""
    outer = create_model("Outer", one=(model, ...), many=(list[model], ...))
    return errors_of(outer, {"one": {"ship": {}}, "many": [{"ship": {"street": "Elm", "x": 1}}]})


@row
def in_a_type_adapter(model: Any) -> Any:
    """Alone, and in a list."""
    adapter, listed = TypeAdapter(model), TypeAdapter(list[model])
    dumped = listed.dump_python(listed.validate_python([SMALL]), exclude_unset=True)
    return adapter.validate_json(json.dumps(FULL)).count, dumped


@row
def strict_in_a_type_adapter(model: Any) -> Any:
    """What is valid as it stands is taken, and nothing else."""
    adapter = TypeAdapter(list[model])
    taken = adapter.validate_python([SMALL], strict=True)[0].ship.street
    return taken, errors_of(adapter, [{**SMALL, "count": "5"}], "validate_python", strict=True)


@row
def in_a_plain_union(model: Any) -> Any:
    """Errors say whose they are."""
    adapter = TypeAdapter(Union[model, int])  # noqa: UP007 - of two that are given
    found = [type(adapter.validate_python(each)).__name__ for each in (SMALL, 5)]
    return found, errors_of(adapter, "x", "validate_python")


@row
def in_a_generic_model(model: Any) -> Any:
    """As its parameter."""

    class Answer(BaseModel, Generic[KIND]):
        of: KIND

    answer = Answer[model](of=SMALL)
    return type(answer).__name__, answer.of.count, answer.model_dump(exclude_unset=True)


@row
def in_a_dataclass(model: Any) -> Any:
    """And in a TypedDict."""
    kept = make_dataclass("Kept", [("order", model)])
    typed: Any = TypedDict("typed", {"order": model})  # type: ignore[misc]
    order = TypeAdapter(kept).validate_python({"order": SMALL}).order
    return order.count, TypeAdapter(typed).validate_python({"order": SMALL})["order"].count


@row
def with_validators_around(model: Any) -> Any:
    """Before, after and around."""
    kinds = (
        Annotated[model, BeforeValidator(lambda _: SMALL)],
        Annotated[model, AfterValidator(lambda made: made.model_copy(update={"count": 7}))],
        Annotated[model, WrapValidator(lambda value, of: of({**value, "count": 8}))],
    )
    return [TypeAdapter(kind).validate_python(FULL).count for kind in kinds]


@row
def assignments_that_are_validated(model: Any) -> Any:
    """To a field of a model that a person writes."""
    outer = create_model("Outer", __config__=ConfigDict(validate_assignment=True), one=(model, ...))
    made = outer(one=FULL)
    made.one = SMALL
    with pytest.raises(ValidationError) as raised:
        made.one = {"ship": {}}
    return made.one.ship.street, [(line["loc"], line["type"]) for line in raised.value.errors()]


@row
def instances_that_are_validated_again(model: Any) -> Any:
    """If the outer model asks for it."""
    outer = create_model(
        "Outer", __config__=ConfigDict(revalidate_instances="always"), one=(model, ...)
    )
    made = model(**SMALL)
    return outer(one=made).one is made, outer(one=made).one == made


@row
def as_a_default(model: Any) -> Any:
    """Which is copied, if it is not made anew."""
    outer = create_model("Outer", one=(model, model(**SMALL)), two=(list[model], [model(**SMALL)]))
    return outer().one.count, outer().two is outer().two


@row
def another_model_of_the_fields(model: Any) -> Any:
    """As frameworks make them, and as a base."""
    fields = {name: (field.annotation, field) for name, field in model.model_fields.items()}
    again, below = create_model("Again", **fields), create_model("Below", __base__=model)
    made = again(**{name: FULL[name] for name in FULL if name in fields})
    return made.ship.street, made.lines[1].sku, below(**SMALL).count, list(below.model_fields)


@row
def options_of_a_dump_from_outside(model: Any) -> Any:
    """They reach the parts of what is within."""
    outer = create_model("Outer", one=(model, ...))
    shown = {"one": {"ship": {"street"}, "lines": {0: {"sku"}}}}
    made = outer(one=FULL)
    return made.model_dump(include=shown), made.model_dump_json(include=shown)


@row
def a_template_of_references(model: Any) -> Any:
    """As those ask for who put schemas into a document of their own."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return schema["properties"]["ship"], sorted(schema["$defs"])


@row
def in_a_root_model(model: Any) -> Any:
    """Which dumps what it holds."""
    return RootModel[list[model]]([SMALL]).model_dump(exclude_unset=True)


@row
def as_a_parameter(model: Any) -> Any:
    """Of a function that is validated."""

    @validate_call
    def called(order: model) -> Any:
        return order.ship.street

    return called({"ship": {"street": "Elm"}})


@row
def in_a_discriminated_union(model: Any) -> Any:
    """By the property that tells them apart."""
    kinds = Union[card_and_cash(model)]  # noqa: UP007 - of two that were made
    adapter = TypeAdapter(Annotated[kinds, Field(discriminator="kind")])
    (line,) = errors_of(adapter, {"kind": "cheque"}, "validate_python")
    return type(adapter.validate_python({"kind": "cash"})).__name__, line


@row
def definitions_of_a_json_schema(model: Any) -> Any:
    """As many as there are, each once."""
    schema = TypeAdapter(list[model]).json_schema()
    return sorted(schema["$defs"]), schema["items"]


@row
def json_schema_of_what_is_within(model: Any) -> Any:
    """Its own."""
    return sorted(type(model(**SMALL).ship).model_json_schema()["properties"])


# --------------------------------------------------------------------------------- subclasses
@row
def methods_of_a_subclass(model: Any) -> Any:
    """And properties, with or without a memory."""
    from functools import cached_property  # noqa: PLC0415 - to be used in a class body below

    class Mine(model):
        @property
        def double(self) -> int:
            return int(self.count) * 2

        @double.setter
        def double(self, value: int) -> None:
            self.count = value // 2

        @cached_property
        def triple(self) -> int:
            return int(self.count) * 3

        @classmethod
        def make(cls) -> Any:
            return cls(**SMALL, count=2)

    made = Mine.make()
    found = (made.double, made.triple, made.triple)
    made.double = 8
    return found, made.triple, made.count, made.model_dump(exclude_unset=True), type(made).__name__


@row
def hints_of_a_subclass(model: Any) -> Any:
    """Those of the fields, before its own."""

    class Mine(model):
        _seen: int = 0

        @property
        def lines(self) -> str:
            return "hides a field"

    before, found = list(model.__annotations__), get_type_hints(Mine)
    return before, list(found)[-2:], list(Mine.__annotations__)


@row
def private_attributes_of_a_subclass(model: Any) -> Any:
    """With their defaults; they are not dumped."""

    class Mine(model):
        _seen: list[int] = PrivateAttr(default_factory=list)

    made, other = Mine(**SMALL), Mine(**SMALL)
    made._seen.append(1)
    copied = made.model_copy(deep=True)
    return made._seen, other._seen, copied._seen, made.model_dump(exclude_unset=True)


@row
def private_attributes_within_a_type(model: Any) -> Any:
    """They are there wherever an instance was made, and so is what is remembered."""
    from functools import cached_property  # noqa: PLC0415 - to be used in a class body below

    class Mine(model):
        _seen: int = 3
        _of: dict[str, Any] = PrivateAttr(default_factory=dict)

        @cached_property
        def double(self) -> int:
            return int(self.count) * 2

    (made,) = TypeAdapter(list[Mine]).validate_python([{**SMALL, "count": 2}])
    made._seen += 1
    made._of["a"] = made._seen
    return made._of, made.double, made.model_dump(exclude_unset=True)


class Mixed:
    """What is not of pydantic."""

    def hello(self) -> str:
        """What it adds."""
        return f"{self.ship.street}"  # type: ignore[attr-defined]


def abstract(model: Any) -> Any:
    """A class with an abstract method, of which no instance can be made."""
    made = subclass(model, method=abstractmethod(lambda _: None))
    with pytest.raises(TypeError, match="abstract"):
        made(**SMALL)
    return made


def within(model: Any) -> Any:
    """The class of an instance that an instance was made of."""
    below = subclass(type(model(**SMALL).ship))
    return type(model(ship=below(street="x")).ship).__name__


def better(model: Any) -> Any:
    """Of two that both accept a value, the one that knows more of it."""
    less = create_model("Less", __config__=ConfigDict(extra="allow"), sku=(str, ...))
    kinds = Union[less, type(model(**FULL).lines[0])]  # noqa: UP007 - of two that are given
    return type(TypeAdapter(kinds).validate_python({"sku": "a", "amount": 2})).__name__


def adapted_extra(model: Any) -> Any:
    """What `extra` does for a type."""
    try:
        return sorted(
            TypeAdapter(model).validate_python({**SMALL, "x": 1}, extra="forbid").model_extra
        )
    except ValidationError as error:
        return error.errors()[0]["type"]


def kept_by_subclassing(model: Any, namespace: dict[str, Any], **options: Any) -> str:
    """Whether a subclass with something more can be made."""
    try:
        type(model)("Mine", (model,), {"__module__": __name__, **namespace}, **options)
    except TypeError as error:
        return "refused" if "codegen" in str(error) and "CoercingModel" in str(error) else "?"
    return "made"


ROWS |= {
    "a field in a subclass": lambda m: kept_by_subclassing(
        m, {"__annotations__": {"more": int}, "more": 1}
    ),
    "`model_config` in a subclass": lambda m: kept_by_subclassing(
        m, {"model_config": ConfigDict(frozen=True)}
    ),
    "an option of a subclass, such as `frozen=True`": lambda m: kept_by_subclassing(
        m, {}, frozen=True
    ),
    "a mixin": lambda m: type(m)("Mine", (Mixed, m), {"__module__": __name__})(**SMALL).hello(),
    "an abstract subclass": lambda m: isinstance(m, type(abstract(m))),
    "`model_json_schema()` of a subclass": lambda m: subclass(m).model_json_schema()["title"],
    "an instance of the base where a subclass is wanted": lambda m: kept_as(
        subclass(m), m(**SMALL)
    ),
    "an instance of a subclass of a nested model": within,
    "a union of models without a discriminator": better,
    "`extra=` of a `TypeAdapter`'s methods": adapted_extra,
}

DIFFERENT: dict[str, tuple[Any, Any]] = {
    "a field in a subclass": ("refused", "made"),
    "`model_config` in a subclass": ("refused", "made"),
    "an option of a subclass, such as `frozen=True`": ("refused", "made"),
    "`extra=` of a `TypeAdapter`'s methods": (["x"], "extra_forbidden"),
    "an instance of a subclass of a nested model": ("Address", "Mine"),
    "a union of models without a discriminator": ("Less", "Line"),
    "`model_json_schema()` of a subclass": ("Order", "Mine"),
    "an instance of the base where a subclass is wanted": ("Mine", "model_type"),
}


@pytest.mark.parametrize("name", ROWS)
def test_it_does_what_the_twin_does(name: str) -> None:
    """Or differs in the way that is documented."""
    ROWS.compare(name, DIFFERENT)


def test_every_difference_is_one() -> None:
    """The table has no others."""
    assert ROWS.are_documented(DIFFERENT)
    assert len(ROWS) > 30
