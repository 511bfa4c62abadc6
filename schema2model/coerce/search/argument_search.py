"""The reading of the arguments of a call, without what may be around them."""

from __future__ import annotations

import contextlib
import copy
import functools
import operator
from collections.abc import Iterator
from typing import Any

from schema2model.coerce.rules.envelopes import (
    ENVELOPES,
    contents,
    only_argument,
    proven_content,
)
from schema2model.coerce.rules.scalars import json_text, loose_json_text, null_word
from schema2model.coerce.search.reader import Reader
from schema2model.coerce.search.readings import Reading, Step, changed, joined
from schema2model.json.equality import type_exact_equal
from schema2model.json.parsing import entities_decoded
from schema2model.json.values import type_of
from schema2model.limits import MAX_ROUNDS
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.parts import Parts

__all__ = ["search_arguments"]

_ENVELOPES = ("sole_envelope", "envelope")


def search_arguments(reader: Reader, value: Any) -> Reading:
    """Return the best reading of the arguments of a call, or the best attempt at one."""
    if reader.coercion.html_entities:
        steps: list[Step] = []
        reading = _search(reader, _without_entities(value, (), steps))
        if reading.valid:
            reading.steps = (*steps, *reading.steps)
            return reading
    return _search(reader, value)


def _without_entities(value: Any, path: tuple[str | int, ...], steps: list[Step]) -> Any:
    """Return a value whose strings are decoded once, and append each change to `steps`."""
    if type(value) is str and (decoded := entities_decoded(value)) != value:
        steps.append((path, "html_entities", value, decoded))
        return decoded
    if type(value) is dict:
        return {key: _without_entities(each, (*path, key), steps) for key, each in value.items()}
    if type(value) is list:
        return [_without_entities(each, (*path, at), steps) for at, each in enumerate(value)]
    return value


def _search(reader: Reader, value: Any) -> Reading:
    reading = _single_pass(reader, value)
    if reader.coercion.reads_strings:
        reading = _without_round_trips(reader, _until_stable(reader, reading))
    reading.ended = reader.has_ended
    return reading


def _until_stable(reader: Reader, reading: Reading) -> Reading:
    """Repeat the reading until nothing changes."""
    for _ in range(MAX_ROUNDS):
        if not (reading.valid and reading.steps):
            break
        again = _single_pass(reader, reading.value)
        if not again.steps or type_exact_equal(again.value, reading.value):
            break
        reading = joined(reading, again)
    return reading


def _without_round_trips(reader: Reader, reading: Reading) -> Reading:
    """Undo round trips: strings parsed under one subschema and stringified under another."""
    sent: dict[tuple[str | int, ...], str] = {}
    again: set[tuple[str | int, ...]] = set()
    for path, rule, before, _ in reading.steps:
        if type(before) is str:
            sent.setdefault(path, before)
        elif rule == "scalar_to_text" and path in sent:
            again.add(path)
    if not again or not reading.valid:
        return reading
    value: Any = copy.deepcopy(reading.value)
    with contextlib.suppress(LookupError, TypeError):  # a later step changed what contains it
        for path in filter(None, again):
            functools.reduce(operator.getitem, path[:-1], value)[path[-1]] = sent[path]
        if () in again:
            value = sent[()]
        if reader.valid(reader.root, value):
            steps = tuple(step for step in reading.steps if step[0] not in again)
            return Reading(value, value, valid=True, cost=reading.cost, steps=steps)
    return reading


def _single_pass(reader: Reader, value: Any) -> Reading:
    reading = reader.read(reader.root, value)
    # what may be around the arguments is tried only if they have no reading without a guess
    if reader.rules.is_off or (reading.valid and not reading.cost.guesses):
        return reading
    for rule, inner in _unwrap(reader, value):
        content = reader.read(reader.root, inner)
        if rule == "sole_envelope" and content.cost.guesses:
            continue
        if rule in _ENVELOPES and content.valid and type(content.value) is not dict:
            continue  # a schema without a type takes anything
        other = changed(content, rule, value, inner)
        if other.valid and (not reading.valid or other.cost < reading.cost):
            reading = other
        elif not reading.valid and type(reading.attempt) is not dict:
            reading.attempt = other.attempt
    return reading


def _unwrap(reader: Reader, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values that the arguments may be wrapped in, each with the rule."""
    if not reader.root.accepts("object"):
        return
    coercion, apply = reader.coercion, reader.texts.apply
    if coercion.empty_arguments and null_word(value) is None:
        yield "empty_arguments", {}
    if isinstance(value, str) and coercion.json_text:
        loosely = (loose_json_text,) if coercion.loose_json_text else ()
        for function in (json_text, *loosely):
            inner = apply(function, value)
            if inner is not value:
                yield from _unwrap(reader, inner)
    if coercion.listed_arguments and _is_list_of_one(value):
        yield "listed_arguments", value[0]
    if type(value) is dict:
        yield from _open_envelopes(reader, value)
        if coercion.envelope:
            yield from _as_only_text(reader, value)
    elif type(value) is list:
        yield from _as_parameter(reader, value)


def _is_list_of_one(value: Any) -> bool:
    return type(value) is list and len(value) == 1 and type(value[0]) is dict


def _open_envelopes(reader: Reader, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the contents of envelopes, and the object that the members of a call may be."""
    coercion, apply = reader.coercion, reader.texts.apply
    parts = Parts.in_place([reader.root])
    if any(map(parts.declares, value)):
        return

    def parse(text: Any) -> Any:
        return apply(json_text, text) if coercion.json_text else text

    def unlisted(content: Any) -> Any:
        listed = parse(content)
        return listed[0] if coercion.listed_arguments and _is_list_of_one(listed) else content

    if not ENVELOPES.isdisjoint(value) and (coercion.envelope or coercion.sole_envelope):
        for inner, is_sole in contents(value, parts.names, reader.rules.name, parse):
            if coercion.sole_envelope and is_sole:
                yield "sole_envelope", unlisted(inner)
            if coercion.envelope:
                yield "envelope", inner
                yield from _as_parameter(reader, parse(inner))
    elif coercion.sole_envelope:
        certain = reachable([reader.root], Node.conjuncts)
        required = {name for part in certain for name in part.required}
        proven = proven_content(value, parts.names, required, parse)
        if proven is not None:
            yield "sole_envelope", proven
    yield from _as_parameter(reader, value)


def _as_parameter(reader: Reader, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arguments in which an object or list may be the only required parameter."""
    kind = type_of(value)
    if not (reader.coercion.flattened_object and value and kind in {"object", "array"}):
        return
    name, nodes = _only_required(reader)
    if (
        nodes
        and not (kind == "object" and name in value)
        and all(node.accepts(kind) and not node.accepts("string") for node in nodes)
    ):
        yield "flattened_object", {name: value}


def _as_only_text(reader: Reader, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments where a text in an envelope may be the only required one, a string."""
    name, nodes = _only_required(reader)
    kinds = {kind for node in nodes for part in node.all_in_place() for kind in part.expected_types}
    if kinds != {"string"}:
        return
    text = only_argument(value, Parts.in_place([reader.root]).names)
    if text is not None:
        yield "envelope", {name: text}


def _only_required(reader: Reader) -> tuple[str, tuple[Node, ...]]:
    """Return the only required parameter, and its subschemas; none if there are several."""
    required = {name for part in reader.root.all_in_place() for name in part.required}
    name = required.pop() if len(required) == 1 else ""
    return name, reader.root.property_subschemas(name) if name else ()
