// Tables are sorted by a click on a heading; without script they stay in the order that they have.
"use strict";

const alphabet = new Intl.Collator(undefined, { numeric: true });

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (heading.classList.contains("unsorted")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(table, headings, column));
  });
}

function sort(table, headings, column) {
  const heading = headings[column];
  const isNumber = heading.classList.contains("number");
  const before = heading.getAttribute("aria-sort");
  const ascends = before ? before === "descending" : !isNumber; // numbers: the largest first
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[column];
    return { row, key: isNumber ? Number(cell.dataset.value) : cell.textContent.trim() };
  });
  keyed.sort((a, b) => (isNumber ? a.key - b.key : alphabet.compare(a.key, b.key)) * (ascends ? 1 : -1));
  body.append(...keyed.map((each) => each.row));
  headings.forEach((each) => each.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", ascends ? "ascending" : "descending");
}

// What does not scroll is no stop for the tab key.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.querySelectorAll(".scroll").forEach((each) => scrolling.observe(each));
