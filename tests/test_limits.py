"""The table of safety limits is complete; `benchmarks/tables.py` shows it in the documentation."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise

import pytest
from sources import MODULES, nodes

from schema2model import limits

LIMITS = [name for name in vars(limits) if name.isupper()]
SENTENCES = {
    limit.target.id: " ".join(ast.literal_eval(sentence.value).split())
    for limit, sentence in pairwise(ast.parse(inspect.getsource(limits)).body)
    if isinstance(limit, ast.AnnAssign) and isinstance(limit.target, ast.Name)
    if isinstance(sentence, ast.Expr)
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_names_its_unit_and_what_it_protects(name: str) -> None:
    """In the docstring below it."""
    assert re.match(r"Maximum [\w' ]+.*: protects [^.]+\.", SENTENCES[name])


def test_every_limit_is_used() -> None:
    """By a module that imports it from the table."""
    imported = {
        alias.name
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom) and node.module == "schema2model.limits"
        for alias in node.names
    }
    assert imported == set(LIMITS)
