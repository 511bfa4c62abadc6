"""Reads argument text, and repairs it in the conversation.

Providers reject a conversation in which the arguments of a call are not a JSON object. Any other
text is therefore replaced there, also if the call is refused, so that the next request succeeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from schema2model.compiled import CompiledSchema
from schema2model.errors import NOT_JSON, TextError, ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.parsing import NOTHING
from schema2model.text.grammars import TextReading, choose_reading, readings
from schema2model.text.schema_view import NO_SCHEMA, SchemaView
from schema2model.tools.conversation import as_object, write_arguments

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "inverted_arguments",
    "inverted_text",
    "read_arguments",
    "read_strict_arguments",
    "replace_text",
]


def read_arguments(
    text: str | bytes | bytearray, compiled: CompiledSchema, call: Any
) -> tuple[Any, bool]:
    """The valid arguments that a text means, and whether it had to be repaired.

    A text that had to be is replaced in `call`, if that is not None.

    Raises:
        ToolError: if no reading of the text satisfies the schema.

    >>> from schema2model import compile_schema
    >>> call = {"name": "f", "arguments": "{'a': '1',}"}
    >>> schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    >>> read_arguments(call["arguments"], compile_schema(schema), call)
    ({'a': 1}, True)
    >>> call["arguments"]
    '{"a":"1"}'

    """
    engine = compiled._engine
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
    elif isinstance(spelled, str):  # encoded twice
        spelled = _first_value(text, engine.anchors)
    elif spelled is NOTHING:  # truncated, or ambiguous
        spelled = _first_value(text, engine.anchors, only_truncated=True)
    types = engine.root.types
    value = as_object(spelled) if types is None or "object" in types else spelled
    if call is not None:
        write_arguments(call, value)
    if error is not None:
        raise error
    return arguments, value is not given


def read_strict_arguments(
    text: str | bytes | bytearray, compiled: CompiledSchema, strict: StrictSchema, call: Any
) -> tuple[Any, bool]:
    """The valid arguments that a text of a strict call means, and whether it had to be repaired.

    As `read_arguments`. The text may also be written for the schema as given.

    Raises:
        ToolError: if no reading of the text satisfies the schema.

    >>> from schema2model import compile_schema
    >>> compiled = compile_schema({"properties": {"a": {"type": "integer"}}})
    >>> strict = compiled.strict("openai")
    >>> read_strict_arguments('{"a": null}', compiled, strict, None)
    ({}, False)
    >>> read_strict_arguments("{'a': 1}", compiled, strict, None)
    ({'a': 1}, True)

    """
    given = _parsed(text)
    if isinstance(given, dict):
        return strict.decode(given), False
    try:
        value, repaired = read_arguments(text, CompiledSchema(strict.projection), call)
    except ToolError:
        return read_arguments(text, compiled, call)
    return strict.decode(value), repaired


def inverted_arguments(arguments: Any, strict: StrictSchema) -> Any:
    """The arguments of a strict call as they are for the schema as given, before coercion.

    Text that has to be repaired is returned as it is.

    >>> from schema2model import compile_schema
    >>> strict = compile_schema({"properties": {"a": {"type": "integer"}}}).strict("openai")
    >>> inverted_arguments('{"a": null}', strict)
    {}
    """
    is_text = isinstance(arguments, (str, bytes, bytearray))
    given = _parsed(arguments) if is_text else arguments
    return strict.inverted(given) if isinstance(given, dict) else arguments


def inverted_text(text: str | bytes | bytearray, strict: StrictSchema) -> str | bytes | bytearray:
    """The text of a strict call as it is for the schema as given, neither coerced nor checked.

    >>> from schema2model import compile_schema
    >>> strict = compile_schema({"properties": {"a": {"type": "integer"}}}).strict("openai")
    >>> inverted_text('{"a": null}', strict), inverted_text("{'a': '1'}", strict)
    ('{}', "{'a': '1'}")
    """
    given = _parsed(text)
    return canonical_json(strict.inverted(given)) if isinstance(given, dict) else text


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
        write_arguments(call, as_object(_first_value(text, NO_SCHEMA) if is_text else given))


def _parsed(text: str | bytes | bytearray) -> Any:
    """The value of JSON text; `NOTHING` for other text, and for lone surrogates."""
    try:
        return from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):
        return NOTHING


def _first_value(
    text: str | bytes | bytearray, place: SchemaView, *, only_truncated: bool = False
) -> Any:
    """The first meaning of a text that is not a string; else the last; None if it has none.

    Truncated text is parsed as far as it goes.
    """
    found: list[Any] = [None]

    def accepted(reading: TextReading) -> TextReading | None:
        found.append(reading.value)
        return None if isinstance(reading.value, str) else reading

    for accept_truncated in (True,) if only_truncated else (False, True):
        try:
            choose_reading(readings(text, place, accept_truncated=accept_truncated), accepted)
        except TextError as error:
            if error.reason != NOT_JSON:  # it is truncated, or holds two calls
                found = [None]
                continue
        break
    return found[-1]
