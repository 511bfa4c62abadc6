"""The figures as one self-contained page of HTML.

Names, arguments and errors are hostile text. The template engine escapes all values,
`visible` and `named` show characters that would steer the reader or the parser, text is
between elements and never in attributes, and the page's Content-Security-Policy runs one script and
one style sheet: those whose hashes it names.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from schema2model.apps.batch.report.counts import certain_share
from schema2model.apps.batch.report.mistakes import cut
from schema2model.apps.batch.report.text import named, visible
from schema2model.coercions import COERCION_RULES, STATUSES
from schema2model.extras import extra

with extra("report"):
    import jinja2
    from markupsafe import Markup

__all__ = ["level", "page", "percent", "shortly"]

LEVELS = (0, 0.01, 0.05, 0.15, 0.3, 0.5)
"""Shares of calls above which the colour of a cell is stronger."""

LABEL = 23
"""Maximum characters of a name next to the heat table."""

_MEANINGS = {
    "unchanged": "were valid as sent",
    "coerced": "became valid when values were converted",
    "repaired": "became valid when the text was mended",
    "refused": "could not be made valid",
}


def page(figures: Mapping[str, Any], title: str) -> str:
    """Return the HTML page of figures, from `Figures.document`, under a title.

    Of figures that have them, `batch`, how the calls were corrected, `finished`, when, and
    `compared`, another run next to it, are shown too.
    """
    style, script = _part("report.css"), _part("report.js")
    return _template().render(
        figures,
        batch=figures.get("batch"),
        finished=figures.get("finished"),
        compared=figures.get("compared"),
        title=cut(title),
        total=sum(figures["calls"].values()),
        statuses=STATUSES,
        meanings=_MEANINGS,
        rule_meanings={rule.name: rule.meaning.split("`") for rule in COERCION_RULES},
        named=named,
        percent=percent,
        level=level,
        measure="refused" if figures["calls"]["refused"] else "changed",
        shortly=shortly,
        policy=_policy(style, script),
        style=style,
        script=script,
    )


def percent(part: int, whole: int) -> str:
    """Return a share as text; only none is "0%", and only all is "100%".

    >>> percent(1, 3), percent(0, 3), percent(3, 3), percent(1, 9999), percent(9998, 9999)
    ('33.3%', '0%', '100%', '<0.1%', '>99.9%')
    >>> percent(0, 0)
    '-'
    """
    if not whole:
        return "-"
    if part in (0, whole):
        return "100%" if part else "0%"
    share = part / whole
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"  # noqa: PLR2004


def level(wrong: int, calls: int) -> int:
    """Return the strength of the colour, 0 to 6, for the certain part of a share of calls.

    >>> [level(wrong, 1000) for wrong in (0, 2, 50, 100, 200, 400, 600, 1000)], level(1, 1)
    ([0, 1, 2, 3, 4, 5, 6, 6], 4)
    """
    share = certain_share(wrong, calls)
    return sum(share > bound for bound in LEVELS)


def shortly(name: str) -> str:
    """Return a name as `named` writes it, with a long one cut in the middle.

    >>> shortly("vendor/large-model-2026-05-01")
    'vendor/larg…-2026-05-01'
    """
    shown = named(name)
    half = LABEL // 2
    return shown if len(shown) <= LABEL else f"{shown[:half]}…{shown[-half:]}"


def _part(name: str) -> Markup:
    """Return a file next to this one."""
    text = resources.files(__package__).joinpath(name).read_text("utf-8")
    return Markup(text)  # noqa: S704 - our own


def _policy(style: str, script: str) -> str:
    def source(text: str) -> str:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return f"'sha256-{digest}'"

    return (
        f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        finalize=visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.jinja")
