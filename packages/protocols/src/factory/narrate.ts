import type { JournalEvent } from "@slipway/durable/chain";
import type { RebuildPlan } from "./incremental/plan.ts";
import { planLines, planSummary } from "./incremental/text.ts";
import type { Line } from "../narration/line.ts";
import { narrateProduct, narrateTask } from "./narrate-task.ts";

type Value = Readonly<Record<string, unknown>>;

/** Events of a factory run as text. The project is in the stream of the run; product and tasks have streams of their own. */
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
  if (isChanges(kind, name)) return { feature, good: null, data: { plan: planIn(payload) }, ...changes(planIn(payload)) };
  if (part[1] === undefined) return ofProject(name, value);
  return feature === "product" ? narrateProduct(name, given["value"]) : narrateTask(name, given["value"]);
}

/** The step that reports what an edited page changes. */
export function isChanges(kind: string, name: string): boolean {
  return kind === "step" && /^changes(?::|$)/.test(name);
}

/** Null if the payload is stored as a blob. */
export function planIn(payload: string): RebuildPlan | null {
  const value = parse(payload)["value"];
  return isRecord(value) && Array.isArray(value["tasks"]) && Array.isArray(value["removed"]) ? (value as unknown as RebuildPlan) : null;
}

function changes(plan: RebuildPlan | null): Pick<Line, "text" | "more"> {
  if (plan === null) return { text: "`slipway inbox` shows what stays and what runs" };
  return { text: planSummary(plan), more: planLines(plan) };
}

function ofProject(name: string, value: Value): Line | null {
  if (name === "init_state_machine") return { feature: "project", text: `spec planned into tasks${sizeIn(value)}`, good: true };
  if (name.startsWith("dispatch:") && typeof value["task"] === "string")
    return { feature: value["task"], text: `in progress${placeIn(value)}`, good: null };
  if (name.startsWith("recheck:") && value["kept"] === true && Array.isArray(value["module_refs"]))
    return { feature: value["module_refs"].join(", "), text: "kept: its tests pass with the new versions", good: true };
  if (name === "release" && typeof value["release_id"] === "string") {
    const passed = value["overall_result"] === "PASS";
    return { feature: "project", text: `${value["release_id"]} ${passed ? "passes its gates" : "does not pass its gates"}`, good: passed };
  }
  return null;
}

/** Only mentioned for large projects. */
function sizeIn({ large, tasks }: Value): string {
  return large === true ? `: ${String(tasks)} tasks; \`slipway factory status\` shows progress` : "";
}

function placeIn({ place }: Value): string {
  return Array.isArray(place) ? `: ${place.map(String).join(" / ")}` : "";
}

function parse(payload: string): Value {
  const value: unknown = JSON.parse(payload);
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
