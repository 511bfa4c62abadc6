"""Names: their spellings, abbreviations, and the known name that another one is likely meant for.

A name may be meant by a slip, in another order of words, with more words or fewer. Shared letters
alone are not evidence: `page` and `parent` share half of theirs. So names are compared word by
word, and two words match only if few letters of many differ.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

from schema2model.limits import (
    MAX_CACHED_NAMES,
    MAX_COMPARED_LENGTH,
    MAX_COMPARED_NAMES,
    MAX_TOOL_NAME,
)
from schema2model.regexes import regex

__all__ = [
    "ABBREVIATIONS",
    "ToolSpellings",
    "Unlikeness",
    "are_opposed",
    "best_unless_tied",
    "has_other_sense",
    "is_respelled",
    "likely",
    "meant",
    "misspelt",
    "name_spelling",
    "nearest",
    "ranked",
    "spelling",
    "suggestion",
    "words",
]

_SEPARATOR = regex(r"(?<=[^\W\d_])[\s_\\-]+(?=[^\W\d_])")
_WORD = regex(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")
ABBREVIATIONS = {
    word: short
    for short, *long in (
        ("addr", "address"),
        ("amt", "amount"),
        ("app", "application"),
        ("arg", "argument"),
        ("args", "arguments"),
        ("attr", "attribute"),
        ("avg", "average"),
        ("cmd", "command"),
        ("config", "configuration"),
        ("db", "database"),
        ("desc", "description"),
        ("dest", "destination", "dst"),
        ("dir", "directory"),
        ("doc", "document"),
        ("env", "environment"),
        ("ext", "extension"),
        ("func", "function"),
        ("id", "identifier"),
        ("idx", "index"),
        ("img", "image"),
        ("info", "information"),
        ("lang", "language"),
        ("lat", "latitude"),
        ("len", "length"),
        ("loc", "location"),
        ("lon", "longitude", "lng"),
        ("max", "maximum"),
        ("min", "minimum"),
        ("msg", "message"),
        ("num", "number"),
        ("org", "organization"),
        ("param", "parameter"),
        ("params", "parameters"),
        ("pkg", "package"),
        ("prev", "previous"),
        ("qty", "quantity"),
        ("ref", "reference"),
        ("repo", "repository"),
        ("req", "request"),
        ("src", "source"),
        ("spec", "specification"),
        ("temp", "temperature"),
        ("val", "value"),
    )
    for word in long
}
"""Common abbreviations, by the words."""
_SHORT_WORDS: Final = frozenset(ABBREVIATIONS.values())
_DIRECTIONS: Final = frozenset(
    (
        *("asc", "ascending", "desc", "descending", "forward", "backward", "reverse"),
        *("up", "down", "left", "right", "in", "out", "north", "south", "east", "west"),
    )
)
"""Values of a direction: `dir` and `desc` may be meant for one."""


def spelling(name: str) -> str:
    """Return a name without its case, and without separators between its words.

    >>> spelling("Max-Results "), spelling("max_results")
    ('maxresults', 'maxresults')
    """
    return _SEPARATOR.sub("", name.strip()).casefold()


def name_spelling(name: str) -> str:
    """Return the spelling of a property's name, abbreviated, without signs before or after it.

    >>> name_spelling("_from"), name_spelling("From")
    ('from', 'from')
    >>> name_spelling("environmentVars"), name_spelling("env_vars")
    ('envvars', 'envvars')
    """
    abbreviated = _WORD.sub(lambda word: ABBREVIATIONS.get(word[0].lower(), word[0]), name)
    return spelling(abbreviated).strip("_$") or name


def words(name: str) -> set[str]:
    """Return the words of a name in the singular.

    >>> sorted(words("userIds"))
    ['id', 'user']
    """
    return {spelling(word).removesuffix("s") for word in _WORD.findall(name)}


MAX_WORDS = 8
"""Words of a name that are compared one by one."""

LETTERS_A_SLIP = 4
"""Minimum letters of a word for one slip; twice as many for two."""

MAX_SLIPS = 2

SHORT = 3
"""Minimum letters of a name that may be the beginning of a longer one."""

_CUT_SHORT: Final = (1, 0)
"""How a name differs from one that begins with it."""

_DRAWN_OUT: Final = (1, 1)
"""How a name differs from one with which it begins."""

_CAMEL: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS: Final = regex(r"[^\W\d_]+|\d+|[^\w\s./:-]+")
_NEGATIONS: Final = frozenset(
    (
        *("no", "non", "not", "without", "never", "un", "off", "anti", "except", "unless"),
        *("dont", "don", "doesnt", "isnt", "cannot", "cant", "wont", "shouldnt"),
        *("skip", "disable", "ignore", "deny", "exclude", "omit", "remove", "block", "suppress"),
        *("skipped", "disabled", "ignored", "denied", "excluded", "omitted", "removed", "blocked"),
        *("suppressed", "hidden", "hide", "forbid", "forbidden", "reject", "rejected", "prevent"),
        *("avoid", "ban", "banned", "delete", "deleted", "cancel", "cancelled", "revoke", "mute"),
        *("skipping", "ignoring", "excluding", "stop", "invert", "inverted", "negate", "missing"),
    )
)
"""Words that turn a name into its opposite."""
_NEGATING_WORD: Final = regex(
    r"un(?!i|der|til)[^\W\d_]{3}|in(?:active|valid|complete|correct)"
    r"|dis(?:allow|approv|card|connect|engag|lik|miss|regard)"
)
"""A word that begins like the opposite of another: `unsubscribe`, `inactive`."""
_NEGATED_WORD: Final = regex(r"(?:un|non|in|dis|anti)(?=[^\W\d_]{4})")


_PREFIX: Final = regex(r"(?:functions?|default_api|tools?)[.:_/]?", re.IGNORECASE)
"""Prefixes that some models write before a tool's name."""
_INDEX: Final = regex(r"[:#]\d+\Z")
"""Suffixes that others write after it."""
_NUMBER: Final = regex(r"[:_#-]?\d+\Z")
"""A suffix, or a part of the name."""
_SEPARATORS: Final = regex(r"[^0-9a-z]+")
_BETWEEN_LETTERS: Final = regex(r"(?<!\d)_(?!\d)")


class ToolSpellings:
    """The names of tools in other cases and separators, and with a prefix or an index.

    >>> spellings = ToolSpellings(["create_ticket", "now"])
    >>> spelled = ("createTicket", "create-ticket", "functions.create_ticket:0", "ticket")
    >>> [spellings.find(each) for each in spelled]
    ['create_ticket', 'create_ticket', 'create_ticket', None]
    """

    __slots__ = ("_by_spelling", "_found", "_known", "_numbered")

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._by_spelling: dict[str, list[str]] | None = None
        self._numbered: frozenset[str] = frozenset()
        self._found: dict[str, str] = {}

    def find(self, spelled: str) -> str | None:
        """Return the one tool that a name means; None if there is none, or more than one."""
        if len(spelled) > MAX_TOOL_NAME:
            return None
        name = self._found.get(spelled) or self._meant(spelled)
        if name is not None and len(self._found) < MAX_CACHED_NAMES:
            self._found[spelled] = name
        return name

    def _meant(self, spelled: str) -> str | None:
        spelled = spelled.replace("\\", "").strip(" \t\r\n\"'`*")
        if spelled in self._known:
            return spelled
        spelled = _INDEX.sub("", spelled)
        prefix = _PREFIX.match(spelled)
        begins = prefix.end() if prefix else 0
        named = self._of(spelled, spelled[begins:])
        if named is not None:
            return named
        name = self._of(_NUMBER.sub("", spelled), _NUMBER.sub("", spelled[begins:]))
        return None if name is None or _spelling(name) in self._numbered else name

    def _of(self, *candidates: str) -> str | None:
        """Return the tool with one of these names, or the only one with a name spelt like them."""
        for candidate in candidates:
            if candidate in self._known:
                return candidate
        by_spelling = self._by_spelling
        if by_spelling is None:
            by_spelling = {}
            for name in self._known:
                by_spelling.setdefault(_spelling(name), []).append(name)
            stems = ((each, _NUMBER.sub("", each)) for each in self._known)
            self._numbered = frozenset(_spelling(stem) for each, stem in stems if stem != each)
            self._by_spelling = by_spelling
        for candidate in candidates:
            found = by_spelling.get(_spelling(candidate), ())
            if len(found) == 1:
                return found[0]
        return None


def _spelling(name: str) -> str:
    """Return a name without case and separators, except next to digits: base_64 is not base64."""
    return _BETWEEN_LETTERS.sub("", _SEPARATORS.sub("_", name.lower()))


class _Name(NamedTuple):
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    joined: str
    initials: frozenset[str]
    """The first letters of its words: names that share none are not alike."""
    negations: tuple[str, ...]
    """Those of its words that turn it into its opposite."""


Unlikeness = tuple[int, int]
"""How a name differs from another: in spelling (0), in its end (1), in words (2); and how much."""


def likely(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that may be meant by another, the likeliest first.

    >>> likely("serch", ["search", "search_all", "now"])
    ['search', 'search_all']
    >>> likely("searchQuery", ["query", "search_query", "limit"])
    ['search_query', 'query']
    """
    return [each for _, each in ranked(name, known)]


def meant(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is likelier meant than any other, if there is one.

    >>> meant("max_result", ["max_results", "query"]), meant("page", ["parent", "limit"])
    ('max_results', None)
    """
    return best_unless_tied(ranked(name, known))


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """Return the only known name that another spells otherwise, or is cut short from.

    >>> known = ["additionalProperties", "enum", "minLength"]
    >>> [misspelt(name, known) for name in ("additional_property", "minLen", "enumNames")]
    ['additionalProperties', 'minLength', None]
    """
    return best_unless_tied([(how, each) for how, each in ranked(name, known) if how <= _CUT_SHORT])


def is_respelled(name: str, known: str) -> bool:
    """Return whether a name is a known one in another spelling, with all its words.

    >>> is_respelled("dryRun", "dry_run"), is_respelled("dry_run_mode", "dry_run")
    (True, False)
    """
    return any(how < _CUT_SHORT for how, _ in ranked(name, (known,)))


def has_other_sense(name: str, known: str, value: object) -> bool:
    """Return whether a value shows that one of two names is a word, and no abbreviation.

    >>> has_other_sense("desc", "description", True), has_other_sense("desc", "description", "A")
    (True, False)
    """
    if type(value) is str:
        if value.strip().casefold() not in _DIRECTIONS:
            return False
    elif type(value) is not bool:
        return False
    one, other = (_split_name(each).words[-1:] for each in (name, known))
    return one != other and not _SHORT_WORDS.isdisjoint((*one, *other))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the option or rule that a developer most likely meant, by its letters.

    >>> nearest("colour", ["color", "size"]), nearest("x", ["color", "size"])
    ('color', None)
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

    return next(iter(get_close_matches(name, [*known], 1)), None)


def suggestion(given: object, known: Collection[str]) -> str:
    """Return the advice for an unknown option: the nearest name, or all of them.

    >>> suggestion("lenien", ["default", "lenient"]), suggestion(5, ["default", "lenient"])
    ("did you mean 'lenient'?", 'one of default, lenient')
    """
    near = nearest(given, known) if isinstance(given, str) else None
    return f"did you mean {near!r}?" if near else f"one of {', '.join(known)}"


def best_unless_tied(found: Sequence[tuple[Unlikeness, str]]) -> str | None:
    """Return the best of names that `ranked` returned; None if another is as good."""
    if not found or (len(found) > 1 and found[1][0] == found[0][0]):
        return None
    return found[0][1]


def ranked(name: str, known: Iterable[str], *, keep: bool = True) -> list[tuple[Unlikeness, str]]:
    """Return the known names that may be meant by another, the likeliest first, with how likely.

    With `keep`, the words of known names are kept for the next time: those of a schema may be, but
    not what was sent.
    """
    sent = _split_name(name)
    read = read_once if keep else _split_name
    found = []
    for each in _nearest(name, known):
        other = read(each[:MAX_COMPARED_LENGTH])
        if sent.initials.isdisjoint(other.initials):
            continue
        how = _unlikeness(sent, other)
        if how is not None and not _are_opposed(sent, other):
            found.append((how, each))
    found.sort(key=itemgetter(0))
    return found


def _nearest(name: str, known: Iterable[str]) -> Sequence[str]:
    """Return the names to compare: all, or of more than may be those that begin most alike."""
    names = (*islice(known, 10 * MAX_COMPARED_NAMES),)
    if len(names) <= MAX_COMPARED_NAMES:
        return names
    letters, names = _in_order(names)
    begin = bisect(letters, _letters(name)) - MAX_COMPARED_NAMES // 2
    return names[max(0, min(begin, len(names) - MAX_COMPARED_NAMES)) :][:MAX_COMPARED_NAMES]


@lru_cache(8)
def _in_order(names: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """Return names in the order of their letters, after those letters: those of large toolsets."""
    pairs = sorted(((_letters(name), name) for name in names), key=itemgetter(0))
    return [letters for letters, _ in pairs], tuple([name for _, name in pairs])


def _letters(name: str) -> str:
    """Return a name without case and the usual separators, to find its neighbours."""
    return name[:MAX_COMPARED_LENGTH].casefold().replace("_", "").replace("-", "")


def _split_name(name: str) -> _Name:
    """Return the words of a name, without case, separators, plurals and doubled signs."""
    name = name[:MAX_COMPARED_LENGTH]
    if name.isalpha() and name.islower():
        word = name.casefold()
        words: tuple[str, ...] = (_singular(word),)
        return _Name(words, (), word, frozenset(word[0]), _negations(words))
    found = _WORDS.findall(_CAMEL.sub(" ", name).casefold())
    numbers = tuple(word for word in found if word.isdigit())
    initials = frozenset(word[0] for word in found)
    words = tuple(map(_singular, found))
    return _Name(words, numbers, "".join(found), initials, _negations(words))


read_once = lru_cache(4096)(_split_name)
"""Words of a name, cached for names of schemas; names that were sent may be secret."""


def _singular(word: str) -> str:
    if not word.isalnum():
        return word[0] if {*word} == {word[0]} else word  # a sign, perhaps twice
    if len(word) > SHORT and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) >= SHORT and word[-1] == "s" != word[-2] else word


def negates(name: str) -> bool:
    """Return whether a name turns what it names into its opposite.

    >>> negates("dontSend"), negates("request")
    (True, False)
    """
    return bool(_split_name(name).negations)


def _negations(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([word for word in words if word in _NEGATIONS or _NEGATING_WORD.match(word)])


def are_opposed(name: str, known: str) -> bool:
    """Return whether a name turns a known one into its opposite, or the other way around.

    >>> are_opposed("dont_send", "send"), are_opposed("unread", "read"), are_opposed("to", "from")
    (True, True, False)
    """
    return _are_opposed(_split_name(name), read_once(known))


def _are_opposed(sent: _Name, known: _Name) -> bool:
    """Return whether one name negates the other: `dont_send` and `send`, `unread` and `read`."""
    for one, other in ((sent, known), (known, sent)):
        for word in one.negations:
            if all(_slips(word, each) is None for each in other.words):
                return True
    shorter, longer = sent.joined, known.joined
    if len(shorter) == len(longer):
        return False
    if len(shorter) > len(longer):
        shorter, longer = longer, shorter
    return _NEGATED_WORD.sub("", longer, count=1) == shorter


def _unlikeness(sent: _Name, known: _Name) -> Unlikeness | None:
    """Return how much two names differ; None if neither is likely meant by the other."""
    if len(sent.words) == len(known.words) == 1:
        if sent.joined == known.joined:
            return 0, 0
        slips = _slips(sent.words[0], known.words[0])
        return _beginning(sent, known) if slips is None else (0, 1 + slips)
    fewer, more = (sent, known) if len(sent.words) <= len(known.words) else (known, sent)
    more_words = len(more.words) - len(fewer.words)
    if sent.numbers == known.numbers:
        if _are_same(sent.joined, known.joined):
            return 0, 0
        if more_words and (slips := _slips(sent.joined, known.joined)) is not None:
            return 0, slips
    differing = None
    # most names have a word that is none of the other's, as its first letter or number shows
    if (
        fewer.initials <= more.initials
        and (not fewer.numbers or {*more.numbers}.issuperset(fewer.numbers))
        and len(more.words) <= MAX_WORDS
    ):
        differing = _count_differing(fewer.words, more.words)
        if differing is not None and not more_words:
            return 0, 1 + differing
    begins = _beginning(sent, known)
    if begins is None and differing is not None:
        return 2, more_words + differing
    return begins


def _beginning(sent: _Name, known: _Name) -> Unlikeness | None:
    """Return the distance of two names where one begins with the other; None if neither does."""
    one, other = sent.joined, known.joined
    if SHORT <= len(one) < len(other) and other.startswith(one):
        return _CUT_SHORT
    if SHORT <= len(other) < len(one) and one.startswith(other):
        return _DRAWN_OUT
    return None


def _count_differing(fewer: tuple[str, ...], more: tuple[str, ...]) -> int | None:
    """Count the slips with which each of some words is one of others; None if one is not."""
    left = list(more)
    others = []
    for word in fewer:
        if word in left:
            left.remove(word)
        else:
            others.append(word)
    total = 0
    for word in others:
        counts = ((_slips(word, each), index) for index, each in enumerate(left))
        found = [(count, index) for count, index in counts if count is not None]
        if not found:
            return None
        count, index = min(found)
        total += count
        del left[index]
    return total


def _slips(word: str, other: str) -> int | None:
    """Count the letters that are wrong, missing, too many or swapped; None for another word.

    >>> _slips("limt", "limit"), _slips("external", "internal"), _slips("date", "rate")
    (1, None, None)
    """
    if _are_same(word, other):
        return 0
    if word.isdigit() or word[0] != other[0] or abs(len(word) - len(other)) > MAX_SLIPS:
        return None
    length = max(len(word), len(other))
    if length <= LETTERS_A_SLIP and len(word) == len(other) and sorted(word) != sorted(other):
        return None  # another letter makes another word of a short one
    return _edits(word, other, min(length // LETTERS_A_SLIP, MAX_SLIPS))


def _are_same(word: str, other: str) -> bool:
    return word == other or ABBREVIATIONS.get(word, word) == ABBREVIATIONS.get(other, other)


def _edits(text: str, other: str, allowed: int) -> int | None:
    """Count the edits that make one text another; None if there are more than allowed."""
    if text == other:
        return 0
    shorter = min(len(text), len(other))
    if allowed == 0 or max(len(text), len(other)) - shorter > allowed:
        return None
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), shorter)
    text, other = text[same:], other[same:]
    ways = [(text[1:], other), (text, other[1:]), (text[1:], other[1:])]
    if text[:2] == other[1::-1]:
        ways.append((text[2:], other[2:]))
    found = [edits for way in ways if (edits := _edits(*way, allowed - 1)) is not None]
    return 1 + min(found) if found else None
