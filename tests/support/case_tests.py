"""Tests of the cases in `tests/data`, and the options that these name."""

from __future__ import annotations

from typing import Any

import pytest
from cases import Case, cases

from schema2model import Coercion


def each_case(file: str, *groups: str) -> pytest.MarkDecorator:
    """Return a decorator that runs a test with each of these cases, as `case`."""
    chosen = cases(file, *groups)
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=[case.id for case in chosen])


def coercion_of(named: Any) -> Coercion:
    """Return the coercion that a case names: a preset, or a preset with rules on and off."""
    rules = {"preset": named} if isinstance(named, str) else {**named}
    preset: Coercion = getattr(Coercion, rules.pop("preset"))
    return preset.replace(**rules)


def coercions(case: Case) -> list[Coercion]:
    """Return the coercions under each of which a case holds."""
    return [coercion_of(named) for named in case.coercions]
