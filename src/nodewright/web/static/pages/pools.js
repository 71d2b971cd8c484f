// Pools: what may each pool still make, when may its nodes go, and what is not as it is wanted?

import * as api from "../api.js";
import { el, fill, style } from "../dom.js";
import { count, counted, known, moment, perHour } from "../format.js";
import { calendar } from "../parts/calendar.js";
import { funnel } from "../parts/funnel.js";
import { code, empty, facts, filterField, heading, loading, tag } from "../parts/pieces.js";

export function open(root, argument) {
  const tally = el("span.small.faint");
  const list = el("div.grid", loading());
  const folds = new Map();
  let pools = null;
  let weeks = null;
  let filter = argument.toLowerCase();
  const field = filterField("Filter pools", (text) => {
    filter = text;
    show();
  });
  field.querySelector("input").value = argument;
  fill(root, heading("Pools", null, tally, field), list);

  function show() {
    const wanted = pools.pools.filter((pool) =>
      [pool.name, pool.nodeClass, pool.summary].join(" ").toLowerCase().includes(filter),
    );
    tally.textContent = counted(pools.pools.length, "pool");
    const weekOf = new Map(weeks.pools.map((week) => [week.name, week]));
    fill(
      list,
      wanted.map((pool) => poolCard(pool, weekOf.get(pool.name), pools.at, folds)),
      !wanted.length &&
        el(
          "div.card",
          pools.pools.length
            ? empty("Nothing matches the filter", "")
            : empty("No NodePool", "Without one no node is made. `nodewright crds` has the definitions."),
        ),
    );
  }

  return {
    sections: ["pools"],
    isFilled: () => pools !== null,
    async refresh() {
      [pools, weeks] = await Promise.all([api.pools(), api.budgets()]);
      show();
    },
  };
}

function poolCard(pool, week, at, folds) {
  const fold = (name, title, content) =>
    el(
      "details",
      {
        open: folds.get(pool.name + name),
        ontoggle: (event) => folds.set(pool.name + name, event.target.open),
      },
      el("summary.summary", title),
      content,
    );
  return el(
    "article.card",
    { "aria-label": `Pool ${pool.name}` },
    el(
      "header",
      el("h2.large", pool.name),
      tag(pool.ready ? "Ready" : "Not ready"),
      pool.summary && el("span.small.soft", pool.summary),
      code(pool.code),
      pool.pausedUntil && tag(`paused until ${moment(pool.pausedUntil)}`, "warn"),
    ),
    el(
      "div.body.columns",
      el(
        "div",
        { role: "group", "aria-label": "What it is" },
        facts([
          [
            "nodes",
            [
              count(pool.nodes),
              pool.nodesWithoutPrice ? ` (${count(pool.nodesWithoutPrice)} without a price)` : "",
            ],
          ],
          ["price", perHour(pool.pricePerHour)],
          ["idle", known(pool.idlePerHour) ? `~${perHour(pool.idlePerHour)}` : "?"],
          ["weight", count(pool.weight)],
          ["class", pool.nodeClass],
          ["taints", pool.taints.join(", ")],
          ["consolidates", [pool.consolidationPolicy, pool.consolidateAfter].filter(Boolean).join(" after ")],
          ["expires", pool.expireAfter],
          ["cheapest", pool.cheapest ? pool.cheapest.text : ""],
        ]),
      ),
      el("div", { role: "group", "aria-label": "Limits" }, el("h3", "Limits"), limits(pool.limits)),
      el("div", { role: "group", "aria-label": "Room to disrupt" }, el("h3", "May go now"), rooms(pool)),
    ),
    el("div.body", el("h3", "Budgets, next 7 days"), calendar(week, at)),
    pool.funnel.length > 0 &&
      fold(
        "types",
        `Instance types: ${count(pool.funnel.at(-1).left)} left of ${count(pool.funnel[0].left)}`,
        el("div.body", funnel(pool.funnel, `Instance types of ${pool.name} left after each rule`)),
      ),
    pool.driftedCount > 0 &&
      fold("drift", `Drift: ${counted(pool.driftedCount, "node")} not as wanted`, drift(pool)),
  );
}

function limits(list) {
  if (!list.length) return el("p.soft.small", "none: it may grow without end");
  return list.map((limit) => {
    const tone = limit.usedPercent >= 100 ? "bad" : limit.usedPercent >= 85 ? "warn" : "used";
    const words = `${limit.used} of ${limit.limit}, ${limit.left} left`;
    const bar = el(
      "span.meter",
      { role: "img", "aria-label": `${limit.resource}: ${words}` },
      known(limit.usedPercent) && style(el(`i.${tone}`), { "--share": Math.min(1, limit.usedPercent / 100) }),
    );
    return el("div.bar", el("span", limit.resource), bar, el("span.small", words));
  });
}

function rooms(pool) {
  const list = pool.rooms;
  if (!pool.nodes) return el("p.soft.small", "no node is there that could go");
  if (!list.length) return el("p.soft.small", "no budget limits it");
  return el(
    "ul.tight",
    list.map((room) => {
      const free = known(room.free) ? `${count(room.free)} of ${count(room.allowed)}` : "any number";
      const until = room.changes ? `changes ${moment(room.changes)}` : "";
      return el(
        "li",
        el("span", room.reason),
        " ",
        tag(free, room.free === 0 ? "warn" : "good"),
        el(
          "span.small.soft",
          " ",
          [room.used ? `${count(room.used)} going` : "", room.closedBy, until].filter(Boolean).join(" · "),
        ),
      );
    }),
  );
}

function drift(pool) {
  const rows = pool.drifted.flatMap((one) =>
    one.fields.map((field, index) =>
      el(
        "tr",
        el(
          "th.wrap",
          { scope: "row" },
          index === 0
            ? el("a", { href: `#/nodes/${encodeURIComponent(one.node || one.claim)}` }, one.node || one.claim)
            : "",
          index === 0 && el("div.small.soft", one.reason),
        ),
        el("td.wrap.mono", field.field),
        el("td.wrap", field.has || "–"),
        el("td.wrap", field.wants || "–"),
      ),
    ),
  );
  const more = pool.driftedCount - pool.drifted.length;
  return el(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": `Drift of ${pool.name}` },
    el(
      "table",
      el(
        "thead",
        el(
          "tr",
          ["Node", "Field", "It has", "Wanted"].map((title) => el("th", { scope: "col" }, title)),
        ),
      ),
      el("tbody", rows),
    ),
    more > 0 && el("p.body.small.soft", `and ${counted(more, "more node")}`),
  );
}
