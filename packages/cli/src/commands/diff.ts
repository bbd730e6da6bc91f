import { diffText } from "@slipway/kernel/git/change";
import { openRepository } from "@slipway/kernel/git/repository";
import { chooseFeature } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withReader } from "../reader.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const feature = await chooseFeature(records, args.positionals[0]);
    const repository = await openRepository(io.cwd, { env: io.env });
    const diff = await diffText(repository, feature.base_commit, feature.tree, {
      stat: args.flag("stat"),
      nameOnly: args.flag("name-only"),
    });
    if (args.flag("json")) io.out(`${JSON.stringify({ feature: feature.id, base: feature.base_commit, tree: feature.tree, diff })}\n`);
    else {
      io.out(diff === "" ? `${feature.id} changes nothing yet.\n` : diff);
      io.err(`tree ${feature.tree} on ${feature.base_branch} ${feature.base_commit.slice(0, 10)}\n`);
    }
    return EXIT.done;
  });
