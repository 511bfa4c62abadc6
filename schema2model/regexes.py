"""Regular expressions that are compiled when they are first used.

A process that mends one text needs a few of the hundreds that the grammars have: to compile them
all would take longer than to mend hundreds of texts. The dozen that nearly every text needs are
ordinary ones, which answer faster.
"""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["LazyPattern", "regex"]


class LazyPattern:
    """A regular expression with the attributes of `re.Pattern`, compiled for the first of them."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _ATTRIBUTES:
            raise AttributeError(name)
        compiled = re.compile(*self._source)
        vars(self).update({each: getattr(compiled, each) for each in _ATTRIBUTES})
        return getattr(compiled, name)


_ATTRIBUTES = [name for name in dir(re.Pattern) if name[0] != "_"]


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""Return a regular expression that is compiled when it is first used.

    >>> regex(r"\d+").findall("1 and 23")
    ['1', '23']
    """
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
