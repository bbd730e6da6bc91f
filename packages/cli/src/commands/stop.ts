import { isFinished, type RunStatus } from "@slipway/durable/status";
import { abandonOperation } from "@slipway/kernel/features/abandon";
import { chooseRun } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { personOf } from "../places.ts";
import { withReader } from "../reader.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ engine, records }) => {
    const cancel = args.flag("cancel");
    const [live] = await engine.runs({ rootsOnly: true, status: ["running"], limit: 1 });
    if (!cancel && args.positionals[0] === undefined && live === undefined) {
      io.out(args.flag("json") ? `${JSON.stringify({ ok: true, stopped: null })}\n` : "No run is live; nothing was changed.\n");
      return EXIT.done;
    }
    const { runId, status } = live !== undefined && args.positionals[0] === undefined ? live : await chooseRun(engine, args.positionals[0]);
    if (isFinished(status)) {
      io.out(args.flag("json") ? `${JSON.stringify({ ok: true, stopped: null })}\n` : `Run ${runId} is ${status}; nothing was changed.\n`);
      return EXIT.done;
    }
    const by = personOf(io).id;
    if (cancel) {
      await engine.requestCancel(runId, `cancelled by ${by}`, by);
      await records.door.perform(abandonOperation, personOf(io), `${runId}/abandon`, {
        run_id: runId,
        reason: `the run was cancelled by ${by}`,
      });
    } else await engine.requestStop(runId, `stopped by ${by}`, by);
    if (args.flag("json")) io.out(`${JSON.stringify({ ok: true, [cancel ? "cancelled" : "stopped"]: runId })}\n`);
    else io.out(cancel ? `Run ${runId} is ended for good; its work stays under refs/slipway.\n` : stopped(runId, status));
    return EXIT.done;
  });

function stopped(runId: string, before: RunStatus): string {
  const what = before === "running" ? "ends its current call and stops" : "does nothing until it is resumed";
  return `Run ${runId} ${what}; nothing is lost. Continue with \`slipway resume\`.\n`;
}
