"""What coercing models may be: generic, of a root, with aliases; and otherwise like any other."""

import copy
import math
import pickle
import warnings
from typing import Annotated, Any, Generic, TypeVar

import pydantic
import pytest
from hand_written import READ, SCHEMA, SENT, Order, Plain, Search
from pydantic import (
    AliasChoices,
    AliasPath,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from schema2model import CoercingModel

T = TypeVar("T")

ALIASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "alias": (Field(alias="x"), {"x": "[1]"}),
    "validation alias": (Field(validation_alias="x"), {"x": "[1]"}),
    "first choice": (Field(validation_alias=AliasChoices("x", "y")), {"x": "[1]"}),
    "second choice": (Field(validation_alias=AliasChoices("x", "y")), {"y": "[1]"}),
    "path": (Field(validation_alias=AliasPath("x", "y", 1)), {"x": {"y": [0, "[1]"]}}),
    "path in a string": (
        Field(validation_alias=AliasChoices("a", AliasPath("x", "y"))),
        {"x": '{"y": "[1]"}'},
    ),
    "name": (Field(alias="x"), {"field": "[1]"}),
}


@pytest.mark.parametrize(("field", "sent"), ALIASES.values(), ids=ALIASES)
@pytest.mark.parametrize("extra", ["ignore", "forbid"])
def test_fields_are_read_under_every_name(field: Any, sent: dict[str, Any], extra: Any) -> None:
    """Under which the model takes them."""
    config = ConfigDict(validate_by_name=True, validate_by_alias=True, extra=extra)
    annotated: Any = Annotated[list[int], field]
    model = pydantic.create_model(
        "Aliased", __base__=CoercingModel, __config__=None, field=(annotated, ...)
    )
    model.model_config.update(config)
    model.model_rebuild(force=True)
    assert model.model_validate(sent).model_dump() == {"field": [1]}


def test_names_of_options_hold() -> None:
    """`by_name` may be said at run time."""

    class Named(CoercingModel):
        tags: Annotated[list[str], Field(alias="labels")]

    assert Named.model_validate({"tags": '["a"]'}, by_name=True).tags == ["a"]
    with pytest.raises(ValidationError):
        Named.model_validate({"tags": '["a"]'})


def test_root_models_coerce() -> None:
    """In either order of the bases."""

    class First(CoercingModel, RootModel[list[int]]):
        pass

    class Last(RootModel[list[int]], CoercingModel):
        pass

    for model in (First, Last):
        assert model.model_validate("[1]").root == [1]
        assert model("['1']").root == [1]
        assert model(root="[1]").root == [1]
        assert model.model_validate_json("```[1,]```").root == [1]
        assert TypeAdapter(dict[str, model]).validate_python({"a": "[1]"})["a"].root == [1]


def test_root_models_may_have_an_init_of_their_own() -> None:
    """It hands on the root by position, in either order of the bases."""

    class Root(CoercingModel, RootModel[list[int]]):
        def __init__(self, root: Any) -> None:
            super().__init__(root)

    assert Root("[1]").root == [1]
    assert Root.model_validate("[1]").root == [1]


def test_generic_models_coerce() -> None:
    """Each by its own parameters, and with the policy of the generic one."""

    class Page(CoercingModel, Generic[T], coercion="lenient"):
        rows: list[T]

    assert Page[int].model_validate({"rows": '["1"]'}).rows == [1]
    assert Page[str].model_validate({"rows": "a, b"}).rows == ["a", "b"]
    assert Page[Search].model_validate({"rows": [SENT]}).rows == [Search(**READ)]


def test_models_of_attributes_coerce() -> None:
    """`from_attributes` works as it did."""

    class Named(CoercingModel):
        model_config = ConfigDict(from_attributes=True)
        tags: list[str]

    assert Named.model_validate(Search(tags=["a"])).tags == ["a"]


def test_patterns_need_not_be_those_of_json_schema() -> None:
    """The model checks them, whatever they are written in."""

    class Named(CoercingModel):
        name: Annotated[str, Field(pattern=r"(?i)^a\z")]
        tags: list[str] = []

    assert Named.model_validate({"name": "A", "tags": '["a"]'}).tags == ["a"]
    with pytest.raises(ValidationError, match="string_pattern_mismatch"):
        Named.model_validate({"name": "B", "tags": '["a"]'})


def test_a_default_need_not_be_json() -> None:
    """The data is coerced where infinity is a default, too."""

    class Range(CoercingModel):
        low: float = -math.inf
        steps: list[float] = [math.nan]
        count: int

    found = Range.model_validate({"count": "1"})
    assert (found.low, found.count) == (-math.inf, 1)


def test_a_model_may_refer_to_what_comes_later() -> None:
    """It is completed when it is first used, or rebuilt."""

    class Later(CoercingModel):
        search: "Needed"

    class Needed(CoercingModel):
        tags: list[str]

    with pytest.raises(pydantic.PydanticUserError):
        Later.partial()
    Later.model_rebuild(_types_namespace={"Needed": Needed})
    assert Later.model_validate({"search": '{"tags": "[]"}'}).search.tags == []


def test_a_class_that_is_built_late_does_not_use_its_base() -> None:
    """Its data is shown and coerced by its own fields, from the first time."""

    class Late(Search):
        model_config = ConfigDict(defer_build=True)
        sizes: list[int]

    class Described(Search):
        sizes: list[int]

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            return handler(source)

    text = '{"sizes": "[1]", "tags": "[]"}'
    assert Late.partial().feed(text) == {"sizes": [1], "tags": []}
    assert Described.partial().feed(text) == {"sizes": [1], "tags": []}
    assert Described.model_validate_json(text).sizes == [1]


def test_it_is_a_model_like_any_other() -> None:
    """Its schema, signature, equality, copies, assignment and subclasses are pydantic's."""
    assert Search.model_json_schema()["properties"] == Plain.model_json_schema()["properties"]
    assert Order.model_json_schema() == SCHEMA
    instance = Search.model_validate(SENT)
    assert instance == Search(**READ)
    assert repr(instance) == "Search(tags=['a'], limit=None)"
    assert pickle.loads(pickle.dumps(instance)) == instance  # noqa: S301
    assert instance.model_copy(update={"limit": 1}).limit == 1
    assert "self" not in str(__import__("inspect").signature(Search))

    class More(Search):
        model_config = ConfigDict(validate_assignment=True)
        more: int

        def __init__(self, **data: Any) -> None:
            super().__init__(**{"more": 1, **data})

    more = More(**SENT)
    assert more.model_dump() == {**READ, "more": 1}
    assert More.model_validate(SENT) == more
    more.limit = 5
    with pytest.raises(ValidationError):
        more.limit = "many"
    strings = pydantic.create_model("Strings", __base__=CoercingModel, limit=(int, ...))
    assert strings.model_validate_strings({"limit": "5"}).limit == 5


def test_a_validator_that_returns_another_instance_is_warned_of() -> None:
    """As pydantic does."""

    class Odd(CoercingModel):
        limit: int

        @model_validator(mode="after")
        def other(self) -> "Odd":
            return self.model_copy()

    with pytest.warns(UserWarning, match="returning a value other than `self`"):
        Odd(limit=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Search(tags=["a"])


def test_a_model_that_is_built_again_is_another() -> None:
    """Its validator and its schema are those of its fields."""

    class Changing(CoercingModel):
        field: int

    with pytest.raises(ValidationError):
        Changing.model_validate({"field": "a"})
    Changing.model_fields["field"].annotation = list[str]
    Changing.model_rebuild(force=True)
    assert Changing.model_validate({"field": '["a"]'}).field == ["a"]


def test_mixins_need_not_know_of_it() -> None:
    """One that keeps `__init_subclass__` to itself does no harm."""

    class Mixin:
        def __init_subclass__(cls, **kwargs: Any) -> None:
            pass

    class Mixed(Mixin, CoercingModel):
        tags: list[str]

    for instance in (Mixed(tags='["a"]'), Mixed.model_validate({"tags": '["a"]'})):
        assert type(instance) is Mixed
        assert instance.tags == ["a"]


def test_a_class_can_be_copied_before_it_is_used() -> None:
    """As libraries do that pickle classes by value."""

    class Fresh(CoercingModel):
        tags: list[str]

    Fresh.__as_it_is__ = copy.copy(vars(Fresh)["__as_it_is__"])
    assert Fresh(tags='["a"]').tags == ["a"]  # type: ignore[arg-type]
