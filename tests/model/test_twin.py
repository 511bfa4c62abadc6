"""Instances of a compiled model and of the model that a person writes for the same schema.

Each row is done with both. What it gives is the same, or stands in `DIFFERENT`, whose rows are
those of the table in docs/models.md.
"""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
from enum import Enum, IntEnum
from types import MappingProxyType, SimpleNamespace
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from twin import FULL, SMALL, Do, Order, Rows, errors_of, kept_as

ROWS = Rows()
row = ROWS.row


class Speed(str, Enum):
    """A choice, as programs have it."""

    fast = "fast"


class Count(IntEnum):
    """A number, as programs have it."""

    two = 2


def of(**changed: Any) -> Do:
    """The row in which a small order with changes is validated, and the errors are told."""

    def do(model: Any) -> Any:
        try:
            return model.model_validate({**SMALL, **changed}).model_dump(exclude_unset=True)
        except ValidationError as error:
            return [(line["loc"], line["type"]) for line in error.errors()]

    return do


def title_of(model: Any) -> str:
    """Whose errors they are said to be."""
    with pytest.raises(ValidationError) as raised:
        model.model_validate({})
    return str(raised.value.title)


# ---------------------------------------------------------------------------------- attributes
ROWS |= {
    "an object is a model": lambda m: m(**FULL).ship.street,
    "a nullable object is a model": lambda m: m(**FULL).bill.zip,
    "null is null": lambda m: m(**SMALL, bill=None).bill,
    "items are models": lambda m: [line.amount for line in m(**FULL).lines],
    "values of a map are models": lambda m: m(**FULL).stops["first"].street,
    "a branch of a union is a model": lambda m: (m(**FULL).pay.kind, m(**FULL).pay.number),
    "recursion has no end": lambda m: m(**FULL).tree.children[0].children[0].value,
    "classes are those of the annotations": lambda m: (
        type(m(**FULL).ship) is m.model_fields["ship"].annotation
    ),
    "classes have names": lambda m: [
        type(each).__name__ for each in (m(**FULL).ship, m(**FULL).lines[0], m(**FULL).pay)
    ],
    "one definition is one class": lambda m: (
        type(m(**FULL).ship) is type(m(**FULL).bill) is type(m(**FULL).stops["first"])
    ),
    "a recursive definition is one class": lambda m: (
        type(m(**FULL).tree) is type(m(**FULL).tree.children[0])
    ),
    "undeclared values are as they were sent": lambda m: m(**FULL).more,
    "an attribute that is nowhere": lambda m: hasattr(m(**FULL), "nowhere"),
    "a field of the class": lambda m: (hasattr(m, "ship"), hasattr(m, "count")),
    "isinstance": lambda m: isinstance(m(**FULL).ship, BaseModel),
}


@row
def an_attribute_is_the_same_one_each_time(model: Any) -> Any:
    """Of objects, of lists, and of what is in them."""
    made = model(**FULL)
    return made.ship is made.ship, made.lines is made.lines, made.lines[0] is made.lines[0]


@row
def a_change_below_is_in_the_next_dump(model: Any) -> Any:
    """However deep it is."""
    made = model(**FULL)
    made.ship.street = "New"
    made.lines[1].sku = "c"
    made.tree.children[0].children[0].value = 9
    made.stops["first"].street = "Far"
    return made.model_dump(exclude_unset=True)


@row
def lists_can_be_changed(model: Any) -> Any:
    """By what is a model or is not."""
    made = model(**FULL)
    made.lines.append(type(made.lines[0])(sku="z"))
    del made.lines[0]
    made.tags.append("y")
    return made.model_dump(exclude_unset=True)["lines"], made.tags


@row
def attributes_can_be_set(model: Any) -> Any:
    """To values, and to models."""
    made = model(**FULL)
    made.count = 7
    made.ship = type(made.ship)(street="Set")
    made.other = 1
    return made.model_dump(exclude_unset=True), made.ship.street, made.other


@row
def attributes_can_be_deleted(model: Any) -> Any:
    """And are then no longer dumped."""
    made = model(**FULL)
    del made.count
    del made.more
    return sorted(made.model_dump(exclude_unset=True, warnings=False))


@row
def a_name_that_may_not_be(model: Any) -> Any:
    """Where no other properties are allowed, none can be set."""
    with pytest.raises(ValueError, match='object has no field "city"') as raised:
        model(**FULL).ship.city = "x"
    return type(raised.value)


@row
def what_frameworks_keep_on_an_instance(model: Any) -> Any:
    """Under a name with an underscore: it can be read, and is no argument."""
    made = model(**SMALL)
    made._raw_response = object()
    return made._raw_response is not None, made.model_dump(exclude_unset=True)


@row
def pattern_matching(model: Any) -> Any:
    """By the names of attributes."""
    found = model(**FULL)
    return found.count, isinstance(found, model)


@row
def names_in_dir(model: Any) -> Any:
    """Editors complete fields."""
    return {"ship", "lines", "count"} <= {*dir(model(**FULL))}


# ------------------------------------------------------------------------------------ defaults
@row
def defaults_are_attributes(model: Any) -> Any:
    """Those of the schema."""
    made = model(**SMALL)
    return made.count, made.speed, made.gift, made.lines, made.bill, made.ship.zip


@row
def what_has_no_default(model: Any) -> Any:
    """Is None."""
    made = model(**SMALL)
    return made.note, made.score, made.tags, made.tree, made.stops, made.pay


@row
def defaults_are_copies(model: Any) -> Any:
    """One for each instance, which stays the same."""
    first, second = model(**SMALL), model(**SMALL)
    first.lines.append("x")
    return first.lines, second.lines, model.model_fields["lines"].default


ROWS |= {
    "fields set": lambda m: m(**SMALL, count=1).model_fields_set,
    "extra": lambda m: m(**SMALL, more=1).model_extra,
    "no extra": lambda m: m(**SMALL).model_extra,
    "default of a field": lambda m: [m.model_fields[n].default for n in ("count", "lines", "bill")],
    "required fields": lambda m: [n for n, f in m.model_fields.items() if f.is_required()],
    "names of fields": lambda m: list(m.model_fields),
    "fields are FieldInfo": lambda m: {type(f) is FieldInfo for f in m.model_fields.values()},
    "plain annotations": lambda m: [m.model_fields[n].annotation for n in ("count", "gift")],
    "hints": lambda m: list(get_type_hints(m, include_extras=True)),
    "hints of plain types": lambda m: [get_type_hints(m)[n] for n in ("count", "gift", "speed")],
    "annotations": lambda m: (list(inspect.get_annotations(m)), list(m.__annotations__)),
    "copies of annotations": lambda m: (
        list(m.__annotations__ | {"more": int}),
        list(copy.deepcopy(m.__annotations__)),
    ),
    "documentation": lambda m: m.__doc__,
    "name": lambda m: m.__name__,
    "signature": lambda m: re.findall(r"(\w+):", str(m.__signature__))[:3],
    # ---------------------------------------------------------------------------------- dumps
    "dump of what was set": lambda m: m(**FULL).model_dump(exclude_unset=True),
    "`model_dump()`": lambda m: m(**SMALL).model_dump(),
    "dump without defaults": lambda m: m(
        ship={"street": "Elm", "zip": "?"}, count=1, speed="fast"
    ).model_dump(exclude_defaults=True),
    "dump without null": lambda m: m(**FULL, extra=None).model_dump(
        exclude_unset=True, exclude_none=True
    ),
    "dump of some": lambda m: m(**FULL).model_dump(include={"ship": {"street"}, "count": True}),
    "dump without some": lambda m: m(**FULL).model_dump(
        exclude_unset=True, exclude={"lines": {"__all__": {"sku"}}, "more": True}
    ),
    "dump as JSON values": lambda m: m(**FULL).model_dump(mode="json", exclude_unset=True),
    "JSON text": lambda m: json.loads(m(**FULL).model_dump_json(exclude_unset=True)),
    "JSON text with indent": lambda m: m(**SMALL).model_dump_json(indent=1, exclude_unset=True),
    "`dict(model)`": lambda m: [name for name, _ in m(**FULL)],
    "dict of an instance": lambda m: type(dict(m(**FULL))["ship"]) is type(m(**FULL).ship),
    "`repr(model)`": lambda m: repr(m(**SMALL)),
    "repr of an object within": lambda m: repr(m(**FULL).bill),
    # ----------------------------------------------------------------------------- validation
    "text of an integer": of(count="5"),
    "an integral float": of(count=5.0),
    "an integer for a number": of(score=2),
    "a word for a boolean": of(gift="yes"),
    "a number for text": of(note=5),
    "JSON text for a list": of(tags='["x"]'),
    "`None` for an optional property": of(tags=None),
    "`bytes` for a string": of(note=b"x"),
    "`True` for an integer": of(count=True),
    "`nan` for a number": lambda m: kept_as(m, {**SMALL, "score": float("nan")}),
    "a `set` for an array": of(tags={"x"}),
    "a mapping other than a `dict`": of(ship=MappingProxyType({"street": "Elm"})),
    "a key other than a string": lambda m: errors_of(m, {**SMALL, 5: 1}),
    "an enumeration": of(speed=Speed.fast, count=Count.two),
    "a tuple": of(tags=("x", "y")),
    "missing": lambda m: errors_of(m, {}),
    "missing within": of(ship={}),
    "missing in an item": of(lines=[{"sku": "a"}, {}]),
    "too small": of(count=0),
    "too great": of(count=10),
    "no integer": of(count="five"),
    "part of an integer": of(count=1.5),
    "a list for an integer": of(count=[]),
    "no number": of(score="much"),
    "no boolean": of(gift="perhaps"),
    "an object for text": of(note={}),
    "text too long": of(note="x" * 21),
    "text of another pattern": of(note="X1"),
    "a value that `enum` does not list": of(speed="medium"),
    "no list": of(tags=5),
    "too many items": of(tags=["a", "b", "c", "d"]),
    "a wrong item": of(tags=["a", {}]),
    "no object": of(ship=5),
    "forbidden": of(ship={"street": "Elm", "city": "x"}),
    "several errors": of(ship={}, count=0, gift="maybe"),
    "a tag that no branch of a union has": of(pay={"kind": "cheque"}),
    "a missing tag": of(pay={}),
    "the whole is a list": lambda m: errors_of(m, [1, 2]),
    "no JSON": lambda m: errors_of(m, "{'ship'", "model_validate_json"),
    "title of errors": title_of,
    "strict text of an integer": lambda m: errors_of(m, {**SMALL, "count": "5"}, strict=True),
    "strict and valid": lambda m: m.model_validate(SMALL, strict=True).ship.street,
    "strings": lambda m: m.model_validate_strings({**SMALL, "count": "5"}).count,
    "construct": lambda m: m.model_construct(count=3).model_dump(exclude_unset=True),
    "construct with a set": lambda m: m.model_construct({"count"}, count=1).model_fields_set,
}


@row
def models_within_what_is_validated(model: Any) -> Any:
    """Those of its own fields, and all of an instance."""
    full = model(**FULL)
    made = model(ship=full.ship, lines=[full.lines[1], {"sku": "c"}])
    return made.model_dump(exclude_unset=True), model(**dict(full)) == full


@row
def attributes_of_an_object(model: Any) -> Any:
    """As those of a row of a database."""

    class Stored:
        ship = FULL["ship"]
        count = 3

    return model.model_validate(Stored(), from_attributes=True).model_dump(exclude_unset=True)


@row
def attributes_of_objects_within(model: Any) -> Any:
    """In attributes, in lists, and of an object in a type."""

    class Street:
        street = "Elm"

    class Stored:
        ship = Street()
        lines = (SimpleNamespace(sku="a"), {"sku": "b"})
        stops = {"first": Street()}

    sent = [Stored(), {"ship": Street()}]
    made = TypeAdapter(list[model]).validate_python(sent, from_attributes=True)
    (error, *_) = errors_of(model, SimpleNamespace(ship=SimpleNamespace()), from_attributes=True)
    return [each.model_dump(exclude_unset=True) for each in made], error


@row
def the_input_is_copied(model: Any) -> Any:
    """What the caller does with it afterwards changes nothing."""
    sent = copy.deepcopy(FULL)
    made = model.model_validate(sent)
    sent["ship"]["street"] = "other"
    sent["lines"].clear()
    return made.ship.street, len(made.lines)


# ---------------------------------------------------------------------------- copies, equality
ROWS |= {
    "equal": lambda m: m(**FULL) == m(**FULL),
    "not equal": lambda m: m(**FULL) == m(**SMALL),
    "equal to a dict": lambda m: m(**SMALL) == SMALL,
    "`==` where only one was sent a default": lambda m: m(**SMALL) == m(**SMALL, count=1),
    "equal within": lambda m: m(**FULL).ship == m(**SMALL).ship,
    "pickle": lambda m: pickle.loads(pickle.dumps(m(**FULL))) == m(**FULL),  # noqa: S301 - our own
    "pickle of what is within": lambda m: (
        type(pickle.loads(pickle.dumps(m(**FULL).ship))) is type(m(**FULL).ship)  # noqa: S301
    ),
    "pickle of the class": lambda m: pickle.loads(pickle.dumps(m)) is m,  # noqa: S301
    "deep copy": lambda m: copy.deepcopy(m(**FULL)) == m(**FULL),
    "copy": lambda m: copy.copy(m(**FULL)) == m(**FULL),
    "copy with changes": lambda m: (
        m(**FULL).model_copy(update={"count": 2, "new": 1}).model_dump(exclude_unset=True)
    ),
    "fields set of a copy": lambda m: m(**SMALL).model_copy(update={"count": 2}).model_fields_set,
    "replace": lambda m: m(**FULL).__replace__(count=3).count,
}


@row
def no_hash(model: Any) -> Any:
    """As instances can be changed."""
    with pytest.raises(TypeError) as raised:
        hash(model(**FULL))
    return raised.type


@row
def a_subclass_is_not_equal(model: Any) -> Any:
    """Nor are instances with other private attributes."""

    class Mine(model):
        _seen: int = 0

    one, two = Mine(**SMALL), Mine(**SMALL)
    before = one == two
    two._seen = 1
    return before, one == two, one == model(**SMALL), model(**SMALL) == one


@row
def an_instance_is_valid(model: Any) -> Any:
    """And is returned as it is."""
    made = model(**FULL)
    return model.model_validate(made) is made


@row
def a_deep_copy_is_its_own(model: Any) -> Any:
    """Changes of one are not seen in the other."""
    first = model(**FULL)
    second = first.model_copy(deep=True)
    second.ship.street = "other"
    second.lines.clear()
    return first.ship.street, len(first.lines)


def changed(made: Any, **values: Any) -> Any:
    """An instance with attributes set."""
    for name, value in values.items():
        setattr(made, name, value)
    return made


def deleted(model: Any) -> Any:
    """What an attribute is that has been deleted."""
    made = model(**SMALL, count=5)
    del made.count
    return getattr(made, "count", "nothing")


def shallow(model: Any) -> Any:
    """Whether a change below is seen in what was copied."""
    made = model(**SMALL)
    made.model_copy().ship.street = "other"
    return made.ship.street


def refusal_of(model: Any, **options: Any) -> Any:
    """What is raised for an option."""
    try:
        model.model_validate(SMALL, **options)
    except (TypeError, ValidationError) as error:
        return type(error).__name__
    return "taken"


ROWS |= {
    "returned by the signature": lambda m: inspect.signature(m).return_annotation,
    "reading an attribute after `del`": deleted,
    "reading an attribute that was set to a `dict`": lambda m: (
        type(changed(m(**SMALL), ship={"street": "x"}).ship).__name__
    ),
    "objects in `vars(model)`": lambda m: type(vars(m(**SMALL))["ship"]).__name__,
    "any other Python object": lambda m: errors_of(m, object()),
    "nested models of a shallow copy": shallow,
    "equal lists": lambda m: (
        m(**FULL).lines == m(**FULL).lines,
        m(**FULL).lines == FULL["lines"],
        m(**FULL).stops == m(**FULL).stops,
    ),
    "rebuilding": lambda m: (m.model_rebuild(), m.model_rebuild(force=True)),
    "`extra=` of `model_validate`": lambda m: refusal_of(m, extra="forbid"),
}

ALL_NAMES = [name for name in Order.model_fields if name != "gift"]
TAG = ("pay", "kind")
DIFFERENT: dict[str, tuple[Any, Any]] = {
    "`model_dump()`": (
        SMALL,
        {**Order(**SMALL).model_dump(), "ship": {"street": "Elm", "zip": "?"}},
    ),
    "`dict(model)`": ([*ALL_NAMES, "more"], [*Order.model_fields, "more"]),
    "`repr(model)`": ("Order(ship=Address(street='Elm'))", repr(Order(**SMALL))),
    "`==` where only one was sent a default": (False, True),
    "JSON text for a list": ({**SMALL, "tags": ["x"]}, [(("tags",), "list_type")]),
    "`None` for an optional property": (SMALL, {**SMALL, "tags": None}),
    "`bytes` for a string": ([(("note",), "tool_arguments")], {**SMALL, "note": "x"}),
    "a value that `enum` does not list": ([(("speed",), "enum")], [(("speed",), "literal_error")]),
    "a tag that no branch of a union has": (
        [(TAG, "union_tag_invalid")],
        [(("pay",), "union_tag_invalid")],
    ),
    "a missing tag": ([(TAG, "missing")], [(("pay",), "union_tag_not_found")]),
    "`extra=` of `model_validate`": ("TypeError", "taken"),
    "reading an attribute after `del`": (1, "nothing"),
    "reading an attribute that was set to a `dict`": ("Address", "dict"),
    "objects in `vars(model)`": ("dict", "Address"),
    "nested models of a shallow copy": ("Elm", "other"),
    "`True` for an integer": ([(("count",), "int_type")], {**SMALL, "count": 1}),
    "`nan` for a number": ("tool_arguments", "Order"),
    "a `set` for an array": ([(("tags",), "tool_arguments")], {**SMALL, "tags": ["x"]}),
    "a mapping other than a `dict`": ([(("ship",), "tool_arguments")], SMALL),
    "a key other than a string": ([((), "tool_arguments")], [((5,), "invalid_key")]),
    "any other Python object": ([((), "tool_arguments")], [((), "model_type")]),
}


@pytest.mark.parametrize("name", ROWS)
def test_it_does_what_the_twin_does(name: str) -> None:
    """Or differs in the way that is documented."""
    ROWS.compare(name, DIFFERENT)


def test_every_difference_is_one() -> None:
    """The table has no others."""
    assert ROWS.are_documented(DIFFERENT)
    assert len(ROWS) > 110
