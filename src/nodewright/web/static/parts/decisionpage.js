// One decision: cause, alternatives, price, effects, and the picture of its nodes before and after.

import { save } from "../api.js";
import { el, style } from "../dom.js";
import { clock, counted, day, known, money, perHour } from "../format.js";
import { codeOf, decisionLink, noteOf, subject } from "./decisionrow.js";
import { card, code, empty, facts, percentText, tag, toneOfKind } from "./pieces.js";

const PODS_NAMED = 6;

/** Gives the elements of the page. */
export function decisionPage(page) {
  const { decision } = page;
  const step = (title, ...content) => {
    const made = card(title, ...content);
    made.classList.add("step");
    return made;
  };
  return [
    el("p", el("a", { href: "#/decisions" }, "‹ all decisions")),
    el(
      "div.head",
      el("h1", tag(decision.kind, toneOfKind(decision.kind)), " ", subject(decision)),
      el("span.code", decision.id),
      page.snapshot &&
        el(
          "button.button",
          { type: "button", onclick: () => save(page.snapshot, `${decision.id}.json.gz`) },
          "Save its world",
        ),
    ),
    picture(page.picture),
    el(
      "div.steps",
      step(
        "Cause",
        el(
          "div.body",
          facts([
            ["why", noteOf(decision)],
            ["reason", [decision.reason, " ", code(codeOf(decision))]],
            ["woken by", decision.cause],
            ["decided", decidedWords(decision, page.decidedInMs)],
            ["look", page.look],
            ["relied on", basis(page.basis)],
          ]),
        ),
      ),
      step(
        "Alternatives",
        page.alternatives.length
          ? el("ul.rows", page.alternatives.map(alternative))
          : empty("Nothing else was weighed", "This decision left no choice, or its choices were not kept."),
      ),
      step("Price", el("div.body", price(page))),
      step(
        "Effects",
        el("div.body", facts([["outcome", outcome(decision)]])),
        page.effects.length > 0 && el("div.timeline", page.effects.map(decisionLink)),
      ),
    ),
    page.siblings.length > 0 &&
      card("Decided in the same look", el("div.timeline", page.siblings.map(decisionLink))),
  ];
}

function decidedWords(decision, milliseconds) {
  const by = decision.controller && ` by ${decision.controller}`;
  const took = milliseconds ? `, in ${milliseconds} ms` : "";
  return `${day(decision.at)} ${clock(decision.at)}${by}${took}`;
}

function outcome(decision) {
  if (!decision.outcome) return el("span.soft", "nothing came of it yet");
  return [decision.outcome, decision.message && `: ${decision.message}`];
}

function basis(objects) {
  const names = Object.entries(objects);
  if (!names.length) return "";
  return el(
    "details",
    el("summary", counted(names.length, "object")),
    el(
      "ul.mono.small",
      names.map(([name, version]) => el("li", `${name} @ ${version}`)),
    ),
  );
}

function alternative(one) {
  return el(
    "li",
    el("span.grow", one.text, one.why && el("div.small.soft", one.why)),
    el("span.number", perHour(one.pricePerHour)),
  );
}

function price(page) {
  const isKnown = known(page.priceBefore) && known(page.priceAfter);
  const change = isKnown ? page.priceAfter - page.priceBefore : page.decision.pricePerHour;
  return facts([
    ["before", perHour(page.priceBefore)],
    ["after", perHour(page.priceAfter)],
    [
      "change",
      el(change < 0 ? "span.better" : "span", money(change, { signed: true }), known(change) ? "/h" : ""),
    ],
  ]);
}

function picture(both) {
  if (!both.before.length && !both.after.length) return null;
  const side = (title, nodes) =>
    el(
      "div.side",
      el("h3", title),
      nodes.length ? el("div.boxes", nodes.map(box)) : el("p.soft.small", "no node"),
    );
  return card(
    "Before and after",
    el(
      "div.picture",
      side("before", both.before),
      el("span.arrow", { "aria-hidden": "true" }, "→"),
      side("after", both.after),
    ),
    both.leftOut > 0 && el("p.body.small.soft", `and ${counted(both.leftOut, "more node")}`),
  );
}

function box(node) {
  const asked = Math.max(node.cpuPercent ?? 0, node.memoryPercent ?? 0);
  const moved = node.pods.filter((pod) => pod.comesFrom).length;
  const sign = { stays: "", goes: "✕ goes", comes: "✚ comes" }[node.change];
  const pods = node.pods
    .slice(0, PODS_NAMED)
    .map((pod) =>
      el(
        "span.cut",
        { title: pod.comesFrom ? `${pod.key}, from ${pod.comesFrom}` : pod.key },
        `${pod.comesFrom ? "→ " : ""}${pod.key.split("/").at(-1)}`,
      ),
    );
  const made = el(
    `div.node.${node.change}`,
    el("strong.cut", { title: node.name }, node.name),
    el("span.cut", [node.instanceType, node.capacityType].filter(Boolean).join(" ")),
    el("span.cut", `${node.zone} · ${perHour(node.pricePerHour)}`),
    el("span.cut", `cpu ${percentText(node.cpuPercent)} · mem ${percentText(node.memoryPercent)}`),
    pods,
    node.pods.length > PODS_NAMED &&
      el("span.cut", `and ${counted(node.pods.length - PODS_NAMED, "more pod")}`),
    (sign || moved > 0) &&
      el("span.cut", [sign, moved ? `${counted(moved, "pod")} moved here` : ""].filter(Boolean).join(" · ")),
  );
  return style(made, { "--share": Math.min(1, asked / 100) });
}
