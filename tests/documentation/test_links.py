"""The check of the built site's links finds what leads nowhere, and nothing else."""

from __future__ import annotations

from pathlib import Path

from links import broken_links

PAGE = """
<h1 id="top">Top</h1> <a href="https://example.org/gone">elsewhere</a> <img src="chart.svg">
<a href="#top">a</a> <a href="guide/#first%20step">b</a> <a href="/guide/">c</a> <a href=".">d</a>
<a href="#nothing">1</a> <a href="guide/#second">2</a> <a href="gone/">3</a> <img src="gone.svg">
"""


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    """Of pages, places in pages, and pictures."""
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "index.html").write_text('<h2 id="first step">1</h2><a href="..">up</a>')
    (tmp_path / "chart.svg").write_text("<svg/>")
    (tmp_path / "index.html").write_text(PAGE)
    found = [link for _, link in broken_links(tmp_path)]
    assert found == ["#nothing", "guide/#second", "gone/", "gone.svg"]
