import { isFinished } from "@slipway/durable/status";
import { chooseRun } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { personOf } from "../places.ts";
import { withReader } from "../reader.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ engine }) => {
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
    if (cancel) await engine.requestCancel(runId, `cancelled by ${by}`, by);
    else await engine.requestStop(runId, `stopped by ${by}`, by);
    if (args.flag("json")) io.out(`${JSON.stringify({ ok: true, [cancel ? "cancelled" : "stopped"]: runId })}\n`);
    else
      io.out(
        cancel
          ? `Run ${runId} is ended for good; its work stays under refs/slipway.\n`
          : `Run ${runId} stops after its current call; continue with \`slipway resume\`.\n`,
      );
    return EXIT.done;
  });
