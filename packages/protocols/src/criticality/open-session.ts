import type { Ctx } from "@slipway/durable/ctx";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import type { ChangeServices } from "../change/services.ts";
import { withInterval } from "./checkpoint-interval.ts";
import type { CriticalityConfig } from "./config/config.ts";
import type { CriticalityInput } from "./input.ts";
import { openModelCalls } from "./model-calls.ts";
import { openCriticalityRun } from "./open-run.ts";
import { answerBlock } from "./phases/resolve-phase.ts";
import type { PhaseSession } from "./phases/session.ts";
import type { RunArtifacts } from "./run-artifacts.ts";
import { openRunProjection } from "./run-projection.ts";
import { openStateKeeper } from "./state-keeper.ts";
import { artifactsOf, NO_WORK, type Work } from "./work.ts";
import type { CodeTools, CodeToolsParts } from "./workspace/code-tools.ts";

export interface OpenedSession extends PhaseSession {
  artifacts(work: Work): RunArtifacts;
}

export interface SessionParts {
  readonly services: ChangeServices & { readonly openTools: (parts: CodeToolsParts) => CodeTools };
  readonly config: CriticalityConfig;
  readonly language: LanguageAdapter;
}

/** Opens a run's state, files, ledger and tools. Nothing is started yet. */
export async function openSession(plain: Ctx, input: CriticalityInput, parts: SessionParts): Promise<OpenedSession> {
  const { services, config, language } = parts;
  const calls = openModelCalls();
  let shown = NO_WORK;
  const ctx = withInterval(plain, config.orchestrator.checkpoint_interval_seconds * 1_000, () => projection.touch());
  const run = openCriticalityRun(ctx, { id: input.project, services, config, language, onModelCall: calls.note });
  const projection = openRunProjection({
    run,
    calls,
    work: () => shown,
    resolve: async (blocked, number) => void (await answerBlock(run, `block:archive:${number}`, blocked)),
  });
  return {
    run,
    input,
    keeper: await openStateKeeper(run, projection),
    tools: services.openTools({ language, sandbox: services.kernel.sandbox }),
    show: (work) => void (shown = work),
    artifacts: artifactsOf,
  };
}
