"""What models and transports do to arguments: from a correct call to the texts that arrive.

A corruption yields pairs of argument text and the arguments that were meant, or `REFUSE` where
nobody can know. A text that is valid as it stands was not corrupted: `recovery` leaves
it out.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator

__all__ = ["CORRUPTIONS", "HOPELESS", "REFUSE", "Corruption"]

Schema = dict[str, Any]
Call = dict[str, Any]
Path = tuple[str | int, ...]
Corruption = Callable[[Schema, Call], Iterator[tuple[str, Any]]]

REFUSE = object()
"""No arguments: the text has no meaning that one could act on."""


# --------------------------------------------------------------------------- one value of a call
def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value within a call, outermost first; the call itself is none of them."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield (*path, key), child
        if isinstance(child, (dict, list)):
            yield from _places(child, (*path, key))


def _replaced(call: Call, path: Path, value: Any) -> Call:
    call = copy.deepcopy(call)
    inside: Any = call
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return call


def _each(kinds: Any, corrupt: Callable[[Any], Any], *, hopeless: bool = False) -> Corruption:
    """Corrupt each value of these Python types, one at a time."""

    def corruption(_: Schema, call: Call) -> Iterator[tuple[str, Any]]:
        for path, value in _places(call):
            if isinstance(value, kinds) and not (isinstance(value, bool) and kinds != bool):
                corrupted = corrupt(value)
                if corrupted is not None:
                    sent = _replaced(call, path, corrupted)
                    yield json.dumps(sent), REFUSE if hopeless else call

    return corruption


_CONTAINERS = (dict, list)
_NUMBERS = (int, float)
_NULL = type(None)


def _inside_out(value: Any) -> Any:
    """Stringify a container after everything in it that is no string."""
    if isinstance(value, dict):
        return json.dumps({name: _inside_out(item) for name, item in value.items()})
    if isinstance(value, list):
        return json.dumps([_inside_out(item) for item in value])
    return value if isinstance(value, str) else json.dumps(value)


def _nested(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    """Containers that hold others, unless the schema leaves open what an inner value was."""
    check = Draft202012Validator(schema)
    for path, value in _places(call):
        inner = _places(value, path) if isinstance(value, _CONTAINERS) else ()
        texts = [(place, item) for place, item in inner if not isinstance(item, str)]
        if any(isinstance(item, _CONTAINERS) for _, item in texts) and not any(
            check.is_valid(_replaced(call, place, json.dumps(item))) for place, item in texts
        ):
            yield json.dumps(_replaced(call, path, _inside_out(value))), call


def _with_trailing_comma(value: Any) -> str | None:
    text = json.dumps(value)
    return f"{text[:-1]},{text[-1]}" if value else None


def _unquoted(value: str) -> Any:
    """The number or boolean that a string spells, if it spells one in just this way."""
    try:
        scalar = json.loads(value)
    except ValueError:
        return None
    spelled = isinstance(scalar, (int, float)) and json.dumps(scalar) == value
    return scalar if spelled else None


def _without_a_quote(value: Any) -> str | None:
    """Python's text of a container, unless it needs both kinds of quotes."""
    return None if "'" in json.dumps(value) else repr(value)


def _all_values_as_text(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    """Every value of the call, unless the schema leaves open whether one was text all along."""
    sent = {name: v if isinstance(v, str) else json.dumps(v) for name, v in call.items()}
    check = Draft202012Validator(schema)
    changed = [name for name in call if sent[name] is not call[name]]
    if not any(check.is_valid({**call, name: sent[name]}) for name in changed):
        yield json.dumps(sent), call


def _null_for_what_was_left_out(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    for name in schema["properties"].keys() - call.keys():
        yield json.dumps({**call, name: None}), call


# ------------------------------------------------------------------------- the text of a call
def _text(corrupt: Callable[[str], str | None], *, hopeless: bool = False) -> Corruption:
    """Corrupt the text of the whole call."""

    def corruption(_: Schema, call: Call) -> Iterator[tuple[str, Any]]:
        sent = corrupt(json.dumps(call, ensure_ascii=False))
        if sent is not None:
            yield sent, REFUSE if hopeless else call

    return corruption


def _fenced(text: str) -> str:
    return f"Sure, I'll call the tool with these arguments:\n\n```json\n{text}\n```\n"


def _trailing_commas(text: str) -> str:
    return re.sub(r"(?<=[\"\w\]}])([\]}])(?=[\]},]|$)", r",\1", text)


def _python_literal(_: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    yield repr(call), call


def _bare_keys(text: str) -> str:
    return re.sub(r'(?<=[{ ])"(\w+)": ', r"\1: ", text)


def _closers_missing(text: str) -> str | None:
    """Only where the last value is complete: a number might have gone on."""
    cut = text.rstrip("}]")
    return cut if len(text) > len(cut) and cut.endswith(('"', "true", "false", "null")) else None


def _one_closer_missing(text: str) -> str | None:
    return text[:-1] if text.endswith(("}}", "]}")) else None


def _commented(text: str) -> str:
    return (
        text.replace(", ", ", // as asked\n ", 1)
        if '"' not in text.split(", ", 1)[0]
        else ("{ /* as asked */" + text[1:])
    )


def _comma_missing(text: str) -> str | None:
    missing = re.sub(r'(["\d\]}]), "(?=\w+": )', r'\1 "', text, count=1)
    return missing if missing != text else None


def _raw_newlines(_: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    for path, value in _places(call):
        if isinstance(value, str) and " " in value:
            meant = _replaced(call, path, value.replace(" ", "\n"))
            text = json.dumps(meant)
            yield text.replace(r"\n", "\n"), meant


def _cut_off_in_a_string(text: str) -> str | None:
    """The last string that is longer than a word ends half way."""
    strings = list(re.finditer(r'[:,\[] ?"([^"\\]{6,})"(?!:)', text))
    return text[: sum(strings[-1].span(1)) // 2] if strings else None


def _two_calls(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    """A second call that differs in a string which the schema leaves free."""
    for name, value in call.items():
        if isinstance(value, str) and schema["properties"][name] == {"type": "string"}:
            yield json.dumps(call) + json.dumps({**call, name: "another"}), REFUSE
            return


def _required_missing(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    for name in schema.get("required", ()):
        yield json.dumps({key: value for key, value in call.items() if key != name}), REFUSE


def _out_of_bounds(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    for name, property_ in schema["properties"].items():
        if "maximum" in property_ and name in call:
            yield json.dumps({**call, name: str(property_["maximum"] + 1)}), REFUSE


def _unknown_choice(schema: Schema, call: Call) -> Iterator[tuple[str, Any]]:
    for name, property_ in schema["properties"].items():
        if "enum" in property_ and name in call:
            yield json.dumps({**call, name: "whatever"}), REFUSE


CORRUPTIONS: dict[str, Corruption] = {
    "nothing: a correct call": lambda _, call: iter([(json.dumps(call), call)]),
    "list or object as JSON text": _each(_CONTAINERS, json.dumps),
    "… as JSON text, twice": _each(_CONTAINERS, lambda value: json.dumps(json.dumps(value))),
    "… and each value within it too": _nested,
    "… as Python's text": _each(_CONTAINERS, _without_a_quote),
    "… as text with a trailing comma": _each(_CONTAINERS, _with_trailing_comma),
    "number as text": _each(_NUMBERS, json.dumps),
    "number as text with spaces": _each(_NUMBERS, lambda value: f" {json.dumps(value)} "),
    "integer as text with a fraction": _each(int, lambda value: f"{value}.0"),
    "boolean as JSON text": _each(bool, json.dumps),
    "boolean as a word": _each(bool, lambda value: "Yes" if value else "No"),
    "null as a word": _each(_NULL, lambda _: "None"),
    "every value as text": _all_values_as_text,
    "text as a number or boolean": _each(str, _unquoted),
    "text within quotes": _each(str, lambda value: f'"{value}"'),
    "null for what was left out": _null_for_what_was_left_out,
    "the whole call as text": _text(json.dumps),
    "the call within a list": _text(lambda text: f"[{text}]"),
    "prose and a code fence": _text(_fenced),
    "trailing commas": _text(_trailing_commas),
    "Python's text of the call": _python_literal,
    "keys without quotes": _text(_bare_keys),
    "comments": _text(_commented),
    "a comma missing": _text(_comma_missing),
    "line breaks within strings": _raw_newlines,
    "the call twice": _text(lambda text: text + text),
    "one closing bracket missing": _text(_one_closer_missing),
    "all closing brackets missing": _text(_closers_missing),
}
"""What has one meaning."""

HOPELESS: dict[str, Corruption] = {
    "cut off within a string": _text(_cut_off_in_a_string, hopeless=True),
    "two different calls": _two_calls,
    "a required property missing": _required_missing,
    "a number as text, out of bounds": _out_of_bounds,
    "an unknown choice": _unknown_choice,
    "prose where a number belongs": _each(_NUMBERS, lambda _: "about ten", hopeless=True),
    "prose where a list or object belongs": _each(
        _CONTAINERS, lambda _: "the usual ones", hopeless=True
    ),
}
"""What has none."""
