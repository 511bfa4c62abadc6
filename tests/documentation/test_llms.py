"""`llms.txt` and `llms-full.txt` have the whole site."""

from __future__ import annotations

import re

import llms

import schema2model

PAGES = list(llms.pages())


def test_every_page_is_in_the_navigation() -> None:
    """None is forgotten, and none is named twice."""
    found = sorted(
        path.relative_to(llms.DOCUMENTS).as_posix() for path in llms.DOCUMENTS.rglob("*.md")
    )
    assert sorted(page.path for page in PAGES) == found


def test_the_list_names_every_page_once() -> None:
    """By its title, with its address on the site; what follows is one sentence."""
    lines = re.findall(r"^- \[(.+?)\]\((.+?)\)(?:: (.+))?$", llms.contents(), re.MULTILINE)
    assert [(title, url) for title, url, _ in lines] == [(p.title, p.url or "./") for p in PAGES]
    assert all(len(summary) <= 300 for _, _, summary in lines)


def test_everything_is_there() -> None:
    """Each page with its heading, each public name with its docstring, nothing left to include."""
    text = llms.everything()
    assert not re.search(r"^(:::|--8<--)", text, re.MULTILINE)
    for page in PAGES:
        assert f"# {page.title}\n" in text
    for name in schema2model.__all__:
        assert f"### {name}\n" in text
    assert "Compile a JSON Schema" in text
    assert "# Changelog" in text
