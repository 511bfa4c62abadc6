"""The arguments of a call, read by the tools of the request that it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

from schema2model.adapters.litellm.calls_in_text import ReadCall, read_calls_in_text
from schema2model.adapters.litellm.strict_tools import StrictDefinition, named_schema
from schema2model.errors import ToolError
from schema2model.json.equality import type_exact_bytes
from schema2model.json.parsing import NOTHING
from schema2model.strict.strict_schema import StrictSchema
from schema2model.tools.assembler import OpenCall
from schema2model.tools.preparing import invert_arguments, parsed_json
from schema2model.tools.providers.definitions import member
from schema2model.tools.tool import Prepared, Tool
from schema2model.tools.tool_cache import CheckerOptions, ToolCache
from schema2model.tools.toolset import Toolset

__all__ = ["RequestTools", "put"]


class RequestTools:
    """The tools of one request. Each is compiled when it is first called."""

    def __init__(
        self,
        schemas: Mapping[str, Any],
        options: CheckerOptions,
        *,
        text_calls: str | bool,
        plain: Mapping[str, Any],
        strict: Mapping[str, Tool],
    ) -> None:
        self._schemas = schemas
        self._strict = strict
        self._checkers = ToolCache(**options)
        self._answered: tuple[Any, Any] = (None, None)
        self._plain = plain
        self._toolset: Toolset | None = None
        self.text_calls = text_calls

    @classmethod
    def of(
        cls, tools: Any, options: CheckerOptions, *, text_calls: str | bool = False
    ) -> RequestTools | None:
        """Those with a name and a schema; None if there are none.

        Args:
            tools: `tools` of a request, in the shape of chat completions, messages or
                responses. Clients send it: it may be anything.
            options: how arguments are checked.
            text_calls: whether text is searched for calls, or the name of their format.

        """
        schemas: dict[str, Any] = {}
        plain: dict[str, Any] = {}
        strict: dict[str, Tool] = {}
        for given in tools if isinstance(tools, (list, tuple)) else ():
            name, schema = named_schema(given)
            if isinstance(name, str) and schema is not None:
                schemas[name] = None if name in schemas else schema  # of two, which is meant?
                if isinstance(given, StrictDefinition):
                    strict[name] = given.tool
            elif isinstance(name, str) and member(given, "type") == "function":
                plain[name] = {}  # it takes none
        if not schemas and not (plain and text_calls):
            return None
        return cls(schemas, options, text_calls=text_calls, plain=plain, strict=strict)

    def __contains__(self, name: str) -> bool:
        return name in self._schemas or name in self._plain

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name; None if there is none, or it is not known which."""
        schema = self._schemas.get(name, self._plain.get(name))
        if schema is None:
            return None
        return self._strict.get(name) or self._checkers.get(name, schema)

    def read(self, name: Any, given: Any, *, cut_off: bool = False) -> Any:
        """Return the corrected arguments of a call, text or an object; the same if correct.

        Args:
            name: the tool that is called.
            given: its arguments.
            cut_off: whether the model was stopped while it wrote. Then its text may end where it
                should not, and is only read if it is JSON; an object stays.

        """
        asked = name, given, cut_off
        if not isinstance(given, str):
            return self._corrected(*asked)
        if self._answered[0] != asked:  # events of a stream repeat the arguments
            self._answered = asked, self._corrected(*asked)
        return self._answered[1]

    def _corrected(self, name: Any, given: Any, cut_off: bool) -> Any:  # noqa: FBT001
        is_text = isinstance(given, str)
        if cut_off and not (is_text and parsed_json(given) is not NOTHING):
            return given
        prepared = self._prepared(name, given)
        if prepared is None:
            strict = self._strict_tool(name)
            return given if strict is None else invert_arguments(given, strict)
        if not prepared.repaired and _equal(parsed_json(given) if is_text else given, prepared):
            return given
        return prepared.canonical if is_text else prepared.arguments

    def call_text(self, call: OpenCall, *, cut_off: bool) -> str:
        """Return the same for a call in pieces; those that may be of several stay as they came."""
        if call.is_mixed:
            return call.written
        text: str = self.read(call.name, call.text, cut_off=cut_off)
        return text

    def read_text(
        self, text: str, *, whole: bool, objects: bool = False
    ) -> tuple[str, list[ReadCall]]:
        """Return the prose of a text and the calls in it; see `read_calls_in_text`."""
        if self._toolset is None:
            callable_ = {**self._plain, **self._schemas}
            # of strict tools the projections: what is read is then decoded as any other call is
            tools = (self._checkers.get(name, schema) for name, schema in callable_.items())
            self._toolset = Toolset(tool for tool in tools if tool is not None)
        format_ = None if isinstance(self.text_calls, bool) else self.text_calls
        return read_calls_in_text(text, self._toolset, format_, whole=whole, objects=objects)

    def _prepared(self, name: Any, arguments: Any) -> Prepared | None:
        """Return the arguments that are valid; None where there are none, and the log says why."""
        tool = self.get(name) if isinstance(name, str) and name in self._schemas else None
        try:
            return None if tool is None else tool.prepare(arguments)
        except ToolError:
            return None

    def _strict_tool(self, name: Any) -> StrictSchema | None:
        """Return the projection for which calls of a tool are written; None if there is none.

        Arguments that are refused are inverted only: the agent knows the schema as given.
        """
        tool = self._strict.get(name) if isinstance(name, str) else None
        return None if tool is None or self._schemas[name] is None else tool.strict


def _equal(given: Any, prepared: Prepared) -> bool:
    """Return whether nothing was changed but the order of keys, which means nothing."""
    result = prepared.arguments
    if type_exact_bytes(given) == type_exact_bytes(result):
        return True
    return json.dumps(given, sort_keys=True) == json.dumps(result, sort_keys=True)


def put(owner: Any, key: str, value: Any) -> None:
    """Write to a mapping or an object of LiteLLM's."""
    if isinstance(owner, MutableMapping):
        owner[key] = value
    else:
        setattr(owner, key, value)
