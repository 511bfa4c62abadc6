"""Texts that are valid but for one edit, which random characters seldom are, and how many count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, strategies as st
from searching import examples


@st.composite
def with_one_edit(draw: st.DrawFn, texts: st.SearchStrategy[str], put: list[str]) -> str:
    """A text in which one of `put`, or nothing, is at any place, or in place of a character."""
    text = draw(texts)
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(["", *put])) + text[at + draw(st.integers(0, 1)) :]


_BLANKS = st.sampled_from(["", " ", "\t", "/* x */"])
_WORDS = st.text("ab c1,:[]{}", max_size=5)
_SCALARS = (
    st.sampled_from(["0x1F", "+1", ".5", "5.", "-0", "1e3", "12", "true", "false", "null"])
    | _WORDS.map("'{}'".format)
    | _WORDS.map('"{}"'.format)
)
_KEYS = st.sampled_from(["a", "b1", "_c", '"d e"', "'f'"])


@st.composite
def _enclosed(draw: st.DrawFn, brackets: str, items: st.SearchStrategy[str]) -> str:
    parts = [draw(_BLANKS) + item + draw(_BLANKS) for item in draw(st.lists(items, max_size=4))]
    trailing = draw(st.sampled_from(["", ","])) if parts else ""
    return f"{brackets[0]}{','.join(parts)}{trailing}{brackets[1]}"


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.tuples(_KEYS, _BLANKS, inner).map(lambda parts: "{}{}:{}".format(*parts))
    return _enclosed("[]", inner) | _enclosed("{}", members)


json5_texts = _containers(st.recursive(_SCALARS, _containers, max_leaves=6))
"""Arrays and objects of JSON5, without escapes and line breaks."""


def require_reached(texts: st.SearchStrategy[str], check: Callable[[str], Any]) -> None:
    """Check texts: at least a tenth of them have to reach the assertion, for which `check` is true.

    A property whose premise no text satisfies would hold of anything. Mark the test `hypothesis`.
    """
    reached: list[bool] = []

    @examples(60)
    @given(texts)
    def each(text: str) -> None:
        reached.append(bool(check(text)))

    each()
    assert sum(reached) >= len(reached) / 10, f"{sum(reached)} of {len(reached)} texts"
