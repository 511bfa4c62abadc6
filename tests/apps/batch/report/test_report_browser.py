"""The promises of a report's page in a real browser: nothing of the data runs, tables sort."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reported import HOSTILE, figures_of, hostile_rows, row

REASON = 'needs the extra "report"'
pytest.importorskip("jinja2", reason=REASON)
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

from schema2model.apps.batch.report.page import page  # noqa: E402 - after what it needs

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
    shown.tab.wait_for_load_state("networkidle")
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
    """Whatever the screen is like, with what the rules mean, without the contents."""
    rows = [row("f", "coerced", ("/a", "json_text", '"1"', "1"))]
    shown = Shown(browser, tmp_path / "page.html", rows, color_scheme="dark")
    assert shown.tab.locator("nav").is_visible()
    shown.tab.emulate_media(media="print")
    assert shown.tab.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert not shown.tab.locator("nav").is_visible()
    assert shown.tab.locator(".meanings dd").is_visible()
    assert shown.tab.pdf().startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext of Poppler")
def test_headings_are_printed_on_every_page(browser: Any, tmp_path: Path) -> None:
    """Of a table that goes on there, which keeps its columns."""
    rows = [row(f"f{i}", "unchanged") for i in range(99)]
    path = tmp_path / "page.pdf"
    Shown(browser, tmp_path / "page.html", rows).tab.pdf(path=path, format="A4")
    command = ["pdftotext", "-layout", str(path), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    pages = done.stdout.split("\f")[1:-1]
    assert len(pages) > 3
    headings = ["Calls", "Refused", "Repaired", "Coerced", "Unchanged"]
    assert [page.split("\n")[0].split()[-5:] for page in pages] == [headings] * len(pages)


def test_buttons_of_a_phone_can_be_hit(browser: Any, tmp_path: Path) -> None:
    """They are 24 pixels high and wide, in their cells, and none touches another."""
    rows = [row("f", "coerced", ("/a", "json_text", '"1"', "1"))]
    options = {"viewport": {"width": 375, "height": 800}}
    shown = Shown(browser, tmp_path / "page.html", rows, **options)
    button = shown.tab.locator("th button")
    for name in ("Model", "Unchanged"):
        shown.tab.get_by_role("button", name=name).first.click()
        boxes = [each.bounding_box() for each in button.all()]
        assert min(min(box["width"], box["height"]) for box in boxes) >= 24
        for i, one in enumerate(boxes):
            assert one["x"] >= 0
            assert one["x"] + one["width"] <= 375
            for other in boxes[:i]:
                apart = one["x"] - other["x"] - other["width"], one["y"] - other["y"]
                assert apart[0] >= 2 or apart[1] >= 20
    assert button.evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_heat_table_is_the_stronger_the_worse(
    browser: Any, tmp_path: Path, scheme: str
) -> None:
    """Its numbers stand out from every colour by 4.5:1, so that nobody depends on colours."""
    rows = [
        row("f", "refused" if i < bad else "unchanged", model=f"m{bad}", error="no")
        for bad in (0, 4, 8, 20, 40, 80, 180)
        for i in range(200)
    ]
    shown = Shown(browser, tmp_path / "page.html", rows, color_scheme=scheme)
    cells = shown.tab.locator(".heats .heat")
    assert [text.split()[0] for text in cells.all_inner_texts()] == [
        *("90.0%", "40.0%", "20.0%", "10.0%", "4.0%", "2.0%", "0%"),
    ]
    assert [
        each.rsplit("-", 1)[1] for each in cells.evaluate_all("all => all.map(e => e.className)")
    ] == list("6543210")
    assert min(cells.evaluate_all(CONTRASTS)) >= 4.5


CONTRASTS = """all => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (...colours) => {
    for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  return all.flatMap((cell) => [cell, cell.querySelector("small")].map((text) => {
    const behind = luminance(paper, getComputedStyle(cell).backgroundColor);
    const ink = luminance(getComputedStyle(text).color);
    return Math.max(behind, ink) / Math.min(behind, ink);
  }));
}"""
"""Of each cell's numbers from what is behind them, by WCAG 2."""


def test_long_tables_are_folded(browser: Any, tmp_path: Path) -> None:
    """They show their first ten rows, sorted or not, until somebody wants all; in print, all."""
    rows = [row(f"f{i}", "unchanged") for i in range(40)]
    shown = Shown(browser, tmp_path / "page.html", rows)
    by_tool = shown.tab.locator("table.counts >> nth=1")
    visible = by_tool.locator("tbody tr").filter(visible=True)
    playwright.expect(visible).to_have_count(10)
    by_tool.locator("th button").first.click()
    playwright.expect(visible).to_have_count(10)
    assert visible.first.inner_text().startswith("f0")
    shown.tab.get_by_role("button", name="Show all 40").first.click()
    playwright.expect(visible).to_have_count(40)
    shown.tab.get_by_role("button", name="Show the first 10").first.click()
    shown.tab.emulate_media(media="print")
    playwright.expect(visible).to_have_count(40)


def test_the_contents_stay_in_view_and_say_where_one_is(browser: Any, tmp_path: Path) -> None:
    """Wherever somebody has scrolled to."""
    rows = [row(f"f{i}", "coerced", (f"/a{i}", "json_text", '"1"', "1")) for i in range(40)]
    shown = Shown(browser, tmp_path / "page.html", rows)
    for name in ("Models and tools", "Corrected"):
        shown.tab.get_by_role("link", name=name, exact=True).click()
        playwright.expect(shown.tab.locator("nav [aria-current]")).to_have_text(name)
        assert shown.tab.locator("nav").bounding_box()["y"] == 0


def test_a_large_corpus_is_a_short_page(browser: Any, tmp_path: Path) -> None:
    """Of forty models and two hundred tools, on a desktop."""
    rows = [
        row(f"tool_{i % 200}", status, *changes, model=f"vendor/model-{i % 40}", error=error)
        for i in range(2000)
        for status, changes, error in [
            ("unchanged", (), None),
            ("coerced", ((f"/p{i % 30}", "json_text", '"1"', "1"),), None),
            (
                "refused",
                (),
                f"Error parsing arguments for `f`:\n- /q{i % 30}: must be an integer, not 1",
            ),
        ]
    ]
    rows += [row(f"no{i}", "refused", error="There is no tool `x`") for i in range(50)]
    options = {"viewport": {"width": 1400, "height": 900}}
    shown = Shown(browser, tmp_path / "page.html", rows, **options)
    assert shown.tab.evaluate("document.documentElement.scrollHeight") <= 6000


def test_only_what_scrolls_is_a_stop_of_the_tab_key(browser: Any, tmp_path: Path) -> None:
    """And becomes one when there is less room."""
    shown = Shown(browser, tmp_path / "page.html", [row("f", "unchanged")])
    scrolling = shown.tab.locator(".scroll[tabindex]")
    playwright.expect(scrolling).to_have_count(0)
    shown.tab.evaluate(
        "for (const t of document.querySelectorAll('table')) t.style.width = '99rem'"
    )
    shown.tab.set_viewport_size({"width": 800, "height": 800})
    playwright.expect(scrolling).to_have_count(4)


def test_what_is_read_out_has_no_arrows(browser: Any, tmp_path: Path) -> None:
    """Buttons are called by their headings; the order is said by `aria-sort`."""
    shown = Shown(browser, tmp_path / "page.html", [row("f", "unchanged")])
    for name in ("Model", "Calls", "Refused"):
        assert shown.tab.get_by_role("button", name=name, exact=True).count() >= 1


def test_a_click_on_a_heading_sorts(browser: Any, tmp_path: Path) -> None:
    """Numbers by value, the largest first; text by the alphabet; and back by another click."""
    rows = [
        row("f", status, model=model)
        for model, number in (("a", 9), ("b", 10), ("c", 100))
        for status in ["unchanged"] * number + ["refused"] * (model == "b")
    ]
    shown = Shown(browser, tmp_path / "page.html", rows)
    heading = "table.counts >> nth=0 >> th button >> nth="
    assert shown.column("table.counts", 0) == ["b", "c", "a"]  # the worst first
    for clicked, wanted, direction in (
        (1, "cba", "descending"),
        (1, "abc", "ascending"),
        (0, "abc", "ascending"),
        (0, "cba", "descending"),
        (2, "bca", "descending"),
    ):
        shown.tab.locator(f"{heading}{clicked}").click()
        assert "".join(shown.column("table.counts", 0)) == wanted
        sorted_by = shown.tab.locator("table.counts >> nth=0 >> th[aria-sort]")
        assert sorted_by.count() == 1
        assert sorted_by.get_attribute("aria-sort") == direction


def test_numbers_in_names_sort_by_value(browser: Any, tmp_path: Path) -> None:
    """As people count."""
    rows = [row("f", "unchanged", model=f"model-{i}") for i in (10, 9, 100)]
    shown = Shown(browser, tmp_path / "page.html", rows)
    shown.tab.locator("table.counts >> nth=0 >> th button >> nth=0").click()
    assert shown.column("table.counts", 0) == ["model-9", "model-10", "model-100"]


def test_it_is_read_without_script(browser: Any, tmp_path: Path) -> None:
    """In the order of the figures, and whole."""
    rows = [row("f", "unchanged", model=model) for model in "abbccc"]
    shown = Shown(browser, tmp_path / "page.html", rows, java_script_enabled=False)
    text = shown.tab.locator("table.counts >> nth=0 >> tbody").inner_text()
    assert text.split()[0] == "c"
    assert shown.tab.locator("th button").count() == 0
