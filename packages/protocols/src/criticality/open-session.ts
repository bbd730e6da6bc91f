import type { Ctx } from "@slipway/durable/ctx";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import type { ChangeServices } from "../change/services.ts";
import type { CriticalityConfig } from "./config/config.ts";
import type { CriticalityInput } from "./input.ts";
import { openCriticalityRun } from "./open-run.ts";
import type { PhaseSession } from "./phases/session.ts";
import type { RunArtifacts } from "./run-artifacts.ts";
import { openStateKeeper } from "./state-keeper.ts";
import { subStateName } from "./machine/states.ts";
import { writeCheckpoint } from "./store.ts";
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
export async function openSession(ctx: Ctx, input: CriticalityInput, parts: SessionParts): Promise<OpenedSession> {
  const { services, config, language } = parts;
  const { kernel } = services;
  const run = openCriticalityRun(ctx, { id: input.project, services, config, language });
  let shown = NO_WORK;
  let written = "";
  const keeper = await openStateKeeper(run, async (state, step) => {
    run.files.put("state.json", `${JSON.stringify({ version: "1.0.0", projectId: run.id, protocolState: state }, null, 2)}\n`);
    await run.files.flush();
    const artifacts = JSON.stringify(artifactsOf(shown));
    const call = { actor: { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const, operationId: `${ctx.runId}/${step}` };
    await writeCheckpoint(kernel.door, call, {
      run_id: ctx.runId,
      project: run.id,
      at: subStateName(state),
      state: JSON.stringify(state),
      telemetry: "{}",
      artifacts: artifacts === written ? null : artifacts,
    });
    written = artifacts;
  });
  return {
    run,
    input,
    keeper,
    tools: services.openTools({ language, sandbox: kernel.sandbox }),
    show: (work) => void (shown = work),
    artifacts: artifactsOf,
  };
}
