// The frame: which page is open, what stands above it, and what a change of the cluster sets off.

import { el, fill, say } from "./dom.js";
import { clock, moment, span, useCurrency } from "./format.js";
import { listen } from "./keys.js";
import { follow } from "./live.js";
import { refusal } from "./parts/pieces.js";
import * as theme from "./theme.js";
import { askForToken } from "./token.js";

const PAGES = [
  { path: "", key: "o", title: "Overview", load: () => import("./pages/overview.js") },
  { path: "nodes", key: "n", title: "Nodes", load: () => import("./pages/nodes.js") },
  { path: "pending", key: "e", title: "Pending", load: () => import("./pages/pending.js") },
  { path: "decisions", key: "d", title: "Decisions", load: () => import("./pages/decisions.js") },
  { path: "pools", key: "p", title: "Pools", load: () => import("./pages/pools.js") },
  { path: "money", key: "m", title: "Money", load: () => import("./pages/money.js") },
  { path: "what-if", key: "w", title: "What-if", load: () => import("./pages/whatif.js") },
  { path: "health", key: "h", title: "Health", load: () => import("./pages/health.js") },
];
const SOURCES = { snapshot: "snapshot of", simulation: "simulated" };

const TOKEN_CODE = "NW-9661";

const main = document.getElementById("main");
const part = (id) => document.getElementById(id);

let open = null;
let stream = null;
let isAsking = false;
let head = null;
let state = "connecting";

/** Speaks a sentence to screen readers without moving anything. */
export function announce(sentence) {
  say(part("spoken"), sentence);
}

async function show() {
  const [path, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const page = PAGES.find((one) => one.path === path) ?? PAGES[0];
  const argument = decodeURIComponent(rest.join("/"));
  if (open?.page === page && open.view.go) {
    open.view.go(argument);
    return;
  }
  open?.view.close?.();
  isAsking = false;
  const turn = { page, view: {}, busy: false, again: false };
  open = turn;
  markCurrent(page);
  main.setAttribute("aria-busy", "true");
  const made = await page.load();
  if (open !== turn) return;
  window.scrollTo(0, 0);
  turn.view = made.open(main, argument, { announce });
  await refresh(turn);
}

/** Lets a page look again; one question at a time, and once more if it changed meanwhile. */
async function refresh(turn) {
  if (turn.busy) {
    turn.again = true;
    return;
  }
  turn.busy = true;
  main.setAttribute("aria-busy", "true");
  do {
    turn.again = false;
    try {
      await turn.view.refresh();
    } catch (error) {
      if (open === turn) failed(turn, error);
    }
  } while (turn.again && open === turn);
  turn.busy = false;
  if (open === turn) main.removeAttribute("aria-busy");
}

/** A page that has nothing yet shows why; one that has keeps what it shows, and the bar tells. */
function failed(turn, error) {
  if (error.code === TOKEN_CODE) refused(error);
  else if (turn.view.isFilled?.()) warn(error.message);
  else fill(main, refusal(error));
}

// Page and stream are refused at the same time; the form that stands there must not be emptied by the second.
function refused(error) {
  open = null;
  main.removeAttribute("aria-busy");
  if (error.code !== TOKEN_CODE) fill(main, refusal(error));
  else if (!isAsking) {
    isAsking = true;
    askForToken(main, error, () => {
      isAsking = false;
      stream.listen();
      show();
    });
  }
}

function changed(change) {
  warn("");
  showHead(change.head);
  if (open?.view.sections?.some((section) => change.sections.includes(section))) refresh(open);
}

function showHead(next) {
  head = next;
  useCurrency(head.currency);
  const place = [head.cluster, head.region, head.kubernetes && `k8s ${head.kubernetes}`];
  const known = place.filter(Boolean).join(" · ");
  say(part("cluster"), known);
  part("cluster").title = known;
  tally("pending", head.podsPending);
  tick();
}

function tally(path, number) {
  const link = document.querySelector(`#nav a[data-path="${path}"]`);
  link.querySelector(".tally")?.remove();
  if (number) link.append(el("span.tally", number > 999 ? "999+" : String(number)));
  link.setAttribute("aria-label", number ? `Pending, ${number} pods` : "Pending");
}

function tick() {
  const dot = { live: "dot good", paused: "dot warn", lost: "dot bad", connecting: "dot" }[state];
  if (part("live-dot").className !== dot) part("live-dot").className = dot;
  say(part("live-text"), stateWords());
}

function stateWords() {
  if (!head) return state === "lost" ? "no connection, trying again" : "connecting";
  const when = Date.parse(head.at);
  const fixed = SOURCES[head.source];
  const old = fixed
    ? `${fixed} ${head.source === "snapshot" ? moment(head.at) : clock(head.at)}`
    : `state ${span((Date.now() - when) / 1000)} old`;
  return { live: old, paused: `paused · ${old}`, lost: `no connection · ${old}` }[state] ?? old;
}

function warn(message) {
  const notice = part("notice");
  notice.hidden = !message;
  say(notice, message);
}

function markCurrent(page) {
  document.title = `${page.title} · Nodewright`;
  for (const link of part("nav").children) {
    if (link.dataset.path === page.path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  part("nav").querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "nearest" });
}

function start() {
  fill(
    part("nav"),
    PAGES.map((page) => el("a", { href: `#/${page.path}`, "data-path": page.path }, page.title)),
  );
  theme.label(part("theme"));
  stream = follow({
    onChange: changed,
    onDecision: (row) => open?.view.onDecision?.(row),
    onRefused: refused,
    onState(next) {
      state = next;
      tick();
    },
  });
  const pause = () => {
    const isPaused = stream.togglePause();
    part("pause").setAttribute("aria-pressed", String(isPaused));
    say(part("pause"), isPaused ? "Paused" : "Pause");
    announce(isPaused ? "Paused" : "Live again");
  };
  const turn = () => {
    announce(theme.next());
    theme.label(part("theme"));
  };
  part("pause").addEventListener("click", pause);
  part("theme").addEventListener("click", turn);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  listen({ pages: PAGES, onPause: pause, onTheme: turn, onBack: () => open?.view.back?.() });
  window.addEventListener("hashchange", show);
  setInterval(tick, 1000);
  show();
}

start();
