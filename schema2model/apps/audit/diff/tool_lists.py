"""The changes between two lists of tools."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from schema2model.apps.audit.diff.changes import KINDS, ChangeKind, Comparison, ToolChange
from schema2model.apps.audit.diff.differences import (
    UNPROBED,
    Difference,
    bound_change,
    differences,
    texts_of,
)
from schema2model.apps.audit.diff.example_arguments import (
    FREE_NAMES,
    ExampleArguments,
)
from schema2model.apps.audit.diff.judging import (
    CLOSED,
    Judgement,
    Version,
    completed_judgements,
    judgements,
)
from schema2model.apps.audit.diff.sampling import (
    ANY_VALUES,
    changed_calls,
    has_location,
    with_containers,
)
from schema2model.errors import SchemaError
from schema2model.json.canonical import canonical_json
from schema2model.json.equality import json_key
from schema2model.json.pointers import JSONPath, any_item, pointer
from schema2model.json.quoting import list_names, printable, quoted
from schema2model.json.values import NotJSONError
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = ["compare_tools"]

MAX_CALLS = 40_000
"""Maximum calls that are tried for one tool."""

MAX_EXPLAINED = 4
"""Maximum calls at one location that only one version accepts, and that are explained although a
smaller one was: to find what is wrong with a call may take a hundred times as long as to see it."""

MAX_VALUES = 200
"""Maximum values that are tried at one location."""

MAX_CONSTANTS = 20
"""Maximum values in the keywords of one location that are tried."""

_KIND: Final[dict[str, ChangeKind]] = {
    "refused": "breaking",
    "closed": "breaking",
    "ignored": "risky",
    "format": "risky",
    "default": "risky",
    "accepted": "additive",
    "opened": "additive",
    "declared": "additive",
}
_SIDE: Final = {"refused": "old", "closed": "old", "accepted": "new", "opened": "new"}
_ORDER: Final = [*_KIND]
_FREE_WORDS: Final = {
    "closed": "does not accept undeclared members any more",
    "opened": "accepts undeclared members now",
}
_OF_NAMES: Final = frozenset(
    {
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "propertyNames",
        "maxProperties",
    }
)
"""Keywords that names show which no schema declares."""

_SIZES: Final = ("maxProperties", "minProperties")

_UNIONS: Final = frozenset({"anyOf", "oneOf"})

_OF_MEMBERS: Final = frozenset(
    {
        "if",
        "then",
        "else",
        "not",
        "anyOf",
        "oneOf",
        "contains",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "unevaluatedProperties",
    }
)
"""Keywords that changes of several members show."""


def compare_tools(old: Iterable[Any], new: Iterable[Any]) -> Comparison:
    """Return the changes between two versions of tools, matched by name.

    Args:
        old: definitions in the shape of any provider.
        new: the same, later.

    Raises:
        SchemaError: for what is not the definition of a tool, for two tools of one name in a
            version, and for a tool whose schema cannot be compiled in either version.

    """
    before, after = _by_name(old, "old"), _by_name(new, "new")
    changes: list[ToolChange] = []
    for name in {**before, **after}:
        if name in before and name in after:
            changes += _compared(name, before[name], after[name])
        elif name in before:
            same = next(
                (n for n in after if n not in before and _alike(before[name], after[n])), ""
            )
            words = f"the tool is called {quoted(same)} now" if same else "the tool is gone"
            changes.append(_of_tool("breaking", name, words, before[name], "old"))
        else:
            changes.append(_of_tool("additive", name, "the tool is new", after[name], "new"))
    return Comparison(tuple(changes), len({**before, **after}))


def _by_name(tools: Iterable[Any], version: str) -> dict[str, Definition]:
    found: dict[str, Definition] = {}
    for each in map(read_definition, tools):
        if each.name in found:
            message = f"two tools of the {version} version have the name {quoted(each.name)}"
            raise SchemaError(message)
        found[each.name] = each
    return found


def _alike(one: Definition, other: Definition) -> bool:
    return json_key(one.json_schema) == json_key(other.json_schema)


def _of_tool(kind: ChangeKind, name: str, words: str, tool: Definition, side: Any) -> ToolChange:
    try:
        bases = Version(tool.json_schema, tool.dialect).examples.calls()
    except SchemaError:
        bases = []
    return ToolChange(kind, name, "", words, *((bases[0], side) if bases else ()))


def _compared(name: str, old: Definition, new: Definition) -> list[ToolChange]:
    try:
        after = Version(new.json_schema, new.dialect)
    except SchemaError as error:
        Version(old.json_schema, old.dialect)  # if it is no better, nothing can be compared
        return [ToolChange("breaking", name, "", f"the schema cannot be compiled: {error}")]
    try:
        before = Version(old.json_schema, old.dialect)
    except SchemaError as error:
        words = f"the schema can be compiled now, which it could not be: {error}"
        return [ToolChange("additive", name, "", words)]
    comparing = _ToolComparison(name, before, after)
    comparing.try_calls()
    comparing.judge_the_rest()
    changes = _with_renames(comparing.changes(), before.examples, after.examples)
    changes += _compared_results(name, old, new)
    return sorted(changes, key=lambda change: (KINDS.index(change.kind), change.path))


def _compared_results(name: str, old: Definition, new: Definition) -> Iterator[ToolChange]:
    """Yield where the schemas of the results differ: whether readers are affected is not known."""
    before, after = (each.extras.get("outputSchema") for each in (old, new))
    if before is None and after is None:
        return
    if before is None:
        yield ToolChange("additive", name, "", "its results have a schema now")
    elif after is None:
        yield ToolChange("risky", name, "", "its results have no schema any more")
    else:
        try:
            if canonical_json(before) == canonical_json(after):
                return
            examples = [Version(each).examples for each in (before, after)]
        except (SchemaError, NotJSONError):
            yield ToolChange("risky", name, "", "its results' schema changed")
            return
        places = {
            any_item(pointer(location)): each for location, each in differences(*examples).items()
        }
        for path, difference in places.items():
            words = f"its results' schema changed{f' at {printable(path)}' if path else ''}"
            if difference.keywords:
                words += f", in {list_names(sorted(difference.keywords))}"
            yield ToolChange("risky", name, "", words)


class _Shown(NamedTuple):
    """A difference, and the call that shows it best."""

    judgement: Judgement
    call: Any
    cost: tuple[int, int]
    """The differences that the call shows, and its size."""


class _ToolComparison:
    """The comparison of two versions of one tool, where their schemas differ."""

    def __init__(self, name: str, old: Version, new: Version) -> None:
        self._name = name
        self._versions = old, new
        self._examples = old.examples, new.examples
        self._differences = differences(*self._examples)
        self._found: dict[str, dict[str, _Shown]] = {}
        self._reached: set[JSONPath] = set()
        self._uncalled: list[ToolChange] = []
        self._left = MAX_CALLS

    def changes(self) -> list[ToolChange]:
        """Return the changes so far."""
        called = (_changes(self._name, path, kinds) for path, kinds in self._found.items())
        return [*chain(*called), *self._uncalled]

    def try_calls(self) -> None:
        """Judge calls that may show a change: valid ones, changed at each location that differs."""
        defaults = self._versions[0].defaults != self._versions[1].defaults
        if not (self._differences or defaults):
            return
        bases = [base for each in self._examples for base in each.calls()]
        for call in bases:
            self._judge(call)
        if defaults:
            for location in dict.fromkeys(chain(*(each.locations for each in self._examples))):
                self._try_location(location, bases[:1], [])
        for location in self._differences:
            unions = [
                each
                for each in (location[:depth] for depth in range(len(location) + 1))
                if each in self._differences and self._differences[each].keywords & _UNIONS
            ]
            for probe, values in self._probes(location):
                branches: Iterable[Any] = bases[:1] if unions else ()
                for union in unions:
                    branches = self._branch_calls(union, branches)
                self._try_location(probe, chain(bases, branches), values, location)

    def _branch_calls(self, location: JSONPath, bases: Iterable[Any]) -> Iterator[Any]:
        """Yield calls with an object or array for each branch of the unions at a location."""
        containers = _distinct(chain(*(each.containers(location) for each in self._examples)))
        if not containers:
            yield from bases
        if not location:
            yield from containers
        for base in bases:
            around = with_containers(base, location, self._container)
            yield from changed_calls(around, location, containers)

    def _probes(self, location: JSONPath) -> Iterator[tuple[JSONPath, list[Any]]]:
        """Yield the locations that may show a difference, each with the values to try there."""
        difference = self._differences[location]
        texts = difference.texts()
        constants = _constants(texts)
        yield location, self._values(location)
        if difference.keywords & _OF_MEMBERS:
            for each in dict.fromkeys(chain(*(each.locations for each in self._examples))):
                if each[:-1] == location and each and json.dumps(each[-1]) in texts:
                    known = chain(*(version.values(each) for version in self._examples))
                    yield each, _distinct(chain(constants, known))
        for _, name, _ in bound_change(difference):
            if name:
                yield (*location, name), ["text", 1]
        if difference.keywords & _OF_NAMES or any(f'"{each}"' in texts for each in _OF_NAMES):
            nodes = [node for each in self._examples for node in each.subschemas(location)]
            free = (
                name
                for name in FREE_NAMES
                if not (self._is_declared(name) or any(node.declares(name) for node in nodes))
            )
            named = chain(*(texts_of(side, "propertyNames") for side in difference.sides))
            allowed = [str(each) for text in named for each in _constants(text)]
            for name in (*islice(free, 1), *allowed[:MAX_CONSTANTS]):
                yield (*location, name), [*constants, *ANY_VALUES]

    def _values(self, location: JSONPath) -> list[Any]:
        """Return the values to try at a location that differs."""
        sources = (
            _changed_choices(location, *self._examples),
            _constants(self._differences[location].texts()),
            *(each.containers(location) for each in self._examples),
            *(each.values(location) for each in self._examples),
            ANY_VALUES,
        )
        return _distinct(chain(*sources))

    def _is_sampled(self, location: JSONPath) -> bool:
        """Return whether no value is left out that may show a difference."""
        is_whole = len(self._values(location)) < MAX_VALUES
        return is_whole and all(each.is_sampled(location) for each in self._examples)

    def _try_location(
        self,
        location: JSONPath,
        bases: Iterable[Any],
        values: list[Any],
        of: JSONPath | None = None,
    ) -> None:
        path = any_item(pointer(location))
        explained: dict[bool, list[int]] = {True: [], False: []}
        for base in bases:
            around = with_containers(base, location, self._container)
            for call in changed_calls(around, location, values):
                if self._left <= 0:
                    return
                self._left -= 1
                if self._judge(call, explained) and of is not None and has_location(call, of):
                    self._reached.add(of)
            if "refused" in self._found.get(path, {}):  # nothing is worse
                return

    def _container(self, location: JSONPath, kind: type) -> Any:
        made = (each.container(location, kind) for each in self._examples)
        return next((each for each in made if each is not None), None)

    def _judge(self, call: Any, explained: dict[bool, list[int]] | None = None) -> bool:
        """Note what a call shows. Return whether a version accepts it.

        `explained` has the sizes of the calls at the same location that only the old version
        accepts (True), or only the new one: after enough of them, only smaller ones are explained.
        """
        old, new = self._versions
        before, after = old.accepts(call), new.accepts(call)
        if explained is not None and before != after:
            sizes, size = explained[before], len(canonical_json(call))
            if len(sizes) >= MAX_EXPLAINED and size >= min(sizes):
                return True
            sizes.append(size)
        directly = [(each, call) for each in judgements(old, new, call, self._is_free)]
        for judged in (directly, [*completed_judgements(old, new, call)]):
            for each, example in judged:
                found = _Shown(each, example, (len(judged), len(canonical_json(example))))
                kinds = self._found.setdefault(any_item(each.path), {})
                known = kinds.get(each.kind, found)
                kinds[each.kind] = min(known, found, key=lambda shown: shown.cost)
        return before or after

    def _is_free(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return name in FREE_NAMES and not self._is_declared(name)

    def _is_declared(self, name: str) -> bool:
        return any(name in each.declared for each in self._examples)

    def judge_the_rest(self) -> None:
        """Judge the differences that no call shows, by the schemas; or list them as uncompared."""
        for location, difference in self._differences.items():
            path = any_item(pointer(location))
            # no call that is tried has another number of arguments
            is_size = not location and not difference.keywords.isdisjoint(_SIZES)
            inner = difference.keywords_of_branches
            is_inner_size = not location and not inner.isdisjoint(_SIZES)
            shown = [
                each
                for each, kinds in self._found.items()
                if f"{each}/".startswith(f"{path}/") and kinds.keys() != {"default"}
            ]
            if (shown if location else self._verdicts_differ(difference)) and not is_size:
                continue
            is_reached = location in self._reached and self._left > 0
            is_unseen = is_size or is_inner_size or difference.is_beyond_probing()
            if is_reached and not is_unseen and self._is_sampled(location):
                continue  # another spelling of the same
            changes = [
                ToolChange(
                    _KIND[kind], self._name, path + (pointer((name,)) if name else ""), words
                )
                for kind, name, words in self._without_calls(location, is_reached=is_reached)
            ]
            if not changes and difference.keywords:
                words = (
                    f"differs in {list_names(sorted(difference.keywords))}, and no call shows how"
                )
                changes = [ToolChange("uncompared", self._name, path, words)]
            known = {(each.kind, each.path) for each in self._uncalled}
            self._uncalled += [
                each
                for each in changes
                if (each.kind, each.path) not in known and each.path not in shown
            ]

    def _verdicts_differ(self, difference: Difference) -> bool:
        """Return whether a call shows a difference of the root: only one version accepts it.

        All paths are below the root: a new parameter does not show what else differs there, and
        neither does what differs below another location.
        """
        others = [any_item(pointer(each)) for each in self._differences if each]
        is_of_members = difference.keywords.isdisjoint(UNPROBED)
        return any(
            kind in {"refused", "accepted"} and shown.judgement.keyword not in CLOSED
            for path, kinds in self._found.items()
            if is_of_members or not any(f"{path}/".startswith(f"{each}/") for each in others)
            for kind, shown in kinds.items()
        )

    def _without_calls(
        self, location: JSONPath, *, is_reached: bool
    ) -> Iterator[tuple[str, str, str]]:
        """Yield what a difference means by itself: kinds of judgement, names below, and words."""
        difference = self._differences[location]
        found = [*bound_change(difference)]
        if not is_reached and location and None not in (difference.old, difference.new):
            values = next(self._probes(location))[1]
            kinds: dict[str, Any] = {}
            for value in values:
                was, now = (each.accepts(location, value) for each in self._examples)
                if was != now:
                    kinds.setdefault("refused" if was else "accepted", value)
            for kind in sorted(kinds, key=_ORDER.index)[:1] if not found else ():
                verb = "is not accepted any more" if kind == "refused" else "is accepted now"
                found.append((kind, "", f"{quoted(kinds[kind])} {verb}"))
        for kind, name, words in found:
            yield kind, name, words or _FREE_WORDS[kind]


def _constants(texts: str) -> list[Any]:
    """Return the values that keywords name."""
    found: list[Any] = []
    for line in texts.splitlines():
        with contextlib.suppress(ValueError):
            queue = [json.loads(line)]
            for each in queue:
                if isinstance(each, dict):
                    found += [each["const"]] if "const" in each else []
                    found += each["enum"] if isinstance(each.get("enum"), list) else []
                    queue += each.values()
                elif isinstance(each, list):
                    queue += each
    return found[:MAX_CONSTANTS]


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return the first values that differ."""
    found: dict[str, Any] = {}
    for value in values:
        found.setdefault(canonical_json(value), value)
        if len(found) >= MAX_VALUES:
            break
    return [*found.values()]


def _changed_choices(
    location: JSONPath, old: ExampleArguments, new: ExampleArguments
) -> Iterator[Any]:
    before, after = old.choices(location), new.choices(location)
    for these, others in ((before, after), (after, before)):
        yield from islice((these[text] for text in these if text not in others), MAX_CONSTANTS)


def _changes(name: str, path: str, kinds: dict[str, _Shown]) -> Iterator[ToolChange]:
    """Yield the worst change at a place, and another default, which none of these implies."""
    worst = min(kinds, key=_ORDER.index)
    is_gone = worst == "ignored" or kinds[worst].judgement.keyword in CLOSED
    for kind in dict.fromkeys([worst] if is_gone else [worst, "default"]):
        if kind in kinds:
            judgement, call, _ = kinds[kind]
            side: Any = _SIDE.get(kind, "both")
            yield ToolChange(_KIND[kind], name, path, _words(judgement), call, side)


def _words(judgement: Judgement) -> str:
    kind, _, keyword, words = judgement
    if kind in {"refused", "accepted"} and keyword == "required":
        return "is required now" if kind == "refused" else "is optional now"
    if kind in {"refused", "accepted"} and keyword in CLOSED:
        return "is not accepted any more" if kind == "refused" else "is a new parameter"
    return {
        "refused": f"has to be {words} now",
        "accepted": f"need not be {words} any more",
        "ignored": "is not declared any more, and may be ignored",
        "declared": "is a new parameter",
        "format": f"has to be {words} now, as far as formats are checked",
        "default": f"had the default {words}",
        **_FREE_WORDS,
    }[kind]


def _with_renames(
    changes: list[ToolChange], old: ExampleArguments, new: ExampleArguments
) -> list[ToolChange]:
    """Join a parameter that is gone with a new one of the same schema: it was renamed."""
    before = {any_item(pointer(path)): nodes for path, nodes in old.locations.items()}
    after = {any_item(pointer(path)): nodes for path, nodes in new.locations.items()}
    gone = [each for each in changes if each.path in before and each.path not in after]
    fresh = [each for each in changes if each.path in after and each.path not in before]
    for one in gone:
        for other in fresh:
            same = [
                canonical_json([n.schema for n in nodes])
                for nodes in (before[one.path], after[other.path])
            ]
            beside = one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
            if beside and same[0] == same[1] and one in changes and other in changes:
                worst = min((one, other), key=lambda change: KINDS.index(change.kind))
                words = f"is called {quoted(other.path.rpartition('/')[2])} now"
                changes = [each for each in changes if each not in (one, other)]
                changes.append(
                    ToolChange(worst.kind, one.tool, one.path, words, worst.call, worst.accepted_by)
                )
    return changes
