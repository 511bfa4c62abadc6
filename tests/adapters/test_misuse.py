"""Mistakes of developers with adapters: a TypeError that says what to pass, at construction."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import contract_tables as tables
import pytest

from schema2model import Tool, Toolset

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]


def search(query: str) -> str:
    """Find."""
    return query


OURS = Tool.from_function(search)
TOOLS = Toolset([OURS])
SERVERS = ("agent", TOOLS, OURS, search, None)
OPTIONED = ("middleware", "coercion", "CoercionMiddleware", "CoercionHook", "CoercionPlugin")
"""Names of functions and classes that take options alone."""


def adapter(name: str) -> Any:
    """The adapter of a framework, if that is here."""
    try:
        return importlib.import_module(f"schema2model.adapters.{name}")
    except ImportError as error:
        pytest.skip(f"{name}: {error}")


@pytest.mark.parametrize("name", tables.names())
def test_only_our_tools_become_tools_of_a_framework(name: str) -> None:
    """Functions, toolsets, definitions and a framework's own tools get a word of advice."""
    module = adapter(name)
    from_tool = getattr(module, "from_tool", None)
    if from_tool is None:
        pytest.skip(f"{name} makes no tools")
    own = from_tool(OURS)
    for given, advice in (
        (search, r"pass Tool\.from_function\(search\)"),
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
    found = [getattr(module, option) for option in OPTIONED if hasattr(module, option)]
    found += [kind for kind in [getattr(module, "CoercionCapability", None)] if kind]
    if not found:
        pytest.skip(f"{name} has no hook for all tools")
    for make in found:
        positional = [
            parameter
            for parameter in inspect.signature(make).parameters.values()
            if parameter.default is parameter.empty
            and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        given = [{} for _ in positional]
        with pytest.raises((TypeError, ValueError), match="lenint"):
            make(*given, coercion="lenint")
        with pytest.raises(TypeError, match="coersion"):
            make(*given, coersion="off")
