"""Mistakes of developers with adapters: a TypeError that says what to pass, at construction."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import contract_tables as tables
import pytest

from schema2model import Tool, Toolset
from schema2model.extras import needs
from schema2model.tools.tool_cache import CheckerOptions

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]


def search(query: str) -> str:
    """Find."""
    return query


OURS = Tool.from_function(search)
TOOLS = Toolset([OURS])
SERVERS = ("agent", TOOLS, OURS, search, None)
OPTIONED = (
    "middleware",
    "coercion",
    "Coercion",
    "CoercionCapability",
    "CoercionHook",
    "CoercionMiddleware",
    "CoercionPlugin",
)
"""Names of functions and classes that take options alone."""


def adapter(name: str) -> Any:
    """The adapter of a framework, if that is here."""
    try:
        module = importlib.import_module(f"schema2model.adapters.{name}")
    except ImportError as error:
        pytest.skip(f"{name}: {error}")
    if not hasattr(module, "__all__"):  # pytest keeps half of a package whose examples it collects
        pytest.skip(needs(name))
    return module


@pytest.mark.parametrize("name", tables.names())
def test_only_our_tools_become_tools_of_a_framework(name: str) -> None:
    """Functions, toolsets, definitions and a framework's own tools get a word of advice."""
    module = adapter(name)
    from_tool = getattr(module, "from_tool", None)
    if from_tool is None:
        pytest.skip(f"{name} makes no tools")
    own = from_tool(OURS)
    for given, advice in (
        (search, r"pass Tool\(search\)"),
        (TOOLS, r"\[from_tool\(tool\) for tool in toolset\]"),
        ({"name": "search"}, r"pass Tool\.from_definition\(definition, function\)"),
        (own, r"wrapper, such as wrap_tool"),
        (None, r"takes a schema2model\.Tool, not a NoneType"),
    ):
        with pytest.raises(TypeError, match=advice):
            from_tool(given)


@pytest.mark.parametrize("name", tables.names())
def test_only_tools_of_the_framework_are_wrapped(name: str) -> None:
    """Ours have to become theirs first; options are checked at once, even if nothing is called."""
    module = adapter(name)
    wrap_tool = getattr(module, "wrap_tool", None)
    if wrap_tool is None:
        pytest.skip(f"{name} wraps no tools")
    for given in (OURS, TOOLS, "search", None, [module.from_tool(OURS)]):
        with pytest.raises(TypeError, match="wrap_tool takes"):
            wrap_tool(given)
    theirs = module.from_tool(OURS)
    with pytest.raises((TypeError, ValueError), match="lenint"):
        wrap_tool(theirs, coercion="lenint")
    with pytest.raises(TypeError, match="coersion"):
        wrap_tool(theirs, coersion="off")


EVERY_OPTION: dict[str, Any] = {
    "coercion": "forgiving",
    "dialect": "draft7",
    "formats": "assert",
    "fallback_reader": None,
    "messages": "corrected",
    "observer": None,
    "refuse_markup": True,
    "unknown_arguments": "refuse",
}


def test_every_option_of_checkers_is_tried() -> None:
    """And no other."""
    assert EVERY_OPTION.keys() == CheckerOptions.__annotations__.keys()


@pytest.mark.parametrize("name", tables.names())
def test_all_adapters_take_the_same_options(name: str) -> None:
    """Wherever they check a tool that is not ours: its wrapper, and the hook for all tools."""
    module = adapter(name)
    makers = [lambda **options: module.wrap_tool(module.from_tool(OURS), **options)]
    if not hasattr(module, "wrap_tool") or name == "instructor":  # whose models have options
        makers = []
    makers += hooks(module)
    if hasattr(module, "CoercingClient"):
        makers.append(lambda **options: module.CoercingClient("http://127.0.0.1", **options))
    if not makers:
        pytest.skip(f"{name} checks no tools of others")
    for make in makers:
        given = [{} for _ in required_parameters(make)]
        make(*given, **EVERY_OPTION)
        for option, wrong in (("formats", "aserted"), ("unknown_arguments", "drop")):
            with pytest.raises(ValueError, match=option):
                make(*given, **{option: wrong})


def hooks(module: Any) -> list[Any]:
    """The functions and classes of an adapter that check all tools."""
    public = (getattr(module, name) for name in OPTIONED if name in module.__all__)
    return [each for each in public if callable(each)]


def required_parameters(make: Any) -> list[inspect.Parameter]:
    """The positional parameters that have no default."""
    return [
        parameter
        for parameter in inspect.signature(make).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]


@pytest.mark.parametrize("name", tables.names())
def test_only_servers_are_wrapped(name: str) -> None:
    """An agent or a tool lists no tools."""
    wrap_server = getattr(adapter(name), "wrap_server", None)
    if wrap_server is None:
        pytest.skip(f"{name} wraps no servers")
    for given in SERVERS:
        if name == "crewai" and given is search:
            continue  # a function that connects
        with pytest.raises(TypeError, match="wrap_server takes"):
            wrap_server(given)


@pytest.mark.parametrize("name", tables.names())
def test_unknown_options_are_refused_at_construction(name: str) -> None:
    """Not at the first call of a model, which a typo would leave unchecked."""
    module = adapter(name)
    found = hooks(module)
    if not found:
        pytest.skip(f"{name} has no hook for all tools")
    for make in found:
        given = [{} for _ in required_parameters(make)]
        with pytest.raises((TypeError, ValueError), match="lenint"):
            make(*given, coercion="lenint")
        with pytest.raises(TypeError, match="coersion"):
            make(*given, coersion="off")
