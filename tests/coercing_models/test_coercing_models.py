"""`CoercingModel`: what a model refuses is coerced as a compiled schema would do it."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pydantic
import pytest
from hand_written import READ, SCHEMA, SENT, Order, Plain, PlainOrder, Search
from hypothesis import given
from oracle import same
from pydantic import ConfigDict, TypeAdapter, ValidationError
from strategies import arguments_for

from schema2model import CoercingModel, Coercion, compile_schema

CASES: dict[str, tuple[Any, Any]] = {
    "array in a string": ({"items": "[]"}, {"items": []}),
    "objects in strings in a string": (
        {"items": json.dumps([json.dumps({"sku": "a", "amount": "2"})])},
        {"items": [{"sku": "a", "amount": 2}]},
    ),
    "scalar for a string": ({"items": [{"sku": 4711}]}, {"items": [{"sku": "4711"}]}),
    "null word": ({"items": [], "since": "null"}, {"items": [], "since": None}),
    "null for what has a default": ({"items": [], "color": None}, {"items": []}),
    "quoted choice": ({"items": [], "color": '"blue"'}, {"items": [], "color": "blue"}),
    "set": ({"items": [], "tags": '["a", "a"]'}, {"items": [], "tags": ["a"]}),
    "discriminated union": (
        {"items": [], "paid": '{"kind": "cash", "coins": "[1, 2]"}'},
        {"items": [], "paid": {"kind": "cash", "coins": [1, 2]}},
    ),
    "mapping": ({"items": [], "sizes": "{'a': '1.5'}"}, {"items": [], "sizes": {"a": 1.5}}),
    "union": ({"items": [], "either": "[1]"}, {"items": [], "either": [1]}),
    "alias": ({"items": "[]", "max": "10.0"}, {"items": [], "max": 10}),
    "recursion": (
        {"items": [], "parent": '{"items": "[]"}'},
        {"items": [], "parent": {"items": []}},
    ),
    "everything in a string": ('{"items": "[]"}', {"items": []}),
}


@pytest.mark.parametrize(("sent", "read"), CASES.values(), ids=CASES)
def test_what_the_model_alone_refuses_is_coerced(sent: Any, read: Any) -> None:
    """By each way in."""
    with pytest.raises(ValidationError):
        PlainOrder.model_validate(sent)
    instances = [
        Order.model_validate(sent),
        Order.model_validate(sent, by_alias=True),
        Order.model_validate_json(json.dumps(sent)),
        Order.model_validate_json(json.dumps(sent), strict=False),
        TypeAdapter(Order).validate_python(sent),
        TypeAdapter(Order).validate_json(json.dumps(sent)),
        TypeAdapter(list[Order]).validate_python([sent])[0],
        pydantic.create_model("Outer", order=Order)(order=sent).order,
    ]
    if isinstance(sent, dict):
        instances.append(Order(**sent))
    for instance in instances:
        assert type(instance) is Order
        dumped = instance.model_dump(mode="json", by_alias=True, exclude_unset=True)
        assert dumped == read


@given(arguments_for(SCHEMA))
def test_what_the_model_accepts_is_not_touched(sent: Any) -> None:
    """Identity: the instance is what it would be without us. Soundness: so is that of the rest."""
    try:
        alone = PlainOrder.model_validate(copy.deepcopy(sent)).model_dump(exclude_unset=True)
    except ValidationError:
        alone = None
    try:
        ours = Order.model_validate(sent).model_dump(exclude_unset=True, by_alias=True)
    except ValidationError:
        assert alone is None
        return
    if alone is None:
        assert PlainOrder.model_validate(ours).model_dump(exclude_unset=True, by_alias=True) == ours
    else:
        assert Order.model_validate(sent).model_dump(exclude_unset=True) == alone


@given(arguments_for(SCHEMA))
def test_every_way_in_has_one_meaning(sent: Any) -> None:
    """Python data, its text, and a foreign type around the model."""

    def outcome(read: Callable[[Any], Any], data: Any) -> Any:
        try:
            return read(data).model_dump(exclude_unset=True)
        except ValidationError:
            return None

    expected = outcome(Order.model_validate, sent)
    assert outcome(TypeAdapter(Order).validate_python, sent) == expected
    assert (
        outcome(lambda data: TypeAdapter(list[Order]).validate_python([data])[0], sent) == expected
    )
    text = json.dumps(sent)
    assert outcome(lambda data: Order.model_validate_json(data, strict=None), text) == expected


FLAT = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["tags"],
    "additionalProperties": False,
}


class Strict(CoercingModel):
    """A model that says what `FLAT` says."""

    model_config = ConfigDict(strict=True, extra="forbid")
    tags: list[str]
    limit: int | None = None


@given(arguments_for(FLAT))
def test_a_strict_model_and_its_schema_agree(sent: Any) -> None:
    """What is coerced is what `compile_schema` makes of it, in strict mode too."""
    compiled = compile_schema(FLAT)
    explanation = compiled.explain(sent)
    try:
        instance = Strict.model_validate(sent)
    except ValidationError:
        assert explanation.error is not None
        return
    assert explanation.error is None
    assert same(instance.model_dump(exclude_unset=True), explanation.result)


def test_malformed_text_is_repaired() -> None:
    """And what is in it coerced."""
    for text in (
        "```json\n{tags: ['a'], limit: None,}\n```",
        b"{'tags': '[\"a\"]', 'limit': null}",
    ):
        with pytest.raises(ValidationError):
            Plain.model_validate_json(text)
        assert Search.model_validate_json(text).model_dump() == READ
        assert Search.model_validate_json(text, context={}).model_dump() == READ


def test_the_policy_is_a_class_keyword() -> None:
    """It is inherited, can be changed, and may be a `Coercion`."""
    sent = {"tags": "a, b"}

    class Generous(Search, coercion="lenient"):
        pass

    class Off(Generous, coercion="off"):
        pass

    class Named(Off, coercion=Coercion.lenient):
        pass

    class Inherited(Named, title="another class keyword"):
        pass

    for model in (Generous, Named, Inherited):
        assert model.model_validate(sent).tags == ["a", "b"]
    for model in (Search, Off):
        with pytest.raises(ValidationError):
            model.model_validate(sent)
    with pytest.raises(ValidationError):
        Off.model_validate(SENT)
    with pytest.raises(ValueError, match="coercion"):
        type("Wrong", (CoercingModel,), {}, coercion="everything")


def test_a_class_keyword_that_is_not_known_says_what_to_write() -> None:
    """The options of compiled models are none; what a class asks of its subclasses is."""
    with pytest.raises(TypeError, match=r"Wrong takes no class keyword `formats`: .* `coercion`"):
        type("Wrong", (CoercingModel,), {}, formats="convert")
    with pytest.raises(TypeError, match=r"`defaults`: .*Python's, `limit: int = 10`"):
        type("Wrong", (CoercingModel,), {}, coercion="off", defaults="fill")

    class Tagged:
        def __init_subclass__(cls, *, tag: str, **options: Any) -> None:
            super().__init_subclass__(**options)
            cls.tag = tag  # type: ignore[attr-defined]

    class Right(CoercingModel, Tagged, tag="a", extra="forbid"):
        limit: int

    assert (Right.tag, Right.model_config["extra"]) == ("a", "forbid")  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'tag'"):
        type("Wrong", (CoercingModel, Tagged), {}, wrong=1)


def test_the_rules_of_the_outermost_model_hold() -> None:
    """By each way in."""

    class Off(CoercingModel, coercion="off"):
        inner: Search

    sent = {"inner": {"tags": '["a"]'}}
    for read in (Off.model_validate, TypeAdapter(Off).validate_python, lambda data: Off(**data)):
        with pytest.raises(ValidationError):
            read(sent)
