import { SlipwayError } from "@slipway/agents/errors";
import type { RunInfo } from "@slipway/durable/runs";
import type { Arguments } from "../../surface/command.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import type { Reader, Surface } from "../../surface/surface.ts";
import { restoreEndedRun } from "../files/restore-ended.ts";
import { initialState, stateSchema, type CriticalityState } from "../machine/states.ts";
import { readArtifacts, type RunArtifacts } from "../run-artifacts.ts";
import { readRun } from "../store.ts";

export const WORKFLOW = "criticality";

/** A run as commands read it. Nothing of it is advanced. */
export interface ReadRun {
  readonly info: RunInfo;
  readonly project: string;
  readonly state: CriticalityState;
  readonly artifacts: RunArtifacts;
}

const NO_RUN = 'No run of criticality yet. Start one: slipway criticality "what it is about"\n';

/** The run that `--run` names, or the newest one. Without any run says so. */
export function withRun(args: Arguments, surface: Surface, work: (run: ReadRun, reader: Reader) => Promise<ExitCode>): Promise<ExitCode> {
  return surface.reader(async (reader) => {
    const info = await chosenRun(reader, args.text("run"));
    if (info !== null) {
      await restoreEndedRun(reader, info.runId).catch((error: unknown) => surface.err(notRestored(error)));
      return work(await openRun(reader, info), reader);
    }
    surface.out(args.flag("json") ? "null\n" : NO_RUN);
    return EXIT.done;
  });
}

/** Only a warning: reading works without the files. */
function notRestored(error: unknown): string {
  return `warning: the files of the run could not be written again: ${error instanceof Error ? error.message : String(error)}\n`;
}

export async function chosenRun({ engine }: Pick<Reader, "engine">, named: string | undefined): Promise<RunInfo | null> {
  if (named === undefined) return (await engine.runs({ rootsOnly: true, workflow: WORKFLOW, limit: 1 }))[0] ?? null;
  const found = await engine.run(named);
  if (found?.workflow === WORKFLOW) return found;
  throw new SlipwayError("run_not_found", `There is no run ${JSON.stringify(named.slice(0, 120))} of criticality.`, {
    run_id: named,
    suggested_next_actions: ["`slipway status` names the runs."],
  });
}

/** Before its first checkpoint a run has no row and is where every run begins. */
export async function openRun({ records }: Pick<Reader, "records">, info: RunInfo): Promise<ReadRun> {
  const row = await readRun(records.database.db, info.runId);
  return {
    info,
    project: row?.project ?? info.runId.replace(/^\d{4}-\d\d-\d\d_/, ""),
    state: row === null ? initialState(new Date(info.createdAt).toISOString()) : stateSchema.parse(JSON.parse(row.state)),
    artifacts: readArtifacts(row?.artifacts ?? "{}"),
  };
}
