// Nodes as a table: the same rows as the map, for sorting, reading and screen readers.

import { el } from "../dom.js";
import { age, count, known, money, perHour } from "../format.js";
import { meter, percentText, tag } from "./pieces.js";
import { table } from "./table.js";

/** Makes the table; `show(rows, at)` gives it the rows and the instant at which they were so. */
export function nodeTable({ onOpen }) {
  let now = null;
  const text = (key, title, kind) => ({ key, title, kind, sort: (row) => row[key], cell: (row) => row[key] });
  const share = (key, used, title) => ({
    key,
    title,
    kind: "medium",
    hint: "requested, and used where that is measured",
    sort: (row) => row[key],
    cell: (row) => [meter(row[key], row[used], title), percentText(row[key])],
  });
  const columns = [
    { ...text("name", "Node"), cell: (row) => el("span.cut", row.name) },
    text("nodePool", "Pool", "wide"),
    text("instanceType", "Type", "medium"),
    text("capacityType", "Capacity", "wide"),
    text("zone", "Zone", "wide"),
    share("cpuPercent", "cpuUsedPercent", "CPU"),
    share("memoryPercent", "memoryUsedPercent", "Memory"),
    {
      key: "pods",
      title: "Pods",
      kind: "number wide",
      sort: (row) => row.pods,
      cell: (row) => `${count(row.pods)} / ${count(row.podsMax)}`,
    },
    {
      key: "pricePerHour",
      title: "Price",
      kind: "number",
      sort: (row) => row.pricePerHour,
      cell: (row) => perHour(row.pricePerHour),
    },
    {
      key: "idlePerHour",
      title: "Idle",
      kind: "number wide",
      hint: "paid for, not requested",
      sort: (row) => row.idlePerHour,
      cell: (row) => (known(row.idlePerHour) ? `~${money(row.idlePerHour)}/h` : "?"),
    },
    {
      key: "created",
      title: "Age",
      kind: "number wide",
      sort: (row) => (row.created ? -Date.parse(row.created) : null),
      cell: (row) => age(row.created, now),
    },
    {
      key: "state",
      title: "State",
      sort: (row) => row.state,
      cell: (row) => el("span", { title: row.reason }, tag(row.state)),
    },
    {
      key: "next",
      title: "Next",
      kind: "wide",
      sort: (row) => row.next,
      cell: (row) => el("span", { title: row.reason }, row.next || row.reason),
    },
  ];
  const made = table({
    label: "Nodes",
    columns,
    identify: (row) => row.name,
    onOpen,
    sort: { key: "idlePerHour", way: -1 },
    height: Math.max(380, window.innerHeight - 178),
  });
  made.element.classList.add("card");
  return {
    element: made.element,
    select: made.select,
    show(rows, at) {
      now = at;
      made.show(rows);
    },
  };
}
