import { jsonLine } from "@slipway/protocols/surface/escape";
import type { Engine } from "@slipway/durable/engine";
import type { RunInfo } from "@slipway/durable/runs";
import { isFinished, type RunStatus } from "@slipway/durable/status";
import { cancelRun } from "../cancel-run.ts";
import { chooseRun } from "@slipway/runtime/choose";
import { rootOfFeature } from "@slipway/runtime/choose-run";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { personOf } from "@slipway/protocols/surface/caller";
import { withReader } from "@slipway/runtime/reader";

export const run: RunCommand = (args, io) =>
  withReader(io, async (reader) => {
    const json = args.flag("json");
    if (args.flag("cancel")) return cancelRun(reader, { named: args.positionals[0], yes: args.flag("yes"), json }, io);
    const { engine, records } = reader;
    const target = await runToStop(engine, await rootOfFeature(records, engine, args.positionals[0]));
    if (target === null || isFinished(target.status)) {
      const why = target === null ? "No run is live" : `Run ${target.runId} is ${target.status}`;
      io.out(json ? jsonLine({ ok: true, stopped: null }) : `${why}; nothing was changed.\n`);
      return EXIT.done;
    }
    const { runId, status } = target;
    const by = personOf(io).id;
    await engine.requestStop(runId, `stopped by ${by}`, by);
    io.out(json ? jsonLine({ ok: true, stopped: runId }) : stopped(runId, status));
    return EXIT.done;
  });

/** The named run, or else the live one. */
async function runToStop(engine: Engine, named: string | undefined): Promise<RunInfo | null> {
  if (named !== undefined) return chooseRun(engine, named);
  const [live] = await engine.runs({ rootsOnly: true, status: ["running"], limit: 1 });
  return live ?? null;
}

function stopped(runId: string, before: RunStatus): string {
  const what = before === "running" ? "ends its current call and stops" : "does nothing until it is resumed";
  return `Run ${runId} ${what}; nothing is lost. Continue with \`slipway resume\`.\n`;
}
