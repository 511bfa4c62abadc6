"""The search for what a model meant: the reading of a value with the fewest changes.

A value is read under a node like this. What is valid stays. Otherwise the node's own type is
looked for (JSON in a string, a word, a number's text), its properties and items are read each
under theirs, and then the subschemas that apply in place have their say one after the other:
each branch of a union gives a reading of its own. jsonschema-rs judges every outcome, and of
those that are valid the one with the fewest changes wins, then the one that guesses least, then
the schema's order.

The work is bounded: each pair of node and value is read once (`_memo`), a single value is
reinterpreted at most `MAX_CHAIN` times, of the readings of one value under several unions
`MAX_BEAM` are kept, and after `MAX_READINGS` readings in one call nothing new is tried.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from schema2model.coercions import GUESS, RULES, Coercion, exact_number_text, null_word, unquoted
from schema2model.engine.readings import Change, ContainerReading, Reading, changed, joined
from schema2model.schema.nodes import ANYTHING, Condition, Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text import grammars
from schema2model.values import holds, is_integral_float

__all__ = ["Change", "Reader", "Reading"]

MAX_CHAIN = 4
"""A string in a string in a string in a string is still read."""

MAX_BEAM = 8
MAX_READINGS = 200_000


class Candidate(NamedTuple):
    """What a value may stand for: by which rule, as what, how far that guesses."""

    rule: str
    value: Any
    guess: int


class Reader:
    """One search: the readings of one value under a schema.

    Values must be plain (`values.plain`); none is changed.
    """

    def __init__(self, root: Node, verdicts: Verdicts, coercion: Coercion) -> None:
        self.root = root
        self.verdicts = verdicts
        self.coercion = coercion
        self._strict = coercion == Coercion.off
        self._memo: dict[tuple[int, int, int, bool], Reading] = {}
        self._texts: dict[str, list[Candidate]] = {}
        self._spellings: dict[int, dict[str, list[str]]] = {}
        self._kept: list[Any] = []  # so that no identity in the memo is used twice
        self._left = MAX_READINGS

    # ------------------------------------------------------------------------ the whole call
    def whole(self, value: Any) -> Reading:
        """The reading of the arguments of a call."""
        reading = self.read(self.root, value)
        if self._strict or (reading.valid and reading.cost < GUESS):
            return reading
        for rule, inner in self._unwrapped(value):
            guess = GUESS if rule == "envelope" else 0
            other = changed(self.read(self.root, inner), rule, value, inner, guess)
            if other.valid and (not reading.valid or other.cost < reading.cost):
                reading = other
            elif not reading.valid and type(reading.attempt) is not dict:
                reading.attempt = other.attempt
        return reading

    def _unwrapped(self, value: Any) -> Iterator[tuple[str, Any]]:
        """What stands for a whole call, without what is around it."""
        if not self.root.accepts("object"):
            return
        coercion = self.coercion
        nothing = value is None or (isinstance(value, str) and null_word(value) is None)
        if coercion.empty_arguments and nothing:
            yield "empty_arguments", {}
        if isinstance(value, str) and coercion.json_text:
            for parsed in self._parsed(value):
                yield from self._unwrapped(parsed.value)
        is_list_of_one = type(value) is list and len(value) == 1 and type(value[0]) is dict
        if coercion.listed_arguments and is_list_of_one:
            yield "listed_arguments", value[0]
        if coercion.envelope and type(value) is dict and len(value) == 1:
            ((key, inner),) = value.items()
            if key in {"arguments", "input", "kwargs", "_"} and key not in self.root.properties:
                yield "envelope", inner

    # ------------------------------------------------------------------------ any one value
    def read(self, node: Node, value: Any, chain: int = 0, *, within: bool = False) -> Reading:
        """The best reading of a value under a node.

        `within` tells that the node applies in place of another under which the value is read.
        """
        key = (id(node), id(value), chain, within)
        known = self._memo.get(key)
        if known is not None:
            return known
        self._kept.append(value)
        reading = self._memo[key] = Reading(value, value, valid=self.valid(node, value))
        if self._strict or self._left <= 0:
            return reading
        if not reading.valid:
            self._left -= 1
            reading = self._search(node, value, chain, within)
            if reading.valid and is_integral_float(reading.value):  # of a subschema in place
                reading = joined(reading, self.read(node, reading.value, chain, within=within))
            self._memo[key] = reading
        elif holds(value, self._unsettled):
            self._left -= 1
            reading = self._memo[key] = self._settled(node, reading, chain, within)
        return reading

    def valid(self, node: Node, value: Any) -> bool:
        """Whether a value is valid under a node, as jsonschema-rs has it."""
        if isinstance(node.schema, bool):
            return node.schema
        if self.coercion.allow_inf_nan:
            value = _finite(value)
        try:
            return self.verdicts.part(node.place)(value)
        except ValueError:  # a number that it cannot convert
            return False

    def _search(self, node: Node, value: Any, chain: int, within: bool) -> Reading:  # noqa: FBT001
        """The best valid reading, or the best attempt at one."""
        best: Reading | None = None
        attempt: Reading | None = None
        for reading in self._readings(node, value, chain, within):
            if reading.valid:
                if best is None or reading.cost < best.cost:
                    best = reading
            elif attempt is None or (
                type(attempt.attempt) is str and type(reading.attempt) is not str
            ):
                attempt = reading
        return best or attempt or Reading(value, value)

    def _readings(
        self,
        node: Node,
        value: Any,
        chain: int,
        within: bool,  # noqa: FBT001
    ) -> Iterator[Reading]:
        for partial in self._in_place(node, self._members(node, value, within), within):
            if partial.value is not value:
                yield self._judged(node, partial)
            else:
                yield Reading(value, partial.attempt)
        if chain >= MAX_CHAIN:
            return
        for rule, candidate, guess in self._reinterpreted(node, value):
            reading = self.read(node, candidate, chain + 1, within=within)
            yield changed(reading, rule, value, candidate, guess)

    def _judged(self, node: Node, reading: Reading) -> Reading:
        """A reading, with the node's verdict on it."""
        valid = self.valid(node, reading.value)
        attempt = reading.value if valid else reading.attempt
        return Reading(reading.value, attempt, valid, reading.cost, reading.steps)

    # --------------------------------------------------- valid values that say more than they do
    def _unsettled(self, value: Any) -> bool:
        """Whether a valid scalar is what a rule reads all the same: 3.0, or a string."""
        if type(value) is str:
            return self.coercion.reads_strings
        return self.coercion.integral_floats and is_integral_float(value)

    def _settled(self, node: Node, untouched: Reading, chain: int, within: bool) -> Reading:  # noqa: FBT001
        """A valid value, with integers for integral floats and, under `untyped`, text read."""
        value = untouched.value
        if type(value) is str:
            for rule, candidate in self._spelled(value) if chain < MAX_CHAIN else ():
                reading = changed(
                    self.read(node, candidate, chain + 1, within=within), rule, value, candidate
                )
                if reading.valid and type(reading.value) is not str:
                    return reading
            return untouched
        if type(value) is float and "integer" in node.wanted and "number" not in node.wanted:
            whole = int(value)
            if not self.valid(node, whole):  # a bound or multiple that only the float satisfies
                return untouched
            return changed(Reading(whole, whole, valid=True), "integral_floats", value, whole)
        for partial in self._in_place(node, self._members(node, value, within), within):
            reading = self._judged(node, partial)
            if reading.valid:
                return reading
        return untouched

    def _spelled(self, text: str) -> Iterator[tuple[str, Any]]:
        """What a string that is valid as it is spells exactly."""
        if self.coercion.text_over_string:
            parsed = grammars.exact_json(text)
            if parsed is not grammars.NOTHING and parsed is not None:
                yield "text_over_string", _exact(text, parsed)
        if self.coercion.null_words_over_string and text.strip() and null_word(text) is None:
            yield "null_words_over_string", None

    # ---------------------------------------------------------------- a node's own type
    def _reinterpreted(self, node: Node, value: Any) -> Iterator[Candidate]:
        """What a value may stand for where a node asks for certain types or choices, each once."""
        seen: list[Any] = [value]
        for candidate in self._candidates(node, value):
            known = (type(s) is type(candidate.value) and s == candidate.value for s in seen)
            if not any(known):
                seen.append(candidate.value)
                yield candidate

    def _candidates(self, node: Node, value: Any) -> Iterator[Candidate]:
        wanted = node.wanted
        if type(value) is str:
            if wanted and wanted != ("string",):
                for candidate in self._parsed(value):
                    exact = (
                        _exact(value, candidate.value) if "integer" in wanted else candidate.value
                    )
                    yield candidate._replace(value=exact)
            if node.choices is not None:
                yield from self._chosen(node.choices, value)
        for kind in wanted:
            for rule in RULES[kind]:
                if getattr(self.coercion, rule.name):
                    yield Candidate(rule.name, rule.function(value), rule.guess)

    def _parsed(self, text: str) -> list[Candidate]:
        """The values that a parameter's text may be read as, the same objects every time."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = []
            for reading in grammars.parameter_readings(text):
                name = "json_text" if reading.exact else "loose_json_text"
                if getattr(self.coercion, name):
                    known.append(Candidate(name, reading.value, 0 if reading.exact else 1))
        return known

    def _chosen(self, choices: list[Any], text: str) -> Iterator[Candidate]:
        if self.coercion.quoted_choices:
            yield Candidate("quoted_choices", unquoted(text), 1)
        if self.coercion.choice_spelling:
            spellings = self._spellings.get(id(choices))
            if spellings is None:
                spellings = self._spellings[id(choices)] = _by_spelling(choices)
            same = spellings.get(_spelling(text), ())
            if len(same) == 1:
                yield Candidate("choice_spelling", same[0], GUESS)

    # ------------------------------------------------------------------ members of containers
    def _members(self, node: Node, value: Any, within: bool = False) -> Reading:  # noqa: FBT001, FBT002
        """A container with each member read under the subschemas for it."""
        free = self.coercion.text_over_string and not within
        if type(value) is dict and (free or node.speaks_of_objects()):
            return self._object(node, value, node.parts() if free else ())
        if type(value) is list and (free or node.speaks_of_arrays()):
            parts = node.parts() if free else ()
            free = free and not any(part.speaks_of_arrays() for part in parts)
            return self._array(node, value, ANYTHING if free else None)
        return Reading(value, value)

    def _array(self, node: Node, value: list[Any], other: Node | None) -> Reading:
        result = ContainerReading(value)
        for index, item in enumerate(value):
            child = node.prefix[index] if index < len(node.prefix) else node.items or other
            if child is not None:
                result.put(index, self.read(child, item))
        return result.reading()

    def _object(self, node: Node, value: dict[str, Any], parts: Sequence[Node]) -> Reading:
        coercion = self.coercion
        result = ContainerReading(value)
        for name, item in value.items():
            children = self._children(node, name)
            for child in children:
                result.put(name, self.read(child, result.kept[name]))
            if parts and not any(self._children(part, name) for part in parts):
                result.put(name, self.read(ANYTHING, item))
            if (
                coercion.drop_null
                and item is None
                and name in node.properties
                and name not in node.required
                and not self.valid(node.properties[name], result.kept[name])
            ):
                result.drop(name, "drop_null", 0)
        if coercion.key_spelling or coercion.drop_unknown:
            self._unknown_keys(node, value, result)
        return result.reading()

    def _children(self, node: Node, name: str) -> list[Node]:
        """The subschemas for a property: its own, those of patterns, or that for all others."""
        children = [node.properties[name]] if name in node.properties else []
        for pattern, child in node.patterns.items():
            if self.verdicts.matches(pattern, name):
                children.append(child)
        if not children and node.additional is not None and not node.additional.never:
            children.append(node.additional)
        return children

    def _unknown_keys(self, node: Node, value: dict[str, Any], result: ContainerReading) -> None:
        closed = node.additional is not None and node.additional.never
        matched = self.verdicts.matches
        unknown = [
            name
            for name in value
            if name not in node.properties
            and not any(matched(pattern, name) for pattern in node.patterns)
        ]
        spellings = Counter(map(_spelling, (*node.properties, *unknown)))
        declared = {_spelling(name): name for name in node.properties}
        for name in unknown:
            spelled = declared.get(_spelling(name), name)
            if (
                self.coercion.key_spelling
                and spelled not in value
                and spellings[_spelling(name)] == 2  # noqa: PLR2004 - the two, and no rival
                and (closed or spelled in node.required)
            ):
                reading = self.read(node.properties[spelled], value[name])
                result.rename(name, spelled, reading, GUESS)
            elif closed and self.coercion.drop_unknown:
                result.drop(name, "drop_unknown", 2 * GUESS)  # what was sent is lost

    # -------------------------------------------------------------- subschemas in place
    def _in_place(self, node: Node, start: Reading, within: bool) -> list[Reading]:  # noqa: FBT001
        """What the subschemas that apply to the same value make of it, one after the other."""
        beam = [start]
        for stage in self._stages(node, within):
            beam = [after for before in beam for after in self._applied(stage, before)]
            beam.sort(key=lambda reading: reading.cost)
            del beam[MAX_BEAM:]
        return beam

    def _stages(self, node: Node, within: bool) -> Iterator[Callable[[Any], list[Reading]]]:  # noqa: FBT001
        """Each subschema, or group of alternatives, as a function from values to readings."""
        for child in (*node.reference, *node.all_of):
            yield lambda value, child=child: [self.read(child, value, within=True)]  # type: ignore[misc]
        for group in (node.any_of, node.one_of):
            if group:
                yield lambda value, group=group: [
                    self.read(child, value, within=True) for child in group
                ]  # type: ignore[misc]
        for condition in node.conditions:
            yield lambda value, c=condition: self._conditional(c, value)  # type: ignore[misc]
        for name, child in node.dependent.items():
            yield lambda value, name=name, child=child: (  # type: ignore[misc]
                [self.read(child, value, within=True)]
                if type(value) is dict and name in value
                else []
            )
        # whatever was a string before may now be the container that the node speaks of
        speaks = node.asserts() or self.coercion.text_over_string
        if speaks and node.applies_in_place():
            yield lambda value: [self._members(node, value, within)]

    def _conditional(self, condition: Condition, value: Any) -> list[Reading]:
        """`then` where the test holds, or can be made to; `else` where it does not."""
        readings = []
        test = self.read(condition.test, value, within=True)
        if test.valid:
            readings.append(self._after(test, condition.then))
        if not test.valid or test.cost:
            as_it_is = Reading(value, value, valid=True)
            readings.append(self._after(as_it_is, condition.otherwise))
        return readings

    def _after(self, before: Reading, node: Node | None) -> Reading:
        return (
            before if node is None else joined(before, self.read(node, before.value, within=True))
        )

    def _applied(self, stage: Callable[[Any], list[Reading]], before: Reading) -> list[Reading]:
        """The readings after a stage; where none is valid, the most promising attempt."""
        after = stage(before.value)
        valid = [joined(before, reading) for reading in after if reading.valid]
        if valid or not after:
            return valid or [before]
        # the attempt that has come furthest
        return [joined(before, max(after, key=lambda reading: len(reading.steps)))]


_SEPARATOR = re.compile(r"(?<=[^\W\d_])[\s_-]+(?=[^\W\d_])")


def _spelling(name: str) -> str:
    """A name without its case, and without what may separate its words."""
    return _SEPARATOR.sub("", name.strip()).casefold()


def _by_spelling(choices: list[Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for choice in choices:
        if isinstance(choice, str):
            found.setdefault(_spelling(choice), []).append(choice)
    return found


def _finite(value: Any) -> Any:
    """A value with great numbers for the infinities, which are null to jsonschema-rs."""
    if type(value) is dict:
        return {name: _finite(member) for name, member in value.items()}
    if type(value) is list:
        return list(map(_finite, value))
    if type(value) is float and not math.isfinite(value):
        return -sys.float_info.max if value < 0 else sys.float_info.max
    return value


def _exact(text: str, value: Any) -> Any:
    """What a text was parsed as, or the integer it spells, if its float has lost digits of it."""
    exact = exact_number_text(text) if type(value) is float else value
    return exact if type(exact) is int else value
