// Light, dark, or as the system says; remembered in this browser.

const ORDER = ["system", "light", "dark"];
const NAMES = { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };
const SIGNS = { system: "◐", light: "○", dark: "●" };
const listeners = new Set();
const palette = new Map();

apply(chosen());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);

/** The theme that was chosen here: `system`, `light` or `dark`. */
export function chosen() {
  const kept = localStorage.getItem("nodewright.theme");
  return ORDER.includes(kept) ? kept : "system";
}

/** Goes on to the next theme. */
export function next() {
  const theme = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  localStorage.setItem("nodewright.theme", theme);
  apply(theme);
  changed();
  return NAMES[theme];
}

/** Labels the switch with what is chosen now. */
export function label(button) {
  button.textContent = SIGNS[chosen()];
  button.setAttribute("aria-label", NAMES[chosen()]);
  button.title = NAMES[chosen()];
}

/** Calls back whenever the colours change; gives a function that ends it. */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present value of a colour of the style sheet, for what is drawn on a canvas; thinned to a share of it. */
export function colour(name, percent = 100) {
  const written = `color-mix(in srgb, var(--${name}) ${percent}%, var(--surface))`;
  if (!palette.has(written)) {
    const probe = document.createElement("i");
    probe.style.color = written;
    document.body.append(probe);
    palette.set(written, getComputedStyle(probe).color);
    probe.remove();
  }
  return palette.get(written);
}

function apply(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function changed() {
  palette.clear();
  for (const listener of listeners) listener();
}
