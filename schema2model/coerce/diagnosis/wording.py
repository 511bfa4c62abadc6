"""The words of an issue: what the schema expects, an example, and what to send."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from schema2model.advice import Advice, form_of
from schema2model.coerce.diagnosis.describe import describe_branches, describe_values
from schema2model.coerce.diagnosis.examples import Examples, ExampleShapes, today
from schema2model.coerce.diagnosis.members import Kind, Violation
from schema2model.errors import (
    NO_PROPERTY,
    NOTHING_HERE,
    NOTHING_SENT,
    Issue,
)
from schema2model.json.pointers import pointer
from schema2model.json.quoting import example_text, quoted
from schema2model.json.values import type_of
from schema2model.schema.parts import Parts
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE, without_marks

__all__ = ["Wording"]

_OF_TYPES: Final = frozenset(("type", "anyOf", "oneOf"))
"""The keywords that reject values of the wrong type."""

_LARGEST: Final = repr(sys.float_info.max)
"""The value that jsonschema-rs gets instead of infinity."""
TOO_SLOW = "shorter text, or simpler: to match it with the pattern takes too long"


class _Words(NamedTuple):
    """The words for a location: the expectation, its schema, an example, and what to send."""

    wanted: str
    expected: Any
    example: Any = None
    advice: Advice | None = None


_UNKNOWN = _Words(NO_PROPERTY, expected=False)

_TEMPLATES: dict[Kind, str] = {
    "name": "a property whose name is {}",
    "several": "what fits only one of {}",
}
"""The words around an expectation, for each kind of violation that has some."""


class Wording:
    """Turns violations into issues."""

    def __init__(
        self, verdicts: Verdicts, closest: Callable[[str, list[str]], str | None], sent: Any
    ) -> None:
        self.verdicts = verdicts
        self.closest = closest
        self.sent = sent
        self.today = today()

    def issue(self, violation: Violation) -> Issue:
        """Return the issue for a violation."""
        kind = violation.kind
        if kind == "unknown":
            words = _UNKNOWN
        elif kind == "value":
            words = self._words(violation, self._likely(violation))
        else:
            words = self._words(violation)
        found = NOTHING_SENT if kind == "missing" else self._quoted(violation)
        wanted = words.wanted
        if kind in _TEMPLATES:
            wanted = _TEMPLATES[kind].format(form_of(wanted) if kind == "name" else wanted)
        if kind == "several":
            found += ", which fits several"
        if violation.keyword == "pattern" and self._too_slow(violation):
            wanted = TOO_SLOW
        example = words.example
        if isinstance(example, (dict, list)):  # the words are for later issues, too
            example = copy.deepcopy(example)
        path, advice = pointer(violation.path), violation.advice or words.advice
        if wanted == NOTHING_HERE and kind != "missing" and path:
            name = violation.path[-1]
            parts = Parts.in_place(violation.owner).nodes
            own = [child for part in parts if (child := part.properties.get(str(name))) is not None]
            is_declared = any(node.possible_types for node in own)
            advice = Advice("leave out", name, (), "declared" if is_declared else "")
        keyword = "format" if violation.keyword == PYTHON_TYPE else violation.keyword
        return Issue(path, keyword, wanted, found, words.expected, example, advice)

    def _quoted(self, violation: Violation) -> str:
        """Quote the text or the infinity that was sent, not what it became."""
        found, sent = quoted(violation.value), self.sent
        try:
            for key in violation.path:
                if type(sent) is str:  # a rule has parsed it
                    return found
                sent = sent[key]
        except (LookupError, TypeError):  # a rule has rearranged the arguments
            return found
        if type(sent) is str and sent.strip() == found:
            return quoted(sent)
        if found.lstrip("-") == _LARGEST:
            return quoted(sent) if type(sent) is str else str(sent)
        return found

    def _words(self, violation: Violation, likely: str | None = None) -> _Words:
        """Return the words for a location and any value of the same type."""
        kind = None if violation.kind == "missing" else type(violation.value)
        if kind is list and violation.keyword != "type":  # the example is made of it
            return self._new_words(violation, likely)
        subschemas = (violation.leaves, violation.parts, violation.nodes)
        about = ("words", *subschemas, kind, violation.keyword, likely, self.today)
        return self.verdicts.memo(about, lambda: self._new_words(violation, likely))

    def _new_words(self, violation: Violation, likely: str | None) -> _Words:
        kind = None if violation.kind == "missing" else type_of(violation.value)
        leaves, nodes = violation.leaves, violation.parts or violation.nodes
        wanted = describe_branches(leaves, kind) if leaves else describe_values(nodes, kind)
        example = Examples(self.verdicts).example_for(violation, likely)
        advice = self._advice(violation, wanted, example)
        if likely is not None:
            advice = Advice("choose", likely)
        return _Words(wanted, without_marks(_expected(violation)), example, advice)

    def _advice(self, violation: Violation, wanted: str, example: Any) -> Advice | None:
        """Return the advice: the shape of a list or object, but no value, which would be copied."""
        shape = None
        if type(example) in {list, dict} and violation.kind in {"value", "missing"}:
            leaves = [leaf.nodes for leaf in violation.leaves]
            shape = ExampleShapes(self.verdicts).text(leaves or [violation.nodes], example)
        if violation.kind == "missing":
            return Advice("add", wanted, shape or "")
        if violation.keyword == "uniqueItems" and (text := example_text(example)):
            return Advice("send", text)
        if shape is None or violation.keyword not in _OF_TYPES:
            return None
        return Advice("write", shape)

    def _too_slow(self, violation: Violation) -> bool:
        """Return whether matching a text with a pattern takes too long."""
        return type(violation.value) is str and any(
            error.kind.name == "pattern" and not type(error.kind).__name__.endswith("Pattern")
            for node in violation.parts
            for error in self.verdicts.errors(node.place, violation.value)
        )

    def _likely(self, violation: Violation) -> str | None:
        """Return the choice that a string most likely means."""
        if type(violation.value) is not str:
            return None
        nodes = violation.parts
        for leaf in violation.leaves:
            nodes += leaf.nodes
        texts = [each for node in nodes for each in node.choices or () if type(each) is str]
        return self.closest(violation.value, texts)


def _expected(violation: Violation) -> Any:
    """Return the schema of a location as given, without a reference that adds nothing."""
    if violation.nodes:
        schemas = [node.dereferenced().schema for node in violation.nodes]
        return schemas[0] if len(schemas) == 1 else {"allOf": schemas}
    if violation.leaves:
        return {"anyOf": [leaf.nodes[0].dereferenced().schema for leaf in violation.leaves]}
    return True
