"""What a model is told of a problem: what is wanted there, in words and by an example."""

from __future__ import annotations

import copy
import json
from typing import Any, NamedTuple

from schema2model.diagnosis.describe import MAX_NAMES, NOTHING_HERE, either, said_of
from schema2model.diagnosis.examples import Examples
from schema2model.diagnosis.members import Compared, Problem
from schema2model.diagnosis.unions import closure
from schema2model.errors import Issue
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.json.values import type_of
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["Wording"]

MAX_EXAMPLE = 200
"""Characters of an example that a message shows; a longer one is left out."""

TOO_SLOW = "shorter text, or simpler: to match it with the pattern takes too long"


class _Words(NamedTuple):
    """What is told of a place: what it wants, its schema, an example, and what to do."""

    wanted: str
    expected: Any
    example: Any = None
    advice: str | None = None


_UNKNOWN = _Words("no property of this name", expected=False)


class Wording:
    """Turns problems into issues."""

    def __init__(self, verdicts: Verdicts, compared: Compared) -> None:
        self.verdicts = verdicts
        self.compared = compared
        self.examples = Examples(verdicts)

    def issue(self, problem: Problem) -> Issue:
        """A problem in words."""
        return getattr(self, f"_{problem.kind}")(problem)  # type: ignore[no-any-return]

    # ----------------------------------------------------------------------- kinds of problems
    def _value(self, problem: Problem) -> Issue:
        likely = self._likely(problem)
        words = self._words(problem, likely)
        wanted = words.wanted
        if likely is not None:
            wanted += f" (did you mean {quoted(likely)}?)"
        if problem.keyword == "pattern" and self._too_slow(problem):
            wanted = TOO_SLOW
        advice = "leave it out" if wanted == NOTHING_HERE and problem.path else words.advice
        return _issue(problem, words, wanted, quoted(problem.value), advice)

    def _several(self, problem: Problem) -> Issue:
        words = self._words(problem)
        found = f"{quoted(problem.value)}, which fits several"
        return _issue(problem, words, f"what fits only one of {words.wanted}", found, words.advice)

    def _missing(self, problem: Problem) -> Issue:
        words = self._words(problem)
        advice = words.advice
        if problem.other is not None:
            advice = f"rename {quoted(problem.other)} to {quoted(problem.path[-1])}"
        return _issue(problem, words, f"{words.wanted} (required)", "nothing", advice)

    def _unknown(self, problem: Problem) -> Issue:
        if problem.other is not None:
            advice = f"rename it to {quoted(problem.other)}"
        else:
            free = ", ".join(map(quoted, problem.names[:MAX_NAMES]))
            more = ", …" if len(problem.names) > MAX_NAMES else ""
            advice = f"leave it out; not yet used: {free}{more}" if free else "leave it out"
        return _issue(problem, _UNKNOWN, _UNKNOWN.wanted, quoted(problem.value), advice)

    def _name(self, problem: Problem) -> Issue:
        words = self._words(problem)
        wanted = f"another name for this property: {words.wanted}"
        return _issue(problem, words, wanted, quoted(problem.value), words.advice)

    def _words(self, problem: Problem, likely: str | None = None) -> _Words:
        """What is told of a place, whatever value of the same type was sent there."""
        kind = None if problem.kind == "missing" else type(problem.value)
        about = (problem.leaves, problem.parts, problem.nodes, kind, likely, self.examples.day)
        words = self.verdicts.memo(("words", *about), lambda: self._found(problem, likely))
        # an example of a list is made of the items that were sent
        return self._exemplified(words, problem, likely) if kind is list else words

    def _found(self, problem: Problem, likely: str | None) -> _Words:
        kind = None if problem.kind == "missing" else type_of(problem.value)
        if problem.leaves:
            wanted = either(problem.leaves, kind)
        else:
            wanted = said_of(problem.parts or problem.nodes, kind)
        words = _Words(wanted, _expected(problem))
        return words if kind == "array" else self._exemplified(words, problem, likely)

    def _exemplified(self, words: _Words, problem: Problem, likely: str | None) -> _Words:
        """The words with an example, which is shown if it is short, and no choices are."""
        example = self.examples.of(problem, likely)
        if example is NOTHING or example is None:
            return words
        text = json.dumps(example, ensure_ascii=False)
        if len(text) > MAX_EXAMPLE or _has_choices(problem):
            return words._replace(example=example)
        return words._replace(example=example, advice=f"for example {text} would be accepted")

    def _too_slow(self, problem: Problem) -> bool:
        """Whether a pattern gives up on a text."""
        node = problem.refusing
        if node is None or type(problem.value) is not str:
            return False
        for error in self.verdicts.errors(node.place, problem.value):
            if error.kind.name == "pattern":
                return not type(error.kind).__name__.endswith("Pattern")
        return False

    def _likely(self, problem: Problem) -> str | None:
        """The choice that was meant, if one is hardly another."""
        if type(problem.value) is not str:
            return None
        about = ("texts", problem.parts, problem.leaves)
        texts = self.verdicts.memo(about, lambda: _texts_among(problem))
        return self.compared.closest(problem.value, texts) if texts else None


# ---------------------------------------------------------------------------------- as data
def _issue(problem: Problem, words: _Words, wanted: str, found: str, advice: str | None) -> Issue:
    path = pointer(problem.path)
    example = words.example
    if isinstance(example, (dict, list)):  # the words are for later issues, too
        example = copy.deepcopy(example)
    return Issue(path, problem.keyword, wanted, found, words.expected, example, advice)


def _texts_among(problem: Problem) -> list[str]:
    """The texts among the choices at a place, and among those of the branches of a union."""
    nodes = [*problem.parts, *(node for leaf in problem.leaves for node in leaf.nodes)]
    choices = (choice for node in nodes for choice in node.choices or ())
    return [choice for choice in choices if type(choice) is str]


def _expected(problem: Problem) -> Any:
    """The schema of a problem's place, as it was given; behind a reference that says no more."""
    if problem.nodes:
        schemas = [node.dereferenced().schema for node in problem.nodes]
        return schemas[0] if len(schemas) == 1 else {"allOf": schemas}
    if problem.leaves:
        return {"anyOf": [leaf.nodes[0].dereferenced().schema for leaf in problem.leaves]}
    return True


def _has_choices(problem: Problem) -> bool:
    """Whether the words show values that would be accepted."""
    return any(leaf.nodes[-1].choices for leaf in problem.leaves) or any(
        node.choices for node in closure(problem.nodes)
    )
