"""The search for the valid reading of a value with the fewest changes.

A valid value is its own reading. For an invalid value under a node, the search tries what the value
may mean under the node's own type (JSON in a string, a word, the text of a number), reads each
property and item under its own subschemas, and applies each in-place subschema in turn: each branch
of a union gives a reading of its own. jsonschema-rs validates every outcome. Of the valid readings,
the search takes that with the fewest guesses, then with the fewest changes, then the first in the
schema's order.

For example, `n` may be an integer or an array of integers: `{"anyOf": [{"type": "integer"},
{"type": "array", "items": {"type": "integer"}}]}`. For `{"n": "[1]"}`, no candidate is valid under
`integer`; under `array`, the JSON text gives `[1]`, at the cost of one change. That is the reading.
For `{"n": "[1"}` no branch has a valid candidate, and the reading is not valid.

The work is bounded: each pair of node and value is read once (`_memo`), a value is reinterpreted at
most `MAX_REINTERPRETATIONS` times, `MAX_BEAM` readings of one value under several unions are kept,
and after `MAX_READINGS` readings in one call, or if `MAX_NESTED_SEARCHES` wait for one another,
nothing new is tried.

The searches that wait are a list in `Reader.read`, not Python's stack: recursion would end at about
90 levels of a value. So there are two ways to call, one for each kind of function:

    yield self._read(node, value)       another node or value: a search of its own, which waits in
                                        the list; the reading is sent back
    yield from self._members(...)       a part of this search, in any other function that returns a
                                        `Search`: it adds nothing to the list
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from schema2model.coerce.diagnosis.unions import required_and_allowed
from schema2model.coerce.node_view import NodeView
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.rules.envelopes import ENVELOPES
from schema2model.coerce.rules.restructuring import Restructuring, restructurings
from schema2model.coerce.rules.scalars import (
    exact_json_text,
    integral_float,
    is_placeholder,
    null_word,
)
from schema2model.coerce.search.bulk import MAX_INVALID, BulkValidator, until_enough
from schema2model.coerce.search.readings import ContainerBuilder, Reading, changed, joined
from schema2model.coerce.search.text_cache import TextRuleCache
from schema2model.coercions import COSTS, FREE, Cost
from schema2model.json.names import has_other_sense, name_spelling, spelling
from schema2model.json.parsing import NOTHING
from schema2model.json.values import any_scalar, finite, is_integral_float, is_string
from schema2model.limits import MAX_NESTED_SEARCHES, MAX_READINGS, MAX_REINTERPRETATIONS
from schema2model.regexes import regex
from schema2model.schema.nodes import ANYTHING, Condition, Node, reachable
from schema2model.schema.verdicts import Verdicts

if TYPE_CHECKING:
    from schema2model.json.parsing import Spellings
    from schema2model.text.budget import Budget
    from schema2model.text.grammars import TextReading

__all__ = ["Reader", "may_be_damaged"]

MAX_BEAM = 8
"""Maximum readings of one value that are kept between two of its in-place subschemas."""

_WORD_RULES = frozenset(("null_words", "null_words_over_string", "boolean_words"))
"""Rules for words, which may also be a choice."""
_LIST_RULES = frozenset(("comma_text", "scalar_to_list"))
"""Rules for items without a list, which a word for null is not."""
_BRACKET = regex(r"[\[\]{}()]")

Candidate = tuple[str, Any, Cost]
"""The name of a rule, what it makes of a value, and the cost."""

Search: TypeAlias = Generator[Any, Any, Any]
"""A search that may yield others, and returns a reading."""


class Reader:
    """One search: the readings of one value under a schema.

    Values must be plain (`plain_copy`); none is changed.
    """

    def __init__(
        self,
        root: Node,
        verdicts: Verdicts,
        rules: ActiveRules,
        spellings: Spellings | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.root = root
        self.verdicts = verdicts
        self.rules = rules
        self.coercion = rules.coercion
        self._bulk = BulkValidator(verdicts, rules)
        self._integral: dict[Node, bool] = verdicts.memo("integral", dict)
        self._has_floats: dict[int, tuple[Any, bool]] = {}
        self._memo: dict[tuple[int, int, int, bool], Reading] = {}
        self.texts = TextRuleCache(spellings, budget)
        self._kept: list[Any] = []
        self.left = MAX_READINGS
        """The number of readings that are left until the limit."""
        self._lost_fraction = False
        """Whether an integer is expected where the text has a fraction, which a float loses."""

    def restart(self, spellings: Spellings | None) -> None:
        """Forget what was read, for another value; the work is counted on."""
        self._memo.clear()
        self.texts = TextRuleCache(spellings, self.texts.budget)
        self._has_floats.clear()
        self._kept.clear()

    @property
    def has_ended(self) -> bool:
        """True if the search has reached a limit, so that it may have missed a reading."""
        return self.left <= 0

    # ------------------------------------------------------------------------ any one value
    def read(self, node: Node, value: Any, depth: int = 0) -> Reading:
        """Return the best reading of a value under a node."""
        pending: list[Search] = []
        answer: Any = self._read(node, value, depth)
        while pending or type(answer) is not Reading:
            # an answer that is not a reading is a search that was asked for: it runs first
            if type(answer) is not Reading:
                pending.append(answer)
                answer = None  # a generator that has not begun takes nothing else
                if len(pending) > MAX_NESTED_SEARCHES:  # each makes another value to be read
                    self.left = 0
            try:
                answer = pending[-1].send(answer)
            except StopIteration as end:
                pending.pop()
                answer = end.value
        return answer

    def _read(
        self, node: Node, value: Any, depth: int = 0, *, in_place: bool = False
    ) -> Reading | Search:
        # by identity, as values need not be hashable; `_kept` stops Python from reusing an `id`
        key = (id(node), id(value), depth, in_place)
        known = self._memo.get(key)
        if known is not None:
            return known
        # most values are valid, and their own reading: they need no search and no memory
        reading = Reading(value, value, valid=self.valid(node, value))
        if (
            self.rules.is_off
            or self.left <= 0
            or (reading.valid and not self._may_change(node, value))
        ):
            return reading
        self._kept.append(value)
        # a recursive schema comes back to this pair: until then, its reading is the value itself
        self._memo[key] = reading
        if reading.valid:
            search = self._reread_valid(node, reading, depth, in_place=in_place)
        else:
            candidates = [*self._candidates(node, value)] if depth < MAX_REINTERPRETATIONS else []
            if not (
                candidates
                or self.reads_members(node, value, in_place=in_place)
                or self.rules.restructures
                or node.has_in_place_subschemas()
                or self._may_be_damaged(node, value, depth, in_place=in_place)
            ):
                return reading
            search = self._search(node, value, candidates, depth, in_place=in_place)
        self.left -= 1
        return self._memoized(key, search)

    def _memoized(self, key: tuple[int, int, int, bool], search: Search) -> Search:
        reading = self._memo[key] = yield from search
        return reading

    def valid(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node, by jsonschema-rs."""
        test = self.verdicts.tests[node]
        try:
            return test(finite(value) if self.coercion.allow_inf_nan else value)
        except ValueError:  # a number that it cannot convert
            return False

    def _search(
        self, node: Node, value: Any, candidates: Sequence[Candidate], depth: int, *, in_place: bool
    ) -> Search:
        """Return the best valid reading, or the best attempt at one."""
        readings = yield from self._readings(node, value, candidates, depth, in_place=in_place)
        if self._is_choice(node, value):
            untouched = Reading(value, value)
            readings = [untouched, *(each for each in readings if not _reads_word(each))]
        valid = [reading for reading in readings if reading.valid]
        best: Reading | None = min(valid, key=lambda reading: reading.cost, default=None)
        # a repaired text is nearer than a guess, but not than a reading without one
        if (best is None or best.cost.guesses) and self._may_be_damaged(
            node, value, depth, in_place=in_place
        ):
            best = self._repaired(node, value) or best
        if best is not None and is_integral_float(best.value):  # of an in-place subschema
            reread = yield self._read(node, best.value, depth, in_place=in_place)
            return joined(best, reread)
        # an error message about an object says more than one about the string that spells it
        attempts = (reading for reading in readings if type(reading.attempt) is not str)
        return best or next(attempts, readings[0])

    def _is_choice(self, node: Node, value: Any) -> bool:
        """Return whether a text is a choice, in this spelling or another: `None` for `none`."""
        if type(value) is not str:
            return False
        choices = self.verdicts.memo(("spellings", node), lambda: _choice_spellings(node))
        return bool(choices) and spelling(value) in choices  # the text may be long

    def _repaired(self, node: Node, text: str) -> Reading | None:
        """Return the reading of a damaged text, if there is one and no other is as near."""
        from schema2model.coerce.search.text_reader import read_damaged_text  # noqa: PLC0415 - few calls need it

        def read(found: TextReading) -> Reading:
            value = self.texts.with_spellings(found.value, found.json)
            return self.read(node, value, 1)

        completes = self.coercion.cut_off_text
        return read_damaged_text(node, text, read, self.texts.budget, accept_truncated=completes)

    def _may_be_damaged(self, node: Node, value: Any, depth: int, *, in_place: bool) -> bool:
        return not in_place and not depth and self.rules.repairs and may_be_damaged(node, value)

    def _readings(
        self, node: Node, value: Any, candidates: Sequence[Candidate], depth: int, *, in_place: bool
    ) -> Search:
        readings = [Reading(value, value)]  # the attempt for the message, if there is no other
        if type(value) is dict or type(value) is list or node.has_in_place_subschemas():
            members = yield from self._members(node, value, in_place=in_place)
            partials = yield from self._apply_in_place(node, members, in_place=in_place)
            readings = [
                self._validated(node, partial)
                if partial.value is not value
                else Reading(value, partial.attempt)
                for partial in (self._without_repeated(node, each) for each in partials)
            ]
        for rule, made, cost in candidates:
            reading = yield self._read(node, made, depth + 1, in_place=in_place)
            readings.append(changed(reading, rule, value, made, cost))
        if self.rules.restructures and not in_place and depth < MAX_REINTERPRETATIONS:
            view = self.verdicts.memo(("view", node), lambda: NodeView((node,)))
            others = restructurings(self.coercion, node, view, value)
            readings += yield from self._read_restructured(node, others, depth)
        return readings

    def _read_restructured(self, node: Node, others: Iterator[Restructuring], depth: int) -> Search:
        """Return the readings of a value in other structures."""
        readings = []
        for made, step in others:
            rule = step[1]
            # what has a new name is not restructured again: it has to be valid under that name
            level = MAX_REINTERPRETATIONS if rule == "sole_key" else depth + 1
            reading = yield self._read(node, made, level)
            if reading.valid and type(reading.value) is dict:  # an object, in another structure
                before = Reading(made, made, valid=True, cost=COSTS[rule], steps=(step,))
                readings.append(joined(before, reading))
        return readings

    def _without_repeated(self, node: Node, reading: Reading) -> Reading:
        """Return the reading of an array without items that became equal as they were read."""
        for each in self.rules.alternatives(node) if type(reading.value) is list else ():
            if each.rule == "repeated_items":
                value, made = reading.value, each.function(reading.value)
                if made is not value:
                    step = ((), each.rule, value, made)
                    cost = reading.cost.plus(each.charge(made))
                    attempt = each.function(reading.attempt)
                    return Reading(made, attempt, cost=cost, steps=(*reading.steps, step))
        return reading

    def _validated(self, node: Node, reading: Reading) -> Reading:
        """Validate a reading under a node."""
        valid = self.valid(node, reading.value)
        attempt = reading.value if valid else reading.attempt
        return Reading(reading.value, attempt, valid, reading.cost, reading.steps)

    # --------------------------------------------------------------------------- containers
    def _members(self, node: Node, value: Any, *, in_place: bool) -> Search:
        """Return the reading of a container in which each member is read, not yet validated."""
        if not self.reads_members(node, value, in_place=in_place):
            return Reading(value, value, valid=True)
        is_object = type(value) is dict
        parts = node.all_in_place() if self.coercion.text_over_string and not in_place else ()
        renames = is_object and self.coercion.key_spelling and node.properties
        keys: Sequence[Any] = [*value] if is_object else range(len(value))
        result = ContainerBuilder(value)
        changes = yield from self._bulk_changes(node, value)
        for key in keys if changes is None else result.set_many(changes):
            item = value[key]
            children = _member_subschemas(node, key, parts)
            if not children:
                continue
            # a member that is valid needs no turn in the list of searches: that is most of them
            reading = self._read(children[0], item)
            if type(reading) is not Reading:
                reading = yield reading
            for child in children[1:]:
                reading = joined(reading, (yield self._read(child, reading.value)))
            if reading.valid and reading.value is item:
                continue
            if left_out := self.left_out(node, key, item, reading):
                result.remove(key, left_out)
            else:
                result.set(key, reading)
                if result.invalid == MAX_INVALID and not renames:
                    break
        if is_object and (self.coercion.key_spelling or self.coercion.drop_unknown):
            yield from self._unknown_keys(node, value, result)
        return result.build()

    def reads_members(self, node: Node, value: Any, *, in_place: bool = False) -> bool:
        """Return whether a value is a container whose members are read under a node."""
        if type(value) is dict:
            is_described = node.has_object_keywords()
        elif type(value) is list:
            is_described = node.has_array_keywords()
        else:
            return False
        return is_described or (self.coercion.text_over_string and not in_place)

    def _bulk_changes(self, node: Node, value: Any) -> Search:
        """Return what pydantic-core changes in many members of a container that stays invalid.

        Either a member has no valid reading, or the container is not valid with the readings of
        all of them. Then it does not matter which rules apply to the members. None if it does.
        """
        every = self._bulk.shared_subschema(node, value)
        if every is None:
            return None
        rest = self._bulk.changes(every, value)
        changes, result = [], value.copy()
        for key, new in rest:
            changes.append((key, new))
            if new is NOTHING:
                reading = yield self._read(every, value[key])
                if not reading.valid:
                    return until_enough(chain(changes, rest))
                result[key] = reading.value
            else:
                result[key] = new
        return None if self.valid(node, result) else changes

    def read_in_bulk(self, node: Node, value: Any) -> Any:
        """Return a container whose members, if they are many, are read by pydantic-core.

        Those that it rejects stay as they are, and all after the last that a message may need.
        """
        every = self._bulk.shared_subschema(node, value)
        if every is None:
            return value
        result = value.copy()
        for key, new in until_enough(self._bulk.changes(every, value)):
            if new is not NOTHING:
                result[key] = new
        return result

    def omits(self, node: Node, name: str, value: Any) -> bool:
        """Return whether a rule leaves a property of an object out."""
        if self.omission(node, name, value) is None:
            return False
        reading = self.read(node.properties[name], value)
        return self.left_out(node, name, value, reading) is not None

    def omission(self, node: Node, key: Any, value: Any) -> str | None:
        """Return the rule that may leave a member of a container out."""
        if key not in node.properties or key in node.required:
            return None
        return self.rules.omission(node.properties[key], value)

    def left_out(self, node: Node, key: Any, value: Any, reading: Reading) -> str | None:
        """Return the rule that leaves a member out, if it costs less than its reading."""
        rule = self.omission(node, key, value)
        return None if reading.valid and rule and reading.cost <= COSTS[rule] else rule

    def _unknown_keys(self, node: Node, value: dict[str, Any], result: ContainerBuilder) -> Search:
        # what a sole envelope holds is all of the arguments
        drops = (
            node.forbids_additional
            and self.coercion.drop_unknown
            and not (value.keys() <= ENVELOPES)
        )
        wanted = node.properties.keys() if node.forbids_additional else node.required
        wanted = wanted & node.properties.keys() - value.keys()
        renames = self.coercion.key_spelling and bool(wanted)
        if not (renames or drops):
            return
        unknown = [name for name in value if not node.declares(name)]
        names = (*node.properties, *unknown) if renames else ()
        spelled = {name: self.texts.apply(name_spelling, name) for name in names}
        count = Counter(spelled.values())
        declared = {spelled[name]: name for name in node.properties} if renames else {}
        for name in unknown:
            meant = declared.get(spelled[name]) if renames else None
            if (
                meant is not None
                and meant in wanted
                and count[spelled[name]] == 2  # noqa: PLR2004 - the two, and no rival
                and not has_other_sense(name, meant, value[name])
            ):
                reading = yield self._read(node.properties[meant], value[name])
                result.rename(name, meant, reading)
            elif drops:
                result.remove(name, "drop_unknown")

    # ------------------------------------------------------------- valid values that may change
    def _may_change(self, node: Node, value: Any) -> bool:
        """Return whether a rule may change a valid value: 3.0, or under `untyped` a string."""
        if self.rules.reads_strings and any_scalar(value, is_string):
            return True
        if not self.coercion.integral_floats:
            return False
        integral = self._integral.get(node)
        if integral is None:
            nodes = reachable([node], Node.subschemas)
            integral = self._integral[node] = any(map(_is_integral, nodes))
        if not integral:
            return False
        known = self._has_floats.get(id(value))
        if known is None:
            found = any_scalar(value, is_integral_float)
            known = self._has_floats[id(value)] = value, found
        return known[1]

    def _reread_valid(
        self, node: Node, untouched: Reading, depth: int, *, in_place: bool
    ) -> Search:
        """Replace integral floats by integers, and under `untyped` strings by what they spell."""
        value = untouched.value
        if type(value) is str:
            spelled = self._spelled(value) if depth < MAX_REINTERPRETATIONS else ()
            for rule, made in spelled:
                if rule in _WORD_RULES and self._is_choice(node, value):
                    continue
                read = yield self._read(node, made, depth + 1, in_place=in_place)
                reading = changed(read, rule, value, made)
                if reading.valid and type(reading.value) is not str:
                    return reading
            return untouched
        if type(value) is float and _is_integral(node):
            return self._whole(node, untouched)
        members = yield from self._members(node, value, in_place=in_place)
        if self._lost_fraction and not members.valid and not self.valid(node, members.attempt):
            return Reading(value, members.attempt)
        for partial in (yield from self._apply_in_place(node, members, in_place=in_place)):
            reading = self._validated(node, partial)
            if reading.valid:
                return reading
        return untouched

    def _whole(self, node: Node, untouched: Reading) -> Reading:
        """Replace an integral float by the integer that the text of the call spells."""
        value = untouched.value
        whole = self.texts.apply(integral_float, value)
        if type(whole) is str:
            self._lost_fraction = True
            return Reading(value, whole)
        if not self.valid(node, whole):
            whole = integral_float(value)
        if not self.valid(node, whole):  # a bound or multiple that only the float satisfies
            return untouched
        return changed(Reading(whole, whole, valid=True), "integral_floats", value, whole)

    def _spelled(self, text: str) -> Iterator[tuple[str, Any]]:
        """Yield what a valid string spells as exact JSON or as a word for null, with the rule."""
        if self.coercion.text_over_string:
            made = self.texts.apply(exact_json_text, text)
            if made is not text and made is not None:
                yield "text_over_string", made
        if self.coercion.null_words_over_string and text.strip() and null_word(text) is None:
            yield "null_words_over_string", None

    # --------------------------------------------------------------- the type of a node
    def _candidates(self, node: Node, value: Any) -> Iterator[Candidate]:
        """Yield what a value may mean under the types or choices of a node, each once."""
        seen: list[Any] = [value]
        word = value.strip("[] ") if type(value) is str else None  # an item in brackets, too
        is_none = word is not None and is_placeholder(word)
        is_none = is_none and not (node.items and self._is_choice(node.items, word))
        for alternative in self.rules.alternatives(node):
            if is_none and alternative.rule in _LIST_RULES:
                continue
            made = self.texts.apply(alternative.function, value)
            if made is not value and not any(
                type(known) is type(made) and known == made for known in seen
            ):
                seen.append(made)
                yield alternative.rule, made, alternative.charge(made)

    # -------------------------------------------------------------- in-place subschemas
    def _apply_in_place(self, node: Node, start: Reading, *, in_place: bool) -> Search:
        """Return the readings of a value under its in-place subschemas, one after the other."""
        beam = [start]
        for stage in self._stages(node, in_place=in_place):
            after: list[Reading] = []
            for before in beam:
                after += yield from self._apply_stage(stage, before)
            # the sort is stable: of equal costs, the schema's first branch stays first
            beam = sorted(after, key=lambda reading: reading.cost)[:MAX_BEAM]
        return beam

    def _stages(self, node: Node, *, in_place: bool) -> Iterator[Callable[[Any], Search]]:
        """Yield each subschema or union as a function from values to readings."""
        for child in (*node.reference, *node.all_of):
            yield functools.partial(self._each, (child,))
        for group in (node.any_of, node.one_of):
            if group:
                yield functools.partial(self._branches, group)
        for condition in node.conditions:
            yield functools.partial(self._conditional, condition)
        for name, child in node.dependent.items():
            yield functools.partial(self._each, (child,), name=name)
        # a string may have become a container by now, and the node may describe its members
        describes = node.has_assertions() or self.coercion.text_over_string
        if describes and node.has_in_place_subschemas():
            yield functools.partial(self._reread_members, node, in_place=in_place)

    def _each(self, nodes: Sequence[Node], value: Any, *, name: str | None = None) -> Search:
        """Return the readings under some nodes; none if the value does not have a property."""
        readings: list[Reading] = []
        if name is not None and (type(value) is not dict or name not in value):
            return readings
        for node in nodes:
            readings.append((yield self._read(node, value, in_place=True)))  # noqa: PERF401 - it waits
        return readings

    def _branches(self, group: Sequence[Node], value: Any) -> Search:
        """Return the readings under the branches of a union; for an object, the nearest by name.

        Where members are independent, no reading adds a missing name or drops an unknown one.
        """
        if type(value) is dict and self.rules.members_are_independent:
            wrong = [self._name_mismatches(node, value) for node in group]
            nearest = min(wrong)
            group = [node for node, names in zip(group, wrong, strict=True) if names == nearest]
        return (yield from self._each(group, value))

    def _name_mismatches(self, node: Node, value: dict[str, Any]) -> int:
        """Return the number of missing and unknown names in an object."""
        required, allowed = self.verdicts.memo(
            ("required_and_allowed", node), lambda: required_and_allowed(node)
        )
        unknown = 0 if allowed is None else len(value.keys() - allowed)
        return unknown + len(required - value.keys())

    def _reread_members(self, node: Node, value: Any, *, in_place: bool) -> Search:
        return [(yield from self._members(node, value, in_place=in_place))]

    def _conditional(self, condition: Condition, value: Any) -> Search:
        """Read `then` if the test has a valid reading; `else` if the value itself fails it."""
        test = yield self._read(condition.test, value, in_place=True)
        ways = [(test, condition.then)] if test.valid else []
        # a test that holds only after changes may not be meant: then both ways are read
        if not test.valid or test.cost > FREE:
            ways.append((Reading(value, value, valid=True), condition.otherwise))
        readings = []
        for before, node in ways:
            if node is not None:
                before = joined(before, (yield self._read(node, before.value, in_place=True)))  # noqa: PLW2901
            readings.append(before)
        return readings

    def _apply_stage(self, stage: Callable[[Any], Search], before: Reading) -> Search:
        """Return the valid readings after a stage; or else the attempt with most changes."""
        after = yield from stage(before.value)
        valid = [joined(before, reading) for reading in after if reading.valid]
        if valid or not after:
            return valid or [before]
        return [joined(before, max(after, key=lambda reading: reading.cost.changes))]


def _member_subschemas(node: Node, key: Any, parts: Sequence[Node] = ()) -> tuple[Node, ...]:
    """Return what describes a member, other than `false` for additional properties.

    With `parts`, a member that none of them describes may be anything.
    """
    if parts and not any(_member_subschemas(part, key) for part in parts):
        return (ANYTHING,)
    if type(key) is int:
        return node.item_subschemas(key)
    children = node.property_subschemas(key)
    return () if node.forbids_additional and children == (node.additional,) else children


def may_be_damaged(node: Node, value: Any) -> bool:
    """Return whether a value may be damaged JSON text, where no string is allowed."""
    return (
        type(value) is str
        and _BRACKET.search(value) is not None
        and not node.accepts("string")
        and (node.accepts("object") or node.accepts("array"))
    )


def _choice_spellings(node: Node) -> frozenset[str]:
    """Return the spellings of all texts among the choices in place of a node, but for blanks."""
    choices = (choice for each in node.all_in_place() for choice in each.choices or ())
    return frozenset(spelling(choice) for choice in choices if type(choice) is str) - {""}


def _reads_word(reading: Reading) -> bool:
    """Return whether a reading takes the whole value for a word."""
    return any(rule in _WORD_RULES and not path for path, rule, *_ in reading.steps)


def _is_integral(node: Node) -> bool:
    """Return whether a node expects integers, and not any number."""
    return "integer" in node.expected_types and "number" not in node.expected_types
