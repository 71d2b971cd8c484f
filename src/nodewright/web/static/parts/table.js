// A table that stays quick with thousands of rows: only those in sight are in the document.
// It remains a real table, with sortable heads and row numbers for screen readers.

import { el, fill, style } from "../dom.js";

const ROW_HEIGHT = 34;
const SPARE_ROWS = 8;

/**
 * Makes a table of `columns`: `{key, title, cell(row), sort?(row), kind?, hint?}`.
 * `kind` is a class such as `number`, `wide` (left out below 900 px) or `medium` (below 640 px).
 */
export function table({ label, columns, identify, onOpen, sort, height = 560 }) {
  let rows = [];
  let shown = [];
  let order = sort ?? null;
  let selected = null;
  let drawn = null;

  const head = el("tr", { "aria-rowindex": 1 });
  const body = el("tbody");
  const grid = el("table", { "aria-label": label }, el("thead", head), body);
  const box = el("div.scroll", { tabindex: 0, role: "region", "aria-label": label }, grid);
  style(box, { "max-height": `${height}px` });
  const heads = columns.map((column) => headOf(column));
  fill(head, heads);
  box.addEventListener("scroll", () => draw(false), { passive: true });
  new ResizeObserver(() => draw(false)).observe(box);

  function headOf(column) {
    const cell = el(`th${suffix(column.kind)}`, { scope: "col", title: column.hint });
    if (!column.sort) return fill(cell, column.title);
    const mark = el("span", { "aria-hidden": "true" });
    return fill(cell, el("button", { type: "button", onclick: () => turn(column) }, column.title, mark));
  }

  function turn(column) {
    const first = column.kind?.includes("number") ? -1 : 1;
    order =
      order?.key === column.key ? { key: column.key, way: -order.way } : { key: column.key, way: first };
    arrange();
  }

  function arrange() {
    const column = columns.find((one) => one.key === order?.key);
    shown = column ? [...rows].sort((a, b) => compare(column.sort(a), column.sort(b)) * order.way) : rows;
    columns.forEach((one, at) => markSorted(heads[at], one === column ? order.way : 0));
    grid.setAttribute("aria-rowcount", shown.length + 1);
    draw(true);
  }

  function draw(anew) {
    const height = box.clientHeight || 600;
    const from = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const to = Math.min(shown.length, Math.ceil((box.scrollTop + height) / ROW_HEIGHT) + SPARE_ROWS);
    if (!anew && drawn && drawn.from === from && drawn.to === to) return;
    drawn = { from, to };
    const lines = [];
    for (let at = from; at < to; at += 1) lines.push(line(shown[at], at));
    fill(body, space(from), lines, space(shown.length - to));
  }

  function line(row, at) {
    const key = identify?.(row);
    const made = el(onOpen ? "tr.opens" : "tr", { "aria-rowindex": at + 2 });
    if (onOpen) {
      made.setAttribute("aria-selected", String(key === selected));
      made.addEventListener("click", () => onOpen(row));
    }
    columns.forEach((column, place) => {
      const cell = el(`${place ? "td" : "th"}${suffix(column.kind)}`, place ? {} : { scope: "row" });
      made.append(fill(cell, place || !onOpen ? column.cell(row) : opener(column.cell(row), row)));
    });
    return made;
  }

  function opener(content, row) {
    return el("a", { href: "#", onclick: (event) => open(event, row) }, content);
  }

  function open(event, row) {
    event.preventDefault();
    event.stopPropagation();
    onOpen(row);
  }

  return {
    element: box,
    /** Shows other rows, in the order that was chosen. */
    show(next) {
      rows = next;
      arrange();
    },
    /** Marks the row of this key. */
    select(key) {
      selected = key;
      draw(true);
    },
  };
}

function space(count) {
  if (count <= 0) return null;
  const row = el("tr.space", { "aria-hidden": "true" }, el("td"));
  return style(row, { "--height": `${count * ROW_HEIGHT}px` });
}

function markSorted(cell, way) {
  if (way) cell.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
  else cell.removeAttribute("aria-sort");
  const mark = cell.querySelector("span");
  if (mark) mark.textContent = way ? (way > 0 ? "↑" : "↓") : "";
}

/** Orders numbers and texts; what is unknown comes last either way it is read. */
function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function suffix(kind) {
  return kind ? `.${kind.replaceAll(" ", ".")}` : "";
}
