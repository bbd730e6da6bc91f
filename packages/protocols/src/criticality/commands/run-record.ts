import type { JournalEvent } from "@slipway/durable/chain";
import type { Engine } from "@slipway/durable/engine";
import { decodePayload } from "@slipway/durable/payload";
import type { Reader } from "../../surface/surface.ts";
import type { ProgramDigests } from "../deliver-program.ts";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import { CRITICALITY_STEPS, type CheckpointLine } from "../steps.ts";
import type { TelemetryEvent } from "../telemetry/events.ts";

/** What the journal says of a run. */
export interface RunRecord {
  /** Up to the last transition. */
  readonly events: readonly TelemetryEvent[];
  /** The last of the phases that the run has entered. */
  readonly reached: CriticalityPhase;
  /** The digest of the delivered files in the object store; null before. */
  readonly program: string | null;
  /** Line coverage that Mass Defect measured, from 0 to 1; null if it measured none. */
  readonly coverage: number | null;
}

export async function readRecord({ records, engine }: Reader, runId: string): Promise<RunRecord> {
  const events: TelemetryEvent[] = [];
  const entered = new Set<string>(["ignition"]);
  let [program, coverage]: [string | null, number | null] = [null, null];
  for await (const event of stepsOf(engine, runId)) {
    const value = async <T>() => ((await decodePayload(records.objects, event)) as { readonly value?: T }).value ?? null;
    if (CRITICALITY_STEPS.checkpoint.partsOf(event.name) !== null) {
      const line = await value<CheckpointLine>();
      events.push(...(line?.events ?? []));
      entered.add(line?.at.split(".")[0] ?? "");
    } else if (event.name === "program") program = (await value<ProgramDigests>())?.files_digest ?? null;
    else if (event.name.startsWith("reduce:coverage:")) coverage = await value<number>();
  }
  return { events, reached: PHASES.findLast((phase) => entered.has(phase)) ?? "ignition", program, coverage };
}

const PAGE = 1000;

/** The recorded steps of a run, in order. */
export async function* stepsOf(engine: Pick<Engine, "events">, runId: string): AsyncGenerator<JournalEvent> {
  for (let from = 1; ;) {
    const page = await engine.events(runId, from, PAGE);
    yield* page.filter(({ kind }) => kind === "step");
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = last.seq + 1;
  }
}
