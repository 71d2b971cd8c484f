// A funnel: how many instance types each rule leaves, and where none is left.

import { el, style } from "../dom.js";
import { count } from "../format.js";

/** Draws the steps of a pool's funnel; the step that leaves nothing is the end. */
export function funnel(steps, label) {
  const most = Math.max(1, ...steps.map((step) => step.left));
  return el(
    "ol.funnel",
    { "aria-label": label },
    steps.map((step) => {
      const isEnd = step.left === 0;
      const words = [
        step.title,
        step.subject && !step.title.includes(step.subject) ? ` ${step.subject}` : "",
      ].join("");
      return el(
        "li",
        el(isEnd ? "span.end" : "span", isEnd ? `✕ ${words}` : words),
        el("span.track", style(el("i"), { "--share": step.left / most })),
        el("span.number", count(step.left)),
      );
    }),
  );
}
