"""Bind a function to a schema that is given apart from it, with the types of its annotations."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from schema2model.errors import NOTHING_SENT, Issue, SchemaError, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import printable, quoted
from schema2model.schema.vocabularies.python_types import TIMES
from schema2model.tools.converting import ABSENT, Converter, undeclared_arguments
from schema2model.tools.parameters import Parameters
from schema2model.tools.signatures import (
    UntitledSchema,
    core_parameters,
    parameter_adapter,
    parameter_fields,
    signature_of,
)
from schema2model.tools.widening import float_parameters, widener

__all__ = ["bind_to_schema"]

_EMPTY = inspect.Parameter.empty
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_WHOLE: Final = "raw_arguments"
"""The parameter, as LiveKit calls it, that takes all arguments as one mapping."""

_Convert = Callable[[dict[str, Any]], dict[str, Any]]


def bind_to_schema(function: Callable[..., Any], name: str, schema: Any) -> Parameters:
    """Return how a function takes arguments whose schema was given apart from it.

    Arguments are converted to the types of the annotations. Parameters that the schema does not
    declare are filled in by the application.

    Raises:
        SchemaError: if the function cannot take what the schema declares.

    >>> def search(query, session): ...
    >>> schema = {"properties": {"query": {"type": "string"}}}
    >>> bind_to_schema(search, "search", schema).injected
    {'session': 'session'}

    """
    signature = signature_of(function, name)
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    declared = properties if isinstance(properties, Mapping) else {}
    parameters = [p for p in signature.parameters.values() if p.kind is not _VAR_KEYWORD]
    others = [p.name for p in parameters if p.name not in declared]
    whole = _WHOLE if _WHOLE in others else None
    takes_any = whole is not None or len(parameters) < len(signature.parameters)
    accepted = frozenset(declared).intersection(p.name for p in parameters)
    lacking = [] if takes_any else [known for known in declared if known not in accepted]
    if lacking:
        message = (
            f"the function of `{printable(name)}` takes no `{printable(lacking[0])}`, which "
            "the schema declares; add the parameter, or take all of them as one mapping, "
            "`raw_arguments`"
        )
        raise SchemaError(message)
    injected = {other: other for other in others if other != whole}
    gate = _gate(
        name,
        accepted=None if takes_any else accepted,
        required=[p.name for p in parameters if p.name in accepted and p.default is _EMPTY],
        reserved=frozenset(injected),
    )
    if whole is not None:
        _require_mapping(signature.parameters[whole], function, name)
        return Parameters(function, signature, injected, whole=whole)
    fields = [
        field
        for parameter in signature.parameters.values()
        if parameter.name not in injected and parameter.annotation is not _EMPTY
        for field in parameter_fields(parameter, function)
    ]
    convert = _conversion(name, fields, declared)
    if convert is None:
        return Parameters(function, signature, injected, convert=gate)
    return Parameters(
        function, signature, injected, convert=lambda arguments: convert(gate(arguments))
    )


def _gate(
    tool: str,
    *,
    accepted: frozenset[str] | None,
    required: Iterable[str],
    reserved: frozenset[str],
) -> _Convert:
    """Return a function that refuses arguments with which the function cannot be called.

    Args:
        tool: the tool's name, for messages.
        accepted: the arguments that the function takes; None if it takes any.
        required: those that it has to be given.
        reserved: names that no argument may have, because the application fills them in.

    >>> gate = _gate("f", accepted=frozenset({"a"}), required=["a"], reserved=frozenset())
    >>> gate({"a": 1})
    {'a': 1}
    >>> gate({})
    Traceback (most recent call last):
        ...
    schema2model.errors.ToolError: Error parsing arguments for `f`:
    - /a is missing: add it, with its value from the request
    <BLANKLINE>
    Fix the errors and try again.

    """
    needed = frozenset(required)

    def gate(arguments: Any) -> dict[str, Any]:
        if not isinstance(arguments, dict):
            issue = Issue("", "type", "an object", quoted(arguments))
            raise ToolError.for_arguments(tool, (issue,))
        names = arguments.keys()
        if not (reserved.isdisjoint(names) if accepted is None else accepted.issuperset(names)):
            surplus = names & reserved if accepted is None else names - accepted
            raise undeclared_arguments(tool, arguments, surplus)
        if not names >= needed:
            missing = sorted(needed - names)
            issues = [
                Issue(pointer([name]), "required", "a value", NOTHING_SENT) for name in missing
            ]
            raise ToolError.for_arguments(tool, tuple(issues))
        return arguments

    return gate


def _conversion(
    name: str, fields: Iterable[inspect.Parameter], declared: Mapping[str, Any]
) -> _Convert | None:
    """Return a function that converts arguments to the annotated types; None if all are plain.

    Raises:
        SchemaError: for a type that takes no value, or not every choice, of its property.

    """
    floats: set[str] = set()
    plain: set[str] = set()
    converted: list[inspect.Parameter] = []
    for parameter in fields:
        # Without its default, which may be any object, and which the function has anyway.
        default = _EMPTY if parameter.kind is _VAR_KEYWORD else ABSENT
        field = parameter.replace(default=default)
        adapter = parameter_adapter([field], name)
        is_named = parameter.kind is not _VAR_KEYWORD
        if is_named and core_parameters(adapter)[parameter.name]:
            message = (
                f"`{parameter.name}` of `{name}` has an alias; the schema's names are those of "
                "the parameters, so leave it out"
            )
            raise SchemaError(message)
        widening = float_parameters(adapter, {parameter.name})
        if widening is None:
            converted.append(field)
        elif is_named:
            (floats if widening else plain).add(parameter.name)
        if is_named:
            convert = None if widening is not None else _converter(name, [field])
            shown = adapter.json_schema(schema_generator=UntitledSchema)
            _require_common_type(name, parameter, declared.get(parameter.name), shown, convert)
    if not converted:
        return widener(name, floats) if floats else None
    convert, widen = _converter(name, converted), widener(name, floats)
    unchanged = frozenset(floats | plain)
    takes_others = any(field.kind is _VAR_KEYWORD for field in converted)
    typed = frozenset(field.name for field in converted)

    def convert_all(arguments: dict[str, Any]) -> dict[str, Any]:
        values = {
            key: value
            for key, value in arguments.items()
            if key in typed or (takes_others and key not in unchanged)
        }
        return {**widen(arguments), **convert(values)}

    return convert_all


def _converter(name: str, fields: list[inspect.Parameter]) -> Converter:
    adapter = parameter_adapter(fields, name)
    return Converter(name, adapter, optional=frozenset(), reserved=frozenset())


def _require_common_type(
    name: str,
    parameter: inspect.Parameter,
    declared: Any,
    shown: Mapping[str, Any],
    convert: Converter | None,
) -> None:
    """Refuse an annotation that takes no value, or not every choice, of its property."""
    if not isinstance(declared, Mapping):
        return
    annotated = shown["properties"][parameter.name]
    reference = annotated.get("$ref", "")
    if reference:
        annotated = shown["$defs"][reference.removeprefix("#/$defs/")]
    kind = inspect.formatannotation(parameter.annotation)
    theirs, ours = _types(declared), _types(annotated)
    if theirs and ours and not (theirs & ours):
        message = (
            f"`{parameter.name}` of `{name}` is annotated as {kind}, and its schema allows only "
            f"{' or '.join(sorted(theirs))}; change one of them"
        )
        raise SchemaError(message)
    choices = declared.get("enum", [declared["const"]] if "const" in declared else ())
    if convert is None or not isinstance(choices, (list, tuple)):
        return
    for choice in choices:
        if not _takes(convert, {parameter.name: choice}):
            message = (
                f"`{parameter.name}` of `{name}` is annotated as {kind}, which does not take "
                f"{choice!r}, a choice of its schema; change one of them"
            )
            raise SchemaError(message)


def _takes(convert: Converter, arguments: dict[str, Any]) -> bool:
    try:
        convert(arguments)
    except ToolError:
        return False
    return True


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the JSON types that a schema's own `type` allows, numbers as one; none if unknown."""
    given = schema.get("type", ())
    types = {given} if isinstance(given, str) else {each for each in given if isinstance(each, str)}
    if schema.get("format") in TIMES:
        types.add("number")
    return frozenset("number" if each == "integer" else each for each in types)


def _require_mapping(parameter: inspect.Parameter, function: Any, name: str) -> None:
    """Refuse an annotation that a dict does not satisfy."""
    [field] = parameter_fields(parameter, function)
    kind = typing.get_origin(field.annotation) or field.annotation
    if kind is Any or not isinstance(kind, type):
        return
    if not issubclass(dict, kind) and not issubclass(kind, dict):
        message = (
            f"`{parameter.name}` of `{name}` takes all arguments as one mapping; "
            "annotate it as dict[str, Any]"
        )
        raise SchemaError(message)
