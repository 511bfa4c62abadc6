"""Signatures as schemas, and validated arguments as what the functions take."""

import dataclasses
import datetime
import enum
import functools
import inspect
import sys
import typing
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Optional, TypedDict, TypeVar, Union

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import NotRequired, Unpack

from schema2model.errors import SchemaError, ToolError
from schema2model.functions import described, read_function
from schema2model.tools import Tool

T = TypeVar("T")


class RunContext(Generic[T]):
    """What a framework passes to its tools."""


class VoiceContext(RunContext[T]):
    """A context of a special kind."""


class Color(enum.Enum):
    """An enum of names."""

    RED = "red"
    GREEN = "green"


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: int
    y: int = 0


class Options(TypedDict):
    """A TypedDict."""

    depth: int
    fast: NotRequired[bool]


class Address(BaseModel):
    """A model."""

    street: str
    since: datetime.date | None = None


def schema_of(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """The schema of a function's tool."""
    return read_function(function, **options).schema


def properties_of(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """The properties of a function's tool."""
    return typing.cast("dict[str, Any]", schema_of(function, **options)["properties"])


# ------------------------------------------------------------------------------ what is asked
def test_what_has_a_default_is_optional() -> None:
    """Defaults are shown to the model and filled in by the function."""

    def search(query: str, limit: int = 10, lang: str | None = None) -> Any:
        return query, limit, lang

    assert schema_of(search) == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "lang": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    tool = Tool.from_function(search)
    assert tool.prepare({"query": "x"}).kwargs == {"query": "x"}
    assert tool.call({"query": "x", "lang": None}) == ("x", 10, None)


def test_defaults_need_not_be_json() -> None:
    """A sentinel stays the function's own affair."""
    marker = object()

    def search(query: str, limit: Any = marker, when: datetime.date = datetime.date.min) -> Any:
        return limit is marker, when

    assert "default" not in properties_of(search)["limit"]
    assert Tool.from_function(search).call({"query": "x"}) == (True, datetime.date.min)


def test_annotations_may_be_missing() -> None:
    """Then anything goes."""

    def show(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return value

    assert properties_of(show) == {"value": {}}
    assert Tool.from_function(show).call({"value": [1]}) == [1]


def test_fields_give_bounds_descriptions_aliases_and_defaults() -> None:
    """Annotated and default fields both."""

    def search(
        query: Annotated[str, Field(description="What to find.", min_length=2)],
        limit: int = Field(default=5, ge=1, description="At most."),
        page_size: Annotated[int, Field(alias="pageSize")] = 20,
    ) -> Any:
        return query, limit, page_size

    assert properties_of(search) == {
        "query": {"type": "string", "minLength": 2, "description": "What to find."},
        "limit": {"type": "integer", "minimum": 1, "default": 5, "description": "At most."},
        "pageSize": {"type": "integer", "default": 20},
    }
    tool = Tool.from_function(search)
    assert tool.call({"query": "ab"}) == ("ab", 5, 20)
    assert tool.call({"query": "ab", "limit": "7", "pageSize": 3}) == ("ab", 7, 3)
    assert tool.as_function()("ab", page_size=4) == ("ab", 5, 4)
    with pytest.raises(ToolError, match="/limit: expected"):
        tool.prepare({"query": "ab", "limit": 0})


def test_the_function_gets_instances() -> None:
    """Models, dataclasses, enums, dates and sets are what the annotations say."""

    def book(
        color: Color,
        point: Point,
        options: Options,
        address: Address,
        size: Literal["s", "m"],
        when: datetime.date,
        ids: set[uuid.UUID],
        points: list[Point],
    ) -> list[Any]:
        return [color, point, options, address, size, when, ids, points]

    tool = Tool.from_function(book)
    key = "12345678-1234-5678-1234-567812345678"
    arguments = {
        "color": "red",
        "point": '{"x": "1"}',
        "options": {"depth": "2"},
        "address": {"street": "Via Appia", "since": "2020-01-02"},
        "size": "s",
        "when": "2024-02-29",
        "ids": [key],
        "points": [{"x": 1, "y": 2}],
    }
    prepared = tool.prepare(arguments)
    assert prepared.arguments["point"] == {"x": 1}
    assert prepared.arguments["when"] == "2024-02-29"
    assert list(prepared.kwargs.values()) == [
        Color.RED,
        Point(1),
        {"depth": 2},
        Address(street="Via Appia", since=datetime.date(2020, 1, 2)),
        "s",
        datetime.date(2024, 2, 29),
        {uuid.UUID(key)},
        [Point(1, 2)],
    ]


def test_floats_are_floats() -> None:
    """A whole number is JSON for a float, too."""

    def move(to: float, by: float | None = None) -> Any:
        return to, by

    tool = Tool.from_function(move)
    result = tool.call({"to": 3, "by": "2"})
    assert result == (3.0, 2.0)
    assert {type(value) for value in result} == {float}
    assert tool.call({"to": 1.5}) == (1.5, None)
    with pytest.raises(ToolError):
        tool.prepare({"to": 10**400})


def test_strict_types_are_fed_from_json() -> None:
    """A strict model takes a date from JSON, and refuses the same text from Python."""

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        when: datetime.date

    def book(slot: Strict) -> datetime.date:
        return slot.when

    assert Tool.from_function(book).call({"slot": {"when": "2024-01-02"}}).year == 2024


def test_keyword_only_and_positional_only() -> None:
    """Each is passed the only way it can be."""

    def mix(first: int, second: int = 2, /, third: int = 3, *, fourth: int = 4) -> tuple[int, ...]:
        return first, second, third, fourth

    tool = Tool.from_function(mix)
    prepared = tool.prepare({"first": 1, "second": 5, "fourth": 6})
    assert (prepared.args, prepared.kwargs) == ((1, 5), {"fourth": 6})
    assert prepared.call() == (1, 5, 3, 6)
    assert tool.call({"first": 1, "third": 9}) == (1, 2, 9, 4)
    assert tool.as_function()(1, third="4") == (1, 2, 4, 4)


def test_positional_only_with_injection() -> None:
    """What is injected keeps its place."""

    def mix(first: int, session: str, third: int = 3, fourth: int = 4, /) -> Any:
        return first, session, third, fourth

    tool = Tool.from_function(mix, inject="session")
    assert tool.call({"first": 1}, session="s") == (1, "s", 3, 4)
    assert tool.call({"first": 1, "fourth": 7}, session="s") == (1, "s", 3, 7)
    assert tool.as_function()(1, "s") == (1, "s", 3, 4)


def test_keyword_arguments_are_additional_properties() -> None:
    """Of any type, of one type, or those of a TypedDict."""

    def loose(a: int, **rest: Any) -> Any:
        return a, rest

    def typed(**rest: int) -> Any:
        return rest

    def unpacked(a: int, **rest: Unpack[Options]) -> Any:
        return a, rest

    assert schema_of(loose).get("additionalProperties", True) is True
    assert Tool.from_function(loose).call({"a": 1, "b": "x"}) == (1, {"b": "x"})
    assert schema_of(typed)["additionalProperties"] == {"type": "integer"}
    assert Tool.from_function(typed).call({"b": "3"}) == {"b": 3}
    assert schema_of(unpacked)["required"] == ["a", "depth"]
    assert schema_of(unpacked)["properties"]["fast"] == {"type": "boolean"}
    tool = Tool.from_function(unpacked)
    assert tool.call({"a": 1, "depth": "2"}) == (1, {"depth": 2})
    assert tool.as_function()(1, depth=2, fast="yes") == (1, {"depth": 2, "fast": True})


def test_names_that_pydantic_keeps_for_itself() -> None:
    """Any parameter name is a property."""

    def odd(_x: int, model_config: str, schema: int = 1, validate: int = 2, json: int = 3) -> Any:
        return _x, model_config, schema, validate, json

    tool = Tool.from_function(odd)
    assert tool.call({"_x": "1", "model_config": "a", "json": 5}) == (1, "a", 1, 2, 5)


# ---------------------------------------------------------------------------- what is callable
class Service:
    """A service with state."""

    def __init__(self, city: str) -> None:
        self.city = city

    def weather(self, day: str = "today") -> str:
        """Tell the weather."""
        return f"{self.city} {day}"

    @classmethod
    def kind(cls, prefix: str) -> str:
        """Tell the kind."""
        return f"{prefix}{cls.__name__}"

    def __call__(self, times: int) -> str:
        """Say the city several times."""
        return self.city * times

    half = functools.partialmethod(weather, "tomorrow")


def test_methods_know_their_object() -> None:
    """`self` and `cls` are no parameters."""
    service = Service("Rome")
    tool = Tool.from_function(service.weather)
    assert (tool.name, tool.description) == ("weather", "Tell the weather.")
    assert list(tool.schema["properties"]) == ["day"]  # type: ignore[index]
    assert tool.call({}) == "Rome today"
    assert Tool.from_function(service.kind).call({"prefix": "a "}) == "a Service"
    assert Tool.from_function(Service.kind).call({"prefix": "a "}) == "a Service"
    assert Tool.from_function(service.half, name="half").call({}) == "Rome tomorrow"


def test_a_method_without_its_object_is_refused() -> None:
    """There would be nothing to pass for `self`."""
    with pytest.raises(SchemaError, match=r"pass the bound method"):
        Tool.from_function(Service.weather)


def test_objects_and_classes_can_be_called() -> None:
    """They go by the name of their class."""
    tool = Tool.from_function(Service("ab"))
    assert (tool.name, tool.description) == ("Service", "Say the city several times.")
    assert tool.call({"times": "2"}) == "abab"
    assert Tool.from_function(Point).call({"x": "1"}) == Point(1)


def test_what_partial_has_settled_is_no_parameter() -> None:
    """Neither by position nor by keyword: the model must not override it."""

    def send(channel: str, text: str, *, connection: object) -> Any:
        """Send a message."""
        return channel, text, connection

    tool = Tool.from_function(functools.partial(send, "c1", connection=send))
    assert (tool.name, tool.description) == ("send", "Send a message.")
    assert list(tool.schema["properties"]) == ["text"]  # type: ignore[index]
    assert tool.call({"text": "x"}) == ("c1", "x", send)
    with pytest.raises(ToolError):
        tool.call({"text": "x", "connection": "mine"})
    assert tool.as_function()("x") == ("c1", "x", send)


def test_wrapped_functions_have_the_signature_they_wrap() -> None:
    """As every decorator with functools.wraps promises."""

    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return "logged", function(*args, **kwargs)

        return wrapper

    @logged
    @functools.lru_cache
    def search(query: "str", limit: "int" = 3) -> Any:
        """Find it."""
        return query, limit

    tool = Tool.from_function(search)
    assert tool.name == "search"
    assert tool.call({"query": "x", "limit": "4"}) == ("logged", ("x", 4))


def test_what_cannot_be_expressed_says_what_to_do() -> None:
    """Every message names the parameter and the way out."""

    def variadic(*words: str) -> None: ...

    def typed(connection: Callable[[], int]) -> None: ...

    def classy(query: str, service: Service) -> None: ...

    def aliased(x: Annotated[int, Field(validation_alias=_choices())]) -> None: ...

    with pytest.raises(SchemaError, match=r"`\*words`.*declare a parameter `words: list"):
        Tool.from_function(variadic)
    with pytest.raises(SchemaError, match=r"`connection` of `typed` has no JSON form"):
        Tool.from_function(typed)
    with pytest.raises(SchemaError, match=r'`service` of `classy`.*inject=\("service",\)'):
        Tool.from_function(classy)
    with pytest.raises(SchemaError, match="several aliases"):
        Tool.from_function(aliased)
    with pytest.raises(SchemaError, match="pass name="):
        Tool.from_function(lambda: None)
    with pytest.raises(SchemaError, match="tells no signature"):
        Tool.from_function(type)


def _choices() -> Any:
    from pydantic import AliasChoices  # noqa: PLC0415

    return AliasChoices("y", "z")


def test_annotations_that_cannot_be_resolved_say_so() -> None:
    """A local class under string annotations is out of reach."""

    class Local(BaseModel):
        x: int

    def show(it: "Local") -> int:
        return it.x

    with pytest.raises(SchemaError, match="annotation of `it` of `show` cannot be resolved"):
        Tool.from_function(show)

    def direct(it: Local) -> int:
        return it.x

    assert Tool.from_function(direct).call({"it": {"x": "1"}}) == 1


# ------------------------------------------------------------------------------- what is injected
def injections() -> list[Any]:
    """Annotations that all mean the context."""
    kinds = [
        RunContext,
        RunContext[int],
        VoiceContext[str],
        Optional[RunContext],
        Union[None, RunContext[Any]],
        Annotated[RunContext[int], "note"],
        Annotated[RunContext[int] | None, "note"],
        RunContext | None,
        "RunContext[int]",
        "Missing.RunContext[int]",
    ]
    if sys.version_info >= (3, 12):
        kinds.append(typing.TypeAliasType("Context", RunContext[int]))
    return kinds


@pytest.mark.parametrize("annotation", injections(), ids=str)
def test_a_type_is_injected_in_all_its_forms(annotation: Any) -> None:
    """Optional, annotated, generic, a subclass, or imported for type checkers only."""

    def search(context: Any, query: str) -> Any:
        return context, query

    search.__annotations__["context"] = annotation
    tool = Tool.from_function(search, inject=(RunContext,))
    assert list(tool.schema["properties"]) == ["query"]  # type: ignore[index]
    assert tool.injected == {"context": RunContext}
    context: RunContext[Any] = RunContext()
    assert tool.call({"query": "x"}, context=context) == (context, "x")


def test_injection_is_by_type_or_by_name() -> None:
    """Both at once, and a single one without a tuple."""

    def search(query: str, session: Service, context: RunContext[int]) -> Any:
        return query, session, context

    for inject in ((RunContext, "session"), ("context", Service), [RunContext[int], Service]):
        assert list(properties_of(search, inject=inject)) == ["query"]
    assert "session" not in properties_of(lambda_like, inject="session")


def lambda_like(session: Service, text: list[RunContext[int]] = []) -> None:  # noqa: B006
    """Take a list of contexts, which is no context."""


lambda_like.__annotations__["text"] = list[str]


def test_missing_and_unknown_injections_are_the_applications_fault() -> None:
    """The model is not told of them."""

    def search(query: str, session: str, context: RunContext[int] | None = None) -> Any:
        return query, session, context

    tool = Tool.from_function(search, inject=(RunContext, "session", "extra"))
    with pytest.raises(TypeError, match="`search` needs `session`.* session=") as caught:
        tool.call({"query": "x"})
    assert not isinstance(caught.value, ToolError)
    assert tool.call({"query": "x"}, session="s") == ("x", "s", None)
    assert tool.call({"query": "x"}, session="s", extra=1) == ("x", "s", None)
    assert tool.call({"query": "x"}, session="s", ctx=RunContext()) == ("x", "s", None)
    with pytest.raises(TypeError, match="takes no injected `other`"):
        tool.call({"query": "x"}, session="s", other=1)


def test_the_model_cannot_inject() -> None:
    """Not even where the function takes any keyword."""

    def search(session: str, **rest: Any) -> Any:
        return session, rest

    tool = Tool.from_function(search, inject="session")
    with pytest.raises(ToolError, match="/session: expected no such property"):
        tool.call({"session": "mine"}, session="s")
    assert tool.call({"a": 1}, session="s") == ("s", {"a": 1})


# ----------------------------------------------------------------------------- what it is called
GOOGLE = """Find things.

At length.

Args:
    query: What to find,
        in words.
    limit (int): At most.

Returns:
    A list.
"""
NUMPY = """Find things.

At length.

Parameters
----------
query : str
    What to find, in words.
limit : int
    At most.
"""
SPHINX = """Find things.

At length.

:param query: What to find,
    in words.
:param int limit: At most.
:returns: A list.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_docstrings_describe_parameters(docstring: str) -> None:
    """In the three styles that are in use."""
    pytest.importorskip("docstring_parser")

    def search(query: str, limit: Annotated[int, Field(description="Given.")] = 1) -> None: ...

    search.__doc__ = docstring
    read = read_function(search)
    assert read.description == "Find things.\n\nAt length."
    assert read.schema["properties"]["query"]["description"] == "What to find, in words."
    assert read.schema["properties"]["limit"]["description"] == "Given."


def test_docstrings_without_a_parser_are_the_description(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is optional."""
    monkeypatch.setitem(sys.modules, "docstring_parser", None)
    assert described(GOOGLE) == (inspect.cleandoc(GOOGLE), {})
    assert described(None) == ("", {})


def test_name_and_description_can_be_given() -> None:
    """They come before what the function says."""
    tool = Tool.from_function(Service("x").weather, name="forecast", description="Guess.")
    assert (tool.name, tool.description) == ("forecast", "Guess.")
    with pytest.raises(ToolError, match="for `forecast`"):
        tool.prepare({"day": [1]})


# --------------------------------------------------------------------------- what goes wrong
def even(number: int) -> int:
    """Refuse odd numbers."""
    if number % 2:
        message = "odd numbers are not served here"
        raise ValueError(message)
    return number


def test_what_a_validator_raises_is_a_tool_error() -> None:
    """In the one form, without a page of pydantic's text."""

    def take(number: Annotated[int, AfterValidator(even)], when: datetime.date) -> None: ...

    with pytest.raises(ToolError) as caught:
        Tool.from_function(take).prepare({"number": 3, "when": "soon"})
    text = str(caught.value)
    assert text.startswith("Error parsing arguments for `take`:\n- /number: expected a valid value")
    assert "odd numbers are not served here" in text
    assert "/when: expected a valid date" in text
    assert "pydantic" not in text
    assert caught.value.issues[0].path == "/number"
    assert caught.value.__cause__ is None


def test_what_binding_raises_is_a_tool_error() -> None:
    """TypeError from a dataclass, a ToolError of one's own, a path through a union."""

    @dataclasses.dataclass
    class Picky:
        x: int

        def __post_init__(self) -> None:
            if self.x == 1:
                raise TypeError("x" * 1000)
            if self.x == 2:
                raise ToolError("choose another x")  # noqa: TRY003
            if self.x == 3:
                raise KeyError(self.x)

    def take(it: Picky, other: Address | datetime.date | None = None) -> None: ...

    tool = Tool.from_function(take)
    with pytest.raises(ToolError, match="Error parsing arguments for `take`:") as caught:
        tool.prepare({"it": {"x": 1}})
    assert len(str(caught.value)) < 500
    with pytest.raises(ToolError, match=r"^choose another x$"):
        tool.prepare({"it": {"x": 2}})
    with pytest.raises(KeyError):
        tool.prepare({"it": {"x": 3}})
    with pytest.raises(ToolError, match="/other: expected"):
        tool.prepare({"it": {"x": 4}, "other": "never"})


# ------------------------------------------------------------------------ a function of its own
def test_a_standalone_function_looks_like_the_method() -> None:
    """Name, docstring, module, annotations and signature, without `self`."""
    method = Service("Rome").weather
    function = Tool.from_function(method, name="other").as_function()
    assert inspect.isfunction(function)
    assert inspect.signature(function) == inspect.signature(method)
    assert function.__annotations__ == {"day": str, "return": str}
    assert (function.__name__, function.__qualname__) == ("weather", "Service.weather")
    assert (function.__doc__, function.__module__) == (method.__doc__, method.__module__)
    assert typing.get_type_hints(function) == {"day": str, "return": str}
    assert function("now") == function(day="now") == "Rome now"
    assert not inspect.iscoroutinefunction(function)


def test_string_annotations_stay_resolvable() -> None:
    """They are evaluated where the method was written, by whoever inspects the copy."""

    def plan(it: "Point", context: "RunContext[int]") -> "Color": ...

    tool = Tool.from_function(plan, inject=(RunContext,))
    function = tool.as_function()
    assert inspect.signature(function) == inspect.signature(plan)
    hints = typing.get_type_hints(function)
    assert hints == {"it": Point, "context": RunContext[int], "return": Color}
    assert function.__globals__ is plan.__globals__


def test_a_standalone_function_prepares_what_it_is_given() -> None:
    """Text, JSON values and instances alike; what is injected passes through."""

    def plan(it: Point, context: object, *, when: datetime.date = datetime.date.min) -> Any:
        return it, context, when

    marker = object()
    function = Tool.from_function(plan, inject="context").as_function()
    assert function('{"x": "1"}', marker) == (Point(1), marker, datetime.date.min)
    assert function(Point(2), context=marker, when=datetime.date.max)[2] == datetime.date.max
    assert function(it=Point(2), context=marker, when=datetime.date.min)[0] == Point(2)
    with pytest.raises(ToolError):
        function(context=marker)
    with pytest.raises(ToolError):
        function(Point(1), marker, other=1)
    with pytest.raises(ToolError):
        function(object(), marker)
    with pytest.raises(TypeError, match="multiple values"):
        function(Point(1), it=Point(2))
