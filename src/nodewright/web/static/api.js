// Every question that the pages ask the server, by name. Nothing here changes anything there.

import { bearer } from "./token.js";

/** Why a question has no answer: the server's sentence, its code and what to do. */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.message || `the server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? "";
    this.advice = problem.advice ?? "";
  }
}

export const overview = () => get("api/overview");
export const pending = () => get("api/pending");
export const pools = () => get("api/pools");
export const budgets = () => get("api/budgets");
export const money = () => get("api/money");
export const health = () => get("api/health");
export const manifests = () => get("api/manifests");
export const node = (name) => get(`api/nodes/${encodeURIComponent(name)}`);
export const decision = (id) => get(`api/decisions/${encodeURIComponent(id)}`);
export const decisions = (wanted = {}) => get(`api/decisions${query(wanted)}`);
export const nodes = ({ since, label } = {}) => get(`api/nodes${query({ since, label })}`);

/** What edited manifests would do; computed, never applied. */
export const whatIf = (request, signal) =>
  read("api/what-if", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });

/** Sends a question with the token, if there is one; a refusal is thrown. */
export async function ask(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { ...options.headers, ...bearer() } });
  if (response.ok) return response;
  const isJson = (response.headers.get("Content-Type") ?? "").startsWith("application/json");
  throw new Refusal(response.status, isJson ? await response.json() : {});
}

/** Saves what a path gives as a file; a plain link could not bring the token. */
export async function save(path, name) {
  const address = URL.createObjectURL(await (await ask(path)).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

const get = (path) => read(path, { headers: { Accept: "application/json" } });

async function read(path, options) {
  return (await ask(path, options)).json();
}

function query(wanted) {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}
