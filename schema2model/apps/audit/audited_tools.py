"""A tool as the rules of the audit see it: its definition, and the nodes of its schema."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any

from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.errors import SchemaError
from schema2model.json.values import type_of
from schema2model.limits import MAX_AUDITED_SUBSCHEMAS
from schema2model.schema.choices import valid_choices
from schema2model.schema.dialects import DEFAULT, Dialect
from schema2model.schema.nodes import Node
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = ["AuditedTool", "fold_name"]

_BYTES_PER_TOKEN = 4
"""Of compact JSON: a little fewer than tokenizers take, so that the estimate is high."""

_FRAME = len('{"name":"","description":"","inputSchema":}')

_ANY_NUMBER = frozenset(("number", "integer"))


class AuditedTool:
    """A tool. Without a `root`, its schema cannot be compiled, and `error` says why.

    `namesakes` counts the names in the list of tools that `fold_name` makes equal.
    """

    def __init__(self, given: Any, dialect: str | None = None) -> None:
        self.definition = _unreadable_definition(given)
        self.namesakes: Counter[str] = Counter()
        self.error: SchemaError | None = None
        self.root: Node | None = None
        self.dialect: Dialect = DEFAULT
        self.seconds: float | None = None
        self.compiled: CompiledSchema | None = None
        self.budget: str | None = None
        """The limits of strict modes that the tools of the list exceed together, in words."""
        try:
            self.definition = given = read_definition(given)
            start = time.perf_counter()
            compiled = compile_schema(
                given.schema, name=given.name, dialect=dialect or given.dialect
            )
            self.seconds = time.perf_counter() - start
            self.compiled = compiled
            self._verdicts = compiled._engine.verdicts
            self.dialect = self._verdicts.dialect
            self.root = compiled._engine.root
        except SchemaError as error:
            self.error = error
        except RecursionError:
            self.error = SchemaError("it is nested too deeply")

    def why_not_strict(self, provider: str) -> str | None:
        """Return the reason why a provider cannot enforce the schema; None if it can."""
        if self.compiled is None or not self.nodes:
            return None
        try:
            self.compiled.strict(provider)
        except SchemaError as error:
            return str(error)
        return None

    @cached_property
    def size(self) -> int:
        """Bytes of the schema as compact JSON; 0 if it is none."""
        try:
            text = json.dumps(self.definition.schema, ensure_ascii=False, separators=(",", ":"))
        except (ValueError, TypeError, RecursionError):
            return 0
        return len(text.encode("utf-8", "surrogatepass"))

    @property
    def tokens(self) -> int:
        """Estimated tokens of the name, the description and the schema in each request."""
        texts = (self.definition.name, self.definition.description)
        length = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        return math.ceil((_FRAME + length + self.size) / _BYTES_PER_TOKEN)

    @cached_property
    def reached(self) -> tuple[tuple[Node, int], ...]:
        """Every node that can be reached from the root, and the levels of values down to it."""
        found: dict[int, tuple[Node, int]] = {}
        queue = [(self.root, 0)] if self.root else []
        for node, level in queue:  # which grows on the way
            if id(node) not in found:
                found[id(node)] = node, level
                queue += [(part, level) for part in (*node.in_place_subschemas(), *node.negated)]
                queue += [(part, level + 1) for part in node.child_subschemas()]
        return tuple(found.values())

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that rules examine, if there are at most `MAX_AUDITED_SUBSCHEMAS`."""
        is_small = len(self.reached) <= MAX_AUDITED_SUBSCHEMAS
        return tuple(node for node, _ in self.reached) if is_small else ()

    @cached_property
    def positions(self) -> tuple[Node, ...]:
        """The nodes of values: the root, and what properties and items are held against."""
        nodes = [
            *self.nodes[:1],
            *(part for node in self.nodes for part in node.child_subschemas()),
        ]
        return tuple({id(node): node for node in nodes}.values())

    def host_nodes(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that a node applies in place of."""
        return self._host_nodes.get(id(node), ())

    @cached_property
    def _host_nodes(self) -> dict[int, tuple[Node, ...]]:
        hosts: dict[int, tuple[Node, ...]] = {}
        for host in self.nodes:
            for part in host.in_place_subschemas():
                hosts[id(part)] = (*hosts.get(id(part), ()), host)
        return hosts

    def allowed_types(self, node: Node) -> frozenset[str] | None:
        """Return the types that a node allows as far as it names any; None if it names none."""
        return self._allowed_types[id(node)]

    @cached_property
    def _allowed_types(self) -> dict[int, frozenset[str] | None]:
        by_id = {id(node): node for node in self.nodes}
        below = {
            key: [id(part) for part in (*node.conjuncts(), *node.any_of, *node.one_of)]
            for key, node in by_id.items()
        }
        kinds: dict[int, frozenset[str] | None] = {}
        for key in TopologicalSorter(below).static_order():  # cycles in place are refused
            kinds[key] = _narrow_types(by_id[key], kinds)
        return kinds

    def invalid_choices(self, node: Node, choices: Iterable[Any]) -> list[Any]:
        """Return the choices that are not valid under a node, without coercion."""
        choices = [*choices]
        if self.compiled is None or self.compiled._engine.dynamic:
            return [choice for choice in choices if not self.accepts(node, choice)]
        try:
            accepted = valid_choices(self._verdicts, (node,), choices)
        except ValueError:  # no Unicode text, which no model writes
            return []
        return [choice for choice in choices if not accepted(choice)]

    def accepts(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid under a node, without coercion."""
        try:
            return self._verdicts.is_valid_at(node.place)(value)
        except ValueError:  # no Unicode text, which no model writes
            return True


def fold_name(name: str) -> str:
    """Return a name without what is easily confused: case, and what separates words.

    >>> fold_name("get-user_ID")
    'getuserid'
    """
    return "".join(name.replace("-", " ").replace("_", " ").split()).casefold()


def _unreadable_definition(given: Any) -> Definition:
    """Return an empty definition for an item that is not one."""
    item = given if isinstance(given, Mapping) else {}
    name, description = item.get("name"), item.get("description")
    return Definition(
        name if isinstance(name, str) else "",
        description if isinstance(description, str) else "",
        None,
    )


def _narrow_types(node: Node, kinds: Mapping[int, frozenset[str] | None]) -> frozenset[str] | None:
    """Return the types of a node, by those of the nodes that apply in place of it."""
    if node.is_false:
        return frozenset()
    all_of = [kinds[id(part)] for part in node.conjuncts()]
    if node.types is not None:
        all_of.append(_with_integers(node.types))
    if node.choices is not None:
        all_of.append(_with_integers(type_of(choice) for choice in node.choices))
    for branches in (node.any_of, node.one_of):
        alternatives = [kinds[id(branch)] for branch in branches]
        if branches and None not in alternatives:
            all_of.append(frozenset().union(*filter(None, alternatives)))
    known = [each for each in all_of if each is not None]
    return frozenset.intersection(*known) if known else None


def _with_integers(types: Any) -> frozenset[str]:
    """Return types, with integers among the numbers."""
    named = frozenset(types)
    return named | _ANY_NUMBER if "number" in named else named
