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
    el("span.sentence", subject(row), " ", el("span.soft", words(row)), " ", code(codeOf(row))),
    el("span.number.small", known(row.pricePerHour) ? perHour(row.pricePerHour, { signed: true }) : ""),
    el("span.code.id", row.id),
  );
}

/** Whom it is about: the kind in small, without its group, and the name. */
export function subject(row) {
  const { kind, name } = partsOf(row);
  return [kind && el("span.small.faint", `${kind} `), name];
}

/** The reason in words, and what came of it where that is not plain success. */
export function words(row) {
  const why = noteOf(row) || (codeOf(row) ? "" : row.reason);
  const failed = row.outcome && !FINE.has(row.outcome);
  const came = failed ? [row.outcome, row.message].filter(Boolean).join(": ") : "";
  return [why, came].filter(Boolean).join(" · ");
}

/** The code of its reason, where the reason is one. */
export function codeOf(row) {
  return /^NW-\d+$/.test(row.reason) ? row.reason : "";
}

/** Its note, without the name that stands before it already. */
export function noteOf(row) {
  const { name } = partsOf(row);
  return row.note.startsWith(`${name}: `) ? row.note.slice(name.length + 2) : row.note;
}

function partsOf(row) {
  const [resource, ...rest] = row.subject.split("/");
  if (!rest.length) return { kind: "", name: row.subject };
  return { kind: resource.split(".")[0].replace(/s$/, ""), name: rest.join("/") };
}
