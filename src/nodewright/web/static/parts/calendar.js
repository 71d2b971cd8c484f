// The budgets of a pool over a week: a lane a day, a stretch for each time in which nothing changes.

import { el, style } from "../dom.js";
import { clock, day, known } from "../format.js";

const DAY_MS = 86_400_000;
const WORDS_FROM = 0.09;

/** Draws the week of a pool from an instant on; each stretch says how many nodes may go at once. */
export function calendar(week, at) {
  if (!week) return el("p.soft.small", "not known");
  if (week.problem) return el("p.small.worse", `cannot be read, so nothing may go: ${week.problem}`);
  if (!week.nodes) return el("p.soft.small", `no node is there that could go · ${week.budgets.join(" · ")}`);
  const spans = week.calendar.map((span) => ({
    ...span,
    from: Date.parse(span.start),
    to: Date.parse(span.end),
  }));
  if (!spans.length) return el("p.soft.small", "nothing is limited");
  const first = startOfDay(Date.parse(at));
  const last = spans.at(-1).to;
  const lanes = [];
  for (let start = first; start < last && lanes.length < 8; start = startOfDay(start + DAY_MS * 1.5)) {
    lanes.push(lane(spans, start, startOfDay(start + DAY_MS * 1.5), Date.parse(at)));
  }
  return el(
    "div.calendar",
    { role: "group", "aria-label": `Budgets of ${week.name}` },
    lanes,
    el("span"),
    el(
      "span.hours",
      { "aria-hidden": "true" },
      ["00", "06", "12", "18", "24"].map((hour) => el("span", hour)),
    ),
    week.budgets.length > 0 && [el("span.faint", "from"), el("span.soft", week.budgets.join(" · "))],
  );
}

function lane(spans, start, end, now) {
  const within = spans.filter((span) => span.to > start && span.from < end);
  const share = (instant) => (Math.min(end, Math.max(start, instant)) - start) / (end - start);
  const stretches = within.map((span) => {
    const from = share(span.from);
    const width = share(span.to) - from;
    const shut = [span.empty, span.drifted, span.underutilized].filter((number) => number === 0).length;
    const words = allowed(span);
    const made = el(
      ["i", "i.partly", "i.partly", "i.shut"][shut],
      { title: `${clock(span.start)} to ${clock(span.end)}: ${long(span)}` },
      width > WORDS_FROM && words,
    );
    return style(made, { "--from": from, "--width": width });
  });
  const line = now >= start && now < end && style(el("i.now"), { "--from": share(now) });
  const spoken = within.map((span) => `${clock(span.start)} to ${clock(span.end)} ${long(span)}`).join("; ");
  return [
    el("span.soft", day(start)),
    el("span.lane", { role: "img", "aria-label": spoken }, stretches, line),
  ];
}

/** The number where all reasons agree; else each by its first letter. */
function allowed(span) {
  const numbers = [span.empty, span.drifted, span.underutilized];
  if (numbers.every((number) => number === numbers[0])) return one(numbers[0]);
  return `E ${one(span.empty)} D ${one(span.drifted)} U ${one(span.underutilized)}`;
}

function long(span) {
  return `empty ${one(span.empty)}, drifted ${one(span.drifted)}, underutilized ${one(span.underutilized)}`;
}

function one(number) {
  if (!known(number)) return "any";
  return number === 0 ? "shut" : String(number);
}

function startOfDay(instant) {
  const date = new Date(instant);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}
