"""Argument text read, and mended where it stands in the conversation.

Providers refuse a conversation in which the arguments of a call are not the JSON of an object. So
text that is anything else is replaced there. That is done before it is validated, so that the next
request goes through even if this call is refused.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from schema2model.coerce.engine import Engine
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.text.exact import NOT_JSON
from schema2model.text.grammars import TextError, TextReading, choose_reading, readings
from schema2model.text.schema_view import NO_SCHEMA
from schema2model.tools.conversation import as_object, write_arguments

__all__ = ["mended_text", "read_arguments", "replace_text"]

_NOTHING: Any = object()
"""What stands for a value where a text has none (`None` is JSON's null)."""


def read_arguments(
    text: str | bytes | bytearray, compiled: CompiledSchema, call: Any
) -> tuple[Any, bool]:
    """The valid arguments that a text means, and whether it had to be repaired.

    A text that had to be is replaced in `call`, if that is not None.

    Raises:
        ToolError: where no reading of the text satisfies the schema.

    >>> from schema2model import compile_schema
    >>> call = {"name": "f", "arguments": "{'a': '1',}"}
    >>> schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    >>> read_arguments(call["arguments"], compile_schema(schema), call)
    ({'a': 1}, True)
    >>> call["arguments"]
    '{"a":"1"}'

    """
    # A JSON string with a call in it does not come here: the schema would read it, but nobody
    # would know that it has to be replaced.
    if text[:1] == ("{" if isinstance(text, str) else b"{"):
        try:
            return compiled.engine.accept_json(text), False
        except Exception:  # noqa: BLE001, S110 - a hostile text may raise anything
            pass
    value, replaces = mended_text(text, compiled)
    if not replaces:
        return compiled.validate_json(text), False
    if call is not None:
        write_arguments(call, value)
    return compiled.validate_json(text), True


def replace_text(text: str | bytes | bytearray, call: Any) -> None:
    """Mend the text of a call that no tool is going to read.

    >>> call = {"name": "unknown", "arguments": "{'a': 1"}
    >>> replace_text(call["arguments"], call)
    >>> call["arguments"]
    '{"a":1}'
    """
    value, replaces = mended_text(text, None)
    if replaces and call is not None:
        write_arguments(call, value)


def mended_text(text: str | bytes | bytearray, compiled: CompiledSchema | None) -> tuple[Any, bool]:
    """The value to stand in the conversation for a text, and whether it replaces the text.

    It replaces every text that is not the JSON of an object, unless the schema takes what it is the
    JSON of. The value has as much of the text as can be read, which may be nothing. Whether it is
    valid is not asked here.

    >>> mended_text('{"a": 1}', None), mended_text("{'a': 1}", None), mended_text('{"a": [1', None)
    (({'a': 1}, False), ({'a': 1}, True), ({'a': [1]}, True))

    """
    try:
        given = from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):  # also JSON with half a surrogate pair in it
        given = _NOTHING
    wanted = compiled is not None and given is not _NOTHING and compiled.is_valid(given)
    if wanted or isinstance(given, dict):
        return given, False
    engine = None if compiled is None else compiled.engine
    value = _reading(text, engine) if given is _NOTHING or isinstance(given, str) else given
    if compiled is None or _takes_objects(compiled.schema):
        return as_object(value), True
    return value, value != given


def _reading(text: str | bytes | bytearray, engine: Engine | None) -> Any:
    """What a text means, strings in strings opened; None if it means nothing.

    It is the reading that the schema accepts, or else the first. Text that is cut off is read as
    far as it goes.
    """
    outer: list[Any] = []
    inner: list[Any] = []

    def accepted(reading: TextReading) -> TextReading | None:
        (outer if isinstance(reading.value, str) else inner).append(reading.value)
        if isinstance(reading.value, str) or not (engine is None or _reads(engine, reading.value)):
            return None
        return reading

    schema = NO_SCHEMA if engine is None else engine.anchors
    for accept_truncated in (False, True):
        try:
            found = choose_reading(
                readings(text, schema, accept_truncated=accept_truncated), accepted
            )
        except TextError as error:
            if error.reason != NOT_JSON:  # cut off, or two calls
                outer.clear()
                inner.clear()
                continue
            found = None
        if found is not None:
            return found.value
        if inner or outer:
            return inner[0] if inner else outer[-1]
    return None


def _reads(engine: Engine, value: Any) -> bool:
    try:
        return engine.read(value).valid
    except ToolError:
        return False


def _takes_objects(schema: Any) -> bool:
    kind = schema.get("type", "object") if isinstance(schema, dict) else "object"
    return "object" in (kind.lower() if isinstance(kind, str) else kind)
