"""The regular expressions of the package take bounded time for any text."""

from __future__ import annotations

import contextlib
import copy
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from waiting import rounds

import schema2model
from schema2model import compile_schema
from schema2model.regexes import LazyPattern, regex

LENGTH = 24
"""Characters: enough for an exponential search to take a second."""
SLOW = 5_000_000
"""Rounds of an empty loop that no search takes: some 0.1 seconds where nothing else runs."""
PREFIXES = ("", '"', "{", "[", "<", "a", "urn:", "http://a/", "\\", "(", "```")
ALWAYS = "a0 ."


def modules() -> Iterator[Any]:
    """Every module of the package that can be imported here."""
    for module in pkgutil.walk_packages(schema2model.__path__, "schema2model."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                yield importlib.import_module(module.name)


def patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern of text that is a constant of a module, or in a tuple or mapping there."""
    found = {}
    for module in modules():
        for name, constant in vars(module).items():
            several = constant if isinstance(constant, tuple) else (constant,)
            several = tuple(constant.values()) if type(constant) is dict else several
            for each in several:
                if isinstance(each, re.Pattern | LazyPattern) and isinstance(each.pattern, str):
                    found.setdefault(each.pattern, (f"{module.__name__}.{name}", each))
    return dict(found.values())


def slow(pattern: re.Pattern[str]) -> str | None:
    """A text for which a pattern searches long."""
    characters = sorted({*ALWAYS, *(each for each in pattern.pattern if each.isascii())})[:24]
    pairs = [(one + other) * (LENGTH // 2) for one in characters for other in characters]
    begun = time.process_time()
    for text in (f"{prefix}{pair}\1" for prefix in PREFIXES for pair in pairs):
        pattern.fullmatch(text)
        ended = time.process_time()
        if ended - begun > 0.02 and rounds(lambda t=text: pattern.fullmatch(t), SLOW) > SLOW:
            return text
        begun = time.process_time()
    return None


def test_no_pattern_searches_without_end() -> None:
    """Repeated pairs of the characters that it names, after the prefixes of what it reads."""
    known = patterns()
    assert len(known) > 100
    assert not {name: found for name, each in known.items() if (found := slow(each))}


def test_the_search_finds_an_exponential_pattern() -> None:
    """The oracle of the test above."""
    assert slow(re.compile("(?:a+)*"))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_lazy_pattern_behaves_as_a_compiled_one(duplicate: Callable[[Any], Any]) -> None:
    """Before it is compiled and after, and so does a copy; it lacks what a pattern lacks."""
    given = (r"(?P<word>\w+)!", re.IGNORECASE)
    eager, lazy = re.compile(*given), regex(*given)
    for each in (duplicate(lazy), lazy, duplicate(lazy)):
        assert each.sub(r"<\1>", "a! b!") == eager.sub(r"<\1>", "a! b!") == "<a> <b>"
        assert (each.pattern, each.flags, each.groups) == (eager.pattern, eager.flags, 1)
        assert not hasattr(each, "matches")


@pytest.mark.parametrize("keyword", ["$id", "$ref", "$schema", "$anchor", "$dynamicRef"])
@pytest.mark.parametrize("uri", ["urn:{}!", "http://a/{}!", "http://a/{}/%", "{}!", "#{}!"])
def test_a_long_uri_is_compiled_or_refused_at_once(keyword: str, uri: str) -> None:
    """Whatever its characters are."""

    def compiled(schema: dict[str, str]) -> None:
        with contextlib.suppress(schema2model.SchemaError):
            compile_schema(schema)

    for character in ("a", "a.", "a/", "../", "%41", ":"):
        schema = {"type": "object", keyword: uri.format(character * 2_000)}
        assert rounds(lambda given=schema: compiled(given), SLOW) <= SLOW
