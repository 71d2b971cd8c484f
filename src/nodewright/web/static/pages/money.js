// Money: who costs how much, what does nobody use, and what did decisions save?

import * as api from "../api.js";
import { el, fill, style } from "../dom.js";
import { clock, counted, day, known, money, perHour, useCurrency } from "../format.js";
import { card, choice, empty, filterField, heading, percentText, tag } from "../parts/pieces.js";
import { table } from "../parts/table.js";

const VIEWS = [
  ["pools", "Pools"],
  ["namespaces", "Namespaces"],
  ["workloads", "Workloads"],
];
const chosen = { view: "pools", filter: "" };

export function open(root) {
  const figures = el("section.figures", { "aria-label": "The bill in numbers" });
  const bill = moneyTable();
  const days = el("div");
  const savings = savingsTable();
  const commands = el("div");
  let answer = null;

  const field = filterField("Filter the bill", (text) => choose({ filter: text }));
  field.querySelector("input").value = chosen.filter;
  fill(
    root,
    heading(
      "Money",
      null,
      field,
      choice("Bill", VIEWS, chosen.view, (view) => choose({ view })),
    ),
    figures,
    card("Who costs how much", { tools: key() }, bill.element),
    el("div.grid.two", card("Saved, by day", days), card("Savings", commands)),
  );

  function choose(change) {
    Object.assign(chosen, change);
    show();
  }

  function show() {
    fill(figures, figuresOf(answer));
    bill.show(answer[chosen.view].filter((row) => row.name.toLowerCase().includes(chosen.filter)));
    fill(
      days,
      answer.days.length
        ? dayBars(answer.days)
        : empty("Nothing saved yet", "Deletions and replacements are summed here, by day."),
    );
    savings.show(answer.savings);
    fill(
      commands,
      answer.savings.length
        ? savings.element
        : empty("No command yet", "Each is listed here with what it saved."),
    );
  }

  return {
    sections: ["money"],
    isFilled: () => answer !== null,
    async refresh() {
      answer = await api.money();
      useCurrency(answer.currency);
      show();
    },
  };
}

function figuresOf(answer) {
  const figure = (label, value, more) =>
    el("div.figure", el("span.label", label), el("span.value", value), el("span.more", more));
  const unit = (amount, options) => [money(amount, options), known(amount) ? el("small", " /h") : ""];
  const missing = answer.nodesWithoutPrice
    ? `${counted(answer.nodesWithoutPrice, "node")} without a price`
    : "every node has a price";
  return [
    figure("All nodes", unit(answer.pricePerHour), `${money(answer.pricePerMonth)} a month`),
    figure(
      "Workload idle",
      unit(answer.workloadIdlePerHour, { estimated: true }),
      known(answer.workloadIdlePerHour) ? "requested, not used" : "usage is not measured here",
    ),
    figure("Infra idle", unit(answer.infraIdlePerHour, { estimated: true }), "paid for, not requested"),
    figure("Prices", el("span.words", answer.priceSource || "?"), missing),
  ];
}

function key() {
  const entry = (name, text) => el("span", style(el("i"), { "--swatch": `var(--${name})` }), text);
  return el(
    "span.key",
    entry("box-used", "requested"),
    entry("series-3", "workload idle"),
    entry("line-strong", "infra idle"),
  );
}

function moneyTable() {
  return table({
    label: "The bill",
    height: 520,
    sort: { key: "price", way: -1 },
    identify: (row) => row.name,
    columns: [
      { key: "name", title: "Name", sort: (row) => row.name, cell: (row) => row.name },
      { key: "split", title: "Split", kind: "medium", cell: splitBar },
      {
        key: "price",
        title: "Price",
        kind: "number",
        sort: (row) => row.pricePerHour,
        cell: (row) => perHour(row.pricePerHour),
      },
      {
        key: "percent",
        title: "Part",
        kind: "number",
        sort: (row) => row.percent,
        cell: (row) => percentText(row.percent),
      },
      {
        key: "work",
        title: "Workload idle",
        kind: "number medium",
        hint: "requested, not used",
        sort: (row) => row.workloadIdlePerHour,
        cell: (row) => perHour(row.workloadIdlePerHour, { estimated: true }),
      },
      {
        key: "infra",
        title: "Infra idle",
        kind: "number medium",
        hint: "paid for, not requested",
        sort: (row) => row.infraIdlePerHour,
        cell: (row) => perHour(row.infraIdlePerHour, { estimated: true }),
      },
      {
        key: "size",
        title: "Size",
        kind: "number wide",
        sort: (row) => row.nodes || row.pods,
        cell: sizeOf,
      },
    ],
  });
}

/** Pools are counted in nodes, namespaces and workloads in pods. */
function sizeOf(row) {
  if (!row.nodes) return counted(row.pods, "pod");
  return (
    counted(row.nodes, "node") + (row.nodesWithoutPrice ? `, ${row.nodesWithoutPrice} without a price` : "")
  );
}

function splitBar(row) {
  if (!row.pricePerHour) return "?";
  const idle = row.infraIdlePerHour ?? 0;
  const unused = row.workloadIdlePerHour ?? 0;
  const part = (amount, name) =>
    style(el("i"), { "--share": Math.max(0, amount / row.pricePerHour), "--swatch": `var(--${name})` });
  const words = `${perHour(row.pricePerHour)}, workload idle ${perHour(row.workloadIdlePerHour)}, infra idle ${perHour(row.infraIdlePerHour)}`;
  return el(
    "span.split-bar",
    { role: "img", "aria-label": words },
    part(row.pricePerHour - idle - unused, "box-used"),
    part(unused, "series-3"),
    part(idle, "line-strong"),
  );
}

function dayBars(days) {
  const most = Math.max(...days.map((one) => Math.abs(one.savedPerHour)), 1e-9);
  return el(
    "ul.rows",
    days.map((one) =>
      el(
        "li",
        el("span.when", day(one.day)),
        el(
          "span.grow",
          el(
            "span.split-bar",
            style(el("i"), {
              "--share": Math.abs(one.savedPerHour) / most,
              "--swatch": one.savedPerHour < 0 ? "var(--bad)" : "var(--good)",
            }),
          ),
        ),
        el(
          "span.number",
          `${perHour(one.savedPerHour)} · ${money(one.savedUntilNow)} until now`,
          el(
            "div.small.soft",
            counted(one.commands, "command"),
            one.unknown ? `, ${one.unknown} of unknown price` : "",
          ),
        ),
      ),
    ),
  );
}

function savingsTable() {
  return table({
    label: "Savings of single commands",
    height: 360,
    identify: (row) => row.decision,
    columns: [
      {
        key: "decision",
        title: "Decision",
        cell: (row) =>
          el("a", { href: `#/decisions/${encodeURIComponent(row.decision)}` }, el("span.code", row.decision)),
      },
      {
        key: "at",
        title: "Ended",
        kind: "medium",
        sort: (row) => row.at,
        cell: (row) => `${day(row.at)} ${clock(row.at)}`,
      },
      {
        key: "saved",
        title: "Saved",
        kind: "number",
        sort: (row) => row.savedPerHour,
        cell: (row) => perHour(row.savedPerHour),
      },
      {
        key: "reason",
        title: "Reason",
        sort: (row) => row.reason,
        cell: (row) => [row.reason, " ", tag(row.state, "")],
      },
      {
        key: "text",
        title: "What",
        kind: "wide",
        cell: (row) => el("span.cut.what", { title: row.text }, row.text),
      },
    ],
  });
}
