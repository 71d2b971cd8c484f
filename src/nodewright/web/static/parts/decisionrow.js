// A decision in one line: when, what, about whom and why, for how much.

import { el } from "../dom.js";
import { clock, known, perHour } from "../format.js";
import { code, tag, toneOfKind } from "./pieces.js";

const FINE = new Set(["Done", "NothingToDo"]);

/** A line that leads to the decision. */
export function decisionLink(row) {
  return el(
    "a.decision",
    { href: `#/decisions/${encodeURIComponent(row.id)}` },
    el("span.when", clock(row.at)),
    el("span", tag(row.kind, toneOfKind(row.kind))),
    el("span.sentence", el("span", row.subject), " ", el("span.soft", words(row)), " ", code(codeOf(row))),
    el("span.number.small", known(row.pricePerHour) ? perHour(row.pricePerHour, { signed: true }) : ""),
    el("span.code.id", row.id),
  );
}

/** The reason in words, and what came of it where that is not plain success. */
export function words(row) {
  const why = row.note || (codeOf(row) ? "" : row.reason);
  const came =
    row.outcome && !FINE.has(row.outcome) ? `${row.outcome}${row.message ? `: ${row.message}` : ""}` : "";
  return [why, came].filter(Boolean).join(" · ");
}

/** The code of its reason, where the reason is one. */
export function codeOf(row) {
  return /^NW-\d+$/.test(row.reason) ? row.reason : "";
}
