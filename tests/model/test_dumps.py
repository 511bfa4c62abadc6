"""Dumps of a compiled model's instances, alone and within other models, with every option."""

from __future__ import annotations

import json
from typing import Any, Optional

import pytest
from pydantic import BaseModel, Field, TypeAdapter, create_model
from pydantic_core import to_jsonable_python
from search_model import FULL, MODEL, STRING

from schema2model import compile_schema

DUMPS: dict[str, tuple[dict[str, Any], Any]] = {
    "mode": ({"mode": "json"}, FULL),
    "by_alias": ({"by_alias": True}, FULL),
    "exclude_unset": ({"exclude_unset": True}, FULL),
    "round_trip": ({"round_trip": True}, FULL),
    "warnings": ({"warnings": False}, FULL),
    "include": ({"include": {"query", "more"}}, {"query": "x", "more": 1}),
    "exclude": ({"exclude": {"inner", "more"}}, {"query": "x", "cursor": None}),
    "exclude below": (
        {"exclude": {"inner": {"b"}, "more": True, "cursor": True}},
        {"query": "x", "inner": {"a": 1}},
    ),
    "exclude_none": (
        {"exclude_none": True},
        {"query": "x", "inner": {"a": 1}, "more": 1},
    ),
    "several": ({"exclude_none": True, "include": {"cursor", "more"}}, {"more": 1}),
}


@pytest.mark.parametrize(("options", "dumped"), DUMPS.values(), ids=DUMPS)
def test_dump_options(options: dict[str, Any], dumped: Any) -> None:
    """The options of `BaseModel.model_dump` mean what they mean there."""
    instance = MODEL.model_validate(FULL)
    assert instance.model_dump(**options) == dumped
    text_options = {name: value for name, value in options.items() if name != "mode"}
    assert json.loads(instance.model_dump_json(**text_options)) == dumped


def test_dumps_are_copies() -> None:
    """A dump is the caller's own: adding to it changes no instance."""
    instance = MODEL.model_validate(FULL)
    instance.model_dump()["query"] = "y"
    assert instance.model_dump() == FULL
    assert instance.model_dump_json(indent=2).startswith('{\n  "query"')


class Account(BaseModel, extra="allow"):
    """What a person writes for the schema below."""

    user: str
    password: Optional[str] = None  # noqa: UP045 - evaluated on Python 3.10
    inner: dict[str, Any] = {}


ACCOUNT = compile_schema(
    {"properties": {"user": STRING, "password": {"type": ["string", "null"]}, "inner": {}}}
).model
SECRETIVE: dict[str, Any] = {
    "one": {"user": "x", "password": "secret", "inner": {"a": 1, "b": "secret"}, "more": None},
    "many": [{"user": "x", "password": "secret", "inner": {}}] * 2,
    "named": {"k": {"user": "x", "password": None, "inner": {}}},
    "either": {"user": "x", "password": "secret", "inner": {}},
    "below": {"account": {"user": "x", "password": "secret", "inner": {}, "more": "secret"}},
}
WITHIN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "exclude": {"exclude": {"one": {"password", "more"}}},
    "exclude deeply": {"exclude": {"one": {"password": True, "inner": {"b"}}}},
    "exclude from all": {"exclude": {"many": {"__all__": {"password"}}}},
    "exclude from one": {"exclude": {"many": {0: {"password"}}}},
    "exclude by name": {"exclude": {"named": {"k": {"user"}}}},
    "exclude from a union": {"exclude": {"either": {"password": True}}},
    "exclude in a model": {"exclude": {"below": {"account": {"password", "more"}}}},
    "include": {"include": {"one": {"user"}, "many": {1: {"user"}}}},
    "include and exclude": {"include": {"one"}, "exclude": {"one": {"password"}}},
    "exclude_none": {"exclude_none": True},
    "several": {"exclude_none": True, "exclude": {"one": {"password"}}, "by_alias": True},
}


def around(account: Any) -> Any:
    """A model with accounts in all places."""
    middle = create_model("Middle", account=(account, ...))
    return create_model(
        "Outer",
        one=(account, ...),
        many=(list[account], ...),
        named=(dict[str, account], ...),
        either=(int | account, ...),
        below=(middle, ...),
    )


@pytest.mark.parametrize("options", WITHIN.values(), ids=WITHIN)
def test_dump_options_reach_models_within(options: dict[str, Any]) -> None:
    """What is excluded from a part stays out of every dump, as with a model that people write."""
    ours, theirs = around(ACCOUNT)(**SECRETIVE), around(Account)(**SECRETIVE)
    assert isinstance(ours.one, ACCOUNT)
    assert ours.model_dump(**options) == theirs.model_dump(**options)
    dumped = theirs.model_dump(mode="json", **options)
    assert ours.model_dump(mode="json", **options) == dumped
    assert json.loads(ours.model_dump_json(**options)) == dumped


def test_dump_options_reach_models_in_types() -> None:
    """Whoever dumps them."""
    adapter, listed = TypeAdapter(ACCOUNT), TypeAdapter(list[ACCOUNT])  # type: ignore[valid-type]
    account = ACCOUNT(user="x", password="secret")  # noqa: S106 - it is to stay out
    assert adapter.dump_python(account, exclude={"password"}) == {"user": "x"}
    assert adapter.dump_json(account, exclude={"password"}) == b'{"user":"x"}'
    without = {"__all__": {"password"}}
    assert listed.dump_python([account], exclude=without) == [{"user": "x"}]
    assert listed.dump_json([account], exclude=without) == b'[{"user":"x"}]'
    assert to_jsonable_python(account, exclude={"password"}) == {"user": "x"}


def test_dump_options_reach_arguments_that_are_no_object() -> None:
    """As with pydantic's RootModel."""
    instance = compile_schema({"type": "array", "items": {}}).model.model_validate([None, 1, 2])
    assert instance.model_dump(exclude={1}, exclude_none=True) == [None, 2]
    assert instance.model_dump_json(include={1}) == "[1]"


def test_what_else_is_in_a_field_is_dumped_as_pydantic_does() -> None:
    """With a warning, and with the options: a field may hold what nobody has validated."""
    outer: Any = create_model("Outer", one=(ACCOUNT, ...))
    unvalidated = outer.model_construct(one=Account(user="x", password="secret"))  # noqa: S106
    with pytest.warns(UserWarning, match="Pydantic serializer warnings"):
        dumped = unvalidated.model_dump(exclude={"one": {"password"}})
    assert dumped == {"one": {"user": "x", "inner": {}}}


def test_of_a_union_each_dumps_its_own() -> None:
    """A model beside a compiled one in a union keeps its aliases."""

    class Aliased(BaseModel):
        user: str = Field(serialization_alias="name")

    outer: Any = create_model("Outer", either=(ACCOUNT | Aliased, ...))
    dumped = outer(either=Aliased(user="x")).model_dump(by_alias=True)
    assert dumped == {"either": {"name": "x"}}
