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

// Long tables show their first rows until somebody wants all; without script they are whole.
const first = 10;

for (const table of document.querySelectorAll("table.foldable")) {
  const rows = table.tBodies[0].rows.length;
  if (rows <= first + 2) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold";
  const fold = (folded) => {
    table.classList.toggle("folded", folded);
    button.textContent = folded ? `Show all ${rows}` : `Show the first ${first}`;
    button.setAttribute("aria-expanded", String(!folded));
  };
  button.addEventListener("click", () => fold(!table.classList.contains("folded")));
  fold(true);
  table.after(button);
}

// The contents say which section is in view.
const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-15% 0% -80% 0%" },
);
document.querySelectorAll("main section").forEach((each) => seen.observe(each));

// What does not scroll is no stop for the tab key.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.querySelectorAll(".scroll").forEach((each) => scrolling.observe(each));
