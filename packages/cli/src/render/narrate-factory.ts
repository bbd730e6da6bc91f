import type { JournalEvent } from "@slipway/durable/chain";
import type { Line } from "./narrate.ts";

type Value = Readonly<Record<string, unknown>>;

const ROUTES: Readonly<Record<string, Omit<Line, "feature">>> = {
  revise: { text: "the objections stand: it is revised", good: null },
  adjudicate: { text: "goes to the Arbiter", good: null },
  amend: { text: "approved with amendments", good: null },
  ship: { text: "approved", good: true },
  halt: { text: "no agreement: a person has to decide", good: false },
};

/** What happens in a run of the factory, in words: the project in the run's own stream, the product and each task in one of theirs. */
export function narrateFactory({ stream, kind, name, payload }: JournalEvent): Line | null {
  const part = /^[^/]+(?:\/(product|task:\d+|new-version:[\d.]+))?$/.exec(stream);
  if (part === null) return null;
  const given = parse(payload);
  const feature = part[1] ?? "project";
  if (kind === "asked")
    return { feature, text: typeof given["title"] === "string" ? `asks: ${given["title"]}` : "asks a person", good: null };
  if (kind === "answered")
    return { feature, text: `answered by ${typeof given["by"] === "string" ? given["by"] : "a person"}`, good: null };
  if (kind !== "step") return null;
  const value = isRecord(given["value"]) ? given["value"] : {};
  if (part[1] === undefined) return ofProject(name, value);
  return feature === "product" ? null : ofTask(name);
}

function ofProject(name: string, value: Value): Line | null {
  if (name === "init_state_machine") return { feature: "project", text: "the spec is planned, task by task", good: true };
  if (name.startsWith("dispatch:") && typeof value["task"] === "string") return { feature: value["task"], text: "at work", good: null };
  if (name === "release" && typeof value["release_id"] === "string") {
    const passed = value["overall_result"] === "PASS";
    return { feature: "project", text: `${value["release_id"]} ${passed ? "passes its gates" : "does not pass its gates"}`, good: passed };
  }
  return null;
}

function ofTask(name: string): Line | null {
  const [, feature = "", step = ""] = /^(MM-\w+)\/(.+)$/.exec(name) ?? [];
  const [, round, next = ""] = /^route:(\d+):(\w+)$/.exec(step) ?? [];
  const route = ROUTES[next];
  if (route !== undefined) return { feature, ...route, text: `round ${round}: ${route.text}` };
  if (/^ship:\d+:register$/.test(step)) return { feature, text: "tested, sealed and in the code index", good: true };
  return null;
}

function parse(payload: string): Value {
  const value: unknown = JSON.parse(payload);
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
