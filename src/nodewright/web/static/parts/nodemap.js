// The node map: a canvas of boxes, moved over by mouse and by arrow keys. Only boxes that changed are drawn anew.

import { el, fill, style } from "../dom.js";
import { counted } from "../format.js";
import { colour, onChange } from "../theme.js";
import { layOutNodes, neighbour } from "./maplayout.js";
import { drawSelection, drawTile, priceOf, readTile, signature } from "./maptile.js";
import { percentText } from "./pieces.js";

const TIP_GAP = 14;

/** Makes the map; `onOpen(tile)` is told of a choice, `onGroup(name)` of a group's title, `speak` of moves. */
export function nodeMap({ onOpen, onGroup, speak }) {
  const canvas = el("canvas", { tabindex: 0, role: "application" });
  const tip = el("div.tip", { hidden: true, "aria-hidden": "true" });
  const frame = el("div.map.card", canvas, tip);
  const pen = canvas.getContext("2d");
  let data = null;
  let layout = { groups: [], tiles: [] };
  let drawn = new Map();
  let selected = null;
  let hovered = null;

  const resized = new ResizeObserver(() => draw(true));
  resized.observe(frame);
  const endTheme = onChange(() => draw(true));

  function show(next) {
    data = next;
    canvas.setAttribute(
      "aria-label",
      `Map of ${counted(data.rows.length, "node")} by ${data.groupName}. ` +
        "Arrow keys move, Enter opens. The same is in the table.",
    );
    draw(false);
  }

  function draw(anew) {
    if (!data || !frame.clientWidth) return;
    const width = frame.clientWidth - 2;
    const height = frame.clientHeight - 2;
    const isCleared = fitCanvas(canvas, pen, width, height);
    const before = layout;
    layout = layOutNodes(data.rows, { width, height, groupOf: data.groupOf });
    const isWhole = anew || isCleared || !sameGeometry(before, layout);
    if (isWhole) paintGround(width, height);
    const looks = new Map();
    for (const tile of layout.tiles) {
      const shown = readTile(tile, data.resource);
      const look = signature(shown);
      if (isWhole || drawn.get(idOf(tile)) !== look) drawTile(pen, tile, shown);
      looks.set(idOf(tile), look);
    }
    drawn = looks;
    markSelected();
  }

  function paintGround(width, height) {
    pen.fillStyle = colour("surface");
    pen.fillRect(0, 0, width, height);
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    for (const group of layout.groups) {
      if (!group.head) continue;
      pen.fillStyle = colour("text");
      pen.font = "600 12px system-ui";
      const { name } = group.item;
      pen.fillText(name, group.x + 6, group.y + 13, group.w - 12);
      const used = pen.measureText(name).width + 16;
      pen.fillStyle = colour("text-faint");
      pen.font = "12px system-ui";
      const more = `${counted(group.item.rows.length, "node")} · ${priceOf(group.item.rows)}`;
      if (pen.measureText(more).width < group.w - used - 6) pen.fillText(more, group.x + used, group.y + 13);
    }
  }

  // The frame lies over its box, so that box counts as not drawn.
  function markSelected() {
    const tile = layout.tiles.find((one) => idOf(one) === selected);
    if (!tile) return;
    drawSelection(pen, tile);
    drawn.delete(selected);
  }

  function select(key) {
    if (key === selected) return;
    selected = key;
    draw(false);
  }

  function tileAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const within = (one, h = one.h) => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + h;
    const head = layout.groups.find((group) => group.head && within(group, group.head));
    return { x, y, head, tile: head ? null : layout.tiles.find((tile) => within(tile)) };
  }

  canvas.addEventListener("pointermove", (event) => {
    const { x, y, tile, head } = tileAt(event);
    style(canvas, { cursor: tile || head ? "pointer" : "default" });
    if (tile !== hovered) {
      hovered = tile;
      tip.hidden = !tile;
      if (tile) fill(tip, tipOf(tile));
    }
    if (tile) placeTip(x, y);
  });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    tip.hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    const { tile, head } = tileAt(event);
    if (head) onGroup(head.item.name);
    else if (tile) onOpen(tile);
  });
  canvas.addEventListener("keydown", (event) => {
    const current = layout.tiles.find((tile) => idOf(tile) === selected) ?? null;
    if (event.key === "Enter" && current) return onOpen(current);
    if (!event.key.startsWith("Arrow")) return undefined;
    event.preventDefault();
    const next = current ? neighbour(layout.tiles, current, event.key) : layout.tiles[0];
    if (!next) return undefined;
    select(idOf(next));
    return speak(sentence(next, data.resource));
  });

  function placeTip(x, y) {
    const left =
      x + TIP_GAP + tip.offsetWidth > frame.clientWidth ? x - TIP_GAP - tip.offsetWidth : x + TIP_GAP;
    const top = Math.min(y + TIP_GAP, frame.clientHeight - tip.offsetHeight - 4);
    style(tip, { transform: `translate(${Math.max(2, left)}px, ${Math.max(2, top)}px)` });
  }

  function tipOf(tile) {
    const shown = readTile(tile, data.resource);
    const [row] = tile.rows;
    if (tile.rows.length > 1) {
      return [
        el("strong", shown.title),
        `${shown.more} · ${shown.price}`,
        el("br"),
        `${percentText(shown.asked)} requested`,
      ];
    }
    const lines = [
      `${row.instanceType} ${row.capacityType} ${row.zone} · ${shown.price}`,
      `${data.resource} ${percentText(shown.asked)} requested, ${percentText(shown.used)} used · ${counted(row.pods, "pod")}`,
      [row.state, row.reason].filter(Boolean).join(": "),
      row.next,
    ];
    return [el("strong", row.name), lines.filter(Boolean).map((line) => el("div", line))];
  }

  return {
    element: frame,
    show,
    select,
    close() {
      resized.disconnect();
      endTheme();
    },
  };
}

/** How a tile is named among all: a node by its name, a kind by its group and kind. */
export function idOf(tile) {
  return tile.rows.length === 1 ? tile.rows[0].name : tile.group + tile.key;
}

function sentence(tile, resource) {
  const shown = readTile(tile, resource);
  return `${shown.title}, ${shown.more}, ${shown.state}, ${percentText(shown.asked)} ${resource} requested, ${shown.price}`;
}

/** Tells whether every box lies where it lay, and every group has the title that it had. */
function sameGeometry(before, after) {
  return sameBoxes(before.tiles, after.tiles, idOf) && sameBoxes(before.groups, after.groups, titleOf);
}

function sameBoxes(before, after, name) {
  return (
    before.length === after.length &&
    after.every((box, at) => {
      const old = before[at];
      return (
        name(old) === name(box) &&
        ["x", "y", "w", "h"].every((side) => Math.abs(old[side] - box[side]) < 0.05)
      );
    })
  );
}

function titleOf(group) {
  return `${group.item.name} ${group.item.rows.length} ${group.item.price}`;
}

/** Sets the canvas to the pixels of the screen; tells whether that cleared it. */
function fitCanvas(canvas, pen, width, height) {
  const unit = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * unit), Math.round(height * unit)];
  if (canvas.width === w && canvas.height === h) return false;
  canvas.width = w;
  canvas.height = h;
  pen.setTransform(unit, 0, 0, unit, 0, 0);
  return true;
}
