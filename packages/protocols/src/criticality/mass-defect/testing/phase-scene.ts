import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workflow, type Ctx } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { Decision } from "@slipway/kernel/record/decisions/decision";
import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import { z } from "zod";
import { parseConfig } from "../../config/config.ts";
import type { CriticalityRun, SkillRequest } from "../../criticality-run.ts";
import { openRunFiles } from "../../files/run-files.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { assertSkill } from "../../models/skills.ts";

/** A question to a scripted model. */
export type AskedModel = Omit<SkillRequest<unknown>, "schema"> & { readonly name: string };

/** Answers a question, or throws. */
export type ModelAnswers = (asked: AskedModel) => unknown;

export interface PhaseOutcome<T> {
  readonly value: T;
  readonly asked: readonly AskedModel[];
  readonly decisions: readonly Decision[];
  /** Names of the recorded steps, in order. */
  readonly steps: readonly string[];
  file(path: string): string | null;
}

const RUN = "r1";

/**
 * Runs a phase with a real engine, ledger and files; only the models are scripted. The run then waits for an answer and is driven again,
 * as after a restart: the phase must come to the same value without asking a model again.
 */
export async function playPhase<T>(
  answers: ModelAnswers,
  phase: (run: CriticalityRun) => Promise<T>,
  language?: LanguageAdapter,
  configuration: string | null = null,
): Promise<PhaseOutcome<T>> {
  const home = mkdtempSync(join(tmpdir(), "slipway-phase-"));
  const records = await openRecords({ layout: layoutAt(home) });
  const { database, objects, clock, ids, inbox } = records;
  const decisions = openDecisions({ db: database.db, door: records.door });
  const folder = join(home, "run");
  const asked: AskedModel[] = [];
  const values: unknown[] = [];
  const flow = workflow("phase", "1", async (ctx: Ctx) => {
    const call = (step: string) => ({ actor: { type: "orchestrator", id: "o" } as const, operationId: `${ctx.runId}/${step}` });
    const files = openRunFiles(nodeFileSystem, folder);
    const run = {
      ctx,
      files,
      id: "system",
      config: parseConfig(configuration).config,
      services: { language },
      ledger: openLedger({ ctx, kernel: { decisions }, call }),
      now: (name: string) => ctx.step(`time:${name}`, async () => clock.now()),
      askModel: async <A>(name: string, { schema, ...request }: SkillRequest<A>): Promise<A> => {
        assertSkill(request.phase, request.skill, request.alias);
        return ctx.step(name, async () => {
          asked.push({ name, ...request });
          return schema.parse(answers({ name, ...request }));
        });
      },
    } as unknown as CriticalityRun;
    values.push(structuredClone(await phase(run)));
    await files.flush();
    await ctx.ask("again", { kind: "test", title: "Again?", schema: z.literal("yes") });
    return null;
  });
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [flow], kernel: null });
  try {
    await engine.start(flow.name, {}, { runId: RUN });
    const first = await engine.drive(RUN);
    if (first.status === "failed") throw Object.assign(new Error(first.failure.message), { code: first.failure.code });
    const before = asked.length;
    await engine.signal(RUN, "again", "yes");
    await engine.drive(RUN);
    if (asked.length !== before) throw new Error("a replay asked a model again");
    if (JSON.stringify(values[0]) !== JSON.stringify(values[1])) throw new Error("a replay came to another value");
    const events = await engine.events(RUN);
    return {
      value: values[0] as T,
      asked,
      decisions: await decisions.list(`run:${RUN}`),
      steps: events.map(({ name }) => name),
      file: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : null),
    };
  } finally {
    await engine.close();
    await records.close();
  }
}
