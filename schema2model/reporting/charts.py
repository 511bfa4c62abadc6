"""Charts, as SVG without script or style: the page's own style sheet colours them.

pygal makes them: pure Python, nothing to load or to run in the browser, text that stays text for
search, print and screen readers. What it brings of script and style is left out, so that the page's
Content-Security-Policy needs no exception.
"""

from __future__ import annotations

import sys
from typing import Any
from xml.etree import ElementTree as ET

import pygal
from markupsafe import Markup
from pygal.style import Style

from schema2model.batch.outcomes import STATUSES

__all__ = ["shares_chart"]

# pygal's finder of map plugins, of which Python 3.10 and 3.11 warn at every later import
sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, pygal.PluginImportFixer)]

WIDTH = 480
"""Units, which are pixels where there is room."""

LABEL = 21
"""Characters of a name beside its bar."""

_BAR, _AXIS = 32, 34
"""Heights, in units."""

_DROPPED = ("defs", "desc", "title")


def shares_chart(label: str, entries: list[tuple[str, dict[str, Any]]]) -> Markup:
    """A bar of shares by status for each name; `label` says what they are for those who listen.

    Names have to be text that XML can hold.
    """
    chart = pygal.HorizontalStackedBar(
        width=WIDTH,
        height=_AXIS + _BAR * len(entries),
        explicit_size=False,
        show_legend=False,
        margin=0,
        margin_right=18,
        spacing=6,
        style=Style(label_font_size=16),  # by which it makes room: that of small screens
        range=(0, 1),
        y_labels=[{"value": share, "label": f"{share:.0%}"} for share in (0, 0.25, 0.5, 0.75, 1)],
        js=[],
    )
    upwards = entries[::-1]  # as pygal draws
    chart.x_labels = [_label(name) for name, _ in upwards]
    for status in STATUSES:
        chart.add(status, [shares[status] / max(shares["calls"], 1) for _, shares in upwards])
    return _bare(chart.render(disable_xml_declaration=True), label)


def _label(name: str) -> str:
    """A name, or the beginning and the end of it, by which long ones are told apart.

    >>> _label("vendor/large-model-2026-05-01")
    'vendor/lar…2026-05-01'
    """
    half = (LABEL - 1) // 2
    return name if len(name) <= LABEL else f"{name[:half]}…{name[-half:]}"


def _bare(svg: str, label: str) -> Markup:
    """An image without what the page does not need or must not have."""
    root = ET.fromstring(svg)  # noqa: S314 - pygal's own text
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        node.attrib.pop("style", None)
        for child in list(node):
            if child.tag.rpartition("}")[2] in _DROPPED:
                node.remove(child)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": label}
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - escaped by it
