# ruff: noqa: D102 - the methods are the parser's
"""The page of a report, and what stands in it."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from typing import Any

from reported import figures_of

from schema2model.apps.batch.report.page import page


class Outline(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.values: set[str] = set()
        self.text: list[str] = []
        self.others: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag, tuple(name for name, _ in attrs)] += 1
        self.values.update(value or "" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    unknown_decl = handle_pi = handle_comment


def page_of(rows: list[dict[str, Any]], title: str = "t") -> str:
    """The page about some rows."""
    return page(figures_of(rows).document(100), title)
