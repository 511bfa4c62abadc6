# ruff: noqa: D103, S311 - the names state the promises; nothing here is a secret
"""The law of conservation: nothing of a text is lost, and nothing is invented."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator

import pytest
from conservation import LostError, replay
from damages import DAMAGES, SCHEMA, calls
from edited_texts import json5_texts, require_reached, with_one_edit
from hypothesis import example, given, note, strategies as st

from schema2model import ToolError, compile_schema
from schema2model.coerce.node_view import NodeView
from schema2model.errors import TextError
from schema2model.json.equality import type_exact_equal
from schema2model.text.grammars import readings
from schema2model.text.repair.edits import Token

TOOL = compile_schema(SCHEMA)
SCHEMA_VIEW = NodeView((TOOL._engine.root,))

SYNTAX = [
    *"{}[](),:;\"'\\ \n-+.#=`",
    *('"a"', "'b'", "a", "1", "0x1F", "+.5", "true", "None", '{"a":', '"}', '"path":'),
    *("//", "/*", "*/", "```", "\\n", "\\d", "\\u0041", "“", "”", "<|", "dict(", "r'"),
]
syntax = st.lists(st.sampled_from(SYNTAX), max_size=40).map("".join)


def account(text: str) -> int:
    """Replay every reading of a text, and return how many there are."""
    number = 0
    try:
        for reading in readings(text, SCHEMA_VIEW):
            if tokens := reading.covering_tokens():
                replay(reading.text, tokens)
                number += 1
    except TextError:
        pass
    return number


def damaged(
    call: dict[str, object], seed: int, *, unique: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield each kind of damage and the damaged call. A failure's last note is the kind."""
    for kind, (has_one_reading, damage) in DAMAGES.items():
        if has_one_reading or not unique:
            note(kind)
            yield kind, damage(call, random.Random(seed))


@given(call=calls, seed=st.integers(0, 2**32))
def test_every_reading_of_a_damaged_call_accounts_for_its_text(
    call: dict[str, object], seed: int
) -> None:
    for _, text in damaged(call, seed):
        account(text)


@given(syntax)
@example('{"a": "x" + "y", b: (1, \'z\'),}')
@example("[r''")
@example('{"path": "\\ud800"\\udc00"}')
def test_every_reading_of_any_text_accounts_for_it(text: str) -> None:
    account(text)


@pytest.mark.hypothesis
def test_every_reading_of_a_text_with_one_edit_accounts_for_it() -> None:
    texts = calls.map(json.dumps) | calls.map(repr) | json5_texts
    require_reached(with_one_edit(texts, SYNTAX), account)


@given(call=calls, seed=st.integers(0, 2**32))
def test_a_damage_with_one_careful_reading_is_undone_or_refused(
    call: dict[str, object], seed: int
) -> None:
    """The result is the call before the damage, or a refusal."""
    for kind, text in damaged(call, seed, unique=True):
        with contextlib.suppress(ToolError):
            result = TOOL.validate_json(text)
            assert type_exact_equal(json.loads(json.dumps(result)), json.loads(json.dumps(call))), (
                kind
            )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('{"a": 1}', [Token(0, 1, "{"), Token(1, 5, '"a":'), Token(7, 8, "}")]),
        ('{"a": 1}', [Token(0, 8, '{"a": 12}')]),
        ('["ab"]', [Token(0, 1, "["), Token(1, 5, '"a"'), Token(5, 6, "]")]),
        ('["a b"]', [Token(0, 1, "["), Token(1, 6, '"ab"'), Token(6, 7, "]")]),
        ("[x, 1]", [Token(0, 1, "["), Token(1, 3, ""), Token(4, 5, "1"), Token(5, 6, "]")]),
        ("[1]", [Token(0, 1, "["), Token(1, 2, "1"), Token(2, 2, ',"b"'), Token(2, 3, "]")]),
        ("[1, 2]", [Token(0, 1, "["), Token(1, 2, "1"), Token(5, 6, "]")]),
    ],
    ids=[
        *("a number lost", "a digit invented", "a letter lost", "a blank lost", "a word dropped"),
        *("a string invented", "an item lost"),
    ],
)
def test_the_replay_denies_what_is_lost_or_invented(text: str, tokens: list[Token]) -> None:
    with pytest.raises(LostError):
        replay(text, tokens)
