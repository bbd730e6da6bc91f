import { jsonLine } from "../../surface/escape.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withIndex } from "./with-index.ts";
import { personOf } from "../../surface/caller.ts";

export const run: RunCommand = (args, io) =>
  withIndex(io, async (index, { records }) => {
    const { model, entries } = await index.reindex({ actor: personOf(io), operationId: records.ids.next("reindex") });
    if (args.flag("json")) io.out(jsonLine({ ok: true, model, entries }));
    else io.out(`${entries} ${entries === 1 ? "entry" : "entries"} embedded with ${model}.\n`);
    return EXIT.done;
  });
