// How one box of the node map is drawn: filled by what is requested and used, edged by its state.

import { UNKNOWN, count, known, perHour } from "../format.js";
import { colour } from "../theme.js";
import { toneOf } from "./pieces.js";

const SIGNS = { bad: "✕", move: "▼", fresh: "▲", warn: "‖" };
const GAP = 1;
const SMALL = 9;
const PODS_FROM = 90;
const PODS_TOP = 62;
const POD_SIZE = 7;
const POD_STEP = 10;
const FITTED_MAX = 20_000;

/** What a tile shows: shares by price, one state, and its words. */
export function readTile(tile, resource) {
  const [row] = tile.rows;
  const many = tile.rows.length > 1;
  return {
    asked: share(tile.rows, resource === "memory" ? "memoryPercent" : "cpuPercent"),
    used: share(tile.rows, resource === "memory" ? "memoryUsedPercent" : "cpuUsedPercent"),
    state: row.state,
    isMany: many,
    pods: many ? 0 : row.pods,
    title: many ? `${count(tile.rows.length)} × ${row.instanceType}` : shortName(row.name),
    more: many ? `${row.capacityType} · ${row.state}` : row.instanceType,
    price: priceOf(tile.rows),
  };
}

/** A text that differs whenever a tile would look different in its place. */
export function signature(shown) {
  const levels = [shown.asked, shown.used].map((level) => (known(level) ? Math.round(level) : UNKNOWN));
  return [...levels, shown.state, shown.title, shown.price, shown.pods].join("|");
}

/** Draws a tile. */
export function drawTile(pen, tile, shown) {
  const gap = Math.min(tile.w, tile.h) < SMALL ? GAP / 2 : GAP;
  const x = tile.x + gap;
  const y = tile.y + gap;
  const w = Math.max(1, tile.w - gap * 2);
  const h = Math.max(1, tile.h - gap * 2);
  const tone = toneOf(shown.state);
  const special = tone && tone !== "good";
  pen.fillStyle = colour("surface");
  pen.fillRect(tile.x, tile.y, tile.w, tile.h);
  pen.save();
  pen.beginPath();
  pen.roundRect(x, y, w, h, Math.min(3, w / 4, h / 4));
  pen.clip();
  level(pen, { x, y, w, h }, 100, "box");
  if (known(shown.asked)) level(pen, { x, y, w, h }, shown.asked, "box-asked");
  if (known(shown.used)) level(pen, { x, y, w, h }, shown.used, "box-used");
  pen.restore();
  if (special && w > 4 && h > 4) {
    pen.strokeStyle = colour(tone);
    pen.lineWidth = w > 24 ? 2 : 1.5;
    pen.setLineDash(tone === "fresh" ? [4, 3] : []);
    pen.strokeRect(x + 1, y + 1, w - 2, h - 2);
    pen.setLineDash([]);
  }
  if (h > PODS_FROM && w > PODS_FROM && shown.pods) drawPods(pen, { x, y, w, h }, shown.pods);
  write(pen, { x, y, w, h }, shown, special ? SIGNS[tone] : "");
}

/** Draws a small square for each pod, from the bottom up; as many as have room. */
function drawPods(pen, box, pods) {
  const across = Math.floor((box.w - POD_STEP) / POD_STEP);
  const rows = Math.floor((box.h - PODS_TOP) / POD_STEP);
  pen.fillStyle = colour("box-pod");
  for (let at = 0; at < Math.min(pods, across * rows); at += 1) {
    const x = box.x + 7 + (at % across) * POD_STEP;
    const y = box.y + box.h - 4 - (Math.floor(at / across) + 1) * POD_STEP;
    pen.fillRect(x, y, POD_SIZE, POD_SIZE);
  }
}

/** Draws the frame of the tile that is selected. */
export function drawSelection(pen, tile) {
  for (const [name, width] of [
    ["surface", 5],
    ["accent", 2.5],
  ]) {
    pen.strokeStyle = colour(name);
    pen.lineWidth = width;
    pen.strokeRect(tile.x + 2.5, tile.y + 2.5, Math.max(1, tile.w - 5), Math.max(1, tile.h - 5));
  }
}

function level(pen, box, percent, name) {
  const height = box.h * Math.min(1, Math.max(0, percent / 100));
  pen.fillStyle = colour(name);
  pen.fillRect(box.x, box.y + box.h - height, box.w, height);
}

function write(pen, box, shown, sign) {
  const room = box.w - 12 - (sign ? 14 : 0);
  pen.fillStyle = colour("box-text");
  pen.textBaseline = "top";
  pen.textAlign = "left";
  if (room > 34 && box.h > 22) {
    pen.font = "600 12px system-ui";
    pen.fillText(fit(pen, shown.title, room, shown.isMany), box.x + 6, box.y + 6);
    pen.font = "11px system-ui";
    if (box.h > 40) pen.fillText(fit(pen, shown.more, box.w - 12, true), box.x + 6, box.y + 22);
    if (box.h > 56) pen.fillText(fit(pen, figures(shown), box.w - 12, true), box.x + 6, box.y + 37);
  } else if (!known(shown.asked) && box.w > (sign ? 26 : 9) && box.h > 12) {
    pen.font = "600 11px system-ui";
    pen.fillText(UNKNOWN, box.x + box.w / 2 - 3, box.y + box.h / 2 - 6);
  }
  if (!sign || box.w < 9 || box.h < 11) return;
  pen.textAlign = "right";
  pen.font = `${box.w < 24 ? 9 : 11}px system-ui`;
  pen.fillText(sign, box.x + box.w - (box.w < 24 ? 1.5 : 5), box.y + (box.h < 24 ? 1.5 : 6));
}

function figures(shown) {
  const asked = known(shown.asked) ? `${Math.round(shown.asked)} %` : UNKNOWN;
  return `${asked} · ${shown.price}`;
}

const fitted = new Map();

/** Cuts a text to a width, at its end or, as names differ there, at its start; each is measured once. */
function fit(pen, text, width, atEnd) {
  const key = `${pen.font}|${Math.floor(width)}|${text}`;
  if (!fitted.has(key)) {
    if (fitted.size > FITTED_MAX) fitted.clear();
    fitted.set(key, cut(pen, text, width, atEnd));
  }
  return fitted.get(key);
}

function cut(pen, text, width, atEnd) {
  if (pen.measureText(text).width <= width) return text;
  for (let left = text.length - 1; left > 1; left -= 1) {
    const short = atEnd ? `${text.slice(0, left)}…` : `…${text.slice(-left)}`;
    if (pen.measureText(short).width <= width) return short;
  }
  return "";
}

function shortName(name) {
  return name.replace(/\.(?:[a-z0-9-]+\.)*(?:internal|local)$/, "");
}

function share(rows, field) {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    if (!known(row[field])) continue;
    sum += row[field] * (row.pricePerHour || 1);
    weight += row.pricePerHour || 1;
  }
  return weight ? sum / weight : null;
}

/** What nodes cost together; where a price is not known, a `?` is added. */
export function priceOf(rows) {
  const prices = rows.map((row) => row.pricePerHour).filter(known);
  if (!prices.length) return UNKNOWN;
  const sum = perHour(prices.reduce((total, price) => total + price, 0));
  return prices.length === rows.length ? sum : `${sum} + ${UNKNOWN}`;
}
