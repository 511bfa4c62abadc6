"""What the rules mean, in the words that the fields of `Coercion` have."""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources
from itertools import pairwise

__all__ = ["meanings"]


@cache
def meanings() -> dict[str, list[str]]:
    """The words about each rule; every second piece, from the second one, is code.

    >>> meanings()["integral_floats"]
    ['', '3.0', ' becomes ', '3', ' where an integer is wanted.']
    """
    tree = ast.parse(resources.files("schema2model").joinpath("coercions.py").read_text("utf-8"))
    [fields] = [n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Coercion"]
    found = {}
    for field, words in pairwise(fields):
        if isinstance(field, ast.AnnAssign) and field.value and isinstance(words, ast.Expr):
            found[ast.unparse(field.target)] = ast.literal_eval(words.value).split("`")
    return found
