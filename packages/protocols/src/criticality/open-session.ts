import { join } from "node:path";
import type { Ctx } from "@slipway/durable/ctx";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import type { ChangeServices } from "../change/services.ts";
import type { CriticalityConfig } from "./config/config.ts";
import { liveFiles } from "./files/live-files.ts";
import { openRunFiles } from "./files/run-files.ts";
import type { CriticalityInput } from "./input.ts";
import { watchLive } from "./live-ctx.ts";
import { openModelCalls } from "./model-calls.ts";
import { openCriticalityRun } from "./open-run.ts";
import type { AskingBlock } from "./phases/phase-left.ts";
import { answerBlock } from "./phases/resolve-phase.ts";
import type { PhaseSession } from "./phases/session.ts";
import type { RunArtifacts } from "./run-artifacts.ts";
import { openRunProjection } from "./run-projection.ts";
import { openStateKeeper } from "./state-keeper.ts";
import { isQuestionAnswered } from "./store.ts";
import { artifactsOf, NO_WORK, type Work } from "./work.ts";
import type { CodeTools, CodeToolsParts } from "./workspace/code-tools.ts";

export interface OpenedSession extends PhaseSession {
  artifacts(work: Work): RunArtifacts;
  /** Writes the state again with a new time. */
  touch(): Promise<void>;
}

export interface SessionParts {
  readonly services: ChangeServices & { readonly openTools: (parts: CodeToolsParts) => CodeTools };
  readonly config: CriticalityConfig;
  readonly language: LanguageAdapter;
  /** Of its files, below `.slipway/runs`. */
  readonly folder?: string;
}

/** Opens a run's state, files, ledger and tools. Nothing is started yet. */
export async function openSession(plain: Ctx, input: CriticalityInput, parts: SessionParts): Promise<OpenedSession> {
  const { services, config, language, folder = plain.runId } = parts;
  const { records, sandbox } = services.kernel;
  const calls = openModelCalls();
  const files = liveFiles(openRunFiles(nodeFileSystem, join(records.layout.runs, ...folder.split("/").map(encodeURIComponent))));
  let shown = NO_WORK;
  const ctx = watchLive(plain, {
    isAnswered: (name) => isQuestionAnswered(records.database.db, `${plain.runId}#${name}`),
    onLive: files.begin,
    beatMs: config.orchestrator.checkpoint_interval_seconds * 1_000,
    onBeat: () => projection.touch(),
  });
  const onBlocked = (reason: AskingBlock) => keeper.interrupt("model", reason);
  const run = openCriticalityRun(ctx, { id: input.project, services, config, language, files, onModelCall: calls.note, onBlocked });
  const projection = openRunProjection({
    run,
    calls,
    work: () => shown,
    resolve: async (blocked, question) => (await answerBlock(run, question, blocked)).option,
  });
  const keeper = await openStateKeeper(run, projection);
  return {
    run,
    input,
    keeper,
    tools: services.openTools({ language, sandbox }),
    show: (work) => void (shown = work),
    artifacts: artifactsOf,
    touch: projection.touch,
  };
}
