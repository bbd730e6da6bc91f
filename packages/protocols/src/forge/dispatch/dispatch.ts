import { createPack, type PackItem } from "@slipway/agents/pack";
import { isUnavailable } from "@slipway/agents/routing/tiers";
import { workflow } from "@slipway/durable/ctx";
import type { ErrorCode, Failure } from "@slipway/durable/errors";
import { telemetryOfRun } from "@slipway/kernel/budget/telemetry";
import { invokerOf } from "../../change/invoker.ts";
import type { ChangeServices } from "../../change/services.ts";
import { askAgent } from "../../dispatch/ask-agent.ts";
import type { Reply } from "../../dispatch/dispatcher.ts";
import { cutText } from "../../narration/sent-back.ts";
import { callOf, openForgeRun, timeOf, type ForgeRef, type ForgeRun } from "../forge-run.ts";
import { FORGE_STEPS } from "../steps.ts";
import { assignmentOf, type DispatchWork, type RoleAnswer } from "./assignment.ts";
import type { Worked } from "./contents.ts";
import type { Dispatch } from "./dispatches.ts";
import { saveOutput } from "./save-output.ts";

export interface DispatchedAttempt {
  readonly ref: ForgeRef;
  readonly dispatch: Dispatch;
  /** 1, or 2 for its only repetition. */
  readonly attempt: number;
  /** The dispatch's own model could not be used: the role's model takes its place. */
  readonly withRolesModel: boolean;
  /** What was wrong with the answer of the attempt before. */
  readonly returned?: readonly string[];
}

/** What came of one dispatch. Its whole output is in the run folder, and its diff in the object store. */
export type Dispatched =
  | {
      readonly ok: true;
      readonly status: "DONE" | "NEEDS_REVISION";
      readonly summary: string;
      readonly outputs: readonly string[];
      /** The model that answered, if the provider names it. */
      readonly model: string | null;
      /** Digest of the diff of the files it changed; null without one. */
      readonly diff: string | null;
    }
  /** `status` is null if there is no valid output. */
  | {
      readonly ok: false;
      readonly status: "ERROR" | null;
      readonly reason: string;
      readonly deterministic: boolean;
      readonly unavailable?: true;
      /** What is wrong with an answer that is not valid, for the repetition. */
      readonly problems?: readonly string[];
    };

/** One agent, as a child run. The telemetry row of its instance is written before the call and closed after it. */
export const forgeDispatch = workflow<DispatchedAttempt, Dispatched, ChangeServices>(
  "forge-dispatch",
  "1",
  async (ctx, { ref, dispatch, attempt, withRolesModel, returned = [] }, services) => {
    const run = openForgeRun(ctx, services, ref);
    const key = { run_id: ref.run_id, step: dispatch.step, agent: dispatch.role, instance: dispatch.instance };
    const begun = await ctx.step(FORGE_STEPS.begin.named(), () => run.ledger.beginDispatch(callOf(run, "begin"), key));
    const assignment = assignmentOf(run, dispatch);
    const sections = async () => [...returnedSection(returned), ...(await assignment.sections())];
    const work = { ...assignment, sections, ...(withRolesModel ? { modelKey: undefined } : {}) };
    const reply = await ask(run, dispatch, work, attempt);
    const settled = await settle(run, dispatch, reply, begun.started_at);
    await ctx.step(FORGE_STEPS.end.named(), async () => {
      const status = settled.ok ? settled.status : "ERROR";
      const notes = [...(settled.ok ? [] : [settled.reason]), ...(dispatch.notes ?? []), await usageOf(run)].join("\n");
      return run.ledger.endDispatch(callOf(run, "end"), { ...key, status, dispatch_count: attempt, retry_count: attempt - 1, notes });
    });
    return settled;
  },
);

function ask(run: ForgeRun, dispatch: Dispatch, assignment: DispatchWork, attempt: number): Promise<Reply<Worked<RoleAnswer>>> {
  const { role, instance } = dispatch;
  const { modelKey, instructions, sections, workspace } = assignment;
  return askAgent(invokerOf(run.change), FORGE_STEPS.agent.named(role, `${instance}.${attempt}`), async () => ({
    protocol: "forge",
    role,
    subject: run.id,
    attempt: `${instance}.${attempt}`,
    ...(modelKey === undefined ? {} : { modelKey }),
    pack: createPack(await sections()),
    instructions,
    answer: "yaml",
    workspace,
    // The only command that a reviewer may run is `git diff --staged`: the harness has run it, and its output is in the prompt.
    ...(role === "adversarial-reviewer" ? { withoutTools: ["run"] } : {}),
  }));
}

async function settle(run: ForgeRun, dispatch: Dispatch, reply: Reply<Worked<RoleAnswer>>, started_at: string): Promise<Dispatched> {
  if (!reply.ok) {
    const { code, message, details } = reply.failure;
    return {
      ok: false,
      status: null,
      reason: `${code}: ${message}`,
      deterministic: details["requires_human"] === true,
      ...(isUnusable(code) ? { unavailable: true } : {}),
      ...problemsOf(reply.failure),
    };
  }
  const { answer, diff } = reply.value;
  const { status, summary } = answer.completion;
  const completed_at = await timeOf(run, "completed");
  const saved = await run.ctx.step(FORGE_STEPS.output.named(), async () => {
    const model = await modelOf(run);
    const outputs = await saveOutput(run, callOf(run, "output"), { dispatch, answer, started_at, completed_at, model });
    return { outputs, model, diff: diff === "" ? null : await run.change.services.kernel.records.objects.put(Buffer.from(diff)) };
  });
  if (status === "ERROR") return { ok: false, status, reason: summary, deterministic: false };
  return { ok: true, status, summary, ...saved };
}

function returnedSection(problems: readonly string[]): PackItem[] {
  return problems.length === 0 ? [] : [{ title: "your last answer was refused", kind: "refusal", text: problems.join("\n") }];
}

/** The transcript has all of them, in full. */
const MOST_PROBLEMS = 20;

function problemsOf({ code, details }: Failure): Pick<Extract<Dispatched, { ok: false }>, "problems"> {
  const errors = details["errors"];
  if (code !== "agent_output_invalid" || !Array.isArray(errors)) return {};
  return { problems: errors.slice(0, MOST_PROBLEMS).map((error) => cutText(String(error))) };
}

/** The provider gave no answer at all: that says nothing about the work. */
function isUnusable(code: ErrorCode): boolean {
  return code === "agent_failed" || isUnavailable(code);
}

async function modelOf(run: ForgeRun): Promise<string | null> {
  const [row] = (await telemetryOfRun(run.change.services.kernel.records, run.ctx.runId)).slice(-1);
  // A provider that does not name its model is one model, whatever it was asked for.
  return row === undefined ? null : (row.model ?? `${row.provider}-default`);
}

/** Tokens have no column of their own. */
async function usageOf(run: ForgeRun): Promise<string> {
  const rows = await telemetryOfRun(run.change.services.kernel.records, run.ctx.runId);
  const sum = (key: "input_tokens" | "output_tokens") => rows.reduce((total, row) => total + Number(row[key]), 0);
  return `tokens: ${sum("input_tokens")} in, ${sum("output_tokens")} out`;
}
