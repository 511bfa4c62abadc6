"""Whether the message of a refusal is enough to mend the call: `python -m benchmarks.messages`.

A scripted model reads the message and nothing else, and does what it says: it puts the example or
choice that is named in its place, renames, or leaves out. Of what is not said it knows only what
the types of JSON look like. It may answer `MAX_ATTEMPTS` times for each call of
`tests/coerce/diagnosis/wrong_calls.json`; a call that ends valid is mended.
"""

from __future__ import annotations

import copy
import json
import pathlib
import re
from typing import Any

from schema2model import compile_schema

__all__ = ["mended", "next_call"]

WRONG_CALLS = (
    pathlib.Path(__file__).parent.parent / "tests" / "coerce" / "diagnosis" / "wrong_calls.json"
)

MAX_ATTEMPTS = 3
"""Answers that the scripted model may give to one wrong call."""

_LINE = re.compile(
    r"^- (?P<path>the arguments|/.*?): expected (?P<wanted>.*?), found (?P<found>.*?)"
    r"(?:; (?P<advice>(?:for example|rename|leave it out|send |move it).*))?$"
)
_EXAMPLE = re.compile(r"^for example (.*) would be accepted$")
_RENAME = re.compile(r"^rename (.+) to (\".*\")$")
_SEND = re.compile(r"^send (\{.*\})$")
_UNWRAP = "send its members in place of it"
_MOVE = re.compile(r"^move it to (/.*)$")
_DID_YOU_MEAN = re.compile(r"\(did you mean (\".*\")\?\)")
_NUMBER = re.compile(r"(?:at least|at most|from|multiple of) (-?[0-9]+(?:\.[0-9]+)?)")
_OF_TYPE: dict[str, Any] = {
    "integer": 1,
    "number": 1,
    "a number": 1,
    "string": "text",
    "text": "text",
    "boolean": True,
    "null": None,
    "array": [],
    "object": {},
}
"""What a value of a type looks like to one who knows no more of it."""
_DECODER = json.JSONDecoder()


def mended(call: dict[str, Any]) -> int:
    """The number of answers after which a wrong call is valid; 0 if it never is."""
    compiled = compile_schema(call["schema"], **call.get("options", {}))
    try:
        arguments = call["sent"] if "sent" in call else json.loads(call["text"])
    except ValueError:
        arguments = {}  # a model that is told so sends another text
    for attempt in range(MAX_ATTEMPTS + 1):
        error = compiled.explain(arguments).error
        if error is None:
            return max(attempt, 1)
        arguments = next_call(arguments, str(error))
    return 0


def next_call(arguments: Any, message: str) -> Any:
    """The arguments that the scripted model sends after a message."""
    arguments = copy.deepcopy(arguments)
    lines = [found for line in message.split("\n")[1:] if (found := _LINE.match(line))]
    for line in reversed(lines):  # so that indices stay right where items are left out
        tokens = [
            token.replace("~1", "/").replace("~0", "~")
            for token in line["path"].removeprefix("the arguments").split("/")[1:]
        ]
        arguments = _changed(arguments, tokens, line)
    return arguments


def _changed(arguments: Any, tokens: list[str], line: re.Match[str]) -> Any:
    """The arguments with what one line asks for."""
    if not tokens:
        send = _SEND.match(line["advice"] or "")
        return json.loads(send[1]) if send else _value(line, arguments)
    owner = arguments
    for token in tokens[:-1]:
        key = int(token) if isinstance(owner, list) else token
        if isinstance(owner[key], str):  # the message speaks of what a text spells
            owner[key] = json.loads(owner[key])
        owner = owner[key]
    key: Any = int(tokens[-1]) if isinstance(owner, list) else tokens[-1]
    advice, wanted = line["advice"] or "", line["wanted"]
    no_property = wanted.startswith("no property of this name")
    if _is_rearranged(arguments, owner, key, advice):
        return arguments
    if rename := _RENAME.match(advice):
        old = key if rename[1] == "it" else json.loads(rename[1])
        owner[json.loads(rename[2])] = owner.pop(old)
    elif no_property and (meant := _DID_YOU_MEAN.search(wanted)):
        owner[json.loads(meant[1])] = owner.pop(key)
    elif advice.startswith("leave it out") or no_property or wanted == "nothing here":
        del owner[key]
    elif "name for this property" in wanted:
        owner[_value(line, key)] = owner.pop(key)
    elif isinstance(owner, list) or key in owner or line["found"] == "nothing":
        sent = owner[key] if isinstance(owner, list) or key in owner else None
        owner[key] = _value(line, sent)
    return arguments


def _is_rearranged(arguments: Any, owner: Any, key: Any, advice: str) -> bool:
    """Send an object in another, or move a member, if the advice says so."""
    send, move = _SEND.match(advice), _MOVE.match(advice)
    if send:  # in the place of the object that lacks a member
        owner.clear()
        owner |= json.loads(send[1])
    elif advice == _UNWRAP:
        owner |= owner.pop(key)
        return True
    elif move:
        *parents, last = move[1].split("/")[1:]
        target = arguments
        for parent in parents:
            target = target.setdefault(parent, {})
        target[last] = owner.pop(key)
    return bool(send or move)


def _value(line: re.Match[str], sent: Any) -> Any:
    """The value that a line asks for."""
    if example := _EXAMPLE.match(line["advice"] or ""):
        return json.loads(example[1])
    wanted = line["wanted"].rpartition("property: ")[2]
    if meant := _DID_YOU_MEAN.search(wanted):
        return json.loads(meant[1])
    if required := re.match(r"the required property (\".*\")", wanted):
        return {**sent, json.loads(required[1]): "text"} if isinstance(sent, dict) else sent
    try:
        return _DECODER.raw_decode(wanted.removeprefix("one of "))[0]
    except ValueError:
        pass
    if number := _NUMBER.search(wanted):
        size = json.loads(number[1])
        if "character" in wanted and isinstance(sent, str):
            return sent[:size].ljust(size, "x") if "at least" in wanted else sent[:size]
        if "item" in wanted and isinstance(sent, list):
            return sent[:size] if "at most" in wanted else [*sent, *sent][:size]
        return size
    kind = next((kind for kind in _OF_TYPE if wanted.startswith(kind)), None)
    return sent if kind is None else copy.deepcopy(_OF_TYPE[kind])


def main() -> None:
    """Print how many calls are mended, and which are not."""
    calls = json.loads(WRONG_CALLS.read_text("utf-8"))
    attempts = {call["name"]: mended(call) for call in calls}
    by_number = [sum(n == number for n in attempts.values()) for number in range(MAX_ATTEMPTS + 1)]
    share = (len(calls) - by_number[0]) / len(calls)
    print(f"{share:.1%} of {len(calls)} wrong calls are mended by what the message says")
    for number, count in enumerate(by_number[1:], 1):
        print(f"  after {number} answer{'s' * (number > 1)}: {count}")
    for name in (name for name, number in attempts.items() if not number):
        print(f"  never: {name}")


if __name__ == "__main__":
    main()
