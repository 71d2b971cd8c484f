// The smallest way to build elements: text is always text, never markup.

/** Makes an element: `el("p.note", {id: "a"}, "text", child)`; `on…` functions become listeners. */
export function el(kind, ...parts) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag || "div");
  if (classes.length) made.className = classes.join(" ");
  for (const part of parts) add(made, part);
  return made;
}

/** Makes an SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const FOCUSABLE = "a, button, input, select, textarea, summary, [tabindex]";

/** Gives an element new children; what is null, undefined or false is left out, and focus stays where it was. */
export function fill(element, ...children) {
  const shown = children.flat(Infinity).filter(isShown);
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const at = held ? [...element.querySelectorAll(FOCUSABLE)].indexOf(held) : -1;
  element.replaceChildren(...shown);
  if (at >= 0 && document.activeElement !== held) sameAs(held, at, element)?.focus({ preventScroll: true });
  return element;
}

/** The new element that stands for an old one: the same link or name, else the one in its place. */
function sameAs(held, at, element) {
  const found = [...element.querySelectorAll(FOCUSABLE)];
  const same = (one) =>
    one.tagName === held.tagName &&
    one.textContent === held.textContent &&
    one.getAttribute("href") === held.getAttribute("href");
  return (found[at] && same(found[at]) ? found[at] : found.find(same)) ?? found[at];
}

/** Sets a text only where it differs, so that screen readers hear of changes alone. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets lengths and colours through the CSSOM, which the content policy allows. */
export function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

function add(element, part) {
  if (Array.isArray(part)) for (const one of part) add(element, one);
  else if (part instanceof Node || typeof part !== "object") {
    if (isShown(part)) element.append(part);
  } else if (part) set(element, part);
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (isShown(value)) element.setAttribute(name, value);
  }
}

function isShown(part) {
  return part !== null && part !== undefined && part !== false;
}
