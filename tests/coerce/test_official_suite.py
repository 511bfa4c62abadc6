"""The official JSON Schema test suite: our verdicts are its verdicts, case by case.

All that is required must pass; what is optional and does not is listed in `KNOWN`, with reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from official_suite import DRAFTS, Group, Suite, SuiteError, groups, remotes, suite
from oracle import same

from schema2model import CompiledSchema, ToolError, compile_schema

README = Path(__file__).parents[2] / "README.md"
_CONTENT = "an annotation since 2019-09; we do not look into strings in draft 7 either"
_FORMAT = "the option `formats` says whether formats are checked, not the meta-schema"
_JSON = "validation of string-encoded content based on media type"
_BASE64 = "validation of binary string-encoding"
_BOTH = "validation of binary-encoded media type documents"
_CUSTOM = "schema that uses custom metaschema with format-assertion: {}"

KNOWN: dict[tuple[str, str, str, str], str] = {
    ("draft7", "optional/content", _JSON, "an invalid JSON document"): _CONTENT,
    (
        "draft7",
        "optional/content",
        _BASE64,
        "an invalid base64 string (% is not a valid character)",
    ): _CONTENT,
    (
        "draft7",
        "optional/content",
        _BOTH,
        "a validly-encoded invalid JSON document",
    ): _CONTENT,
    (
        "draft7",
        "optional/content",
        _BOTH,
        "an invalid base64 string that is valid JSON",
    ): _CONTENT,
    (
        "draft2020-12",
        "optional/format-assertion",
        _CUSTOM.format("false"),
        "format-assertion: false: invalid string",
    ): _FORMAT,
    (
        "draft2020-12",
        "optional/format-assertion",
        _CUSTOM.format("true"),
        "format-assertion: true: invalid string",
    ): _FORMAT,
}
"""Draft, file, group and case, and why our verdict is another one."""

Case = tuple[Group, dict[str, Any]]


class Official:
    """The suite, and a way to compile its schemas."""

    def __init__(self, files: Suite) -> None:
        self.groups = list(groups(files))
        self.remotes = remotes(files)

    def compiled(self, group: Group, coercion: str) -> CompiledSchema:
        """A group's schema; formats are asserted where that is what the group is about."""
        return compile_schema(
            group.schema,
            coercion=coercion,
            dialect=DRAFTS[group.draft],
            resources=self.remotes if "localhost:1234" in str(group.schema) else {},
            formats="assert" if group.file.startswith("optional/format/") else None,
        )

    def of(self, draft: str, *, optional: bool) -> Iterator[Group]:
        """The groups of a draft, either the required or the optional ones."""
        for group in self.groups:
            if group.draft == draft and group.file.startswith("optional/") == optional:
                yield group


@pytest.fixture(scope="session")
def official(pytestconfig: pytest.Config) -> Official:
    """The suite. Without it the run fails, unless it was told to go without."""
    if pytestconfig.getoption("--no-official-suite"):
        pytest.skip("--no-official-suite was given")
    try:
        return Official(suite())
    except SuiteError as error:
        pytest.fail(str(error), pytrace=False)


def accepts(compiled: CompiledSchema, value: Any) -> bool:
    """Whether there is a result; it is the value then, without coercion."""
    try:
        return same(compiled.validate(value), value)
    except ToolError:
        return False


def named(group: Group, case: dict[str, Any]) -> tuple[str, str, str, str]:
    """What a case is called in `KNOWN`."""
    return group.draft, group.file, group.description, case["description"]


parts = pytest.mark.parametrize(
    ("draft", "optional"),
    [
        pytest.param(draft, optional, id=f"{draft}-{'optional' if optional else 'required'}")
        for draft in DRAFTS
        for optional in (False, True)
    ],
)


@parts
def test_every_verdict_is_that_of_the_suite(official: Official, draft: str, optional: bool) -> None:  # noqa: FBT001
    """Without coercion a schema accepts just what the suite says, and returns it unchanged.

    With coercion, a valid instance comes back (identity), and what comes back is valid (soundness).
    """
    wrong: list[tuple[Any, ...]] = []
    seen = 0
    for group in official.of(draft, optional=optional):
        exact, coercing = official.compiled(group, "off"), official.compiled(group, "default")
        for case in group.cases:
            seen += 1
            known = optional and named(group, case) in KNOWN
            accepted = accepts(exact, case["data"])
            if not known and accepted != case["valid"]:
                wrong.append(named(group, case))
            if exact.is_valid(case["data"]) != accepted:
                wrong.append((*named(group, case), "is_valid"))
            try:
                result = coercing.validate(case["data"])
            except ToolError:
                if case["valid"]:
                    wrong.append((*named(group, case), "refused"))
                continue
            if case["valid"] and not same(result, case["data"]):
                wrong.append((*named(group, case), "changed", result))
            if not accepts(exact, result):
                wrong.append((*named(group, case), "unsound", result))
    assert seen > 200
    assert not wrong


def test_the_readme_says_how_many_cases_are_required(official: Official) -> None:
    """All of them, in every draft."""
    required = [group for draft in DRAFTS for group in official.of(draft, optional=False)]
    count = sum(len(group.cases) for group in required)
    assert f"all {count:,} required cases" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, marks=pytest.mark.xfail(reason=reason), id="-".join(place))
        for place, reason in KNOWN.items()
    ],
)
def test_what_is_known_to_differ_still_does(
    official: Official, place: tuple[str, str, str, str]
) -> None:
    """Each case that we judge otherwise is named with its reason; the list only gets shorter."""
    ((group, case),) = (
        (group, case)
        for group in official.groups
        for case in group.cases
        if named(group, case) == place
    )
    assert accepts(official.compiled(group, "off"), case["data"]) == case["valid"]
