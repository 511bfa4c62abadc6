"""Links of a built site that lead nowhere: to no file, or to no place in it.

`python tests/support/links.py build/site` prints each, and exits with 1 if there are any. Links to
other sites are not followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links of a page, and the names of its places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places = {"", "__skip"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.append(value)
            elif name in {"id", "name"} and value:
                self.places.add(value)


@cache
def _read(path: Path) -> _Page:
    return _Page(path.read_text("utf-8"))


def broken_links(site: Path) -> Iterator[tuple[Path, str]]:
    """Each page with a link that leads nowhere."""
    for path in sorted(site.rglob("*.html")):
        for link in _read(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            start = site if parts.path.startswith("/") else path.parent
            target = start / unquote(parts.path).lstrip("/") if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            is_page = target.suffix == ".html"
            if not target.is_file() or (
                is_page and unquote(parts.fragment) not in _read(target.resolve()).places
            ):
                yield path.relative_to(site), link


if __name__ == "__main__":
    broken = [f"{path}: {link}" for path, link in broken_links(Path(sys.argv[1]))]
    sys.exit("\n".join(broken) or 0)
