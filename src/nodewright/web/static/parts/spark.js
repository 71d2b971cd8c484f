// A small line without axes, for the course of one figure.

import { svg } from "../dom.js";

const WIDTH = 84;
const HEIGHT = 26;

/** Draws values over time; gaps (null) are left open at the ends and bridged between. */
export function spark(values, label) {
  const known = values.map((value, at) => [at, value]).filter(([, value]) => value !== null);
  const picture = svg("svg", {
    class: "spark",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  if (known.length < 2) return picture;
  const figures = known.map(([, value]) => value);
  const low = Math.min(...figures);
  const high = Math.max(...figures);
  const points = known.map(([at, value]) => [
    (at / (values.length - 1)) * WIDTH,
    high === low ? HEIGHT / 2 : HEIGHT - 3 - ((value - low) / (high - low)) * (HEIGHT - 6),
  ]);
  const line = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  const under = `M${points[0][0].toFixed(1)} ${HEIGHT}L${line}L${points.at(-1)[0].toFixed(1)} ${HEIGHT}Z`;
  picture.append(svg("path", { class: "under", d: under }), svg("path", { d: `M${line}` }));
  return picture;
}
