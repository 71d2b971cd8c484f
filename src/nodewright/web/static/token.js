// The token of an exposed dashboard: kept for this tab only, and sent with every question.

import { el, fill } from "./dom.js";

const KEY = "nodewright.token";
const IN_ADDRESS = /^#token=(.+)$/;

takeFromAddress();

/** The header that carries the token, where there is one. */
export function bearer() {
  const token = sessionStorage.getItem(KEY);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Asks for the token, and goes on once there is one. */
export function askForToken(root, problem, onGiven) {
  const field = el("input.field", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  const form = el(
    "form.card.door",
    { onsubmit: take },
    el("h1", "This dashboard asks for a token"),
    el("p.soft", `${problem.message}. `, el("span.code", problem.code)),
    el("label", { for: "token" }, "Token"),
    field,
    el(
      "p.small.soft",
      "For example of ",
      el("code", "kubectl create token NAME -n NAMESPACE"),
      ". It is kept in this tab only.",
    ),
    el("button.button.main", "Open"),
  );

  function take(event) {
    event.preventDefault();
    sessionStorage.setItem(KEY, field.value.trim());
    onGiven();
  }

  fill(root, form);
  field.focus();
}

/** A link may bring a token behind its `#`, which browsers send to nobody. */
function takeFromAddress() {
  const found = IN_ADDRESS.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname);
}
