"""`llms.txt` and `llms-full.txt`: the documentation as language models like to read it.

`python tests/support/llms.py build/site` writes both beside a built site. The first lists the pages
(https://llmstxt.org), the second has all of them, with signatures and docstrings as the reference.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import schema2model

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "docs"
PACKAGE = Path(schema2model.__file__).parent

_NAV = re.compile(r"^ +- (?:(?P<section>[A-Z][\w ]*):|(?P<page>\S+\.md))$", re.MULTILINE)
_SNIPPET = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
_DIRECTIVE = re.compile(r"^::: (\S+)\n(?: {4}.*\n)*", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


class Page(NamedTuple):
    """A page of the site: its section and path, and its Markdown with all that it includes."""

    section: str
    path: str
    text: str

    @property
    def title(self) -> str:
        """What its first heading says."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def summary(self) -> str:
        """Its first sentence, without links; none if it begins with something else."""
        first = _LINK.sub(r"\1", self.text.split("\n\n")[1].replace("\n", " "))
        sentence = re.match(r"[A-Z`](?!``).*?(?:\.(?= |$)|:$)", first)
        return f"{sentence[0][:-1]}." if sentence else ""

    @property
    def url(self) -> str:
        """Where it is on the site."""
        return "" if self.path == "index.md" else self.path.removesuffix(".md") + "/"


def pages() -> Iterator[Page]:
    """The pages of the site, in the order of its navigation."""
    section = ""
    for entry in _NAV.finditer((ROOT / "mkdocs.yml").read_text("utf-8")):
        section = entry["section"] or section
        if path := entry["page"]:
            text = (DOCUMENTS / path).read_text("utf-8")
            text = _SNIPPET.sub(lambda found: (ROOT / found[1]).read_text("utf-8").strip(), text)
            yield Page(section, path, _DIRECTIVE.sub(lambda found: _reference(found[1]), text))


def contents() -> str:
    """The text of `llms.txt`."""
    found = list(pages())
    lines = [f"# {found[0].title}", "", f"> {found[0].summary}", ""]
    for section in dict.fromkeys(page.section for page in found):
        lines += [f"## {section}", ""]
        for page in (page for page in found if page.section == section):
            summary = f": {page.summary}" if page.summary else ""
            lines.append(f"- [{page.title}]({page.url or './'}){summary}")
        lines.append("")
    return "\n".join(lines)


def everything() -> str:
    """The text of `llms-full.txt`."""
    return "\n\n".join(page.text.strip() for page in pages()) + "\n"


# ----------------------------------------------------------------------------------- the reference
def _reference(name: str) -> str:
    """What a directive of the reference stands for: an object of the package, or a module."""
    last = name.rpartition(".")[2]
    if name != f"{schema2model.__name__}.{last}" or last not in schema2model.__all__:
        return _module(name)
    found = getattr(schema2model, last)
    parts = [f"### {last}", *_described(last, found)]
    for member, value in vars(found).items() if inspect.isclass(found) else ():
        if not member.startswith("_"):
            function = getattr(value, "__func__", value)  # of a class method
            parts += _described(f"{last}.{member}", getattr(function, "fget", function))
    return "\n\n".join(parts) + "\n"


def _described(name: str, found: object) -> list[str]:
    """A callable's signature and docstring; nothing of other values."""
    if not callable(found):
        return []
    try:
        header = f"`{name}{inspect.signature(found)}`"
    except (TypeError, ValueError):
        header = f"`{name}`"
    return [header, inspect.getdoc(found) or ""]


def _module(name: str) -> str:
    """A module's docstring, without importing what the module needs."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not source.exists():  # a class of a module
        return f"`{name}`\n"
    return f"`{name}`: {ast.get_docstring(ast.parse(source.read_text('utf-8')))}\n"


if __name__ == "__main__":
    site = Path(sys.argv[1])
    (site / "llms.txt").write_text(contents(), "utf-8")
    (site / "llms-full.txt").write_text(everything(), "utf-8")
