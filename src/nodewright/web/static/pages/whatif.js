// What-if: what would this change do? Edited here, computed there, applied nowhere.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { span } from "../format.js";
import { code, empty, heading, select, setOptions } from "../parts/pieces.js";
import { sideBySide, verdict } from "../parts/whatifresult.js";

const HOURS = [
  ["0", "no forecast"],
  ["1", "1 h"],
  ["6", "6 h"],
  ["24", "24 h"],
  ["48", "48 h"],
];
const SERVER = "the server";
const RUNS_KEPT = 4;

// Texts and results stay while the dashboard is open.
const kept = { texts: new Map(), chosen: "", hours: "1", runs: [], compared: "" };

export function open(root) {
  const objects = select("Object", [], "", (value) => load(value));
  const editor = el("textarea.editor", {
    "aria-label": "Manifest in YAML",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    oninput: () => kept.texts.set(kept.chosen, editor.value),
  });
  const hours = select("Forecast", HOURS, kept.hours, (value) => {
    kept.hours = value;
  });
  const run = el("button.button.main", { type: "button", onclick: compute }, "Run");
  const reset = el("button.button", { type: "button", onclick: restore }, "Reset");
  const progress = el("p.small.soft", { role: "status" });
  const results = el("div.grid");
  let originals = new Map();
  let running = null;

  fill(
    root,
    heading("What-if", null),
    el(
      "div.bench",
      el(
        "section.card",
        { "aria-label": "Change" },
        el("header", el("h2", "Change"), objects),
        el(
          "div.body.grid",
          editor,
          el("div.actions", run, hours, reset),
          progress,
          el(
            "p.small.soft",
            "Nothing is applied: the change is computed on what is known now. In a terminal: ",
            el("code", "nodewright diff"),
            ", ",
            el("code", "nodewright plan"),
            ", ",
            el("code", "nodewright simulate"),
            ".",
          ),
        ),
      ),
      results,
    ),
  );
  show();

  async function refresh() {
    const answer = await api.manifests();
    originals = new Map(answer.manifests.map((one) => [`${one.kind}/${one.name}`, one.text]));
    setOptions(
      objects,
      [...originals.keys()].map((name) => [name, name]),
      kept.chosen,
    );
    if (!originals.has(kept.chosen)) kept.chosen = [...originals.keys()][0] ?? "";
    load(kept.chosen);
    run.disabled = !originals.size;
    if (!originals.size)
      fill(
        results,
        el("div.card", empty("Nothing to change", "There is no NodePool, node class or NodePolicy.")),
      );
  }

  function load(name) {
    kept.chosen = name;
    objects.value = name;
    editor.value = kept.texts.get(name) ?? originals.get(name) ?? "";
  }

  function restore() {
    kept.texts.delete(kept.chosen);
    load(kept.chosen);
    editor.focus();
  }

  async function compute() {
    if (running) {
      running.abort();
      return;
    }
    running = new AbortController();
    const since = performance.now();
    const played = Number(kept.hours);
    const timer = setInterval(() => {
      progress.textContent = `${played ? `diff, plan, and ${played} h of virtual time, twice` : "diff and plan"} · ${span((performance.now() - since) / 1000)}`;
    }, 250);
    run.textContent = "Stop";
    try {
      const answer = await api.whatIf(
        { manifests: changedText(), simulateHours: played, seed: 0 },
        running.signal,
      );
      kept.runs = [
        { number: (kept.runs[0]?.number ?? 0) + 1, name: kept.chosen, text: editor.value, answer },
        ...kept.runs,
      ].slice(0, RUNS_KEPT);
      progress.textContent = `done in ${span((performance.now() - since) / 1000)}`;
      show();
    } catch (error) {
      progress.textContent = error.name === "AbortError" ? "stopped" : "";
      if (error.name !== "AbortError") fill(results, refused(error));
    } finally {
      clearInterval(timer);
      running = null;
      run.textContent = "Run";
    }
  }

  /** Everything that was edited, the object that is open in any case. */
  function changedText() {
    const edited = [...kept.texts].filter(
      ([name, text]) => name !== kept.chosen && text !== originals.get(name),
    );
    return [editor.value, ...edited.map(([, text]) => text)].join("\n---\n");
  }

  function show() {
    const [latest, ...earlier] = kept.runs;
    if (!latest) {
      fill(
        results,
        el(
          "div.card",
          empty(
            "No run yet",
            "Edit the manifest and run it: what drifts, what the plan becomes, and what the next hours would cost.",
          ),
        ),
      );
      return;
    }
    const other = earlier.find((one) => String(one.number) === kept.compared) ?? null;
    const compare =
      earlier.length > 0 &&
      select(
        "Compare with",
        [["", "against now"], ...earlier.map((one) => [String(one.number), `against run ${one.number}`])],
        kept.compared,
        (value) => {
          kept.compared = value;
          show();
        },
      );
    fill(results, verdict(latest, compare), sideBySide(latest, other));
  }

  return { refresh, sections: [], isFilled: () => originals.size > 0, close: () => running?.abort() };
}

function refused(error) {
  const who = error.code ? "" : `${SERVER}: `;
  return el(
    "div.card",
    { role: "alert" },
    empty(`${who}${error.message}`, [error.advice, " ", code(error.code)]),
  );
}
