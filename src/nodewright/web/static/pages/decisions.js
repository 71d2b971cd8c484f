// Decisions: what was decided, when, and why? One of them: from its cause to its effects.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { day } from "../format.js";
import { decisionPage } from "../parts/decisionpage.js";
import { decisionLink } from "../parts/decisionrow.js";
import { choice, empty, filterField, heading, loading, refusal } from "../parts/pieces.js";

const KINDS = [
  ["", "All"],
  ["Launch", "Up"],
  ["Disrupt,Delete,Evict,End", "Down"],
  ["Keep", "Kept"],
  ["Refuse", "Refused"],
];
const chosen = { kinds: "", filter: "" };

export function open(root, argument) {
  let id = argument;
  let rows = [];
  let before = null;
  let problems = [];
  let isFilled = false;
  let list = null;

  function go(next) {
    id = next;
    if (id) return openOne();
    openList();
    return refresh();
  }

  async function openOne() {
    const asked = id;
    try {
      const page = await api.decision(asked);
      if (asked === id) fill(root, decisionPage(page));
    } catch (error) {
      if (asked === id) fill(root, back(), refusal(error));
    }
    window.scrollTo(0, 0);
  }

  function openList() {
    list = el("div.card.timeline", loading());
    const field = filterField("Filter decisions", (text) => choose({ filter: text }));
    field.querySelector("input").value = chosen.filter;
    fill(
      root,
      heading(
        "Decisions",
        null,
        field,
        choice("Kinds", KINDS, chosen.kinds, (kinds) => choose({ kinds })),
      ),
      list,
    );
    if (isFilled) show();
  }

  function choose(change) {
    Object.assign(chosen, change);
    if ("kinds" in change) {
      // The latest of one kind may be older than all that were asked for so far.
      rows = [];
      isFilled = false;
      fill(list, loading());
      return refresh();
    }
    return show();
  }

  async function refresh() {
    if (id) return;
    const asked = chosen.kinds;
    const answer = await api.decisions({ kind: asked });
    if (asked !== chosen.kinds) return;
    const seen = new Set(answer.decisions.map((row) => row.id + row.at));
    rows = [...answer.decisions, ...rows.filter((row) => !seen.has(row.id + row.at))];
    if (!isFilled) before = answer.before;
    problems = answer.problems;
    isFilled = true;
    show();
  }

  async function more() {
    const answer = await api.decisions({ before, kind: chosen.kinds });
    const seen = new Set(rows.map((row) => row.id + row.at));
    rows = [...rows, ...answer.decisions.filter((row) => !seen.has(row.id + row.at))];
    before = answer.before;
    show();
  }

  function show() {
    if (id || !list) return;
    const wanted = rows.filter(isWanted);
    const days = [...Map.groupBy(wanted, (row) => day(row.at))];
    fill(
      list,
      problems.map((problem) => el("p.notice", problem)),
      !rows.length &&
        empty("No decisions yet", "Each launch, deletion and refusal is listed here with its reason."),
      rows.length > 0 && !wanted.length && empty("Nothing matches", "Other kinds or another filter may."),
      days.map(([name, group]) => [el("h2.day", name), group.map(decisionLink)]),
      before && el("div.empty", el("button.button", { type: "button", onclick: more }, "Earlier decisions")),
    );
  }

  if (id) openOne();
  else openList();
  return {
    refresh,
    go,
    sections: ["decisions"],
    isFilled: () => isFilled || Boolean(id),
    back: () => {
      if (id) location.hash = "#/decisions";
    },
  };
}

function isWanted(row) {
  if (chosen.kinds && !chosen.kinds.split(",").includes(row.kind)) return false;
  const text = [
    row.id,
    row.kind,
    row.subject,
    row.reason,
    row.note,
    row.controller,
    row.nodePool,
    row.outcome,
    ...row.nodes,
  ].join(" ");
  return text.toLowerCase().includes(chosen.filter);
}

function back() {
  return el("p", el("a", { href: "#/decisions" }, "‹ all decisions"));
}
