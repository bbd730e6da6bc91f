import { digestOf } from "@slipway/durable/canonical";
import type { GeneratedTest, SourceTree } from "@slipway/languages/adapter";
import { z } from "zod";
import type { CriticalityRun } from "../criticality-run.ts";
import { failureSummary } from "../escalation/failure-summary.ts";
import type { InjectionFailure } from "../escalation/failures.ts";
import {
  attemptAfter,
  firstAttempt,
  TIER_MODEL_KEY,
  TIER_ROLE,
  type InjectionAttempt,
  type InjectionTier,
  type NextAction,
} from "../escalation/attempts.ts";
import { nextAction } from "../escalation/next-action.ts";
import type { AskingBlock } from "../phases/phase-left.ts";
import { functionPrompt, type AttemptHint } from "./function-prompt.ts";
import { isCritical } from "../config/verifier.ts";
import { formalFailure, verifyFormally, type FormalVerdict } from "./formal-check.ts";
import { subjectOf, withBodies, type LatticeFunction } from "../lattice/lattice.ts";
import { CRITICALITY_STEPS } from "../steps.ts";
import { MOST_BODY_CHARACTERS, verifyBodies, type BodyChecks, type WrittenBody } from "./verify-bodies.ts";

/** One attempt at a function or a cycle of functions. */
export interface AttemptRecord extends InjectionAttempt {
  /** Of the bodies, by which the record names them without holding them. */
  readonly digest: string;
  /** Null if the bodies were accepted, as is the action that followed. */
  readonly failure: InjectionFailure | null;
  readonly action: NextAction | null;
  /** Of critical functions, if the bodies passed everything else. */
  readonly verdicts?: readonly FormalVerdict[];
}

/** What became of a batch: bodies by function id, or the action that ended it. */
export interface BatchOutcome {
  readonly batch: readonly string[];
  readonly attempts: readonly AttemptRecord[];
  readonly bodies: Readonly<Record<string, string>> | null;
  readonly ended: Exclude<NextAction, { type: "retry" | "escalate" }> | null;
  /** Why a model could not be asked; nothing of the batch is kept then. */
  readonly blocked?: AskingBlock;
}

/** What the attempts at one batch share. The tree has the bodies that were accepted before the wave. */
export interface BatchScene {
  readonly tree: SourceTree;
  readonly testOf: (id: string) => GeneratedTest | null;
  readonly checks: (signal: AbortSignal) => Promise<BodyChecks>;
  /** The types that a body needs, to `depth` steps, and the signatures of the functions that it may call. */
  readonly definitions: (target: LatticeFunction, depth: number) => string;
  /** Where the attempts begin: the worker, or a larger model if the function does not fit the worker. */
  readonly firstTier: (target: LatticeFunction) => InjectionTier;
  /** Distinguishes the steps of a function that is injected a second time. */
  readonly visit: number;
}

const bodyAnswer = z.strictObject({
  body: z
    .string()
    .max(MOST_BODY_CHARACTERS)
    .describe("The statements between the braces of the function, without the signature and the braces."),
});

/** Writes the bodies of a batch from a clean slate in every attempt, until they pass or the escalation table ends it. */
export async function injectBatch(run: CriticalityRun, scene: BatchScene, batch: readonly LatticeFunction[]): Promise<BatchOutcome> {
  const ids = batch.map(({ id }) => id);
  const settings = { ...run.config.escalation, ...run.config.circuit_breaker };
  const tests = ids.flatMap((id) => scene.testOf(id) ?? []);
  const attempts: AttemptRecord[] = [];
  let attempt = firstAttempt(ids.join("+"), settings, tierOf(batch, scene));
  let hint: AttemptHint = { kind: "none" };
  for (;;) {
    const written = await writeBodies(run, scene, batch, attempt, hint);
    const step = `verify:${attempt.functionId}:${scene.visit}:${attempt.totalAttempts}`;
    const checked = async (signal: AbortSignal) => verifyBodies(await scene.checks(signal), scene.tree, written, tests);
    const refuted = await run.ctx.step(step, checked, { durability: "relaxed" });
    const verdicts = refuted === null ? await formalVerdicts(run, scene, written, attempt) : [];
    const failure = refuted ?? (run.config.verifier === null ? null : formalFailure(verdicts, run.config.verifier));
    const bodies = Object.fromEntries(written.map(({ target, body }) => [target.id, body]));
    const record = { ...attempt, digest: digestOf(bodies), ...(verdicts.length === 0 ? {} : { verdicts }) };
    if (failure === null) return { batch: ids, attempts: [...attempts, { ...record, failure, action: null }], bodies, ended: null };
    const { currentTier: tier, attemptInTier, totalAttempts } = attempt;
    const architectAttempts = [...attempts, attempt].filter(({ currentTier }) => currentTier === "fallback2").length;
    const action = nextAction(failure, { tier, attemptInTier, totalAttempts, architectAttempts }, settings);
    attempts.push({ ...record, failure, action });
    const next = attemptAfter(attempt, action);
    if (next === null || (action.type !== "retry" && action.type !== "escalate"))
      return { batch: ids, attempts, bodies: null, ended: action as BatchOutcome["ended"] };
    hint = hintAfter(scene, batch, failure, action);
    attempt = next;
  }
}

/** One step for each critical function: a verifier may take long, and its verdict is kept. */
async function formalVerdicts(
  run: CriticalityRun,
  { tree, visit, checks }: BatchScene,
  written: readonly WrittenBody[],
  { totalAttempts }: InjectionAttempt,
): Promise<FormalVerdict[]> {
  const { verifier } = run.config;
  const critical = written.filter(({ target }) => isCritical(verifier, target.id));
  if (verifier === null || critical.length === 0) return [];
  const filled = withBodies(tree, new Map(written.map(({ target, body }) => [target.id, body])), run.services.language);
  const verdicts: FormalVerdict[] = [];
  for (const { target } of critical) {
    const step = CRITICALITY_STEPS.formal.named(target.id, visit, totalAttempts);
    const verdict = await run.ctx.step(step, async (signal) => {
      const { language, folders, run: tool } = await checks(signal);
      return verifyFormally({ language, folders, sandbox: tool.sandbox, signal }, verifier, filled, target);
    });
    verdicts.push(verdict);
    if (verdict.verdict === "fail") break;
  }
  return verdicts;
}

/** One call of a model for each function; none sees the body of another. */
async function writeBodies(
  run: CriticalityRun,
  scene: BatchScene,
  batch: readonly LatticeFunction[],
  { currentTier, totalAttempts }: InjectionAttempt,
  hint: AttemptHint,
): Promise<WrittenBody[]> {
  const written: WrittenBody[] = [];
  for (const target of batch) {
    const required = scene.definitions(target, 1);
    const typeDefinitions = hint.kind === "types" ? scene.definitions(target, 2) : required;
    const promptWith = (definitions: string) => [
      { title: target.name, kind: "function", text: functionPrompt({ target, typeDefinitions: definitions, hint }) },
    ];
    const { body } = await run.askModel(`write:${target.id}:${scene.visit}:${totalAttempts}`, {
      phase: "injection",
      skill: "implement_atomic",
      alias: TIER_ROLE[currentTier],
      modelKey: TIER_MODEL_KEY[currentTier],
      subject: subjectOf(target.id),
      attempt: `${scene.visit}.${totalAttempts}`,
      artifacts: promptWith(typeDefinitions),
      cuts: [
        { kind: "relatedTypes", artifacts: promptWith(required) },
        { kind: "requiredTypes", artifacts: promptWith("") },
      ],
      schema: bodyAnswer,
    });
    written.push({ target, body });
  }
  return written;
}

function hintAfter(
  scene: BatchScene,
  [target]: readonly LatticeFunction[],
  failure: InjectionFailure,
  action: Extract<NextAction, { type: "retry" | "escalate" }>,
): AttemptHint {
  if (action.type === "escalate") {
    if (target === undefined) return { kind: "none" };
    const typeContext = scene.definitions(target, 2);
    return { kind: "summary", text: failureSummary({ name: target.name, signature: target.signature, typeContext }, failure) };
  }
  if (action.hint === "syntax" && failure.type === "syntax") return { kind: "syntax", message: failure.parseError };
  return { kind: action.hint === "types" ? "types" : "none" };
}

function tierOf([first]: readonly LatticeFunction[], { firstTier }: BatchScene): InjectionTier {
  return first === undefined ? "worker" : firstTier(first);
}
