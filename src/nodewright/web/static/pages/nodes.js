// Nodes: where is the capacity, how full is it, and what becomes of it?

import { el, fill, style } from "../dom.js";
import { UNKNOWN, counted } from "../format.js";
import { nodeStore } from "../nodestore.js";
import { nodeMap } from "../parts/nodemap.js";
import { nodePanel } from "../parts/nodepanel.js";
import { nodeTable } from "../parts/nodetable.js";
import { choice, filterField, heading, select, setOptions } from "../parts/pieces.js";

const GROUPS = [
  ["nodePool", "by pool"],
  ["zone", "by zone"],
  ["instanceType", "by type"],
  ["capacityType", "by capacity type"],
  ["state", "by state"],
];
const NOTHING = { nodePool: "no pool", label: "not set" };
const TEAM_LABELS = /(^|[/.])(team|owner|squad)$/;

// What was chosen stays while the dashboard is open.
const chosen = { group: "nodePool", resource: "cpu", view: "map", filter: "" };

export function open(root, argument, { announce }) {
  const store = nodeStore();
  const tally = el("span.small.faint", { "aria-live": "polite" });
  const trail = el("div.trail", { hidden: true });
  const stage = el("div");
  const panel = nodePanel({ onClose: close });
  const split = el("div.split", el("div.grid", trail, stage), panel.element);
  const map = nodeMap({ onOpen: openTile, onGroup: (name) => zoomInto({ group: name }), speak: announce });
  const table = nodeTable({ onOpen: (row) => openNode(row.name) });
  const groups = select("Group", GROUPS, chosen.group, (value) => choose({ group: value }));
  const filter = filterField("Filter nodes", (text) => choose({ filter: text }));
  let zoom = null;
  let node = argument;
  let isFilled = false;

  filter.querySelector("input").value = chosen.filter;
  fill(
    root,
    heading(
      "Nodes",
      null,
      tally,
      filter,
      groups,
      choice(
        "Fill",
        [
          ["cpu", "CPU"],
          ["memory", "Memory"],
        ],
        chosen.resource,
        (value) => choose({ resource: value }),
      ),
      choice(
        "View",
        [
          ["map", "Map"],
          ["table", "Table"],
        ],
        chosen.view,
        (value) => choose({ view: value }),
      ),
    ),
    legend(),
    split,
  );
  fill(stage, chosen.view === "map" ? map.element : table.element);
  go(argument);

  async function choose(change) {
    Object.assign(chosen, change);
    zoom = null;
    if (change.view) fill(stage, chosen.view === "map" ? map.element : table.element);
    if (change.group) {
      store.useLabel(labelOf(chosen.group));
      await store.refresh();
    }
    show();
  }

  function show() {
    const rows = store.rows().filter(isWanted);
    const all = store.rows().length;
    tally.textContent =
      rows.length === all ? counted(all, "node") : `${rows.length} of ${counted(all, "node")}`;
    showTrail();
    if (chosen.view === "map") {
      map.show({ rows, groupOf, groupName: groupTitle(), resource: chosen.resource });
      map.select(node || null);
    } else {
      table.show(rows, store.at());
      table.select(node || null);
    }
  }

  function isWanted(row) {
    if (zoom && zoom.group !== groupOf(row)) return false;
    if (zoom?.kind && zoom.kind !== kindOf(row)) return false;
    return !chosen.filter || textOf(row).includes(chosen.filter);
  }

  function openTile(tile) {
    if (tile.rows.length === 1) openNode(tile.rows[0].name);
    else zoomInto({ group: tile.group, kind: kindOf(tile.rows[0]) });
  }

  function zoomInto(next) {
    zoom = zoom && zoom.group === next.group && !next.kind ? null : next;
    show();
  }

  function showTrail() {
    trail.hidden = !zoom;
    const step = (text, next) =>
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            zoom = next;
            show();
          },
        },
        text,
      );
    if (zoom)
      fill(
        trail,
        step("All nodes", null),
        "›",
        zoom.kind ? step(zoom.group, { group: zoom.group }) : zoom.group,
        zoom.kind && ["›", zoom.kind],
      );
  }

  function openNode(name) {
    location.hash = `#/nodes/${encodeURIComponent(name)}`;
  }

  function close() {
    location.hash = "#/nodes";
    stage.querySelector("canvas, [tabindex]")?.focus();
  }

  function go(name) {
    node = name;
    split.classList.toggle("open", Boolean(name));
    panel.show(name);
    if (isFilled) show();
  }

  async function refresh() {
    await Promise.all([store.refresh(), isFilled && node && panel.refresh()]);
    const labels = store.labelKeys().map((key) => [`label:${key}`, labelTitle(key)]);
    if (groups.options.length !== GROUPS.length + labels.length)
      setOptions(groups, [...GROUPS, ...labels], chosen.group);
    if (labelOf(chosen.group) && !isFilled) store.useLabel(labelOf(chosen.group));
    isFilled = true;
    show();
  }

  store.useLabel(labelOf(chosen.group));
  return {
    refresh,
    go,
    sections: ["nodes"],
    isFilled: () => isFilled,
    back: () => (node ? close() : zoom && zoomInto({ group: zoom.group })),
    close: () => map.close(),
  };
}

function groupOf(row) {
  const field = chosen.group.startsWith("label:") ? "label" : chosen.group;
  return row[field] || NOTHING[field] || UNKNOWN;
}

function groupTitle() {
  return chosen.group.startsWith("label:")
    ? `label ${labelOf(chosen.group)}`
    : GROUPS.find(([value]) => value === chosen.group)[1].slice(3);
}

function labelOf(group) {
  return group.startsWith("label:") ? group.slice(6) : "";
}

function labelTitle(key) {
  return TEAM_LABELS.test(key) ? `by team (${key})` : `by label ${key}`;
}

function kindOf(row) {
  return `${row.instanceType} ${row.capacityType} ${row.state}`;
}

function textOf(row) {
  return [
    row.name,
    row.nodePool,
    row.instanceType,
    row.capacityType,
    row.zone,
    row.state,
    row.code,
    row.reason,
    row.next,
    row.label,
  ]
    .join(" ")
    .toLowerCase();
}

function legend() {
  const entry = (name, text, kind = "i") =>
    el("span", style(el(kind), { "--swatch": `var(--${name})` }), text);
  return el(
    "div.key",
    { "aria-label": "How to read the map", role: "note" },
    el("span", "area = price"),
    entry("box-used", "used (where it is measured)"),
    entry("box-asked", "requested"),
    entry("box-pod", "a pod (in large boxes)"),
    entry("box", "free"),
    entry("fresh", "▲ coming", "i.edge"),
    entry("move", "▼ going", "i.edge"),
    entry("warn", "‖ cordoned", "i.edge"),
    entry("bad", "✕ not ready", "i.edge"),
  );
}
