"""The spellings of names and words: case, separators, common abbreviations."""

from __future__ import annotations

import re

__all__ = ["ABBREVIATIONS", "name_spelling", "spelling", "words"]

_SEPARATOR = re.compile(r"(?<=[^\W\d_])[\s_\\-]+(?=[^\W\d_])")
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")
ABBREVIATIONS = {
    word: short
    for short, *long in (
        *(("addr", "address"), ("amt", "amount"), ("app", "application"), ("arg", "argument")),
        *(("args", "arguments"), ("attr", "attribute"), ("avg", "average"), ("cmd", "command")),
        *(("config", "configuration"), ("db", "database"), ("desc", "description")),
        *(("dest", "destination", "dst"), ("dir", "directory"), ("doc", "document")),
        *(("env", "environment"), ("ext", "extension"), ("func", "function")),
        *(("id", "identifier"), ("idx", "index"), ("img", "image"), ("info", "information")),
        *(("lang", "language"), ("lat", "latitude"), ("len", "length"), ("loc", "location")),
        *(("lon", "longitude", "lng"), ("max", "maximum"), ("min", "minimum")),
        *(("msg", "message"), ("num", "number"), ("org", "organization"), ("param", "parameter")),
        *(("params", "parameters"), ("pkg", "package"), ("prev", "previous"), ("qty", "quantity")),
        *(("ref", "reference"), ("repo", "repository"), ("req", "request"), ("src", "source")),
        *(("spec", "specification"), ("temp", "temperature"), ("val", "value")),
    )
    for word in long
}
"""Common abbreviations, by the words."""


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
