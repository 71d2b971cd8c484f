// Values as people read them: a unit on every number, `?` for what is not known, never 0.

export const UNKNOWN = "?";

const SYMBOLS = { USD: "$", CNY: "¥" };
const STEPS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
];

// Made once: to make a formatter takes far longer than to use it, and a map has thousands of prices.
const numbers = { whole: new Intl.NumberFormat("en-US") };
for (const digits of [0, 2, 3, 5]) {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  numbers[digits] = new Intl.NumberFormat("en-US", options);
}
const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

let currency = "USD";

/** Names the currency of the price list, which the server tells with its first answer. */
export function useCurrency(name) {
  currency = name;
}

/** Tells whether a value is one that we know. */
export function known(value) {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

/** Money with as many digits as its size deserves; an estimate is marked `~`. */
export function money(amount, { estimated = false, signed = false, unit = "" } = {}) {
  if (!known(amount)) return UNKNOWN;
  const size = Math.abs(amount);
  const digits = size >= 1000 || size === 0 ? 0 : size >= 1 ? 2 : size >= 0.001 ? 3 : 5;
  const figure = numbers[digits].format(size);
  const sign = amount < 0 ? "−" : signed && amount > 0 ? "+" : "";
  return `${estimated ? "~" : ""}${sign}${SYMBOLS[currency] ?? `${currency} `}${figure}${unit}`;
}

/** A price of an hour. */
export function perHour(amount, options = {}) {
  return money(amount, { ...options, unit: known(amount) ? "/h" : "" });
}

/** A count with thousands set apart. */
export function count(value) {
  return known(value) ? numbers.whole.format(value) : UNKNOWN;
}

/** A count and its noun: `1 pod`, `2 pods`. */
export function counted(value, noun, plural = `${noun}s`) {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A quantity of Kubernetes, thousandths as a decimal: `14750m` is `14.75`. */
export function quantity(written) {
  if (!/^\d+m$/.test(written)) return written;
  const value = Number.parseInt(written, 10) / 1000;
  return value >= 100 ? count(Math.round(value)) : String(Number(value.toFixed(2)));
}

/** A span of time in its two largest units: `3d 4h`, `38s`. */
export function span(seconds) {
  if (!known(seconds)) return UNKNOWN;
  let rest = Math.max(0, Math.round(seconds));
  const parts = [];
  for (const [size, unit] of STEPS) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole || (unit === "s" && parts.length === 0)) parts.push(`${whole}${unit}`);
    else if (parts.length) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** How long something has been so at an instant, both as RFC 3339. */
export function age(since, at) {
  return known(since) && known(at) ? span((Date.parse(at) - Date.parse(since)) / 1000) : UNKNOWN;
}

/** An instant as a time of day in the reader's own zone. */
export function clock(instant) {
  return known(instant) ? timeOfDay.format(new Date(instant)) : UNKNOWN;
}

/** An instant as a day and a time in the reader's own zone. */
export function moment(instant) {
  return known(instant) ? `${day(instant)} ${clock(instant).slice(0, 5)}` : UNKNOWN;
}

/** The day of an instant. */
export function day(instant) {
  return dayOfYear.format(new Date(instant));
}
