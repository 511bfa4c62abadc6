"""Strict definitions for the tools of a request, each with the tool that decodes its calls."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model.json.equality import type_exact_bytes
from schema2model.limits import MAX_STRICT_REQUESTS
from schema2model.strict.profiles import profile_named
from schema2model.strict.request_cost import strict_schemas
from schema2model.tools.providers.definitions import member
from schema2model.tools.tool import Tool, with_strict
from schema2model.tools.tool_cache import CheckerOptions, compile_checker

__all__ = ["StrictDefinition", "StrictTools", "named_schema"]


class StrictDefinition(dict[str, Any]):
    """A definition as a provider gets it. Hooks recognize by its type that it is strict."""

    tool: Tool

    def __deepcopy__(self, memo: dict[int, Any]) -> StrictDefinition:
        copied = StrictDefinition(copy.deepcopy(dict(self), memo))
        copied.tool = self.tool
        return copied


def named_schema(given: Any) -> tuple[Any, Any]:
    """Return the name and the schema in a definition of chat completions, messages or responses.

    >>> named_schema({"type": "function", "function": {"name": "f", "parameters": {}}})
    ('f', {})
    """
    inner = member(given, "function") or given
    schema = member(inner, "parameters")
    return member(inner, "name"), member(inner, "input_schema") if schema is None else schema


class StrictTools:
    """Makes definitions strict for a provider. It remembers those of some requests.

    >>> function = {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}
    >>> tools = [{"type": "function", "function": function}]
    >>> (definition,) = StrictTools("openai").definitions(tools)
    >>> definition["function"]["strict"], definition.tool.prepare({"a": None}).arguments
    (True, {})
    """

    def __init__(self, provider: str, **options: Unpack[CheckerOptions]) -> None:
        self._provider = provider
        self._marks = "gemini" not in profile_named(provider).apis
        self._options = options
        self._known: dict[bytes, list[Any]] = {}

    def definitions(self, tools: Any) -> Any:
        """Return the tools of a request, strict where they can be; anything else unchanged.

        LiteLLM rewrites definitions for some providers in place: so each request has its own.
        """
        if not isinstance(tools, (list, tuple)):
            return tools
        try:
            key = type_exact_bytes(tools)
            known = self._known.get(key)
            if known is None:
                if len(self._known) >= MAX_STRICT_REQUESTS:
                    self._known = {}
                known = self._known[key] = copy.deepcopy([*self._made(tools)])
            return copy.deepcopy(known)
        except (TypeError, ValueError, RecursionError):  # a client may send anything
            return [*self._made(tools)]

    def _made(self, tools: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
        checkers: dict[str, Tool] = {}
        names = [named_schema(given)[0] for given in tools]
        for given in tools:
            name, schema = named_schema(given)
            is_open = isinstance(given, Mapping) and not isinstance(given, StrictDefinition)
            if is_open and isinstance(name, str) and schema is not None and names.count(name) == 1:
                checker = compile_checker(name, schema, **self._options)
                if checker is not None:
                    checkers[name] = checker
        engines = {name: checker.compiled._engine for name, checker in checkers.items()}
        schemas, _ = strict_schemas(engines, self._provider)
        for given, name in zip(tools, names, strict=True):
            if not isinstance(name, str) or name not in schemas:
                yield given
                continue
            tool = with_strict(checkers[name], schemas[name])
            inner = given.get("function") or given
            key = "parameters" if inner.get("parameters") is not None else "input_schema"
            written = {
                **inner,
                key: copy.deepcopy(tool.shown_schema),
                **({"strict": True} if self._marks else {}),
            }
            definition = StrictDefinition(
                {**given, "function": written} if inner is not given else written
            )
            definition.tool = tool
            yield definition
