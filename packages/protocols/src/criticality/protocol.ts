import { workflow, type Ctx } from "@slipway/durable/ctx";
import type { Landing } from "@slipway/kernel/change/land/merge";
import type { LanguageAdapter, LanguageId } from "@slipway/languages/adapter";
import { tryGatesOnBase } from "../change/base-gates.ts";
import type { ChangeServices } from "../change/services.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import { CONFIG_FILE, parseConfig } from "./config/config.ts";
import type { Delivered } from "../change/deliver.ts";
import { deliverProgram, type ProgramDigests, type ProgramInput } from "./deliver-program.ts";
import { keepFiles } from "./files/kept-files.ts";
import { KEEP_STEP } from "./files/restore-ended.ts";
import type { CriticalityInput } from "./input.ts";
import { openSession, type OpenedSession } from "./open-session.ts";
import { auditPhase } from "./phases/audit-phase.ts";
import { ignitionPhase } from "./phases/ignition-phase.ts";
import { injectionPhase } from "./phases/injection-phase.ts";
import { latticePhase } from "./phases/lattice-phase.ts";
import { massDefectPhase } from "./phases/mass-defect-phase.ts";
import { mesoscopicPhase } from "./phases/mesoscopic-phase.ts";
import { PhaseLeft } from "./phases/phase-left.ts";
import { resolveBlocked } from "./phases/resolve-phase.ts";
import type { PhaseWork } from "./phases/session.ts";
import { programOf } from "./program-files.ts";
import type { CriticalityPhase } from "./routing/roles.ts";
import { NO_WORK, nextRound, type Work } from "./work.ts";
import type { CodeTools, CodeToolsParts } from "./workspace/code-tools.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const CRITICALITY_VERSION = "2";

export interface CriticalityServicesOfRun extends ChangeServices {
  readonly languages: (id: LanguageId) => Promise<LanguageAdapter>;
  /** Compiler and test runner of a run. A run that waits for a person never returns, so they are closed with the services, too. */
  readonly openTools: (parts: CodeToolsParts) => CodeTools;
}

export type CriticalityResult =
  | {
      readonly status: "merged";
      readonly commit: string;
      readonly landing: Landing;
      readonly functions: number;
      readonly escalations: number;
      readonly claims: Readonly<Record<string, string>>;
      readonly unmet: readonly string[];
    }
  | { readonly status: "not_merged"; readonly reason: string }
  | { readonly status: "given_up"; readonly reason: string };

/** From an interview to a reduced program: six phases, which the transition table connects. */
export const criticality = workflow<CriticalityInput, CriticalityResult, CriticalityServicesOfRun>(
  "criticality",
  CRITICALITY_VERSION,
  build,
);

const PHASE_WORK: Readonly<Record<CriticalityPhase, PhaseWork>> = {
  ignition: ignitionPhase,
  lattice: latticePhase,
  compositionAudit: auditPhase,
  injection: injectionPhase,
  mesoscopic: mesoscopicPhase,
  massDefect: massDefectPhase,
};

async function build(ctx: Ctx, input: CriticalityInput, services: CriticalityServicesOfRun): Promise<CriticalityResult> {
  const reason = await tryGatesOnBase(ctx, services.kernel, input.skip_base_gates);
  if (reason !== null) return { status: "given_up", reason: `Not begun: ${reason}` };
  const deliver = (program: ProgramInput) => ctx.child(`feature:${program.id}`, deliverProgram, program);
  return makeProgram(ctx, input, services, { folder: ctx.runId, deliver });
}

/** Where the files of a run are, below `.slipway/runs`, and how its program enters the repository. */
interface ProgramPlace {
  readonly folder: string;
  readonly deliver: (program: ProgramInput) => Promise<Delivered>;
}

export async function makeProgram(
  ctx: Ctx,
  input: CriticalityInput,
  services: CriticalityServicesOfRun,
  { folder, deliver }: ProgramPlace,
): Promise<CriticalityResult> {
  const { config } = parseConfig(input.config_text, CONFIG_FILE);
  const language = await services.languages(config.project.language);
  const session = await openSession(ctx, input, { services, config, language, folder });
  try {
    const work = await runPhases(session);
    await keepRunFiles(ctx, session);
    return await deliverResult(ctx, session, work, deliver);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    await keepRunFiles(ctx, session);
    return { status: "given_up", reason: error.message };
  } finally {
    await session.tools.close();
  }
}

/** A person may send the run elsewhere while a phase waits for them: its work so far does not count. */
async function runPhase(session: OpenedSession, work: Work, phase: CriticalityPhase): Promise<Work> {
  try {
    return await PHASE_WORK[phase](session, work);
  } catch (error) {
    if (!(error instanceof PhaseLeft)) throw error;
    return { ...nextRound(work, phase === "compositionAudit" ? "audit" : phase), audit: null, defect: error.message };
  }
}

/** The state says which phase is at work; the work of a phase ends when the state has left it. */
async function runPhases(session: OpenedSession): Promise<Work> {
  let work = NO_WORK;
  for (;;) {
    const state = session.keeper.current();
    if (state.type === "completed") return work;
    work =
      state.type === "blocked" ? await resolveBlocked(session, work, state.data) : await runPhase(session, work, state.data.phase.phase);
  }
}

/** After this the files do not change any more, and nothing but this step writes them again. */
async function keepRunFiles(ctx: Ctx, { run: { files, services } }: OpenedSession): Promise<void> {
  await ctx.step(KEEP_STEP, () => keepFiles(files, services.kernel.records.objects));
}

async function deliverResult(
  ctx: Ctx,
  { run, artifacts }: OpenedSession,
  work: Work,
  deliver: ProgramPlace["deliver"],
): Promise<CriticalityResult> {
  const { objects } = run.services.kernel.records;
  const { files, tests } = programOf(run, work);
  const keep = (value: unknown) => objects.put(Buffer.from(JSON.stringify(value)));
  const kept = await ctx.step("program", async (): Promise<ProgramDigests> => ({
    files_digest: await keep(files),
    tests_digest: tests === null ? null : await keep(tests),
  }));
  const { claims, functions, unmet } = artifacts(work);
  const delivered = await deliver({
    id: run.id,
    ...kept,
    spec_text: work.specification?.specText ?? "",
    acceptance_criteria: claims.map(({ id, text }) => `${id}: ${text}`),
  });
  if (delivered.status !== "merged") return delivered;
  const escalations = work.progress?.records.filter(({ escalated }) => escalated).length ?? 0;
  return {
    status: "merged",
    commit: delivered.landing.commit,
    landing: delivered.landing,
    functions: functions.length,
    escalations,
    claims: Object.fromEntries(claims.map(({ id, status }) => [id, status])),
    unmet,
  };
}
