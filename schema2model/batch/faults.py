"""What Arrow and stores say when something cannot be read or written, in words of our own."""

from __future__ import annotations

import errno
import os
import re

__all__ = ["told_by"]

_SAID_BY_STORE = re.compile(r"\b(?:AWS Error|GCS Error|Azure Error)\s+([A-Z_]{2,60})\b")

_WORDS = (  # what Arrow says, in part, and what that means
    ("truncated", "it ends in the middle of its compressed data"),
    ("magic bytes", "it is not Parquet, or cut off"),
    ("unrecognized filesystem", "there is no kind of store of that name"),
    ("inflate", "its compressed data are damaged"),
    ("zstd", "its compressed data are damaged"),
    ("parquet", "it is damaged"),
    ("embedded nul", "its name has a NUL character"),
    ("utf-8", "its name is not UTF-8"),
    ("utf8", "its name is not UTF-8"),
)


def told_by(error: BaseException) -> str:
    """What went wrong, without the words and paths of the library that met it.

    >>> told_by(FileNotFoundError(2, "Failed to open local file 'a'. Detail: [errno 2] ..."))
    'there is no such file'
    """
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return "there is no such file"
    if isinstance(number, int):
        return _of_system(number)
    said = str(error)
    if code := _SAID_BY_STORE.search(said):
        return f"the store answers {code[1]}"
    found = (words for part, words in _WORDS if part in said.lower())
    return next(found, f"it is damaged, or does not answer ({type(error).__name__})")


def _of_system(number: int) -> str:
    """What the system calls an error, as a part of a sentence."""
    words = os.strerror(number)
    return words[:1].lower() + words[1:]
