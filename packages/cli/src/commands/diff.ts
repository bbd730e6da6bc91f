import { jsonLine } from "@slipway/protocols/surface/escape";
import { z } from "zod";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Records } from "@slipway/kernel/record/storage";
import { findingsText } from "@slipway/protocols/change/findings-text";
import { indented, messageText } from "../message-text.ts";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import { chooseFeature, openApprovalOf } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withReader } from "@slipway/runtime/reader";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const feature = await chooseFeature(records, args.positionals[0]);
    const repository = await openRepositoryView(io);
    const [stat, nameOnly, json] = [args.flag("stat"), args.flag("name-only"), args.flag("json")];
    // Outside a terminal the output is a patch for `git apply`, so it includes binary files.
    const binary = !io.terminal && !json;
    const diff = await repository.diff(feature.base_commit, feature.tree, { stat, nameOnly, binary });
    if (json) io.out(jsonLine({ feature: feature.id, base: feature.base_commit, tree: feature.tree, diff: diff.toString("utf8") }));
    else {
      if (diff.length === 0) io.out(`${feature.id} has no change yet.\n`);
      else io.bytes(diff);
      if (!stat && !nameOnly) io.err(await intendedMessage(records, feature.id));
      io.err(`tree ${feature.tree} on ${feature.base_branch} ${feature.base_commit.slice(0, 10)}\n`);
    }
    return EXIT.done;
  });

/** What was found in the change, and what the merge will say, if it is known: as a run asks for its approval, or as a client wants it. */
async function intendedMessage(records: Records, id: string): Promise<string> {
  const { data } = asked.safeParse((await openApprovalOf(records, id))?.context);
  if (data !== undefined) return findingsText(data) + messageText(data);
  const wanted = await recordedFeatures(records).mergeProposal(id);
  return wanted === null ? "" : `A client wants to merge it with this commit message:\n${indented(wanted.commit_message)}\n`;
}

const asked = z.object({
  message: z.string(),
  strategy: z.enum(["merge_commit", "squash", "rebase"]),
  flags: z.array(z.string()),
  notes: z.array(z.string()),
});
