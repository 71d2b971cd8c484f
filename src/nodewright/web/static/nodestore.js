// All nodes as rows, kept current by asking only for those that changed since the last answer.

import * as api from "./api.js";

const COLUMNS = [
  "name",
  "nodePool",
  "instanceType",
  "capacityType",
  "zone",
  "pricePerHour",
  "cpuPercent",
  "memoryPercent",
  "cpuUsedPercent",
  "memoryUsedPercent",
  "pods",
  "podsMax",
  "state",
  "since",
  "code",
  "reason",
  "next",
  "idlePerHour",
  "created",
];

/** Makes an empty store; `label` is the label whose values rows carry in `label`. */
export function nodeStore() {
  const rows = new Map();
  let revision;
  let label = "";
  let at = null;
  let labelKeys = [];

  return {
    rows: () => [...rows.values()],
    get: (name) => rows.get(name),
    at: () => at,
    labelKeys: () => labelKeys,
    /** Chooses the label of a column; all rows are asked for again. */
    useLabel(key) {
      if (key === label) return;
      label = key;
      revision = undefined;
    },
    /** Asks for what is new. */
    async refresh() {
      const asked = label;
      const answer = await api.nodes({ since: revision, label: asked });
      if (answer.whole) rows.clear();
      for (const name of answer.gone) rows.delete(name);
      answer.name.forEach((name, index) => rows.set(name, rowAt(answer, index, asked)));
      revision = asked === label ? answer.revision : undefined;
      at = answer.at;
      if (answer.labelKeys.length) labelKeys = answer.labelKeys;
    },
  };
}

function rowAt(answer, index, label) {
  const row = {};
  for (const column of COLUMNS) row[column] = answer[column][index];
  row.label = answer.labels[label]?.[index] ?? "";
  return row;
}
