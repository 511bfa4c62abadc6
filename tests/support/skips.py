"""Why tests may be skipped, and how many at most for each reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MOST = {
    r"needs .+|(.+: )?(No module named|cannot import) .+|.+ is not installed": 1_450,
    r"could not import .+": 200,
    r"npm cannot install .+": 20,
    r".*\b(the extra|need the extra|the SDK)( .+)?|--no-official-suite was given": 200,
    r"\w+ (wraps|makes|has|checks) no .+|\S+ (refuses it: .+|reads something else)": 200,
    r"(.*[ .])?\d\.(x|\d+) .+|the syntax is of Python .+|.*\bmcp 2\b.*": 60,
    r".*(POSIX|Linux|Windows|/proc|other systems|full disk|\.ci/run).*": 20,
    r"root may read everything|the tests run in the background .+": 5,
}
"""What is missing, here or in a framework, an older version, a system or a user; and how often."""


def too_many(reasons: Iterable[str]) -> list[str]:
    """Lines that name the reasons of too many skipped tests, and those that nobody foresaw.

    >>> too_many(["needs git", "agno wraps no servers", "flaky"])
    ['1 skipped, where at most 0 may be: flaky']
    """
    found: Counter[str] = Counter()
    for reason in reasons:
        line = reason.removeprefix("Skipped: ").splitlines()[0]
        known = next((each for each in MOST if re.fullmatch(each, line)), line)
        found[known] += 1
    return [
        f"{count} skipped, where at most {MOST.get(known, 0)} may be: {known}"
        for known, count in found.items()
        if count > MOST.get(known, 0)
    ]
