"""The promises of a report's page in a real browser: nothing of the data runs, tables sort."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reported import HOSTILE, figures_of, hostile_rows, row

REASON = 'needs the extra "report"'
pytest.importorskip("jinja2", reason=REASON)
pytest.importorskip("pygal", reason=REASON)
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

from schema2model.reporting.page import page  # noqa: E402 - after what it needs

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.adapters,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium on the PATH"),
]

WIDTHS = {"phone": 360, "tablet": 768, "desktop": 1280}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium without a window."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Shown:
    """A page that is open, with what it said and asked for."""

    def __init__(
        self, browser: Any, path: Path, rows: list[dict[str, Any]], **options: Any
    ) -> None:
        path.write_text(page(figures_of(rows).document(100), "".join(HOSTILE.values())), "utf-8")
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab = browser.new_page(**options)
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.goto(path.as_uri())

    def column(self, table: str, number: int) -> list[str]:
        """The cells of a column, from the top."""
        cells = f"document.querySelector('{table}').tBodies[0].rows"
        return self.tab.evaluate(f"[...{cells}].map(row => row.cells[{number}].innerText)")  # type: ignore[no-any-return]


def test_nothing_of_the_data_runs(browser: Any, tmp_path: Path) -> None:
    """Nor is anything asked for, nor does the policy have anything to forbid."""
    shown = Shown(browser, tmp_path / "page.html", hostile_rows())
    shown.tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    shown.tab.wait_for_timeout(200)
    assert shown.tab.evaluate("window.ran") is None
    assert shown.said == []
    assert shown.asked == [(tmp_path / "page.html").as_uri()]
    assert shown.tab.evaluate("document.scripts.length") == 1


def test_the_policy_forbids_what_gets_in_all_the_same(browser: Any, tmp_path: Path) -> None:
    """A script, a handler and an image that are added to the page do nothing."""
    path = tmp_path / "page.html"
    Shown(browser, path, [])
    hurt = path.read_text("utf-8").replace(
        "<main>", "<main><script>window.ran=1</script><img src=x onerror=window.ran=1>"
    )
    path.write_text(hurt, "utf-8")
    tab = browser.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(path.as_uri())
    assert tab.evaluate("window.ran") is None
    assert len(said) >= 2
    assert all("Content Security Policy" in each for each in said)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    """On every screen, however long a name is; and it is as dark as the reader wants it."""
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    shown = Shown(browser, tmp_path / "page.html", hostile_rows(), **options)
    assert shown.tab.evaluate("document.documentElement.scrollWidth") <= width
    colour = shown.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))
    assert (brightness < 384) == (scheme == "dark")


def test_it_prints_dark_on_white(browser: Any, tmp_path: Path) -> None:
    """Whatever the screen is like, and without what can only be clicked."""
    rows = [row("f", "coerced", ("/a", "json_text", '"1"', "1"))]
    shown = Shown(browser, tmp_path / "page.html", rows, color_scheme="dark")
    assert shown.tab.locator("summary").first.is_visible()
    shown.tab.emulate_media(media="print")
    assert shown.tab.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert not shown.tab.locator("summary").first.is_visible()
    assert shown.tab.pdf().startswith(b"%PDF")


def test_a_click_on_a_heading_sorts(browser: Any, tmp_path: Path) -> None:
    """Numbers by value, the largest first; text by the alphabet; and back by another click."""
    rows = [
        row("f", status, model=model)
        for model, number in (("a", 9), ("b", 10), ("c", 100))
        for status in ["unchanged"] * number + ["refused"] * (model == "b")
    ]
    shown = Shown(browser, tmp_path / "page.html", rows)
    heading = "table.counts >> nth=0 >> th button >> nth="
    assert shown.column("table.counts", 0) == ["c", "b", "a"]
    for clicked, wanted, direction in (
        (1, "abc", "ascending"),
        (1, "cba", "descending"),
        (0, "abc", "ascending"),
        (0, "cba", "descending"),
        (5, "bca", "descending"),
    ):
        shown.tab.locator(f"{heading}{clicked}").click()
        assert "".join(shown.column("table.counts", 0)) == wanted
        sorted_by = shown.tab.locator("table.counts >> nth=0 >> th[aria-sort]")
        assert sorted_by.count() == 1
        assert sorted_by.get_attribute("aria-sort") == direction


def test_it_is_read_without_script(browser: Any, tmp_path: Path) -> None:
    """In the order of the figures."""
    rows = [row("f", "unchanged", model=model) for model in "abbccc"]
    shown = Shown(browser, tmp_path / "page.html", rows, java_script_enabled=False)
    text = shown.tab.locator("table.counts >> nth=0 >> tbody").inner_text()
    assert text.split()[0] == "c"
    assert shown.tab.locator("th button").count() == 0
