import { executionLogSchema } from "@slipway/languages/contracts/evidence";
import type { Action, RebuildPlan } from "../incremental/plan.ts";
import type { FactoryResult } from "../protocol.ts";
import { splitRef } from "../code-index/entry.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodePayload } from "@slipway/durable/payload";
import { isChanges } from "../narrate.ts";
import { journalSize } from "@slipway/kernel/record/journal/heads";
import type { DemoRun } from "../../demo/demo.ts";
import type { Reader } from "../../surface/surface.ts";
import { factoryStory, type FactoryFact } from "./story.ts";

/** The result of one run. */
export interface BuildSummary {
  readonly status: string;
  readonly modules: readonly { readonly module_ref: string; readonly tests: number }[];
  readonly release: Exclude<FactoryResult, { status: "given_up" | "nothing_built" }> | null;
  readonly story: readonly FactoryFact[];
  /** For an edited page: the tasks by action. */
  readonly tasks: Readonly<Partial<Record<Action, readonly string[]>>> | null;
  readonly journal: { readonly events: number; readonly head: string };
}

export interface FactorySummary extends BuildSummary {
  /** The result of the run after the edit. */
  readonly again?: BuildSummary;
  /** Commands to run and compile the release. */
  readonly commands: readonly string[];
  readonly elapsed_ms: number;
}

/** Read from the records alone, not from the state of the run. */
export async function summariseFactory(reader: Reader, { runId, outcome }: DemoRun): Promise<BuildSummary> {
  const { records } = reader;
  const result = outcome.status === "completed" ? (outcome.value as FactoryResult) : null;
  const release = result !== null && "release_id" in result ? result : null;
  return {
    status: outcome.status,
    modules: await Promise.all(
      (release?.modules ?? []).map(async (module_ref) => ({ module_ref, tests: await testsOf(reader, module_ref) })),
    ),
    release,
    story: await factoryStory(records),
    tasks: await fatesIn(reader, runId, release?.modules ?? []),
    journal: await journalSize(records),
  };
}

/** As recorded when the module shipped. */
async function testsOf({ records }: Reader, ref: string): Promise<number> {
  const { module_id, version } = splitRef(ref);
  const path = join(records.layout.stateStore, "modules", module_id, version, "tests", "execution_log.json");
  return executionLogSchema.parse(JSON.parse(await readFile(path, "utf8"))).summary.passed;
}

/** The actions of the plan; a rechecked module that is no longer in the release was built again. */
async function fatesIn({ engine, records }: Reader, runId: string, released: readonly string[]): Promise<BuildSummary["tasks"]> {
  for (const { runId: stream } of await engine.runs({ rootRunId: runId })) {
    const step = (await engine.events(stream)).findLast(({ kind, name }) => isChanges(kind, name));
    if (step === undefined) continue;
    const { value } = (await decodePayload(records.objects, step)) as unknown as { readonly value: RebuildPlan };
    const fates = Map.groupBy(value.tasks, ({ action, module_refs }) =>
      action === "recheck" && module_refs.some((ref) => !released.includes(ref)) ? "rebuild" : action,
    );
    return Object.fromEntries([...fates].map(([action, tasks]) => [action, tasks.map(({ task_id }) => task_id)]));
  }
  return null;
}
