import { jsonLine } from "../../surface/escape.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withIndex } from "./with-index.ts";

export const run: RunCommand = (args, io) =>
  withIndex(io, async (index) => {
    const { counts, modules, embedded_with } = await index.state();
    const { id, dimensions } = index.model;
    const fits = embedded_with === null || (embedded_with.model === id && embedded_with.dimensions === dimensions);
    if (args.flag("json")) {
      io.out(jsonLine({ modules, counts, model: { model: id, dimensions }, embedded_with, searchable: fits }));
      return EXIT.done;
    }
    const versions = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const each = Object.entries(counts).flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]));
    io.out(
      versions === 0
        ? "The code index is empty: nothing has shipped yet.\n"
        : `modules: ${modules}, versions: ${versions} (${each.join(", ")})\n`,
    );
    io.out(`model: ${id} (${dimensions} dimensions)\n`);
    if (!fits) {
      io.out(`  the entries are embedded with ${embedded_with.model} (${embedded_with.dimensions}): searching and shipping are refused\n`);
      io.out("  next: slipway factory index reindex\n");
    }
    return EXIT.done;
  });
