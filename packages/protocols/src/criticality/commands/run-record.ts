import type { JournalEvent } from "@slipway/durable/chain";
import type { Engine } from "@slipway/durable/engine";
import { decodePayload } from "@slipway/durable/payload";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Reader } from "../../surface/surface.ts";
import type { InjectionFailure } from "../escalation/failures.ts";
import { CRITICALITY_STEPS, type CheckpointLine } from "../steps.ts";
import { BLOCK_QUESTION } from "./answer-command.ts";

/** One call of a model, as it is recorded for every protocol. */
export interface ModelCallRow {
  /** `<run>/<step>`. */
  readonly id: string;
  readonly role: string;
  readonly provider: string;
  readonly model: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
  readonly at: number;
}

export interface RunRecord {
  readonly startedAt: number;
  readonly checkpoints: readonly CheckpointLine[];
  /** Failures by the name of the step that verified the bodies. */
  readonly failures: ReadonlyMap<string, InjectionFailure["type"]>;
  readonly calls: readonly ModelCallRow[];
  readonly blocks: readonly Pick<InboxQuestion, "askedAt" | "context" | "answer">[];
  /** The digest of the delivered files in the object store; null before. */
  readonly program: string | null;
  /** Line coverage that Mass Defect measured, from 0 to 1; null if it measured none. */
  readonly coverage: number | null;
}

/** What the records say of a run: journal, calls and questions. */
export async function readRecord({ records, engine }: Reader, runId: string, startedAt: number): Promise<RunRecord> {
  const checkpoints: CheckpointLine[] = [];
  const failures = new Map<string, InjectionFailure["type"]>();
  let [program, coverage]: [string | null, number | null] = [null, null];
  for await (const event of stepsOf(engine, runId)) {
    const value = <T>() => valueOf<T>(records.objects, event);
    if (CRITICALITY_STEPS.checkpoint.partsOf(event.name) !== null) checkpoints.push(await value());
    else if (CRITICALITY_STEPS.verify.partsOf(event.name) !== null) {
      const failure = await value<InjectionFailure | null>();
      if (failure !== null) failures.set(event.name, failure.type);
    } else if (event.name === "program") program = await value();
    else if (event.name.startsWith("reduce:coverage:")) coverage = (await value<number | null>()) ?? null;
  }
  const telemetry = records.database.db.selectFrom("telemetry").selectAll().where("run_id", "=", runId);
  const questions = [...(await records.inbox.listClosed()), ...(await records.inbox.listOpen())];
  return {
    startedAt,
    checkpoints,
    failures,
    calls: await telemetry.orderBy("at").orderBy("id").execute(),
    blocks: questions.filter((question) => question.runId === runId && question.kind === BLOCK_QUESTION),
    program,
    coverage,
  };
}

const PAGE = 1000;

async function* stepsOf(engine: Pick<Engine, "events">, runId: string): AsyncGenerator<JournalEvent> {
  for (let from = 1; ;) {
    const page = await engine.events(runId, from, PAGE);
    yield* page.filter(({ kind }) => kind === "step");
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = last.seq + 1;
  }
}

async function valueOf<T>(objects: Reader["records"]["objects"], event: JournalEvent): Promise<T> {
  return ((await decodePayload(objects, event)) as { readonly value: unknown }).value as T;
}
