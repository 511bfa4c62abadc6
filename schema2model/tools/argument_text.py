"""Argument text read, and mended where it stands in the conversation.

Providers refuse a conversation in which the arguments of a call are not the JSON of an object. So
text that is anything else is replaced there. That is done before it is validated, so that the next
request goes through even if this call is refused.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from schema2model.compiled import CompiledSchema
from schema2model.text.exact import NOT_JSON, NOTHING, TextError
from schema2model.text.grammars import TextReading, chosen, readings
from schema2model.text.schema_view import ANYWHERE, TextPlace
from schema2model.tools.conversation import as_object, write_arguments

__all__ = ["read_arguments", "replace_text"]


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
    engine = compiled.engine
    # A JSON string with a call in it is not accepted here: the schema would accept it, but nobody
    # would know that it has to be replaced.
    if text[:1] == ("{" if isinstance(text, str) else b"{"):
        try:
            return engine.accept_json(text), False
        except Exception:  # noqa: BLE001, S110 - a hostile text may raise anything
            pass
    given = _parsed(text)
    if isinstance(given, dict) or (given is not NOTHING and compiled.is_valid(given)):
        return compiled.validate_json(text), False
    arguments, spelled, error = engine.validate_call(text)
    if given is not NOTHING and not isinstance(given, str):
        spelled = given
    elif spelled is NOTHING or isinstance(spelled, str):  # cut off, ambiguous, or encoded twice
        spelled = _first_value(text, engine.anchors)
    value = as_object(spelled) if _takes_objects(compiled.schema) else spelled
    if call is not None:
        write_arguments(call, value)
    if error is not None:
        raise error
    return arguments, value is not given


def replace_text(text: str | bytes | bytearray, call: Any) -> None:
    """Replace the text of a call in the conversation that no tool is going to read.

    Every text that is not the JSON of an object is replaced by the JSON of one. The object has as
    much of the text as can be parsed, which may be nothing.

    >>> call = {"name": "unknown", "arguments": "{'a': [1"}
    >>> replace_text(call["arguments"], call)
    >>> call["arguments"]
    '{"a":[1]}'
    """
    given = _parsed(text)
    if call is not None and not isinstance(given, dict):
        is_text = given is NOTHING or isinstance(given, str)
        write_arguments(call, as_object(_first_value(text, ANYWHERE) if is_text else given))


def _parsed(text: str | bytes | bytearray) -> Any:
    """The value of JSON text; `NOTHING` for other text, and for lone surrogates."""
    try:
        return from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):
        return NOTHING


def _first_value(text: str | bytes | bytearray, place: TextPlace) -> Any:
    """The first meaning of a text that is not a string; else the last; None if it has none.

    Truncated text is parsed as far as it goes.
    """
    found: list[Any] = [None]

    def accepted(reading: TextReading) -> TextReading | None:
        found.append(reading.value)
        return None if isinstance(reading.value, str) else reading

    for accept_cut_off in (False, True):
        try:
            chosen(readings(text, place, accept_cut_off=accept_cut_off), accepted)
        except TextError as error:
            if error.reason != NOT_JSON:  # it is truncated, or holds two calls
                found = [None]
                continue
        break
    return found[-1]


def _takes_objects(schema: Any) -> bool:
    kind = schema.get("type", "object") if isinstance(schema, dict) else "object"
    return "object" in (kind.lower() if isinstance(kind, str) else kind)
