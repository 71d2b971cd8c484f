// Where each box of the node map lies: groups first, then nodes, or kinds of nodes where there are too many.

import { layOut } from "./treemap.js";

const GROUP_HEAD = 22;
const GROUP_GAP = 6;
const TILE_AREA_MIN = 150;

/**
 * Lays nodes out by group into an area of `width` × `height`.
 * Gives `groups` and `tiles`; a tile holds one node, or all of one kind where single boxes would be too small.
 */
export function layOutNodes(rows, { width, height, groupOf }) {
  const guess = typicalPrice(rows);
  const priceOf = (row) => row.pricePerHour || guess;
  const groups = [...Map.groupBy(rows, groupOf)]
    .map(([name, members]) => ({
      name,
      rows: members,
      price: sum(members, priceOf),
    }))
    .sort((a, b) => b.price - a.price || a.name.localeCompare(b.name));
  const isAggregated = rows.length > 0 && (width * height) / rows.length < TILE_AREA_MIN;
  const placed = layOut(groups, { x: 0, y: 0, w: width, h: height }, (group) => group.price);
  const tiles = [];
  for (const box of placed) {
    const inner = shrink(box);
    box.head = inner.head;
    const members = isAggregated ? kindsOf(box.item.rows, priceOf) : singles(box.item.rows, priceOf);
    for (const one of layOut(members, inner.area, (member) => member.price)) {
      tiles.push({ ...one.item, group: box.item.name, x: one.x, y: one.y, w: one.w, h: one.h });
    }
  }
  return { groups: placed, tiles, isAggregated };
}

/** The tile that lies next in a direction, measured from the middle of one. */
export function neighbour(tiles, from, direction) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[direction];
  const [x, y] = middle(from);
  let best = null;
  let nearest = Infinity;
  for (const tile of tiles) {
    const [tx, ty] = middle(tile);
    const along = (tx - x) * dx + (ty - y) * dy;
    if (along <= 0.5) continue;
    const aside = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
    const distance = along + aside * 3;
    if (distance < nearest) [nearest, best] = [distance, tile];
  }
  return best;
}

function singles(rows, priceOf) {
  return rows.map((row) => ({ key: row.name, rows: [row], price: priceOf(row) }));
}

function kindsOf(rows, priceOf) {
  const kind = (row) => [row.instanceType, row.capacityType, row.state].join(" ");
  return [...Map.groupBy(rows, kind)].map(([key, members]) => ({
    key,
    rows: members,
    price: sum(members, priceOf),
  }));
}

function shrink(box) {
  const head = box.h > 56 && box.w > 56 ? GROUP_HEAD : 0;
  const gap = Math.min(GROUP_GAP, box.w / 8, box.h / 8);
  const area = { x: box.x + gap / 2, y: box.y + head + gap / 2, w: box.w - gap, h: box.h - head - gap };
  return { head, area };
}

/** A node without a price gets a box of the usual size, so that it is seen. */
function typicalPrice(rows) {
  const prices = rows
    .map((row) => row.pricePerHour)
    .filter(Boolean)
    .sort((a, b) => a - b);
  return prices.length ? prices[Math.floor(prices.length / 2)] : 1;
}

function middle(tile) {
  return [tile.x + tile.w / 2, tile.y + tile.h / 2];
}

function sum(rows, of) {
  return rows.reduce((total, row) => total + of(row), 0);
}
