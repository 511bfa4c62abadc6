"""What can be called, what is injected, and functions that look like others."""

import copy
import dataclasses
import datetime as dt
import enum
import functools
import inspect
import sys
import textwrap
import typing
from collections.abc import Callable
from typing import Annotated, Any, Generic, Optional, TypeVar, Union

import pytest
from pydantic import (
    AfterValidator,
    Base64Str,
    BaseModel,
    Field,
    RootModel,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypeAliasType

from schema2model.errors import SchemaError, ToolError
from schema2model.tools.signatures import read_function
from schema2model.tools.tool import Tool

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
        return channel, text, connection is send

    tool = Tool.from_function(functools.partial(send, "c1", connection=send))
    assert (tool.name, tool.description) == ("send", "Send a message.")
    assert list(tool.schema["properties"]) == ["text"]  # type: ignore[index]
    assert tool.call({"text": "x"}) == ("c1", "x", True)
    with pytest.raises(ToolError):
        tool.call({"text": "x", "connection": "mine"})
    assert tool.as_function()("x") == ("c1", "x", True)


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


def test_a_signature_of_its_own_is_read_where_the_wrapper_was_written() -> None:
    """Its annotations may be strings that mean nothing where the wrapped function was written."""

    @functools.wraps(textwrap.dedent, assigned=())
    def paint(color: "Color") -> Any:
        return color

    paint.__signature__ = inspect.signature(paint, follow_wrapped=False)  # type: ignore[attr-defined]
    assert Tool.from_function(paint).call({"color": "red"}) is Color.RED


def test_annotations_of_what_has_no_globals_are_read_in_its_module() -> None:
    """A callable whose `__call__` is no function of Python's, and that shows a signature."""

    class Remote:
        """Paint."""

        __call__ = staticmethod(functools.partial(dict))

    remote: Any = Remote()
    kind = inspect.Parameter.KEYWORD_ONLY
    remote.__signature__ = inspect.Signature([inspect.Parameter("x", kind, annotation="Color")])
    assert Tool.from_function(remote, name="paint").call({"x": "red"}) == {"x": Color.RED}


def test_an_ellipsis_is_no_default() -> None:
    """As in pydantic's fields."""

    def search(query: str, limit: float = ...) -> Any:  # type: ignore[assignment]
        return query, limit

    tool = Tool.from_function(search)
    assert tool.schema["required"] == ["query", "limit"]  # type: ignore[index, call-overload]
    assert tool.call({"query": "x", "limit": "3"}) == ("x", 3.0)


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
    with pytest.raises(SchemaError, match="has no signature"):
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


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is of Python 3.12")
def test_type_parameters_of_a_class_are_known_to_its_methods() -> None:
    """Also as strings, as `from __future__ import annotations` makes all of them."""
    scope: dict[str, Any] = {}
    exec("class Box[T]:\n def put(self, items: 'list[T]', count: 'int'): return items", scope)  # noqa: S102
    for box in (scope["Box"], type("Chest", (scope["Box"],), {})):
        assert Tool(box().put).call({"items": "[1]", "count": "1"}) == [1]


# ------------------------------------------------------------------------------- what is injected
def injections() -> list[Any]:
    """Annotations that all mean the context."""
    maybe = TypeAliasType("Maybe", Optional[T], type_params=(T,))  # noqa: UP045
    return [
        RunContext,
        RunContext[int],
        VoiceContext[str],
        Optional[RunContext],  # noqa: UP045
        Union[None, RunContext[Any]],  # noqa: UP007
        Annotated[RunContext[int], "note"],
        Annotated[RunContext[int] | None, "note"],
        RunContext | None,
        "RunContext[int]",
        "Missing.RunContext[int]",
        context := TypeAliasType("Context", RunContext[int]),
        TypeAliasType("Other", context),
        maybe[RunContext[int]],
        maybe[context],
        TypeAliasType("Same", T, type_params=(T,))[context],
    ]


@pytest.mark.parametrize("annotation", injections(), ids=str)
def test_a_type_is_injected_in_all_its_forms(annotation: Any) -> None:
    """Optional, annotated, generic, a subclass, or imported for type checkers only."""

    def search(context: Any, query: str) -> bool:
        return context is marker and query == "x"

    marker: RunContext[Any] = RunContext()
    search.__annotations__["context"] = annotation
    tool = Tool.from_function(search, inject=(RunContext,))
    assert list(tool.schema["properties"]) == ["query"]  # type: ignore[index]
    assert tool.injected == {"context": RunContext}
    assert tool.call({"query": "x"}, context=marker) is True


def test_injection_is_by_type_or_by_name() -> None:
    """Both at once, and a single one without a tuple."""

    def search(query: str, session: Service, context: RunContext[int]) -> Any:
        return query, session, context

    for inject in ((RunContext, "session"), ("context", Service), [RunContext[int], Service]):
        assert list(read_function(search, inject=inject).schema["properties"]) == ["query"]
    schema = read_function(listing, inject=("session", RunContext)).schema
    assert schema["required"] == ["texts"]


def listing(session: Service, texts: "list[type[str]]") -> None:
    """Take a list, which is no context."""


listing.__annotations__["texts"] = list[str]


def test_missing_and_unknown_injections_are_the_applications_fault() -> None:
    """The model is not told of them."""

    def search(query: str, session: str, context: RunContext[int] | None = None) -> Any:
        return query, session, context

    tool = Tool.from_function(search, inject=(RunContext, "session"))
    with pytest.raises(TypeError, match=r"`search` needs `session`.* session=") as caught:
        tool.call({"query": "x"})
    assert not isinstance(caught.value, ToolError)
    assert tool.call({"query": "x"}, session="s") == ("x", "s", None)
    assert tool.call({"query": "x"}, session="s", ctx=RunContext()) == ("x", "s", None)
    with pytest.raises(TypeError, match="takes no injected `other`"):
        tool.call({"query": "x"}, session="s", other=1)


def test_the_model_cannot_inject() -> None:
    """Not even where the function takes any keyword."""

    def search(session: str, **rest: Any) -> Any:
        return session, rest

    tool = Tool.from_function(search, inject="session")
    with pytest.raises(ToolError, match='leave "session" out'):
        tool.call({"session": "mine"}, session="s")
    assert tool.call({"a": 1}, session="s") == ("s", {"a": 1})


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

    def plan(it: Point, context: object, *, when: dt.date = dt.date.min) -> Any:
        return it, context, when

    marker = object()
    function = Tool.from_function(plan, inject="context").as_function()
    assert function('{"x": "1"}', marker) == (Point(1), marker, dt.date.min)
    assert function(Point(2), context=marker, when=dt.date.max)[2] == dt.date.max
    assert function(it=Point(2), context=marker, when=dt.date.min)[0] == Point(2)
    with pytest.raises(ToolError):
        function(context=marker)
    with pytest.raises(ToolError):
        function(Point(1), marker, other=1)
    with pytest.raises(ToolError):
        function(object(), marker)
    with pytest.raises(TypeError, match="multiple values"):
        function(Point(1), it=Point(2))


@dataclasses.dataclass
class Initialised:
    """A dataclass with a parameter that is no field, annotated in both ways."""

    since: dataclasses.InitVar[dt.date]
    until: "dataclasses.InitVar[dt.date | None]" = None

    def __post_init__(self, since: dt.date, until: dt.date | None) -> None:
        self.days = [since, until]


@pydantic_dataclass
class Validated:
    """A dataclass of pydantic's, whose `__init__` is in a module of pydantic's."""

    days: "list[dt.date | None]"


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (Initialised, {"since": "2030-01-31", "until": "null"}),
        (Validated, {"days": '["2030-01-31", "null"]'}),
    ],
)
def test_a_dataclass_is_called_with_what_its_annotations_mean(
    kind: Any, arguments: dict[str, Any]
) -> None:
    """Annotations that are text are read where the class was written."""
    assert Tool(kind).call(arguments).days == [dt.date(2030, 1, 31), None]


class Range(BaseModel):
    """A model with validators that see JSON, change a value, and compare values."""

    text: Annotated[Base64Str, AfterValidator(lambda text: f"{text}!")]
    low: dt.date
    high: dt.date = dt.date.max

    @field_validator("low", mode="before")
    @classmethod
    def _next_year(cls, value: str) -> str:
        return value.replace("2030", "2031")

    @model_validator(mode="after")
    def _in_order(self) -> "Range":
        if self.low > self.high:
            message = "low is after high"
            raise ValueError(message)
        return self


def test_a_model_that_is_a_tool_validates_once() -> None:
    """It makes of the arguments what it makes of their text, or says what is wrong to the model."""
    tool = Tool(Range)
    text = '{"text": "aGk=", "low": "2030-01-31"}'
    assert tool.call(text) == Range.model_validate_json(text)
    assert (tool.call(text).text, tool.call(text).low) == ("hi!", dt.date(2031, 1, 31))
    assert copy.deepcopy(tool.prepare(text)).call() == tool.call(text)
    with pytest.raises(ToolError, match="low is after high"):
        tool.call({"text": "aGk=", "low": "2030-01-31", "high": "2029-01-31"})


class Numbers(RootModel[list[int]]):
    """A model of a list."""


class Counted(BaseModel):
    """A model that is made of something else."""

    days: int

    def __init__(self, since: dt.date) -> None:
        super().__init__(days=since.day)


class Event(BaseModel):
    """A model that is given something by the application."""

    when: dt.date
    place: str


def test_a_model_is_called_where_its_arguments_are_not_its_data() -> None:
    """Its `__init__` takes other things, or the application fills some in."""
    assert Tool(Numbers).call({"root": [1]}) == Numbers([1])
    assert Tool(Counted).call({"since": "2030-01-31"}).days == 31
    event = Tool(Event, inject="place").call({"when": "2030-01-31"}, place="Rome")
    assert event == Event(when=dt.date(2030, 1, 31), place="Rome")


class Undocumented(BaseModel):  # noqa: D101 - it has none
    city: str


class Documented(BaseModel):
    """Where somebody lives."""

    city: str


@dataclasses.dataclass
class Generated:  # noqa: D101 - it has none
    city: str


DESCRIBED: dict[str, tuple[type, str]] = {
    "a model without a word": (Undocumented, ""),
    "a model with one": (Documented, "Where somebody lives."),
    "a dataclass, which makes words up": (Generated, ""),
}


@pytest.mark.parametrize(("kind", "description"), DESCRIBED.values(), ids=DESCRIBED)
def test_what_a_class_inherits_does_not_describe_it(kind: type, description: str) -> None:
    """Pydantic's own documentation is about pydantic."""
    assert Tool.from_function(kind).description == description
