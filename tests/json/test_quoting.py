"""Names and values of strangers neither steer a terminal nor break a line of a message."""

from __future__ import annotations

import pytest

from schema2model import ToolError, compile_schema
from schema2model.json.quoting import printable

HOSTILE = ["\x1b[2J", "\x7f", "\x85", "\u2028", "\u202e", "\u200b", "\r\n", "\x00", "\ud800"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_message_is_printable(text: str) -> None:
    """Whether the text is a name, a part of a path, a value or the tool's own name."""
    inner = {"properties": {"n": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}
    compiled = compile_schema({"additionalProperties": inner}, name=f"tool{text}")
    for value in ({f"a{text}": {"n": "x"}}, {"a": {f"b{text}": "x"}}, {"a": {"n": f"x{text}"}}):
        with pytest.raises(ToolError) as refused:
            compiled.validate(value)
        message = str(refused.value)
        assert message.replace("\n", "").isprintable(), ascii(message)
        assert len(message.splitlines()) == 2


def test_printable_text_is_unchanged() -> None:
    """In any script."""
    text = 'Zürich 東京 \N{GRINNING FACE} "quoted" back\\slash'
    assert printable(text) == text
