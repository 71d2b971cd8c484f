// Pieces that many pages are made of.

import { el, fill, style } from "../dom.js";
import { UNKNOWN, known } from "../format.js";

const TONES = [
  [/not ?ready|fail|error|unhealthy|lost/i, "bad"],
  [/drain|delet|terminat|evict|going|disrupt/i, "move"],
  [/launch|regist|creat|start|pending|claim|initial/i, "fresh"],
  [/cordon|taint|warn|pause|unknown/i, "warn"],
  [/ready|running|ok/i, "good"],
];
const KIND_TONES = {
  Launch: "good",
  Start: "good",
  Disrupt: "move",
  Propose: "move",
  Delete: "move",
  Evict: "move",
  End: "move",
  Refuse: "bad",
};

/** The tone of a state word: its colour repeats it, and never stands alone. */
export function toneOf(state) {
  return TONES.find(([pattern]) => pattern.test(state))?.[1] ?? "";
}

/** The tone of a kind of decision. */
export function toneOfKind(kind) {
  return KIND_TONES[kind] ?? "";
}

/** A word on a coloured ground. */
export function tag(word, tone = toneOf(word)) {
  return el(tone ? `span.tag.${tone}` : "span.tag", word);
}

/** A code, and how to read its page. */
export function code(name) {
  if (!name) return null;
  return el("span.code", { title: `nodewright explain ${name}` }, name);
}

/** The title of a page, its question, and its tools. */
export function heading(title, question, ...tools) {
  return el("div.head", el("h1", title), tools, question && el("p.question", question));
}

/** A framed part of a page with its own title. */
export function card(title, ...content) {
  const tools = content.length > 1 && content[0]?.tools ? content.shift().tools : [];
  return el("section.card", { "aria-label": title }, el("header", el("h2", title), tools), content);
}

/** What stands where there is nothing: a headline, and what would be here. */
export function empty(headline, more) {
  return el("div.empty", el("strong", headline), more);
}

/** What stands where something is still to come. */
export function loading() {
  return el("div.skeleton", el("span.unseen", "Loading"));
}

/** A bar of a share in percent; over it, darker, what is really used. */
export function meter(requested, used, label) {
  const text = `${label}: ${percentText(requested)} requested, ${percentText(used)} used`;
  const bar = el("span.meter", { role: "img", "aria-label": text, title: text });
  if (known(requested)) bar.append(style(el("i"), { "--share": Math.min(1, requested / 100) }));
  if (known(used)) bar.append(style(el("i.used"), { "--share": Math.min(1, used / 100) }));
  return bar;
}

/** Percent as they come from the server. */
export function percentText(value) {
  return known(value) ? `${Math.round(value)} %` : UNKNOWN;
}

/** One of a few, as a row of radio buttons. */
export function choice(label, options, chosen, onChoose) {
  const name = `choice-${label.replaceAll(" ", "-").toLowerCase()}`;
  return el(
    "fieldset.choice",
    el("legend.unseen", label),
    options.map(([value, title]) =>
      el(
        "label",
        el("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          onchange: () => onChoose(value),
        }),
        el("span", title),
      ),
    ),
  );
}

/** One of many. */
export function select(label, options, chosen, onChoose) {
  const box = el("select.field", { "aria-label": label, onchange: (event) => onChoose(event.target.value) });
  setOptions(box, options, chosen);
  return box;
}

/** Gives a select other options, and keeps the one that is chosen. */
export function setOptions(box, options, chosen = box.value) {
  fill(
    box,
    options.map(([value, title]) => el("option", { value, selected: value === chosen }, title)),
  );
}

/** A field that filters, reached by `/`. */
export function filterField(label, onFilter) {
  const input = el("input.field", {
    type: "search",
    placeholder: label,
    "aria-label": label,
    autocomplete: "off",
    spellcheck: "false",
    oninput: (event) => onFilter(event.target.value.trim().toLowerCase()),
  });
  return el("span.filter", input, el("kbd", { "aria-hidden": "true" }, "/"));
}

/** Names and values. */
export function facts(pairs) {
  return el(
    "dl.facts",
    pairs
      .filter(([, value]) => value !== "" && value !== null)
      .map(([name, value]) => [el("dt", name), el("dd", value)]),
  );
}

/** A refusal of the server, as a person reads it. */
export function refusal(error) {
  return el("div.card", empty(error.message, [error.advice, " ", code(error.code)]));
}
