// The stream of changes: comes back by itself, can be paused, and knows when it was cut.
// Server-sent events are read with fetch, since EventSource can send no token.

import { Refusal, ask } from "./api.js";

const RETRY_MS = [1000, 2000, 5000, 10_000];

/** Follows the server; `onChange(change)` and `onDecision(row)` hear of what is new, `onState` of the line. */
export function follow({ onChange, onDecision, onState, onRefused }) {
  let failures = 0;
  let line = "connecting";
  let isPaused = false;
  let missed = null;
  let isListening = false;

  async function listen() {
    if (isListening) return;
    isListening = true;
    try {
      const response = await ask("api/events", { headers: { Accept: "text/event-stream" } });
      failures = 0;
      tell("live");
      for await (const event of eventsOf(response.body)) receive(event);
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) {
        isListening = false;
        onRefused(error);
        return;
      }
    }
    isListening = false;
    tell("lost");
    setTimeout(listen, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures += 1;
  }

  function receive({ name, data }) {
    if (name === "change") {
      if (isPaused) missed = merge(missed, data);
      else onChange(data);
    } else if (name === "decision" && !isPaused) onDecision(data);
  }

  function tell(next) {
    line = next;
    onState(isPaused ? "paused" : line);
  }

  listen();
  return {
    listen,
    /** Stops showing changes, or goes on with all that came meanwhile; tells which. */
    togglePause() {
      isPaused = !isPaused;
      const change = missed;
      missed = null;
      if (!isPaused && change) onChange(change);
      tell(line);
      return isPaused;
    },
  };
}

/** Yields `{name, data}` of a stream of server-sent events, the data read as JSON. */
export async function* eventsOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

function readEvent(block) {
  const field = (name) =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
      .join("\n");
  const data = field("data");
  return data ? { name: field("event") || "message", data: JSON.parse(data) } : null;
}

function merge(earlier, later) {
  if (!earlier) return later;
  return { ...later, sections: [...new Set([...earlier.sections, ...later.sections])] };
}
