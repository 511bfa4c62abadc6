"""The tools of a set by name, however a model spells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from schema2model.calls.call_types import DecodedArguments
from schema2model.coercions import Coercion
from schema2model.compiled import CompiledSchema, recompiled
from schema2model.errors import Issue, ToolError
from schema2model.json.names import ToolSpellings, likely
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_CACHED_NAMES
from schema2model.regexes import regex

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["ToolNames", "unknown_tool"]

_NEAR: Final = 0.85
"""Minimum likeness of a name with a letter too few."""


class ToolNames:
    """Compiled schemas by the names of their tools.

    The schema of a strict tool is its projection: models write calls for that.

    >>> from schema2model import compile_schema
    >>> names = ToolNames({"get_weather": compile_schema(True)})
    >>> [names.find(spelled) for spelled in ("functions.get_weather:0", "get.Weather", "weather")]
    ['get_weather', 'get_weather', None]
    """

    def __init__(
        self,
        schemas: Mapping[str, CompiledSchema],
        strict: Mapping[str, StrictSchema] = MappingProxyType({}),
    ) -> None:
        self._schemas = schemas
        self._strict = strict
        self._projections: dict[str, CompiledSchema] = {}
        self._spellings = ToolSpellings(schemas)
        self._near: dict[str, bool] = {}
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._untyped: dict[str, CompiledSchema] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._schemas

    @property
    def all(self) -> Collection[str]:
        """The names of all tools."""
        return self._schemas

    @cached_property
    def pattern(self) -> str:
        """The source of a pattern of the names of all tools, made once."""
        return _either(self._schemas)

    def mentioned(self, text: str) -> str:
        """The first name of a tool that is a word of a text; empty if there is none."""
        found = self._mention.search(text)
        return found[0] if found else ""

    @cached_property
    def _mention(self) -> re.Pattern[str]:
        return regex(rf"(?<![\w-]){_either(self._schemas)}(?![\w-])")

    def is_near(self, name: str) -> bool:
        """Return whether a name is that of a tool, but for letters, words or what is around it."""
        known = self._near.get(name)
        if known is None:
            every = tuple(self._schemas)
            known = self.find(name) is not None or name.startswith(every) or name.endswith(every)
            from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

            known = known or bool(likely(name, every) or get_close_matches(name, every, 1, _NEAR))
            if len(self._near) < MAX_CACHED_NAMES:
                self._near[name] = known
        return known

    def find(self, spelled: str) -> str | None:
        """The one tool that a name means; None if there is none, or more than one."""
        return spelled if spelled in self._schemas else self._spellings.find(spelled)

    def schema(self, name: str) -> CompiledSchema:
        """The compiled schema for which calls of a tool are written."""
        if name not in self._strict:
            return self._schemas[name]
        if name not in self._projections:
            self._projections[name] = CompiledSchema(self._strict[name].projection)
        return self._projections[name]

    def as_given(self, name: str) -> ToolNames | None:
        """The same tools with their schemas as given, if a tool is strict: models may not obey."""
        return ToolNames(self._schemas) if name in self._strict else None

    def decoded(self, name: str, arguments: Any) -> Any:
        """Return valid arguments for the schema as given, from valid ones for `schema`.

        Raises:
            ToolError: if the schema as given refuses them.

        """
        if name not in self._strict:
            return arguments
        decoded = self._strict[name].decode(arguments)
        return DecodedArguments(decoded) if type(decoded) is dict else decoded

    def decoded_part(self, name: str, arguments: Any) -> Any:
        """Return what is certain of the arguments that have arrived for `schema`.

        Of a strict tool, a container is left out until it is complete.
        """
        if name not in self._strict or type(arguments) is not dict:
            return arguments
        members = list(arguments.items())
        if members and type(members[-1][1]) in {dict, list}:
            members.pop()
        return self._strict[name].inverted(dict(members))

    def untyped(self, name: str) -> CompiledSchema:
        """The schema of a tool whose parameters are all text."""
        if name not in self._untyped:
            compiled = self.schema(name)
            coercion = compiled.coercion.replace(text_over_string=True, null_words_over_string=True)
            if compiled.coercion == Coercion.off:
                coercion = Coercion.untyped
            self._untyped[name] = recompiled(compiled, coercion)
        return self._untyped[name]

    def parameters(self, name: str) -> tuple[str, ...]:
        """The names of a tool's parameters, in the order of their declaration."""
        if name not in self._parameters:
            nodes = self.schema(name)._engine.anchors.parts.nodes
            declaring = [node.properties for node in nodes if node.properties]
            is_ordered = nodes[0].properties or len(declaring) == 1
            self._parameters[name] = tuple(declaring[0]) if is_ordered else ()
        return self._parameters[name]

    @cached_property
    def keys(self) -> str:
        """The source of a pattern of the parameters of all tools."""
        return _either({each for tool in self._schemas for each in self.parameters(tool)})


def _either(words: Iterable[str]) -> str:
    """The source of a pattern of some words."""
    longest_first = sorted(words, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})"


def unknown_tool(
    name: object, known: Iterable[str], find: Callable[[str], str | None] | None = None
) -> ToolError:
    """The error for a name that no tool has; its message has the closest names.

    `find` is that of the `ToolNames` of all known tools, which are thousands in some toolsets.

    >>> print(unknown_tool("serch", ["search", "now"]))
    There is no tool `serch`; call `search`
    """
    asked = name if isinstance(name, str) else quoted(name)
    known = [*known]
    meant = (find or ToolSpellings(known).find)(asked)
    close = likely(asked, known)[:3] if meant is None else [meant]
    names = close or known[:10]
    listed = [f"`{each}`" for each in names]
    hint = f"; call {' or '.join(listed)}" if close else ""
    if names and not close:
        hint = f"; the tools are {', '.join(listed)}"
    advice = hint.removeprefix("; ") or None
    issue = Issue("", "name", "the name of a tool", quoted(name), advice=advice)
    shown = quoted(asked)[1:-1]
    message = f"There is no tool `{shown}`{hint}"
    return ToolError(message, issues=(issue,))
