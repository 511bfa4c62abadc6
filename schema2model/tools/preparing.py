"""From the raw arguments of a call to what a tool takes: parse, write back, validate.

Providers refuse a conversation that holds malformed arguments. So text that has to be repaired is
replaced in the conversation before it is validated, whatever comes of that.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_core import from_json

from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.text.grammars import TextError, readings
from schema2model.tools.providers.definitions import member
from schema2model.tools.running import arun, run
from schema2model.values import NotJSONError, canonical_json, quoted, spelled_exactly

if TYPE_CHECKING:
    from schema2model.engine.readings import Change
    from schema2model.tools.tool import Tool

__all__ = [
    "Arguments",
    "Prepared",
    "call_id",
    "changes_between",
    "mended_text",
    "named_call",
    "replace_text",
]

Arguments: TypeAlias = "str | bytes | bytearray | Mapping[str, Any] | None"
"""What providers and frameworks hand over as the arguments of a call."""

_KEYS = ("arguments", "input", "args")
"""Where a call holds its arguments."""
_PARTS = ("function", "functionCall", "function_call", "params")
"""What of a call holds its name and arguments, where the call itself does not."""
_IDS = ("call_id", "id")
"""Where a call has its id; OpenAI and LiveKit have another one in `id` where there is both."""
_STRUCTURED = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call"})
"""Types of calls whose arguments must be an object, not text: Anthropic's and LangChain's."""


class Prepared:
    """The arguments of one call, valid and ready to run. Its attributes cannot be set.

    Made by `Tool.prepare`; `call` and `acall` run the tool. The function gets the lists and objects
    themselves: what it changes in them, a second run starts from. Prepare again to try again.
    """

    __slots__ = ("_arguments", "_bound", "_call", "_changes", "_given", "_repaired", "_tool")

    _changes: tuple[Change, ...]  # when they are first asked for

    def __init__(  # noqa: PLR0913, PLR0917 - keywords cost
        self,
        tool: Tool,
        arguments: Any,
        bound: Any,
        given: Any,
        repaired: bool,  # noqa: FBT001
        call: Any,
    ) -> None:
        self._tool = tool
        self._arguments = arguments
        self._bound = bound
        self._given = given
        self._repaired = repaired
        self._call = call

    def __repr__(self) -> str:
        return f"<Prepared {self._tool.name!r} {self._arguments!r}>"

    @property
    def tool(self) -> Tool:
        """The tool that is called."""
        return self._tool

    @property
    def arguments(self) -> Any:
        """The arguments as JSON values that satisfy the tool's schema."""
        return self._arguments

    @property
    def args(self) -> tuple[Any, ...]:
        """The function's positional arguments: those that it takes in no other way."""
        return self._tool.arranged(self._bound)[0]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The function's keyword arguments, of its own types, without those to be injected."""
        return self._tool.arranged(self._bound)[1]

    @property
    def canonical(self) -> str:
        """The JSON text of `arguments`.

        Raises:
            ToolError: for what has no JSON text: NaN, too long an integer, half a surrogate pair.

        """
        try:
            return canonical_json(self._arguments)
        except NotJSONError as error:
            raise ToolError.for_value(self._tool.name, error) from None

    @property
    def repaired(self) -> bool:
        """Whether the text given was not the JSON of an object: malformed, or encoded twice."""
        return self._repaired

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed on the way, worked out when it is first asked for."""
        try:
            return self._changes
        except AttributeError:
            self._changes = changes_between(self._tool.compiled, self._given, self._arguments)
            return self._changes

    @property
    def call_id(self) -> str | None:
        """The id of the call in the conversation, if it was passed to `prepare` and has one."""
        return call_id(self._call)

    def call(self, /, **injected: Any) -> Any:
        """Run the tool, and return its result; see `Tool.call`."""
        return run(self, injected)

    async def acall(self, /, **injected: Any) -> Any:
        """Run the tool, and return its result; see `Tool.acall`."""
        return await arun(self, injected)

    def complete(self, injected: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """All that the function is called with: `args` and `kwargs`, and what is injected."""
        return self._tool.arranged(self._bound, injected)


# ----------------------------------------------------------------------------------- reading
def read_text(
    text: str | bytes | bytearray, compiled: CompiledSchema, call: Any
) -> tuple[Any, bool]:
    """The valid arguments that a text means, and whether it had to be repaired.

    If it had, its JSON is written to `call` before it is validated.

    Raises:
        ToolError: where no reading of the text satisfies the schema.

    """
    # A JSON string may hold the call, and the lowered schema reads it without a word.
    if text[:1] == ("{" if isinstance(text, str) else b"{"):
        try:
            return compiled.engine.accept_json(text), False
        except Exception:  # noqa: BLE001, S110 - a hostile text may raise anything
            pass
    value, replaces = mended_text(text, compiled)
    if not replaces:
        return compiled.validate(value), False
    if call is not None:
        _write(call, value)
    return compiled.validate_json(text), True


def changes_between(compiled: CompiledSchema, given: Any, result: Any) -> tuple[Change, ...]:
    """What was changed on the way from what was given, text or a value, to the valid result."""
    is_text = isinstance(given, (str, bytes, bytearray))
    try:  # the same bytes tell apart what is equal in Python: 1, 1.0 and true
        value = from_json(given, allow_inf_nan=False) if is_text else given
        if spelled_exactly(value) == spelled_exactly(result):
            return ()
    except (TypeError, ValueError):  # malformed text, or values that are not quite JSON's own
        pass
    return (compiled.explain_json(given) if is_text else compiled.explain(given)).changes


def replace_text(text: str | bytes | bytearray, call: Any) -> None:
    """Let a call that no tool will read hold the JSON of an object all the same."""
    value, replaces = mended_text(text, None)
    if replaces and call is not None:
        _write(call, value)


def mended_text(text: str | bytes | bytearray, compiled: CompiledSchema | None) -> tuple[Any, bool]:
    """The value to stand in the conversation for a text, and whether the text is not its JSON.

    Providers take nothing but objects. Where a text cannot be read as one, it is as much of it as
    can be, and be it an empty one; whether the call is valid is not asked here.

    >>> mended_text('{"a": 1}', None), mended_text("{'a': 1}", None), mended_text('{"a": [1', None)
    (({'a': 1}, False), ({'a': 1}, True), ({'a': [1]}, True))

    """
    try:
        given = from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):  # half a surrogate pair is no text to it
        given = _NOTHING
    wanted = compiled is not None and given is not _NOTHING and compiled.is_valid(given)
    if wanted or isinstance(given, dict):
        return given, False
    value = _read(text) if given is _NOTHING or isinstance(given, str) else given
    if compiled is None or _takes_objects(compiled.schema):
        return _object(value), True
    return value, value != given


_NOTHING = object()


def _read(text: str | bytes | bytearray) -> Any:
    """What a text means, strings in strings opened; as much as can be read, if it is cut off."""
    value: Any = None
    for accept_cut_off in (False, True):
        try:
            for reading in readings(text, accept_cut_off=accept_cut_off):
                value = reading.value
        except TextError:
            continue
        break
    return value


def _takes_objects(schema: Any) -> bool:
    kind = schema.get("type", "object") if isinstance(schema, dict) else "object"
    return "object" in (kind.lower() if isinstance(kind, str) else kind)


# ------------------------------------------------------------------------------------- calls
@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call holds its arguments, and whether only an object may stand there."""

    owner: Any
    key: str
    structured: bool

    def put(self, value: Any) -> None:
        content = _object(value) if self.structured else canonical_json(value, lone_surrogates=True)
        try:
            if isinstance(self.owner, MutableMapping):
                self.owner[self.key] = content
            else:
                setattr(self.owner, self.key, content)
        except (AttributeError, TypeError, ValueError) as error:
            kind = type(self.owner).__name__
            message = (
                f"the repaired arguments cannot be written to {self.key!r} of this {kind}: "
                f"{quoted(str(error))}; pass a function that takes their text as call="
            )
            raise TypeError(message) from error


def named_call(call: Any) -> tuple[Any, Any]:
    """The name and the arguments of a call in the shape of any provider.

    Raises:
        TypeError: for what is no call.

    >>> named_call({"type": "tool_use", "id": "1", "name": "search", "input": {"q": "x"}})
    ('search', {'q': 'x'})
    >>> named_call({"function": {"name": "search", "arguments": "{}"}})
    ('search', '{}')

    """
    part = _part(call)
    name = member(part, "name")
    if name is None:
        message = (
            f"this {type(call).__name__} is no tool call: it has no `name`; known are the calls "
            "of OpenAI, Anthropic, Gemini, MCP, LangChain and LiveKit"
        )
        raise TypeError(message)
    key = next((key for key in _KEYS if member(part, key) is not None), None)
    return name, None if key is None else member(part, key)


def call_id(call: Any) -> str | None:
    """The id of a call in the shape of any provider, if there is one.

    >>> call_id({"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}})
    'toolu_1'

    """
    if call is None:
        return None
    found = (member(owner, key) for owner in (call, _part(call)) for key in _IDS)
    return next((id_ for id_ in found if isinstance(id_, str)), None)


def _write(call: Any, value: Any) -> None:
    """Write a parsed value to a call: its text where text was, an object where an object was."""
    if callable(call):
        call(canonical_json(value, lone_surrogates=True))
    else:
        _place(call).put(value)


def _place(call: Any) -> _Place:
    part = _part(call)
    for key in _KEYS:
        if key in part if isinstance(part, Mapping) else hasattr(part, key):
            is_gemini = key == "args" and part is not call
            is_object = isinstance(member(part, key), Mapping)
            return _Place(part, key, is_gemini or is_object or member(part, "type") in _STRUCTURED)
    message = (
        f"the repaired arguments cannot be written to this {type(call).__name__}: it has no "
        "`arguments`, `input` or `args`; pass one that has, or a function that takes their text"
    )
    raise TypeError(message)


def _part(call: Any) -> Any:
    for key in _PARTS:
        part = member(call, key)
        if part is not None and any(member(part, name) is not None for name in ("name", *_KEYS)):
            return part
    return call


def _object(value: Any) -> dict[str, Any]:
    """The object that a value is, or the one that it wraps in a list, or none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}
