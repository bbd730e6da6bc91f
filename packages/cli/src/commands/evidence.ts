import { jsonLine } from "@slipway/protocols/surface/escape";
import { SlipwayError } from "../errors.ts";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { evidenceMarkdown } from "@slipway/kernel/change/judge/evidence/markdown";
import { evidenceStatement, signStatement } from "@slipway/kernel/change/judge/evidence/statement";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { bundleFor } from "../evidence.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { placesOf } from "@slipway/protocols/surface/caller";
import { withReader } from "@slipway/runtime/reader";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const format = args.text("format") ?? "markdown";
    const bundle = await bundleFor(records, args.positionals[0], io);
    if (format === "in-toto") {
      const { root } = records.layout;
      const key = await openApprovalKey({ configHome: placesOf(io).configHome, repositoryRoot: root });
      io.out(jsonLine(signStatement(key, evidenceStatement(bundle))));
    } else if (format === "markdown") {
      io.out(args.flag("json") ? jsonLine(bundle) : `${evidenceMarkdown(bundle)}\n`);
    } else {
      throw new SlipwayError("invalid_cli_args", `There is no evidence format '${format}'.`, {
        suggested_next_actions: ["Use --format markdown or --format in-toto."],
      });
    }
    return EXIT.done;
  });
