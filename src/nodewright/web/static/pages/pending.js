// Pending: which pods wait, for which cause, and what would help?

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { age, counted, money, perHour } from "../format.js";
import { funnel } from "../parts/funnel.js";
import { code, empty, filterField, heading, loading, tag } from "../parts/pieces.js";

const OPEN_POOLS = 3;
const PODS_NAMED = 6;

export function open(root) {
  const tally = el("span.small.faint", { "aria-live": "polite" });
  const list = el("div.grid", loading());
  const folds = new Map();
  let answer = null;
  let filter = "";

  fill(
    root,
    heading(
      "Pending",
      null,
      tally,
      filterField("Filter causes and pods", (text) => {
        filter = text;
        show();
      }),
    ),
    list,
  );

  function show() {
    const causes = answer.causes.filter((cause) => textOf(cause).includes(filter));
    tally.textContent = `${counted(answer.pods, "pod")} pending · ${counted(answer.causes.length, "cause")}`;
    fill(
      list,
      !answer.pods && el("div.card", empty("No pod waits", "Every pod that could be scheduled has a node.")),
      answer.pods > 0 &&
        !causes.length &&
        !answer.placing.length &&
        el("div.card", empty("Nothing matches the filter", "")),
      causes.map((cause) => causeCard(cause, answer.at, folds)),
      answer.placing.length > 0 &&
        placing(
          answer.placing.filter((one) =>
            `${one.place.text} ${one.pods.join(" ")}`.toLowerCase().includes(filter),
          ),
        ),
    );
  }

  return {
    sections: ["pending"],
    isFilled: () => answer !== null,
    async refresh() {
      answer = await api.pending();
      show();
    },
  };
}

function causeCard(cause, at, folds) {
  const waits = cause.since ? `longest ${age(cause.since, at)}` : "";
  const key = `${cause.code} ${cause.title}`;
  const isOpen = folds.get(key) ?? cause.nodePools.length <= OPEN_POOLS;
  return el(
    "article.card.cause",
    { "aria-label": cause.title },
    el(
      "header",
      el("h2", cause.title),
      tag(counted(cause.podCount, "pod"), "warn"),
      cause.deferred && tag("looked at later", "fresh"),
      el("span.small.soft", waits),
      code(cause.code),
    ),
    el(
      "div.body",
      el("p", cause.summary),
      el(
        "dl.advice",
        el("dt", "asks"),
        el("dd", cause.asks),
        cause.owner && [el("dt", "of"), el("dd", cause.owner)],
        el("dt", "pods"),
        el("dd", podNames(cause)),
        cause.help && [el("dt", "help"), el("dd", help(cause.help))],
      ),
    ),
    el(
      "details",
      { open: isOpen, ontoggle: (event) => folds.set(key, event.target.open) },
      el(
        "summary.summary",
        `What ${counted(cause.nodePools.length, "pool")} and ${counted(cause.existingNodes, "node")} said`,
        el("span.faint", ` · for ${cause.example}`),
      ),
      cause.nodePools.map(poolFunnel),
      existing(cause),
    ),
  );
}

function podNames(cause) {
  const shown = cause.pods.slice(0, PODS_NAMED).join(", ");
  const rest = cause.podCount - Math.min(PODS_NAMED, cause.pods.length);
  return rest > 0 ? `${shown} and ${counted(rest, "more", "more")}` : shown;
}

function help(one) {
  return [
    one.text,
    one.extraPerHour ? ` (${money(one.extraPerHour, { signed: true })}/h)` : "",
    one.commands.map((command) => el("pre.command", el("code", command))),
  ];
}

function poolFunnel(pool) {
  return el(
    "div.pool-funnel",
    el(
      "div.line",
      el("h3", pool.name),
      " ",
      pool.makes ? tag("can make a node", "good") : [tag(pool.reason || "no", "bad"), " ", code(pool.code)],
    ),
    pool.funnel.length > 0 && funnel(pool.funnel, `Instance types of ${pool.name} left after each rule`),
    pool.nearestMiss && el("p.small.soft", el("span.faint", "nearest miss  "), pool.nearestMiss.text),
    pool.makes && el("p.small.soft", pool.makes.text),
  );
}

function existing(cause) {
  if (!cause.existingNodes) return null;
  return el(
    "div.pool-funnel",
    el("h3", `Existing ${counted(cause.existingNodes, "node")}`),
    cause.existingTakes.length > 0 && el("p.small", `could take it: ${cause.existingTakes.join(", ")}`),
    el(
      "ul",
      cause.existingStopped.map((one) =>
        el(
          "li.small.soft",
          `${counted(one.nodes, "node")}: ${one.reason}`,
          one.mostFree && ` · most free ${one.mostFree}`,
          ` · for example ${one.example} `,
          code(one.code),
        ),
      ),
    ),
  );
}

function placing(list) {
  return el(
    "section.card",
    { "aria-label": "Pods that get a place" },
    el("header", el("h2", "Pods that get a place")),
    el(
      "ul.rows",
      list.map((one) =>
        el(
          "li",
          tag(counted(one.podCount, "pod"), "good"),
          el(
            "span.grow",
            one.place.text,
            el("div.small.soft", one.pods.slice(0, PODS_NAMED).join(", "), one.podCount > PODS_NAMED && " …"),
          ),
          el("span.number.small", one.place.pricePerHour ? perHour(one.place.pricePerHour) : ""),
        ),
      ),
    ),
  );
}

function textOf(cause) {
  return [cause.title, cause.code, cause.summary, cause.owner, ...cause.pods].join(" ").toLowerCase();
}
