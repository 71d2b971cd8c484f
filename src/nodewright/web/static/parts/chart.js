// Charts over time, drawn by uPlot: stacked areas, and lines with marks on the time axis.

import { el, fill, style } from "../dom.js";
import { UNKNOWN, clock, known, span } from "../format.js";
import { colour, onChange } from "../theme.js";

const SERIES_COLOURS = 8;
const MARK_SIZE = 5;
const AREA_PERCENT = 78;

let library = null;

/** The colour of the n-th series, the same on every page. */
export function seriesColour(index) {
  return `series-${(index % SERIES_COLOURS) + 1}`;
}

/**
 * Makes a chart; `show({at, series, marks})` gives it seconds, `{name, values, colour}` and
 * `{at, kind}` to be marked. With `stacked` the series lie on one another.
 */
export function chart({ label, stacked = false, format, height = 220, secondAxis = null, asHours = false }) {
  const canvas = el("div.chart", { role: "img", "aria-label": label });
  const legend = el("div.legend", { "aria-hidden": "true" });
  let plot = null;
  let data = null;
  const endTheme = onChange(() => rebuild());
  const resized = new ResizeObserver(() => plot?.setSize(size()));
  resized.observe(canvas);

  const size = () => ({ width: Math.max(120, canvas.clientWidth - 16), height });

  async function show(next) {
    const same = data && plot && namesOf(data) === namesOf(next);
    data = next;
    canvas.setAttribute("aria-label", `${label}. ${summary(next, format)}`);
    await (library ??= load());
    if (same) plot.setData(columns(data, stacked));
    else rebuild();
    writeLegend(null);
  }

  function rebuild() {
    plot?.destroy();
    plot = null;
    if (!data || !library || !window.uPlot) return;
    plot = new window.uPlot(options(), columns(data, stacked), canvas);
  }

  function options() {
    const axis = {
      stroke: colour("text-faint"),
      grid: { stroke: colour("line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui",
    };
    const values = (_, splits) => splits.map((value) => format(value));
    const lines = data.series.map((series) => ({
      label: series.name,
      scale: series.scale ?? "y",
      stroke: colour(stacked ? "surface" : series.colour),
      width: stacked ? 1 : 1.75,
      fill: stacked ? colour(series.colour, AREA_PERCENT) : undefined,
      points: { show: data.at.length < 2 },
      spanGaps: false,
    }));
    return {
      ...size(),
      padding: [10, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 } },
      hooks: {
        setCursor: [(self) => writeLegend(self.cursor.idx)],
        draw: [(self) => drawMarks(self, data.marks ?? [])],
      },
      scales: {
        x: { time: !asHours },
        y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] },
        z: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] },
      },
      axes: [
        {
          ...axis,
          values: (_, splits) =>
            splits.map((at) => (asHours ? `${Number(at.toFixed(2))} h` : timeOf(at, splits))),
          space: 56,
          size: 26,
        },
        { ...axis, values, size: 58 },
        ...(secondAxis
          ? [
              {
                ...axis,
                side: 1,
                scale: "z",
                grid: { show: false },
                size: 46,
                values: (_, splits) => splits.map((value) => secondAxis(value)),
              },
            ]
          : []),
      ],
      // What is stacked is drawn from the highest sum down, so that each lies over the one behind it.
      series: [{}, ...(stacked ? lines.reverse() : lines)],
    };
  }

  function writeLegend(at) {
    const index = at ?? data.at.length - 1;
    const rows = data.series.map((series) => {
      const value = series.values[index];
      const swatch = style(el("i"), { "--swatch": `var(--${series.colour})` });
      return el(
        "span",
        swatch,
        series.name,
        el("b", known(value) ? (series.format ?? format)(value) : UNKNOWN),
      );
    });
    const when = el(
      "span",
      known(at) && data.at.length ? whenOf(data.at[index], asHours) : asHours ? "at the end" : "now",
    );
    fill(legend, rows, data.marks && [markKey("▲ launch"), markKey("▼ delete")], when);
  }

  return {
    element: el("div", canvas, legend),
    show,
    close() {
      endTheme();
      resized.disconnect();
      plot?.destroy();
    },
  };
}

function markKey(text) {
  return el("span", text);
}

function load() {
  return new Promise((resolve, reject) => {
    const script = el("script", { src: new URL("../vendor/uplot/uPlot.iife.min.js", import.meta.url) });
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error("the charts could not be loaded")));
    document.head.append(script);
  });
}

function namesOf(data) {
  return data.series.map((series) => series.name).join("\n");
}

/** Columns for uPlot; stacked series become running sums, the highest first. */
function columns(data, stacked) {
  if (!stacked) return [data.at, ...data.series.map((series) => series.values)];
  const sums = [];
  let below = data.at.map(() => 0);
  for (const series of data.series) {
    below = series.values.map((value, index) => below[index] + (value ?? 0));
    sums.unshift(
      below.map((sum, index) => (data.series.every((one) => !known(one.values[index])) ? null : sum)),
    );
  }
  return [data.at, ...sums];
}

function whenOf(at, asHours) {
  return asHours ? `after ${span(at * 3600)}` : clock(at * 1000);
}

/** A time of day; with seconds where the marks lie closer than minutes. */
function timeOf(seconds, splits) {
  const written = clock(seconds * 1000);
  return splits.length > 1 && splits[1] - splits[0] < 60 ? written : written.slice(0, 5);
}

/** Small triangles on the time axis: up for a launch, down for a deletion. */
function drawMarks(plot, marks) {
  const { ctx, bbox } = plot;
  const unit = window.devicePixelRatio || 1;
  ctx.save();
  for (const mark of marks) {
    const x = plot.valToPos(mark.at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const launch = mark.kind === "launch";
    const reach = MARK_SIZE * unit * (launch ? -1 : 1);
    const base = launch ? bbox.top + bbox.height : bbox.top + 1;
    ctx.fillStyle = colour(launch ? "good" : "move");
    ctx.beginPath();
    ctx.moveTo(x, base + reach);
    ctx.lineTo(x - Math.abs(reach) * 0.7, base);
    ctx.lineTo(x + Math.abs(reach) * 0.7, base);
    ctx.fill();
  }
  ctx.restore();
}

function summary(data, format) {
  const last = data.at.length - 1;
  if (last < 0) return "No history yet.";
  return data.series
    .map((series) => `${series.name} ${(series.format ?? format)(series.values[last] ?? null)}`)
    .join(", ");
}
