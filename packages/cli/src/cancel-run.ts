import { jsonLine } from "@slipway/protocols/surface/escape";
import { confirm, isCancel } from "./terminal/prompts.ts";
import { SlipwayError } from "./errors.ts";
import { isFinished } from "@slipway/durable/status";
import { abandonOperation } from "@slipway/kernel/change/feature/abandon";
import { ENDED } from "@slipway/kernel/change/feature/status";
import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { readBoard } from "@slipway/kernel/open-board";
import { onlyUnfinishedRun, rootOf, rootOfFeature } from "@slipway/runtime/choose-run";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import type { RunReader } from "@slipway/runtime/reader";
import { startAgainCommand, continueCommand } from "./continue-command.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";

interface Cancellation {
  /** Id of a run, or of one of its features. */
  readonly named: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Cancels a run for good, after showing the person what that ends. */
export async function cancelRun({ engine, records }: RunReader, { named, yes, json }: Cancellation, io: Io): Promise<ExitCode> {
  const root = await rootOfFeature(records, engine, named);
  const { runId, status, workflow } = await onlyUnfinishedRun(engine, root, "stop RUN --cancel");
  if (isFinished(status)) {
    io.out(json ? jsonLine({ ok: true, cancelled: null }) : `Run ${runId} is ${status}; nothing was changed.\n`);
    return EXIT.done;
  }
  const { features, questions } = await readBoard(records.layout);
  const ends = features.filter((feature) => rootOf(feature.run) === runId && !ENDED.some((ended) => ended === feature.status));
  const asked = questions.filter(({ feature }) => ends.some(({ id }) => id === feature)).length;
  const again = startAgainCommand(workflow);
  if (!json) io.out(`${previewLines({ runId, status, ends, asked, retried: again === null }, io.color).join("\n")}\n`);
  if (!yes && !(io.interactive && !json)) throw notConfirmed(runId, ends);
  if (!yes && !(await agreed(runId))) {
    io.out("Nothing was changed.\n");
    return EXIT.done;
  }
  const by = personOf(io).id;
  await engine.requestCancel(runId, `cancelled by ${by}`, by);
  const ended = await records.door.perform(abandonOperation, personOf(io), `${runId}/abandon`, {
    run_id: runId,
    reason: `the run was cancelled by ${by}`,
  });
  if (json) io.out(jsonLine({ ok: true, cancelled: runId, ended }));
  else {
    const next = again === null ? ended.map((id) => continueCommand(id, workflow)) : [again];
    io.out(`Run ${runId} is ended for good; its work stays under refs/slipway.\n${next.map((command) => `  next: ${command}\n`).join("")}`);
  }
  return EXIT.done;
}

interface Preview {
  readonly runId: string;
  readonly status: string;
  readonly ends: readonly BoardFeature[];
  readonly asked: number;
  /** Whether `slipway retry` can continue its features. */
  readonly retried: boolean;
}

function previewLines({ runId, status, ends, asked, retried }: Preview, color: boolean): string[] {
  const { bold } = paint(color);
  return [
    bold(`Cancelling run ${runId} (${status}) would end`),
    ...(ends.length === 0 ? ["  no feature"] : ends.map(featureLine)),
    bold("Lost"),
    `  the current calls of agents and gates${asked === 0 ? "" : `; ${asked} open ${asked === 1 ? "question" : "questions"}`}`,
    bold("Kept"),
    `  plans, built trees (under refs/slipway), evidence, transcripts and the journal${ends.length === 0 || !retried ? "" : "; `slipway retry` continues from them"}`,
  ];
}

function featureLine({ id, status, reason, last_gate, waits_for }: BoardFeature): string {
  const gate = last_gate === null ? "" : `, ${last_gate.mode} gate ${last_gate.passed ? "passed" : "failed"}`;
  const waits = waits_for?.for === "person" ? ", waits for a person" : waits_for?.for === "landing" ? ", approved" : "";
  return `  ${id}: ${status}${gate}${waits}${status === "blocked" ? ` (${oneLine(reason)})` : ""}`;
}

/** The default is no, so that Enter alone ends nothing. */
async function agreed(runId: string): Promise<boolean> {
  const yes = await confirm({ message: `End run ${runId} for good?`, initialValue: false });
  return !isCancel(yes) && yes;
}

function notConfirmed(runId: string, ends: readonly BoardFeature[]): SlipwayError {
  const what = ends.length === 0 ? "no feature" : ends.map(({ id, status }) => `${id} (${status})`).join(", ");
  return new SlipwayError("invalid_cli_args", `Cancelling run ${runId} ends ${what}. Nothing was changed.`, {
    run_id: runId,
    features: ends.map(({ id, status }) => ({ feature_id: id, status })),
    suggested_next_actions: [`slipway stop ${runId} --cancel --yes`],
  });
}
