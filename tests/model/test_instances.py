"""Instances of a compiled model: how they are made, compared, copied, changed and pickled."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from search_model import FULL, MODEL, SCHEMA

from schema2model import compile_schema


def test_instances_compare_and_copy() -> None:
    """Like those of any other model."""
    instance = MODEL.model_validate({"query": "x", "limit": "5"})
    assert instance == MODEL.model_validate({"query": "x", "limit": 5})
    assert instance != MODEL.model_validate({"query": "x"})
    assert repr(instance) == "search(query='x', limit=5)"
    assert instance.model_copy() == instance
    assert copy.copy(instance) == instance
    changed = instance.model_copy(update={"limit": 6})
    assert (changed.limit, instance.limit) == (6, 5)
    assert changed.model_dump() == {"query": "x", "limit": 6}


def test_instances_are_made_without_validation_too() -> None:
    """`model_construct` holds what it is given."""
    instance = MODEL.model_construct(query=5, more="x")
    assert instance.model_dump() == {"query": 5, "more": "x"}
    assert (instance.query, instance.more, instance.limit) == (5, "x", 10)
    assert instance.model_fields_set == {"query", "more"}
    assert MODEL.model_construct({"query"}, query="x").model_fields_set == {"query"}
    assert MODEL.model_construct(_fields_set={"more"}, query="x").model_dump() == {"query": "x"}
    assert MODEL.model_construct() == MODEL.model_construct()


def test_pickled_instances_keep_which_fields_were_set() -> None:
    """Also where that differs from what they hold, as `model_construct` allows."""
    instance = MODEL.model_construct(_fields_set={"query"}, **FULL)
    again = pickle.loads(pickle.dumps(instance))  # noqa: S301 - our own bytes
    assert again.model_fields_set == instance.model_fields_set == {"query"}
    assert again == instance


class Redacting(MODEL):  # type: ignore[misc, valid-type]
    """A subclass that pickle finds by its name, and that dumps less than it holds."""

    def model_dump(self, **options: Any) -> Any:
        """All but one property."""
        return super().model_dump(exclude={"more"})

    class Inner(MODEL):  # type: ignore[misc, valid-type]
        """One within another class."""


@pytest.mark.parametrize("kind", [Redacting, Redacting.Inner])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_instances_keep_their_class(kind: Any, protocol: int) -> None:
    """And all that they hold."""
    again = pickle.loads(pickle.dumps(kind.model_validate(FULL), protocol))  # noqa: S301
    assert type(again) is kind
    assert again.more == 1
    rooted = pickle.loads(pickle.dumps(Listed.model_validate("[1]"), protocol))  # noqa: S301
    assert (type(rooted), rooted.root) == (Listed, [1])


class Listed(compile_schema({"type": "array"}).model):  # type: ignore[misc]
    """One whose arguments are no object."""


def test_pickled_instances_of_a_local_class_are_of_the_compiled_model() -> None:
    """Which is what others can find."""
    model: Any = compile_schema(SCHEMA).model  # the one in the cache, which may be a newer one

    class Local(model):  # type: ignore[misc]
        pass

    again = pickle.loads(pickle.dumps(Local.model_validate(FULL)))  # noqa: S301 - our own bytes
    assert (type(again), again.model_dump()) == (model, FULL)
