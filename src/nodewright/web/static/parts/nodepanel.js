// One node in full: what it is, how full, its pods and what holds them, and why it stays or goes.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { age, counted, money, perHour, quantity } from "../format.js";
import { decisionLink } from "./decisionrow.js";
import { code, facts, meter, percentText, refusal, tag } from "./pieces.js";

const PODS_SHOWN = 60;

/** Makes the panel, hidden until a node is shown. */
export function nodePanel({ onClose }) {
  const element = el("aside.card.panel", { "aria-label": "Node", hidden: true });
  let name = "";

  async function refresh() {
    const asked = name;
    let content;
    try {
      content = contents(await api.node(asked), onClose);
    } catch (error) {
      content = [top(asked, onClose), refusal(error)];
    }
    if (asked === name) fill(element, content);
  }

  return {
    element,
    refresh,
    /** Shows a node, or nothing. */
    show(next) {
      if (next === name) return;
      name = next;
      element.hidden = !next;
      if (!next) return;
      fill(element, top(next, onClose), el("div.body", el("p.soft", "Loading…")));
      refresh();
      element.scrollIntoView({ block: "nearest" });
    },
  };
}

function top(name, onClose) {
  return el(
    "header",
    el("h2", name),
    el("button.close", { type: "button", "aria-label": "Close", onclick: onClose }, "✕"),
  );
}

function contents(node, onClose) {
  return [
    top(node.name, onClose),
    el(
      "div.body",
      el("p", tag(node.state), " ", node.reason, " ", code(node.code)),
      node.next && el("p.soft", node.next),
    ),
    el("div.body", node.resources.map(amount)),
    el(
      "div.body",
      facts([
        ["type", `${node.instanceType} · ${node.capacityType}`],
        ["zone", node.zone],
        ["price", perHour(node.pricePerHour)],
        ["pool", el("a", { href: `#/pools/${encodeURIComponent(node.nodePool)}` }, node.nodePool)],
        ["class", node.nodeClass],
        ["claim", node.claim],
        ["age", age(node.created, node.at)],
        ["taints", node.taints.join(", ")],
      ]),
    ),
    staying(node.staying),
    el("div.body", el("h3", counted(node.pods.length, "pod")), pods(node.pods)),
    node.takes.length > 0 &&
      el("div.body", el("h3", "Waiting pods that it takes"), el("p.soft", node.takes.join(", "))),
    node.refuses.length > 0 &&
      el(
        "div.body",
        el("h3", "Waiting pods that it cannot take"),
        node.refuses.map((one) =>
          el("p.soft.small", `${counted(one.pods.length, "pod")}: ${one.reason} `, code(one.code)),
        ),
      ),
    node.decisions.length > 0 &&
      el("div.body.timeline", el("h3", "Decisions"), node.decisions.slice(0, 8).map(decisionLink)),
  ];
}

function amount(one) {
  return el(
    "div.bar",
    el("span", one.resource),
    meter(one.requestedPercent, one.usedPercent, one.resource),
    el(
      "span.small",
      `${quantity(one.requested)} of ${quantity(one.allocatable)} requested (${percentText(one.requestedPercent)}) · used ${percentText(one.usedPercent)} · free ${quantity(one.free)}`,
    ),
  );
}

function staying(stay) {
  const blockers = stay.verdict?.blockers ?? [];
  return el(
    "div.body",
    el("h3", stay.goes ? "Why it goes" : "Why it stays"),
    stay.verdict
      ? el("p", stay.verdict.summary, " ", code(stay.verdict.code))
      : el("p.soft", "No verdict yet."),
    blockers.length > 0 && el("p.soft.small", `blocked by ${blockers.join(", ")}`),
    stay.drift && el("p.small", tag("drifted", "warn"), " ", stay.drift),
    stay.action && action(stay.action),
  );
}

function action(one) {
  const moves = Object.entries(one.moves);
  return [
    el(
      "p.small",
      `Together with ${counted(one.nodes.length, "node")}: saves ${money(one.savingsPerHour)}/h`,
      one.replacements.length ? `, replaced by ${one.replacements.join(", ")}` : "",
    ),
    moves.length > 0 &&
      el(
        "details.small",
        el("summary", `${counted(moves.length, "pod")} would move`),
        el(
          "ul",
          moves.map(([pod, place]) => el("li", `${pod} → ${place}`)),
        ),
      ),
  ];
}

function pods(list) {
  const rest = list.length - PODS_SHOWN;
  return el(
    "ul.pods",
    list.slice(0, PODS_SHOWN).map(pod),
    rest > 0 && el("li.soft", `and ${counted(rest, "more pod")}`),
  );
}

function pod(one) {
  const asks = Object.entries(one.requests)
    .map(([name, value]) => `${name} ${value}`)
    .join(" · ");
  const held =
    one.isEvictable || one.isDaemon
      ? ""
      : `${one.reason || "may not be moved"}${one.blockers.length ? `: ${one.blockers.join(", ")}` : ""}`;
  return el(
    "li",
    el(
      "div.line",
      el("span.cut", { title: `${one.namespace}/${one.name}` }, `${one.namespace}/${one.name}`),
      one.isDaemon
        ? tag("daemon", "")
        : tag(one.isEvictable ? "movable" : "held", one.isEvictable ? "" : "warn"),
    ),
    el("div.small.soft", [asks, one.owner].filter(Boolean).join(" · ")),
    held && el("div.small.soft", held, " ", code(one.code)),
  );
}
