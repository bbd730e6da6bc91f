import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workflow, type Ctx } from "@slipway/durable/ctx";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { Decision } from "@slipway/kernel/record/decisions/decision";
import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { answerFrom } from "../../../surface/answer-value.ts";
import type { SkillRequest } from "../../criticality-run.ts";
import { openRunFiles } from "../../files/run-files.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { assertSkill, type SkillName } from "../../models/skills.ts";
import { sampleSpec } from "../../spec/testing/specs.ts";
import {
  awaitingApproval,
  interviewing,
  startOfIgnition,
  synthesizing,
  type EnterSubState,
  type IgnitionInput,
  type IgnitionResult,
  type IgnitionRun,
  type IgnitionSubState,
} from "../ignition.ts";

const RUN = "r1";
const PERSON = { type: "person", id: "kim" } as const;

/** A question to a scripted model. */
export type Asked = Pick<SkillRequest<unknown>, "phase" | "skill" | "alias" | "subject" | "attempt" | "artifacts"> & {
  readonly name: string;
};

/** Answers by skill; the number counts the calls of the skill from 0. */
export type ModelScript = Partial<Record<SkillName, (asked: Asked, count: number) => unknown>>;

export interface IgnitionScene {
  readonly asked: readonly Asked[];
  readonly entered: readonly IgnitionSubState[];
  /** Runs as a new process would, until a question is open or the end. */
  drive(): Promise<IgnitionResult | null>;
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  /** Answers in turn, each in a new process; texts answer as `slipway answer` does. Returns the result if the run ends. */
  say(...answers: readonly (string | object)[]): Promise<IgnitionResult | null>;
  file(path: string): string | null;
  decisions(): Promise<Decision[]>;
  close(): Promise<void>;
}

/** Real engine, inbox, ledger and files; only the models are scripted. */
export async function openIgnition(script: ModelScript = {}, input: Partial<IgnitionInput> = {}): Promise<IgnitionScene> {
  const home = mkdtempSync(join(tmpdir(), "slipway-ignition-"));
  const records = await openRecords({ layout: layoutAt(home) });
  const { database, objects, clock, ids, inbox } = records;
  const decisions = openDecisions({ db: database.db, door: records.door });
  const folder = join(home, "run");
  const asked: Asked[] = [];
  const entered: IgnitionSubState[] = [];
  const counts = new Map<string, number>();

  function answerOf(name: string, { phase, skill, alias, subject, attempt, artifacts }: SkillRequest<unknown>): unknown {
    assertSkill(phase, skill, alias);
    const count = counts.get(skill) ?? 0;
    counts.set(skill, count + 1);
    const one = { name, phase, skill, alias, subject, attempt, artifacts };
    asked.push(one);
    return (script[skill] ?? DEFAULTS[skill])?.(one, count);
  }

  const flow = workflow("ignition-test", "1", async (ctx: Ctx) => {
    const call = (step: string) => ({ actor: { type: "orchestrator", id: "o" } as const, operationId: `${ctx.runId}/${step}` });
    const run: IgnitionRun = {
      ctx,
      files: openRunFiles(nodeFileSystem, folder),
      ledger: openLedger({ ctx, kernel: { decisions }, call }),
      now: (name) => ctx.step(`time:${name}`, async () => clock.now()),
      askModel: async (name, request) => request.schema.parse(await ctx.step(name, async () => answerOf(name, request))),
    };
    return ignite(run, { project: "payment-processor", idea: null, reentry: null, ...input }, async (state) => void entered.push(state));
  });

  let engine: Engine | null = null;
  const scene: IgnitionScene = {
    asked,
    entered,
    async drive() {
      await engine?.close();
      engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [flow], kernel: null });
      await engine.start(flow.name, {}, { runId: RUN });
      const outcome = await engine.drive(RUN, { whenWaiting: "return" });
      if (outcome.status === "failed") throw new Error(JSON.stringify(outcome));
      return outcome.status === "completed" ? (outcome.value as IgnitionResult) : null;
    },
    async question() {
      const [only, ...others] = await inbox.listOpen();
      if (only === undefined || others.length > 0) throw new Error(`${others.length + (only === undefined ? 0 : 1)} questions are open`);
      return only;
    },
    async answer(value) {
      await records.answer({ id: (await scene.question()).id, value, by: PERSON });
    },
    async say(...answers) {
      let result: IgnitionResult | null = null;
      for (const answer of answers) {
        await scene.answer(typeof answer === "string" ? answerFrom(await scene.question(), answer, undefined) : answer);
        result = await scene.drive();
      }
      return result;
    },
    file(path) {
      const whole = join(folder, path);
      return existsSync(whole) ? readFileSync(whole, "utf8") : null;
    },
    decisions: () => decisions.list(`run:${RUN}`),
    async close() {
      await engine?.close();
      await records.close();
    },
  };
  await scene.drive();
  return scene;
}

/** The architect's answer that becomes the sample specification. */
export function draftAnswer(change: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const { meta, ...sections } = sampleSpec();
  const decisions = [{ constraint: "IDs are UUIDs", category: "data_model", rationale: "SECRET-RATIONALE" }];
  return { domain: meta.domain, ...sections, decisions, rationale: "It is small.", ...change };
}

const DEFAULTS: ModelScript = {
  conduct_interview: () => ({ features: [] }),
  synthesize_spec: () => draftAnswer(),
  audit_proposal: () => ({ challenges: [] }),
};

export const DISCOVERY = ["Moving money for small firms", "No transfer is ever lost", "Transfers and balances"] as const;
export const ARCHITECTURE = ["TypeScript on Node", "A bank API", "Nothing comes later"] as const;
export const CONSTRAINTS = ["100 ms", "No PII in logs", "PCI DSS"] as const;
export const PREFERENCES = ["Result values", "Structured logs", "Property tests", "A library", "Immutable values"] as const;

/** Everything up to the first proposal, without a delegation. */
export const WHOLE_INTERVIEW = [
  ...DISCOVERY,
  "yes",
  ...ARCHITECTURE,
  "yes",
  ...CONSTRAINTS,
  "yes",
  "continue",
  ...PREFERENCES,
  "yes",
  "continue",
] as const;

export const REQUIRED_PART = [...DISCOVERY, "yes", ...ARCHITECTURE, "yes"] as const;

/** The interview, the synthesis and the approval, until a specification is approved. */
async function ignite(run: IgnitionRun, input: IgnitionInput, enter: EnterSubState): Promise<IgnitionResult> {
  let data = startOfIgnition(input);
  for (;;) {
    const interviewed = await interviewing(run, data, enter);
    const proposed = await synthesizing(run, interviewed, enter);
    const next = await awaitingApproval(run, proposed, enter);
    if (next.to === "lattice") return next.result;
    data = next.data;
  }
}
