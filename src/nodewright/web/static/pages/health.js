// Health: is the installation sound, what is sold out, and who runs which version?

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { count, counted, known, moment, span } from "../format.js";
import { card, code, empty, heading, loading, tag, toneOf } from "../parts/pieces.js";
import { table } from "../parts/table.js";

const SEVERITIES = { error: ["✕ problem", "bad"], warning: ["! warning", "warn"], info: ["i note", "fresh"] };
const SIGNS = { ok: ["✓", "good"], warning: ["!", "warn"], problem: ["✕", "bad"], unknown: ["?", ""] };

export function open(root) {
  const tally = el("span.small.faint", { "aria-live": "polite" });
  const top = el("div.grid", loading());
  const soldOut = soldOutTable();
  const soldOutCard = card("Shut out: types that are not asked for", soldOut.element);
  const bottom = el("div.grid.two");
  let answer = null;

  fill(root, heading("Health", null, tally), top, soldOutCard, bottom);

  function show() {
    const problems = answer.findings.filter((finding) => finding.severity === "error").length;
    const warnings = answer.findings.filter((finding) => finding.severity === "warning").length;
    tally.textContent = answer.examined
      ? `${counted(answer.passed, "check")} passed · ${counted(warnings, "warning")} · ${counted(problems, "problem")}`
      : "not examined";
    fill(top, findings(answer));
    soldOutCard.hidden = !answer.soldOut.length;
    soldOut.show(answer.soldOut);
    fill(
      bottom,
      queue(answer.queue, answer.soldOut),
      versions(answer),
      conditions(answer.conditions),
      unknown(answer.unknown),
    );
  }

  return {
    sections: ["health"],
    isFilled: () => answer !== null,
    async refresh() {
      answer = await api.health();
      show();
    },
  };
}

function findings(answer) {
  const areas = el(
    "div.body.areas",
    answer.areas.map((area) => {
      const [sign, tone] = SIGNS[area.sign];
      return tag(`${sign} ${area.name}`, tone);
    }),
  );
  const nothing = answer.examined
    ? empty("Nothing is wrong", answer.examined)
    : empty("Nobody has examined this cluster yet", [
        "Run ",
        el("code", "nodewright doctor"),
        " against the live cluster; a snapshot or a simulation has no account to look at.",
      ]);
  return card(
    "Findings",
    { tools: el("span.small.faint", answer.examined) },
    answer.areas.length > 0 && areas,
    answer.findings.length ? el("ul.rows", answer.findings.map(finding)) : nothing,
  );
}

function finding(one) {
  const [word, tone] = SEVERITIES[one.severity];
  return el(
    "li.finding",
    el("span", tag(word, tone)),
    el(
      "div.grow",
      el("div", el("strong", one.message), " ", code(one.code), " ", el("span.small.faint", one.area)),
      one.cause && el("p.soft", one.cause),
      one.facts.length > 0 &&
        el(
          "ul.small.soft",
          one.facts.map((fact) => el("li", fact)),
        ),
      one.objects.length > 0 &&
        el(
          "p.small.soft",
          one.objects.slice(0, 6).join(", "),
          one.objects.length > 6 && ` and ${one.objects.length - 6} more`,
        ),
      one.fix.map((command) => el("pre.command", el("code", command))),
    ),
  );
}

function soldOutTable() {
  return table({
    label: "Types that are sold out",
    height: 320,
    sort: { key: "type", way: 1 },
    columns: [
      { key: "type", title: "Type", sort: (row) => row.instanceType, cell: (row) => row.instanceType },
      { key: "zone", title: "Zone", sort: (row) => row.zone, cell: (row) => row.zone },
      {
        key: "capacity",
        title: "Capacity",
        kind: "medium",
        sort: (row) => row.capacityType,
        cell: (row) => row.capacityType,
      },
      { key: "until", title: "Until", sort: (row) => row.until, cell: (row) => moment(row.until) },
      { key: "reason", title: "Reason", kind: "wide", sort: (row) => row.reason, cell: (row) => row.reason },
    ],
  });
}

function queue(one, soldOut) {
  const rows = one
    ? [
        ["Queue", one.name],
        ["Latest message", known(one.lagSeconds) ? `had waited ${span(one.lagSeconds)}` : "none yet"],
        ["State", one.fault ? `cannot be heard: ${one.fault}` : "is heard"],
      ]
    : [["Queue", "none is read here"]];
  return card(
    "Interruptions",
    el(
      "ul.rows",
      rows.map(([name, value]) => el("li", el("span.grow", name), el("span", value))),
      el("li", el("span.grow", "Types shut out"), el("span", count(soldOut.length))),
    ),
  );
}

function versions(answer) {
  return card(
    "Versions",
    el(
      "ul.rows",
      answer.versions.map((one) => el("li", el("span.grow", one.name), el("code", one.version || "?"))),
      el("li", el("span.grow", "Dashboards open"), el("span", count(answer.clients))),
    ),
  );
}

function conditions(list) {
  if (!list.length) return null;
  return card(
    "Conditions",
    el(
      "ul.rows",
      list.map((one) =>
        el(
          "li",
          el("span", tag(one.type, one.status === "True" ? "good" : toneOf(one.reason) || "warn")),
          el(
            "span.grow",
            `${one.status}${one.reason ? ` · ${one.reason}` : ""}`,
            one.message && el("div.small.soft", one.message),
          ),
        ),
      ),
    ),
  );
}

function unknown(list) {
  if (!list.length) return null;
  return card(
    "Not known",
    el(
      "ul.rows",
      list.map((one) =>
        el(
          "li",
          el("span", tag("?", "")),
          el("span.grow", one.why, " ", code(one.code)),
          el("span.small.faint", one.area),
        ),
      ),
    ),
  );
}
