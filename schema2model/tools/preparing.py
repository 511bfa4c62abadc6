"""Prepare the raw arguments of a call: read and repair text, validate, convert for the function.

Providers reject a conversation in which the arguments of a call are not a JSON object. Any other
text is therefore replaced there, also if the call is refused, so that the next request succeeds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json, to_jsonable_python

from schema2model.calls.call_types import Call, DecodedArguments
from schema2model.compiled import CompiledSchema
from schema2model.errors import NOT_JSON, Issue, TextError, ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.parsing import NOTHING
from schema2model.json.values import NotJSONError, plain_copy
from schema2model.text.schema_view import NO_SCHEMA, SchemaView
from schema2model.tools.conversation import as_object, takes_object, write_arguments
from schema2model.tools.developer_mistakes import refuse_call_object
from schema2model.tools.tool_parts import ToolParts
from schema2model.tools.undeclared_refusals import undeclared_refusal

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema
    from schema2model.text.grammars import TextReading

__all__ = [
    "as_json_values",
    "invert_arguments",
    "parsed_json",
    "read_call",
    "refuse_by_options",
    "replace_text",
    "text_with_digits",
]


_TEXTS: Final = (str, bytes, bytearray)
_OF_NAMES: Final = frozenset(("required", "additionalProperties"))
"""The keywords of problems with names."""


def read_call(parts: ToolParts, arguments: Any, call: Any) -> tuple[Any, Any, bool]:
    """Return valid arguments, the same in the types of the function, and whether text was repaired.

    Raises:
        ToolError: if no reading of the arguments is valid, or an option refuses them.

    """
    if call is not None and takes_object(call):
        _write_object(arguments, call)
    try:
        value, repaired = _read(parts, arguments, call)
    except ToolError as error:
        raise _with_refused_types(parts, arguments, error) from None
    refuse_by_options(parts, value)
    return value, _converted(parts, value, arguments, call), repaired


def _read(parts: ToolParts, arguments: Any, call: Any) -> tuple[Any, bool]:
    """Return arguments that satisfy the schema, and whether text was repaired."""
    kind = type(arguments)
    strict = None if kind is DecodedArguments else parts.strict
    if issubclass(kind, _TEXTS):
        if strict is None:
            return _read_arguments(arguments, parts.compiled, call)
        return _read_strict_arguments(arguments, parts.compiled, strict, call)
    members = arguments if kind is dict else _members_of(arguments, parts.name)
    value = parts.compiled.validate(members) if strict is None else strict.decode(members)
    return value, False


def _converted(parts: ToolParts, value: Any, arguments: Any, call: Any) -> Any:
    """Return valid arguments in the types of the function, Decimals with the digits sent."""
    parameters = parts.parameters
    if parameters is None or parameters.convert is None:
        return value
    if parts.has_decimals and (text := _text_of(arguments, call)):
        from schema2model.tools.decimal_digits import convert_with_digits  # noqa: PLC0415 - few tools have any

        root = parts.compiled._engine.root
        return convert_with_digits(root, value, text, parameters.convert)
    return parameters.convert(value)


def refuse_by_options(parts: ToolParts, value: Any) -> None:
    """Refuse valid arguments that an option of their tool does not allow.

    Raises:
        ToolError: if one does not.

    """
    options = parts.options
    if options.refuse_markup:
        from schema2model.tools.leaked_markup import refuse_leaked_markup  # noqa: PLC0415 - few tools ask

        refuse_leaked_markup(parts.name, value, parts.compiled._engine.anchors.names())
    if options.unknown_arguments != "keep":
        option = options.unknown_arguments
        refused = undeclared_refusal(parts.name, parts.compiled, value, option)
        if refused is not None:
            raise refused


def _write_object(arguments: Any, call: Any) -> None:
    """Replace the JSON text of an object by the object, in a call that takes no text."""
    if issubclass(type(arguments), _TEXTS):
        given = parsed_json(arguments)
        if isinstance(given, dict):
            write_arguments(call, given)


def text_with_digits(prepared: Any) -> str:
    """Return the JSON text of prepared arguments for a reader that knows the function's types.

    It is `canonical`, except that a number for a Decimal keeps the digits that a float would lose.

    Raises:
        ToolError: as `canonical`.

    >>> from decimal import Decimal
    >>> from schema2model import Tool
    >>> def pay(amount: Decimal, times: int) -> None: ...
    >>> text_with_digits(Tool(pay).prepare('{"amount": 12.10, "times": "2"}'))
    '{"amount":"12.10","times":2}'

    """
    parts = prepared._tool._parts
    text: str = prepared.canonical
    if parts.has_decimals and (sent := _text_of(prepared._given, prepared._call)):
        from schema2model.tools.decimal_digits import keep_decimal_digits  # noqa: PLC0415 - few tools have any

        root = parts.compiled._engine.root
        text = canonical_json(keep_decimal_digits(root, prepared.arguments, sent))
    return text


def _text_of(arguments: Any, call: Any) -> str:
    """Return the text of the arguments of a call, also of one that was read from a text."""
    if isinstance(arguments, (bytes, bytearray)):
        return arguments.decode(errors="replace")
    if isinstance(arguments, str):
        return arguments
    written = call.written if isinstance(call, Call) else ""
    return written if isinstance(written, str) else "\n".join(written.values())


def _with_refused_types(parts: ToolParts, arguments: Any, error: ToolError) -> ToolError:
    """Add the problems that the function's types find elsewhere in the arguments.

    Names are left to the schema, which knows what each may be meant for.
    """
    convert = parts.parameters.convert if parts.parameters is not None else None
    is_listed = str(error) == str(ToolError.for_arguments(parts.name, error.issues))
    if convert is None or parts.strict is not None or not error.issues or not is_listed:
        return error
    search = parts.compiled._engine.search
    try:
        is_text = issubclass(type(arguments), _TEXTS)
        reading = search.read_text(arguments) if is_text else search.read(dict(arguments))
        convert(reading.attempt)
    except ToolError as refused:
        known = [_place_at_fault(issue) for issue in error.issues]
        further = [
            issue
            for issue in refused.issues
            if issue.path
            and issue.keyword not in _OF_NAMES
            and not any(_paths_overlap(issue.path, path) for path in known)
        ]
        if not further:
            return error
        issues = (*error.issues, *further)
        return ToolError.for_arguments(parts.name, issues)
    except Exception:  # noqa: BLE001 - a validator of the function got arguments that are not valid
        return error
    return error


def _place_at_fault(issue: Issue) -> str:
    """Return the path of an issue; of an object within whose names are wrong, that of the object.

    Which branch of a union it is meant for depends on them.
    """
    owner = issue.path.rpartition("/")[0] if issue.keyword in _OF_NAMES else ""
    return owner or issue.path


def _paths_overlap(path: str, other: str) -> bool:
    """Return whether one of two JSON Pointers leads to the other's value or to a part of it."""
    return f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/")


def _members_of(arguments: Any, name: str) -> Any:
    """Return the members of a mapping; other values as they are, for the schema to refuse.

    Raises:
        TypeError: for an object in which a provider sends a call.

    """
    if issubclass(type(arguments), Mapping):  # not isinstance, which asks the value for its class
        with contextlib.suppress(Exception):  # a hostile mapping may raise anything
            return dict(arguments)
    refuse_call_object(arguments, name)
    return arguments


def as_json_values(arguments: Any) -> Any:
    """Return the JSON values of instances that frameworks have made; other values as they are."""
    try:
        plain_copy(arguments)
    except NotJSONError:
        with contextlib.suppress(ValueError):  # then the schema refuses them with a reason
            return to_jsonable_python(arguments, by_alias=True, round_trip=True)
    return arguments


def _read_arguments(
    text: str | bytes | bytearray, compiled: CompiledSchema, call: Any
) -> tuple[Any, bool]:
    """Return the valid arguments that a text means, and whether it had to be repaired.

    A text that had to be is replaced in `call`, if that is not None.

    Raises:
        ToolError: if no reading of the text satisfies the schema.

    >>> from schema2model import compile_schema
    >>> call = {"name": "f", "arguments": "{'a': '1',}"}
    >>> schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    >>> _read_arguments(call["arguments"], compile_schema(schema), call)
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
    given = parsed_json(text)
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


def _read_strict_arguments(
    text: str | bytes | bytearray, compiled: CompiledSchema, strict: StrictSchema, call: Any
) -> tuple[Any, bool]:
    """Return the valid arguments that a text of a strict call means, and whether it was repaired.

    As `_read_arguments`. The text may also be written for the schema as given.

    Raises:
        ToolError: if no reading of the text satisfies the schema.

    >>> from schema2model import compile_schema
    >>> compiled = compile_schema({"properties": {"a": {"type": "integer"}}})
    >>> strict = compiled.strict("openai")
    >>> _read_strict_arguments('{"a": null}', compiled, strict, None)
    ({}, False)
    >>> _read_strict_arguments("{'a': 1}", compiled, strict, None)
    ({'a': 1}, True)

    """
    given = parsed_json(text)
    if isinstance(given, dict):
        return strict.decode(given), False
    try:
        value, repaired = _read_arguments(text, CompiledSchema(strict.projection), call)
    except ToolError:
        return _read_arguments(text, compiled, call)
    return strict.decode(value), repaired


def invert_arguments(arguments: Any, strict: StrictSchema) -> Any:
    """Return the arguments of a strict call as the schema as given has them, before coercion.

    Those of a text are text again; one that has to be repaired is returned as it is.

    >>> from schema2model import compile_schema
    >>> strict = compile_schema({"properties": {"a": {"type": "integer"}}}).strict("openai")
    >>> invert_arguments('{"a": null}', strict), invert_arguments("{'a': '1'}", strict)
    ('{}', "{'a': '1'}")
    """
    is_text = isinstance(arguments, _TEXTS)
    given = parsed_json(arguments) if is_text else arguments
    if not isinstance(given, dict):
        return arguments
    inverted = strict.inverted(given)
    return canonical_json(inverted) if is_text else inverted


def replace_text(text: str | bytes | bytearray, call: Any) -> None:
    """Replace the text of a call in the conversation that no tool is going to read.

    Every text that is not the JSON of an object is replaced by the JSON of one. The object has as
    much of the text as can be parsed, which may be nothing.

    >>> call = {"name": "unknown", "arguments": "{'a': [1"}
    >>> replace_text(call["arguments"], call)
    >>> call["arguments"]
    '{"a":[1]}'
    """
    given = parsed_json(text)
    if call is not None and (takes_object(call) or not isinstance(given, dict)):
        is_text = given is NOTHING or isinstance(given, str)
        write_arguments(call, as_object(_first_value(text, NO_SCHEMA) if is_text else given))


def parsed_json(text: str | bytes | bytearray) -> Any:
    """Return the value of JSON text; `NOTHING` for other text, and for lone surrogates."""
    try:
        return from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):
        return NOTHING


def _first_value(
    text: str | bytes | bytearray, place: SchemaView, *, only_truncated: bool = False
) -> Any:
    """Return the first meaning of a text that is not a string; else the last; None if it has none.

    Truncated text is parsed as far as it goes.
    """
    from schema2model.text.grammars import choose_reading, readings  # noqa: PLC0415 - most text is JSON

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
