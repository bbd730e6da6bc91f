import type { JournalEvent } from "@slipway/durable/chain";
import type { RebuildPlan } from "./incremental/plan.ts";
import { planLines, planSummary } from "./incremental/text.ts";
import type { Line } from "../narration/line.ts";
import { narrateProduct, narrateTask } from "./narrate-task.ts";

type Value = Readonly<Record<string, unknown>>;

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
  if (isChanges(kind, name)) return { feature, good: null, data: { plan: planIn(payload) }, ...changes(planIn(payload)) };
  if (part[1] === undefined) return ofProject(name, value);
  return feature === "product" ? narrateProduct(name, given["value"]) : narrateTask(name, given["value"]);
}

/** The step that says what an edited page makes of the project. */
export function isChanges(kind: string, name: string): boolean {
  return kind === "step" && /^changes(?::|$)/.test(name);
}

/** Null where it is too long for an event. */
export function planIn(payload: string): RebuildPlan | null {
  const value = parse(payload)["value"];
  return isRecord(value) && Array.isArray(value["tasks"]) && Array.isArray(value["removed"]) ? (value as unknown as RebuildPlan) : null;
}

function changes(plan: RebuildPlan | null): Pick<Line, "text" | "more"> {
  if (plan === null) return { text: "what stays and what runs is in the question: `slipway inbox`" };
  return { text: planSummary(plan), more: planLines(plan) };
}

function ofProject(name: string, value: Value): Line | null {
  if (name === "init_state_machine") return { feature: "project", text: `the spec is planned, task by task${sizeIn(value)}`, good: true };
  if (name.startsWith("dispatch:") && typeof value["task"] === "string")
    return { feature: value["task"], text: `at work${placeIn(value)}`, good: null };
  if (name.startsWith("recheck:") && value["kept"] === true && Array.isArray(value["module_refs"]))
    return { feature: value["module_refs"].join(", "), text: "kept: its tests pass with what is new", good: true };
  if (name === "release" && typeof value["release_id"] === "string") {
    const passed = value["overall_result"] === "PASS";
    return { feature: "project", text: `${value["release_id"]} ${passed ? "passes its gates" : "does not pass its gates"}`, good: passed };
  }
  return null;
}

/** Worth saying of a large one only. */
function sizeIn({ large, tasks }: Value): string {
  return large === true ? `: ${String(tasks)} of them, which is many; \`slipway factory status\` shows how it goes` : "";
}

/** Pillar, epic and story of the task. */
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
