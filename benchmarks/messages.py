"""Whether the message of a refusal is enough to mend the call: `python -m benchmarks.messages`.

A scripted model reads the message and nothing else, and does what it says: it renames, moves,
leaves out, and sends the choice or value that is made of what was sent. Other values are those "of
the request": messages show none, as real models copy what they see. It may answer `MAX_ATTEMPTS`
times for each call of `tests/coerce/diagnosis/wrong_calls.json`; a call that ends valid is mended.

The properties are those by which real models were found to follow messages, and the length is what
a message costs; docs/messages.md has the figures of the real models.
"""

from __future__ import annotations

import copy
import json
import pathlib
import re
import statistics
from collections.abc import Mapping
from typing import Any

from schema2model import ToolError, compile_schema

__all__ = ["mended", "message_of", "next_call", "properties", "token_count"]

WRONG_CALLS = (
    pathlib.Path(__file__).parent.parent / "tests" / "coerce" / "diagnosis" / "wrong_calls.json"
)

MAX_ATTEMPTS = 3
"""Answers that the scripted model may give to one wrong call."""

MAX_TOKENS = 60
"""The tokens of a message in the median, at most."""

_NAME = r'"(?:[^"\\]|\\.)*"'
_LINE = re.compile(
    r"^- (?P<path>the arguments|/.*?)(?:: must be (?P<wanted>.*?), not (?P<found>.*?)"
    r"(?:; (?P<advice>(?:send|write it|leave it out).*))?"
    rf"|: .* is not accepted; did you mean (?P<meant>{_NAME})\? It must be .*"
    r"|(?P<missing> is missing): add it.*)$"
)
_NAMES = re.compile(
    rf"^- (?:(?P<owner>/.*?): )?(?:rename (?P<old>{_NAME}) to (?P<new>{_NAME})"
    rf"|leave (?P<unknown>{_NAME}) out: .*|leave the item with the index (?P<index>\d+) out: .*"
    rf"|there is no argument (?P<wrapper>{_NAME}): take (?P<taken>.*) out of .*"
    rf"|(?P<moved>{_NAME}(?:, {_NAME})*) must stand inside (?P<inside>{_NAME}), which .*)$"
)
_SEND = re.compile(r"^(?:send|write it like) (.*?)(?:, with the values from the request)?$")
_UNQUOTED = re.compile(r"(?:an integer|a number|true or false)\b")
"""What weak models put into quotes."""
_SINGLE = re.compile(r"(?:for example|such as|would be accepted)")


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
        request = {issue.place: issue.example for issue in error.issues}
        arguments = next_call(arguments, str(error), request)
    return 0


def properties(message: str) -> dict[str, bool]:
    """Whether a message has the properties that real models need, where they apply."""
    header, *lines = message.split("\n")
    end = "\n".join(lines[-1:])
    values = [found for line in lines if (found := _LINE.match(line))]
    told = {
        "names the tool": header.startswith("Error parsing arguments for `"),
        "offers no value of its own": not _SINGLE.search(message),
        "asks for another try": end == "Fix the errors and try again." or "valid JSON" in end,
    }
    for line in values:
        if line["missing"]:
            told["takes what is missing from the request"] = "from the request" in line[0]
        elif ', not "' in line[0] and _UNQUOTED.match(line["wanted"] or ""):
            told["says how numbers and booleans are written"] = (
                "without quotes" in line[0] or " or " in line["wanted"]
            )
    return told


def token_count(message: str) -> int:
    """The tokens of a message, roughly: signs, and words in pieces of six letters."""
    return len(re.findall(r"\w{1,6}|[^\w\s]", message))


def next_call(arguments: Any, message: str, request: Mapping[str, Any] | None = None) -> Any:
    """The arguments that the scripted model sends after a message.

    `request` has the values that the user wants, by their places.
    """
    arguments = copy.deepcopy(arguments)
    for line in reversed(message.split("\n")[1:]):  # so that indices stay right
        if found := _NAMES.match(line):
            _rearrange(_at(arguments, _tokens(found["owner"] or "")), found)
        elif found := _LINE.match(line):
            arguments = _changed(arguments, found, request or {})
    return arguments


def _tokens(path: str) -> list[str]:
    tokens = path.removeprefix("the arguments").split("/")[1:]
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def _at(value: Any, tokens: list[str]) -> Any:
    """The container at a path; what a text spells takes its place."""
    for token in tokens:
        key: Any = int(token) if isinstance(value, list) else token
        if isinstance(value[key], str):
            value[key] = json.loads(value[key])
        value = value[key]
    return value


def _rearrange(owner: Any, line: re.Match[str]) -> None:
    """Rename, leave out or move members, as a line says."""
    if line["old"]:
        owner[json.loads(line["new"])] = owner.pop(json.loads(line["old"]))
    elif line["unknown"]:
        del owner[json.loads(line["unknown"])]
    elif line["index"]:
        del owner[int(line["index"])]
    elif line["wrapper"]:
        owner |= owner.pop(json.loads(line["wrapper"]))
    else:
        inner = owner.setdefault(json.loads(line["inside"]), {})
        inner |= {name: owner.pop(name) for name in json.loads(f"[{line['moved']}]")}


def _changed(arguments: Any, line: re.Match[str], request: Mapping[str, Any]) -> Any:
    """The arguments with the value that one line asks for."""
    tokens = _tokens(line["path"])
    if not tokens:
        return _value(line, arguments, request)
    owner = _at(arguments, tokens[:-1])
    key: Any = int(tokens[-1]) if isinstance(owner, list) else tokens[-1]
    if (line["advice"] or "") == "leave it out":
        del owner[key]
    elif (line["wanted"] or "").startswith("a property whose name"):
        owner[request.get(line["path"], key)] = owner.pop(key)
    else:
        sent = None if line["missing"] else owner[key]
        owner[key] = _value(line, sent, request)
    return arguments


def _value(line: re.Match[str], sent: Any, request: Mapping[str, Any]) -> Any:
    """The value that a line asks for: what it is made of, or else that of the request."""
    if line["meant"]:
        return json.loads(line["meant"])
    if made := _SEND.match(line["advice"] or ""):
        try:
            return json.loads(made[1])
        except ValueError:  # a shape
            pass
    if (value := request.get(line["path"])) is not None:
        return value
    try:
        return json.JSONDecoder().raw_decode((line["wanted"] or "").removeprefix("one of "))[0]
    except ValueError:
        return sent


def main() -> None:
    """Print how many calls are mended and which are not, the properties, and the length."""
    calls = json.loads(WRONG_CALLS.read_text("utf-8"))
    attempts = {call["name"]: mended(call) for call in calls}
    by_number = [sum(n == number for n in attempts.values()) for number in range(MAX_ATTEMPTS + 1)]
    share = (len(calls) - by_number[0]) / len(calls)
    print(f"{share:.1%} of {len(calls)} wrong calls are mended by what the message says")
    for number, count in enumerate(by_number[1:], 1):
        print(f"  after {number} answer{'s' * (number > 1)}: {count}")
    for name in (name for name, number in attempts.items() if not number):
        print(f"  never: {name}")
    messages = [message_of(call) for call in calls]
    held = [holds for message in messages for holds in properties(message).values()]
    print(f"{sum(held)} of {len(held)} properties that models need")
    length = statistics.median(map(token_count, messages))
    print(f"{length:.0f} tokens in the median, about; at most {MAX_TOKENS} are wanted")


def message_of(call: dict[str, Any]) -> str:
    """The message that a wrong call gets."""
    compiled = compile_schema(call["schema"], **call.get("options", {}))
    try:
        compiled.validate_json(call["text"]) if "text" in call else compiled.validate(call["sent"])
    except ToolError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    main()
