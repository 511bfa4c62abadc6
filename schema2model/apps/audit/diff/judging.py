"""Which of two versions of a schema accept a call, and why the other does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.schema.undeclared import DeclaredNames

__all__ = ["Judgement", "Version", "completed_judgements", "judgements"]


class Judgement(NamedTuple):
    """One difference between two versions that a call shows."""

    kind: str
    """`refused`, `ignored`, `format` or `default` by the new version; `accepted` or `declared` by
    the new version only."""
    path: str
    keyword: str
    words: str


class Version:
    """One version of a schema: what it accepts, and what it declares."""

    def __init__(self, schema: Any, dialect: str | None = None) -> None:
        self.compiled: CompiledSchema = compile_schema(schema, coercion="off", dialect=dialect)
        self._strict = compile_schema(schema, coercion="off", dialect=dialect, formats="assert")
        self._names = DeclaredNames(self.compiled._engine.root)

    def accepts(self, call: Any) -> bool:
        """Return whether a call is valid."""
        return self.compiled.is_valid(call)

    def accepts_formats(self, call: Any) -> bool:
        """Return whether a call is valid with its formats."""
        return self._strict.is_valid(call)

    def undeclared(self, call: Any) -> list[str]:
        """Return the paths of members that a valid call has, and the schema does not declare."""
        return [pointer(each.path) for each in self._names.undeclared(call)]

    def reasons(self, call: Any, *, formats: bool = False) -> Iterator[tuple[str, str, str]]:
        """Yield the paths, keywords and words of what is wrong with an invalid call."""
        try:
            (self._strict if formats else self.compiled).validate(call)
        except ToolError as error:
            for issue in error.issues:
                yield issue.path, issue.keyword, issue.wanted

    def with_defaults(self, call: Any) -> Any:
        """Return a valid call with the defaults of the schema."""
        return self.compiled.with_defaults(call)


def judgements(old: Version, new: Version, call: Any) -> Iterator[Judgement]:
    """Yield the differences that a call shows, if one of the versions means it.

    A version means a call that it accepts, if it declares all of its members.
    """
    before, after = old.accepts(call), new.accepts(call)
    if not (before or after):
        return
    extra_before = old.undeclared(call) if before else []
    extra_after = new.undeclared(call) if after else []
    if before and not extra_before and not after:
        yield from (Judgement("refused", *each) for each in new.reasons(call))
    elif after and not extra_after and not before:
        yield from (Judgement("accepted", *each) for each in old.reasons(call))
    elif before and after and not extra_before:
        for path in extra_after:
            yield Judgement("ignored", path, "properties", "")
        if not extra_after:
            yield from _of_meaning(old, new, call)
    elif before and after and not extra_after:
        for path in extra_before:
            yield Judgement("declared", path, "properties", "")


def completed_judgements(
    old: Version, new: Version, call: Any, base: Any
) -> Iterator[tuple[Judgement, Any]]:
    """Yield what a call shows that only lacks what the new version requires, with a completed call.

    Args:
        old: the version that means the call.
        new: the version that may refuse it.
        call: a call.
        base: a small call that the new version means.

    """
    if not (isinstance(call, dict) and isinstance(base, dict)) or base.keys() <= call.keys():
        return
    completed = {**base, **call}
    if new.accepts(call) or not (old.accepts(completed) and new.accepts(completed)):
        return
    added = {pointer((name,)) for name in base.keys() - call.keys()}
    if added.issuperset(old.undeclared(completed)):
        for path in new.undeclared(completed):
            yield Judgement("ignored", path, "properties", ""), completed


def _of_meaning(old: Version, new: Version, call: Any) -> Iterator[Judgement]:
    """Yield what differs in the meaning of a call that both versions accept."""
    if old.accepts_formats(call) and not new.accepts_formats(call):
        yield from (Judgement("format", *each) for each in new.reasons(call, formats=True))
    before, after = old.with_defaults(call), new.with_defaults(call)
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            pair = [canonical_json(each[name]) if name in each else "" for each in (before, after)]
            if name not in call and pair[0] != pair[1]:
                had, has = (
                    quoted(each[name]) if name in each else "none" for each in (before, after)
                )
                yield Judgement("default", pointer((name,)), "default", f"{had}, now {has}")
