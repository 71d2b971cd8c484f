// The answer to a what-if: what changes, what it does to nodes, and two runs side by side.

import { el } from "../dom.js";
import { count, counted, known, money, perHour, span } from "../format.js";
import { chart } from "./chart.js";
import { card, code, empty, tag } from "./pieces.js";

const DRIFTS_SHOWN = 12;
const LESS_IS_BETTER = /cost|price|wait|evict|pending|unschedul|interrupt|move|idle|nodes/i;

/** What a run changed, and what that does to the nodes that are there. */
export function verdict(run, compare) {
  const { difference, findings } = run.answer;
  const drifts = Object.entries(difference.drifts);
  const blocked = Object.entries(difference.blocked);
  return card(
    `Run ${run.number}: ${run.name}`,
    { tools: compare || [] },
    findings.length > 0 &&
      el(
        "ul.rows",
        findings.map((finding) => el("li", tag("!", "warn"), el("span.grow", finding))),
      ),
    el(
      "ul.rows",
      difference.changes.length === 0 &&
        el("li", el("span.grow", "The manifest says what is there already.")),
      difference.changes.map((one) =>
        el(
          "li",
          tag(one.isNew ? "+ new" : "~ changed", one.isNew ? "good" : "fresh"),
          el(
            "span.grow",
            `${one.kind}/${one.name}`,
            one.fields.length > 0 && el("div.mono.small.soft", one.fields.join(", ")),
          ),
        ),
      ),
      el(
        "li",
        tag("drift", drifts.length ? "warn" : "good"),
        el(
          "span.grow",
          drifts.length
            ? `${counted(drifts.length, "node")} would be replaced${known(difference.hours) ? `, in about ${span(difference.hours * 3600)}` : ""}`
            : "No node would be replaced.",
          drifts.length > 0 &&
            el(
              "details.small.soft",
              el("summary", "which"),
              el(
                "ul",
                drifts.slice(0, DRIFTS_SHOWN).map(([node, why]) => el("li", `${node}: ${why}`)),
                drifts.length > DRIFTS_SHOWN &&
                  el("li", `and ${counted(drifts.length - DRIFTS_SHOWN, "more")}`),
              ),
            ),
        ),
      ),
      blocked.map(([node, why]) =>
        el("li", tag("held", "bad"), el("span.grow", `${node}: ${why.summary} `, code(why.code))),
      ),
      difference.selectorsChanged.length > 0 &&
        el(
          "li",
          tag("!", "warn"),
          el(
            "span.grow",
            `other subnets, groups or images may be found: ${difference.selectorsChanged.join(", ")}`,
          ),
        ),
      el(
        "li",
        el("span.grow", "Price: now, while nodes are exchanged, in the end"),
        el(
          "span.number",
          [difference.price.before, difference.price.rolling, difference.price.after]
            .map((price) => perHour(price))
            .join(" → "),
        ),
      ),
    ),
  );
}

/** Plans, nodes that go and forecasts, beside those of now or of another run. */
export function sideBySide(run, other) {
  const names = other ? [`run ${other.number}`, `run ${run.number}`] : ["now", "changed"];
  const left = other ? sidesOf(other.answer).changed : sidesOf(run.answer).now;
  const right = sidesOf(run.answer).changed;
  const rows = left.map(([title, before, words, lessIsBetter], at) =>
    measure(title, before, right[at][1], words, lessIsBetter),
  );
  return [card("Side by side", comparison(names, rows)), run.answer.played && forecast(run, other, names)];
}

function sidesOf(answer) {
  const side = (plan, going) => [
    ["new nodes for waiting pods", total(plan.newNodes), count],
    ["waiting pods placed", plan.placed, count, false],
    ["pods that stay behind", Object.keys(plan.unschedulable).length, count, true],
    ["price of the new nodes", plan.pricePerHour, perHour, true],
    ["nodes that would go", going.nodes.length, count],
    ["price after that", going.priceAfter, perHour, true],
  ];
  return {
    now: side(answer.planNow, answer.goingNow),
    changed: side(answer.planChanged, answer.goingChanged),
  };
}

function forecast(run, other, names) {
  const { played } = run.answer;
  const earlier = other?.answer.played;
  const before = new Map((earlier?.measures ?? []).map((one) => [one.name, one.changed]));
  const rows = played.measures.map((one) =>
    measure(
      one.title,
      earlier ? before.get(one.name) : one.now,
      one.changed,
      (value) => figure(value, one.unit),
      LESS_IS_BETTER.test(one.name) ? true : undefined,
    ),
  );
  const cost = chart({
    label: "Cost an hour in the forecast",
    format: (value) => money(value),
    asHours: true,
  });
  const left = earlier ? earlier.changed : played.now;
  cost.show({
    at: played.changed.hours,
    series: [
      { name: names[0], values: align(left, played.changed.hours), colour: "series-8" },
      { name: names[1], values: played.changed.pricePerHour, colour: "series-1" },
    ],
  });
  return card(
    `Forecast: ${count(played.hours)} h of virtual time, seed ${played.seed}`,
    comparison(names, rows),
    el("h3.body", "Cost an hour"),
    cost.element,
  );
}

/** The prices of one run at the hours of another: the last one known by then. */
function align(series, hours) {
  let at = 0;
  return hours.map((hour) => {
    while (at + 1 < series.hours.length && series.hours[at + 1] <= hour) at += 1;
    return series.pricePerHour[at] ?? null;
  });
}

function measure(title, before, after, words, lessIsBetter) {
  const change = known(before) && known(after) ? after - before : null;
  const tone =
    !change || lessIsBetter === undefined ? "change" : change < 0 === lessIsBetter ? "better" : "worse";
  const sign = change > 0 ? "+" : change < 0 ? "−" : "";
  return {
    title,
    before: words(before),
    after: words(after),
    change: known(change) ? (change ? `${sign}${words(Math.abs(change))}` : "=") : "?",
    tone,
  };
}

function comparison(names, rows) {
  if (!rows.length) return empty("Nothing to compare", "");
  return el(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": `${names[0]} and ${names[1]}` },
    el(
      "table",
      el(
        "thead",
        el(
          "tr",
          el("th", { scope: "col" }, el("span.unseen", "Measure")),
          [...names, "Δ"].map((name) => el("th.number", { scope: "col" }, name)),
        ),
      ),
      el(
        "tbody",
        rows.map((row) =>
          el(
            "tr",
            el("th.wrap", { scope: "row" }, row.title),
            el("td.number", row.before),
            el("td.number", row.after),
            el(`td.number.${row.tone}`, row.change),
          ),
        ),
      ),
    ),
  );
}

function figure(value, unit) {
  if (!known(value)) return "?";
  if (unit === "$" || /^(USD|CNY|money|price)/i.test(unit)) return money(value);
  if (unit === "share") return `${Math.round(value * 100)} %`;
  if (unit === "s" || unit === "seconds") return span(value);
  return `${Number(value.toFixed(Math.abs(value) >= 100 ? 0 : 2)).toLocaleString("en-US")}${unit ? ` ${unit}` : ""}`;
}

function total(counts) {
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}
