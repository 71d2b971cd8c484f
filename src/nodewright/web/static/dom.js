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

/** Gives an element new children; what is null, undefined or false is left out. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter(isShown));
  return element;
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
