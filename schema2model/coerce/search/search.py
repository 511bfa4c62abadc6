"""The search for what a model meant: the reading of a value with the fewest changes.

A value is read under a node like this. What is valid stays. Otherwise the node's own type is
looked for (JSON in a string, a word, a number's text), its properties and items are read each
under its own subschema, and then every subschema that applies to the same value reads it in turn:
each branch of a union gives a reading of its own. jsonschema-rs judges every outcome. Of the valid
ones, the reading that guesses least wins; of equals the one with the fewest changes, and then the
first in the schema's order.

For example, `n` may be an integer or an array of integers: `{"anyOf": [{"type": "integer"},
{"type": "array", "items": {"type": "integer"}}]}`. For `{"n": "[1]"}`, no alternative under
`integer` is valid; under `array` the JSON text gives `[1]`, at the cost of one change. That is the
reading. For `{"n": "[1"}` no branch has a valid alternative, and the reading is not valid.

The work is bounded: each pair of node and value is read once (`_memo`), a single value is
reinterpreted at most `MAX_CHAIN` times, of the readings of one value under several unions
`MAX_BEAM` are kept, and after `MAX_READINGS` readings in one call, or where `MAX_WAITING` wait for
one another, nothing new is tried.

A search that needs another yields it and is sent the answer: the searches that wait are a list,
not Python's stack, so that values may be as deep as they like.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from schema2model.coerce.rules.arrangements import Arrangement, Arrangements, Moved
from schema2model.coerce.rules.plan import Plan
from schema2model.coerce.rules.scalars import (
    exact_json_text,
    integral_float,
    null_word,
)
from schema2model.coerce.search.containers import ContainerReader, Search
from schema2model.coerce.search.readings import (
    FREE,
    Cost,
    Reading,
    changed,
    joined,
)
from schema2model.coerce.search.text_cache import Texts
from schema2model.diagnosis.unions import names_of
from schema2model.json.values import any_scalar, is_integral_float
from schema2model.schema.nodes import Condition, Node
from schema2model.schema.verdicts import Verdicts

if TYPE_CHECKING:
    from schema2model.text.exact import Spellings
    from schema2model.text.grammars import Budget

__all__ = ["Reader", "finite"]

MAX_CHAIN = 4
"""A string in a string in a string in a string is still read."""

MAX_BEAM = 8
MAX_READINGS = 200_000
MAX_WAITING = 2_000

Candidate = tuple[str, Any, Cost]
"""What a value may stand for: by which rule, as what, at what cost."""


class Reader(ContainerReader):
    """One search: the readings of one value under a schema.

    Values must be plain (`plain_copy`); none is changed.
    """

    def __init__(
        self,
        root: Node,
        verdicts: Verdicts,
        plan: Plan,
        spellings: Spellings | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(verdicts, plan)
        self.root = root
        self._strict = plan.is_off
        self._memo: dict[tuple[int, int, int, bool], Reading] = {}
        self.texts = Texts(spellings, budget)
        self._arrangements = Arrangements(verdicts, plan) if plan.rearranges else None
        self._kept: list[Any] = []  # keeps them alive: the memo goes by `id`
        self._left = MAX_READINGS

    @property
    def has_ended(self) -> bool:
        """Whether it has given up, so that a reading may have been missed."""
        return self._left <= 0

    # ------------------------------------------------------------------------ any one value
    def read(self, node: Node, value: Any) -> Reading:
        """The best reading of a value under a node."""
        waiting = [self._read(node, value)]
        answer: Any = None
        while waiting:
            try:
                waiting.append(waiting[-1].send(answer))
                answer = None
            except StopIteration as end:
                waiting.pop()
                answer = end.value
            if len(waiting) > MAX_WAITING:  # each makes another value to be read
                self._left = 0
        return answer  # type: ignore[no-any-return]

    def _read(self, node: Node, value: Any, chain: int = 0, *, within: bool = False) -> Search:
        """`within` says that the node is a part of another that reads the same value."""
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
            reading = yield from self._search(node, value, chain, within=within)
            if reading.valid and is_integral_float(reading.value):  # of a subschema in place
                settled = yield self._read(node, reading.value, chain, within=within)
                reading = joined(reading, settled)
            self._memo[key] = reading
        elif any_scalar(value, self._unsettled):
            self._left -= 1
            reading = yield from self._settled(node, reading, chain, within=within)
            self._memo[key] = reading
        return reading

    def valid(self, node: Node, value: Any) -> bool:
        """Whether a value is valid under a node, as jsonschema-rs has it."""
        if isinstance(node.schema, bool):
            return node.schema
        if self.coercion.allow_inf_nan:
            value = finite(value)
        try:
            return self.verdicts.is_valid_at(node.place)(value)
        except ValueError:  # a number that it cannot convert
            return False

    def stays(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node, and no rule applies to valid values."""
        return self.valid(node, value) and not any_scalar(value, self._unsettled)

    def _search(self, node: Node, value: Any, chain: int, *, within: bool) -> Search:
        """The best valid reading, or the best attempt at one."""
        best: Reading | None = None
        attempt: Reading | None = None
        for reading in (yield from self._readings(node, value, chain, within=within)):
            if reading.valid:
                if best is None or reading.cost < best.cost:
                    best = reading
            elif attempt is None or (
                type(attempt.attempt) is str and type(reading.attempt) is not str
            ):
                attempt = reading
        return best or attempt or Reading(value, value)

    def _readings(self, node: Node, value: Any, chain: int, *, within: bool) -> Search:
        readings = [Reading(value, value)]
        if node.has_in_place_subschemas() or type(value) is dict or type(value) is list:
            members = yield from self._members(node, value, within=within)
            readings = [
                self._judged(node, partial)
                if partial.value is not value
                else Reading(value, partial.attempt)
                for partial in (yield from self._in_place(node, members, within=within))
            ]
        for rule, made, cost in self._candidates(node, value) if chain < MAX_CHAIN else ():
            reading = yield self._read(node, made, chain + 1, within=within)
            readings.append(changed(reading, rule, value, made, cost))
        if self._arrangements is not None and not within and chain < MAX_CHAIN:
            others = self._arrangements.of(node, value)
            readings += yield from self._rearranged(node, others, chain)
        return readings

    def _rearranged(self, node: Node, others: Iterator[Arrangement], chain: int) -> Search:
        """The readings of other arrangements of a value."""
        readings = []
        for made, step, cost, moved in others:
            if moved is not None and not (yield from self._fits(moved)):
                continue
            reading = yield self._read(node, made, chain + 1)
            if reading.valid:
                before = Reading(made, made, valid=True, cost=cost, steps=(step,))
                readings.append(joined(before, reading))
        return readings

    def _fits(self, moved: Moved) -> Search:
        """Whether a member may stand under another name: by that name, or as it is.

        A number under a name that is not alike is another quantity: a radius is no diameter.
        """
        if not moved.similar and type(moved.value) not in {str, list, dict}:
            return False
        for node in moved.nodes:
            reading = yield self._read(node, moved.value)
            cost = reading.cost
            if not reading.valid or not (moved.similar or cost.guesses == cost.words == 0):
                return False
        return True

    def _judged(self, node: Node, reading: Reading) -> Reading:
        """A reading, with the node's verdict on it."""
        valid = self.valid(node, reading.value)
        attempt = reading.value if valid else reading.attempt
        return Reading(reading.value, attempt, valid, reading.cost, reading.steps)

    # --------------------------------------------------- valid values that are read all the same
    def _unsettled(self, value: Any) -> bool:
        """Whether a scalar may be read although it is valid: 3.0, or under `untyped` a string."""
        if type(value) is str:
            return self.coercion.reads_strings
        return self.coercion.integral_floats and is_integral_float(value)

    def _settled(self, node: Node, untouched: Reading, chain: int, *, within: bool) -> Search:
        """A valid value, with integers for integral floats and, under `untyped`, text read."""
        value = untouched.value
        if type(value) is str:
            for rule, made in self._spelled(value) if chain < MAX_CHAIN else ():
                read = yield self._read(node, made, chain + 1, within=within)
                reading = changed(read, rule, value, made)
                if reading.valid and type(reading.value) is not str:
                    return reading
            return untouched
        if (
            type(value) is float
            and "integer" in node.expected_types
            and "number" not in node.expected_types
        ):
            whole = integral_float(value)  # or the float itself, if it is too great
            if not self.valid(node, whole):  # a bound or multiple that only the float satisfies
                return untouched
            return changed(Reading(whole, whole, valid=True), "integral_floats", value, whole)
        members = yield from self._members(node, value, within=within)
        for partial in (yield from self._in_place(node, members, within=within)):
            reading = self._judged(node, partial)
            if reading.valid:
                return reading
        return untouched

    def _spelled(self, text: str) -> Iterator[tuple[str, Any]]:
        """What a string spells in exact JSON, or as a word for null, although it is valid."""
        if self.coercion.text_over_string:
            made = self.texts.made(exact_json_text, text)
            if made is not text and made is not None:
                yield "text_over_string", made
        if self.coercion.null_words_over_string and text.strip() and null_word(text) is None:
            yield "null_words_over_string", None

    # ---------------------------------------------------------------- a node's own type
    def _candidates(self, node: Node, value: Any) -> Iterator[Candidate]:
        """What a value may stand for where a node asks for certain types or choices, each once."""
        seen: list[Any] = [value]
        for alternative in self.plan.alternatives(node):
            made = self.texts.made(alternative.function, value)
            if made is not value and not any(
                type(known) is type(made) and known == made for known in seen
            ):
                seen.append(made)
                yield alternative.rule, made, alternative.charge(made)

    # -------------------------------------------------------------- subschemas in place
    def _in_place(self, node: Node, start: Reading, *, within: bool) -> Search:
        """What the subschemas that apply to the same value make of it, one after the other."""
        beam = [start]
        for stage in self._stages(node, within=within):
            after: list[Reading] = []
            for before in beam:
                after += yield from self._applied(stage, before)
            beam = sorted(after, key=lambda reading: reading.cost)[:MAX_BEAM]
        return beam

    def _stages(self, node: Node, *, within: bool) -> Iterator[Callable[[Any], Search]]:
        """Each subschema, or group of alternatives, as a function from values to readings."""
        for child in (*node.reference, *node.all_of):
            yield functools.partial(self._each, (child,))
        for group in (node.any_of, node.one_of):
            if group:
                yield functools.partial(self._branches, group)
        for condition in node.conditions:
            yield functools.partial(self._conditional, condition)
        for name, child in node.dependent.items():
            yield functools.partial(self._depending, name, child)
        # a string may have become a container by now, and the node may describe its members
        speaks = node.has_assertions() or self.coercion.text_over_string
        if speaks and node.has_in_place_subschemas():
            yield functools.partial(self._members_again, node, within=within)

    def _each(self, nodes: Sequence[Node], value: Any) -> Search:
        readings = []
        for node in nodes:
            readings.append((yield self._read(node, value, within=True)))  # noqa: PERF401 - it waits
        return readings

    def _branches(self, group: Sequence[Node], value: Any) -> Search:
        """The readings of a union's branches; for an object, of those that its names fit best.

        Where members are read apart, no reading adds a name that misses, or drops one too many.
        """
        if type(value) is dict and self.plan.reads_members_apart:
            wrong = [self._misnamed(node, value) for node in group]
            nearest = min(wrong)
            group = [node for node, names in zip(group, wrong, strict=True) if names == nearest]
        return (yield from self._each(group, value))

    def _misnamed(self, node: Node, value: dict[str, Any]) -> int:
        """How many names miss in an object, or are too much."""
        required, allowed = self.verdicts.memo(("names_of", node), lambda: names_of(node))
        unknown = 0 if allowed is None else len(value.keys() - allowed)
        return unknown + len(required - value.keys())

    def _depending(self, name: str, child: Node, value: Any) -> Search:
        applies = type(value) is dict and name in value
        return (yield from self._each((child,) if applies else (), value))

    def _members_again(self, node: Node, value: Any, *, within: bool) -> Search:
        return [(yield from self._members(node, value, within=within))]

    def _conditional(self, condition: Condition, value: Any) -> Search:
        """`then` where the test holds, or can be made to; `else` where it does not."""
        readings = []
        test = yield self._read(condition.test, value, within=True)
        if test.valid:
            readings.append((yield from self._after(test, condition.then)))
        if not test.valid or test.cost > FREE:
            as_it_is = Reading(value, value, valid=True)
            readings.append((yield from self._after(as_it_is, condition.otherwise)))
        return readings

    def _after(self, before: Reading, node: Node | None) -> Search:
        if node is None:
            return before
        return joined(before, (yield self._read(node, before.value, within=True)))

    def _applied(self, stage: Callable[[Any], Search], before: Reading) -> Search:
        """The readings after a stage; where none is valid, the most promising attempt."""
        after = yield from stage(before.value)
        valid = [joined(before, reading) for reading in after if reading.valid]
        if valid or not after:
            return valid or [before]
        # the attempt that has come furthest
        return [joined(before, max(after, key=lambda reading: reading.cost.changes))]


def finite(value: Any) -> Any:
    """A value with great numbers for the infinities, which are null to jsonschema-rs."""
    if type(value) is dict:
        return {name: finite(member) for name, member in value.items()}
    if type(value) is list:
        return list(map(finite, value))
    if type(value) is float and not math.isfinite(value):
        return -sys.float_info.max if value < 0 else sys.float_info.max
    return value
