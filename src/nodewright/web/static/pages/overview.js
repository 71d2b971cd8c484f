// Overview: what is it doing, what does it cost, and what comes next?

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { count, counted, money, perHour, quantity, useCurrency } from "../format.js";
import { chart, seriesColour } from "../parts/chart.js";
import { decisionLink } from "../parts/decisionrow.js";
import { card, code, empty, heading, meter, percentText } from "../parts/pieces.js";
import { spark } from "../parts/spark.js";

const POOLS_SHOWN = 7;
const DECISIONS_SHOWN = 12;
const SPOKEN_EVERY_MS = 10_000;

export function open(root, _argument, { announce }) {
  const figures = el("section.figures", { "aria-label": "The cluster in numbers" });
  const cost = chart({ label: "Cost an hour by pool", stacked: true, format: (value) => money(value) });
  const counts = chart({
    label: "Nodes and pods, with launches and deletions",
    format: count,
    secondAxis: count,
  });
  const now = el("ul.rows");
  const next = el("ul.rows");
  const decisions = el("div.timeline");
  let isFilled = false;
  let spokenAt = 0;

  fill(
    root,
    el("h1.unseen", "Overview"),
    figures,
    el(
      "div.grid.two",
      card("Cost an hour, by pool", { tools: el("span.small.faint", "up to 24 h") }, cost.element),
      card("Nodes and pods", { tools: el("span.small.faint", "up to 24 h") }, counts.element),
    ),
    el("div.grid.two", card("Now", now), card("Next", next)),
    card("Decisions", { tools: el("a.small", { href: "#/decisions" }, "all decisions") }, decisions),
  );

  async function refresh() {
    const answer = await api.overview();
    useCurrency(answer.head.currency);
    isFilled = true;
    fill(figures, figuresOf(answer.head, answer.cost));
    fill(now, sentences(answer.now, "Nothing waits, nothing drains."));
    fill(next, sentences(answer.next, "Nothing is planned."));
    fill(
      decisions,
      answer.decisions.length
        ? answer.decisions.slice(0, DECISIONS_SHOWN).map(decisionLink)
        : empty("No decisions yet", "Each launch, deletion and refusal is listed here with its reason."),
    );
    const at = answer.cost.at.map(seconds);
    await Promise.all([
      cost.show({ at, series: costSeries(answer.cost) }),
      counts.show({
        at: answer.counts.at.map(seconds),
        series: [
          { name: "nodes", values: answer.counts.nodes, colour: "series-1" },
          { name: "pods", values: answer.counts.pods, colour: "series-2", scale: "z" },
          { name: "pending", values: answer.counts.pending, colour: "series-3", scale: "z" },
        ],
        marks: answer.marks.map((mark) => ({ ...mark, at: seconds(mark.at) })),
      }),
    ]);
  }

  function onDecision(row) {
    if (performance.now() - spokenAt < SPOKEN_EVERY_MS) return;
    spokenAt = performance.now();
    announce(`${row.kind} ${row.subject}: ${row.note || row.reason}`);
  }

  return {
    refresh,
    onDecision,
    sections: ["overview", "decisions", "nodes", "pending"],
    isFilled: () => isFilled,
    close() {
      cost.close();
      counts.close();
    },
  };
}

function figuresOf(head, history) {
  const kinds = Object.entries(head.capacityTypes)
    .map(([kind, number]) => `${count(number)} ${kind}`)
    .join(" · ");
  const course = history.at.map((_, index) => sumAt(history.pools, index));
  const unpriced = head.nodesWithoutPrice
    ? `, ${counted(head.nodesWithoutPrice, "node")} without a price`
    : "";
  return [
    figure(
      "Cost",
      [
        el("span.value", money(head.pricePerHour, { estimated: head.priceIsEstimate }), el("small", " /h")),
        spark(course, "Cost over time"),
      ],
      `${money(head.pricePerMonth, { estimated: head.priceIsEstimate })} a month${unpriced}`,
    ),
    figure("Nodes", [el("span.value", count(head.nodes))], kinds || "none"),
    figure("Pods pending", [el("span.value", count(head.podsPending))], `of ${counted(head.pods, "pod")}`),
    share("CPU requested", head.cpu),
    share("Memory requested", head.memory),
    figure("Saved today", [el("span.value", money(head.savedToday))], "by deletions and replacements"),
    figure(
      "Idle",
      [el("span.value", money(head.idlePerHour, { estimated: true }), el("small", " /h"))],
      "paid for, not requested",
    ),
  ];
}

function figure(label, value, more) {
  return el("div.figure", el("span.label", label), el("div.with", value), el("span.more", more));
}

function share(label, amount) {
  return el(
    "div.figure",
    el("span.label", label),
    el("span.value", percentText(amount.requestedPercent)),
    meter(amount.requestedPercent, amount.usedPercent, label),
    el(
      "span.more",
      `${quantity(amount.requested)} of ${quantity(amount.allocatable)} · used ${percentText(amount.usedPercent)}`,
    ),
  );
}

function sentences(list, otherwise) {
  if (!list.length) return el("li.soft", otherwise);
  return list.map((sentence) =>
    el(
      "li",
      el("span.grow", sentence.page ? el("a", { href: linkOf(sentence) }, sentence.text) : sentence.text),
      code(sentence.code),
    ),
  );
}

function linkOf(sentence) {
  const opens = sentence.subject && ["nodes", "decisions"].includes(sentence.page);
  return `#/${sentence.page}${opens ? `/${encodeURIComponent(sentence.subject)}` : ""}`;
}

/** The dearest pools by themselves, the others as one. */
function costSeries(history) {
  const last = (values) => values.at(-1) ?? 0;
  const ranked = Object.entries(history.pools).sort(
    ([a, one], [b, other]) => last(other) - last(one) || a.localeCompare(b),
  );
  const series = ranked.slice(0, POOLS_SHOWN).map(([name, values], index) => ({
    name,
    values,
    colour: seriesColour(index),
  }));
  const rest = ranked.slice(POOLS_SHOWN);
  if (rest.length) {
    const values = history.at.map((_, index) => sumAt(Object.fromEntries(rest), index));
    series.push({ name: counted(rest.length, "other pool"), values, colour: seriesColour(POOLS_SHOWN) });
  }
  return series.map((one) => ({ ...one, format: perHour }));
}

function sumAt(pools, index) {
  const known = Object.values(pools)
    .map((values) => values[index])
    .filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) : null;
}

function seconds(instant) {
  return Date.parse(instant) / 1000;
}
