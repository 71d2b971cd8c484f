// Keys: `/` filters, `?` lists them, `g` and a letter goes to a page, Esc goes back.

import { el, fill } from "./dom.js";

const GO_MS = 1200;

/** Listens to the whole window; `pages` are `{key, title, path}`. */
export function listen({ pages, onPause, onTheme, onBack }) {
  const dialog = document.getElementById("keys");
  let goingUntil = 0;

  fill(dialog, ...contents(pages));
  document.getElementById("help").addEventListener("click", () => dialog.showModal());
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (performance.now() < goingUntil) {
      goingUntil = 0;
      const page = pages.find((one) => one.key === event.key);
      if (page)
        act(event, () => {
          location.hash = `#/${page.path}`;
        });
      return;
    }
    if (event.key === "g") goingUntil = performance.now() + GO_MS;
    else if (event.key === "/") act(event, () => document.querySelector("main [type=search]")?.focus());
    else if (event.key === "?") act(event, () => dialog.showModal());
    else if (event.key === "p") act(event, onPause);
    else if (event.key === "t") act(event, onTheme);
    else if (event.key === "Escape") onBack();
  });
}

function act(event, what) {
  event.preventDefault();
  what();
}

function isTyping(target) {
  return target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
}

function contents(pages) {
  const rows = [
    ["/", "filter this page"],
    ["p", "pause, and go on"],
    ["t", "light, dark, as the system"],
    ["Esc", "leave the filter, close what is open"],
    ["?", "these keys"],
    ...pages.map((page) => [`g ${page.key}`, page.title]),
  ];
  return [
    el("h2", { id: "keys-title" }, "Keys"),
    el(
      "dl",
      rows.map(([key, what]) => [
        el(
          "dt",
          key.split(" ").map((one) => [el("kbd", one), " "]),
        ),
        el("dd", what),
      ]),
    ),
    el("form", { method: "dialog" }, el("button.button", { autofocus: true }, "Close")),
  ];
}
