import { SlipwayError } from "@slipway/durable/errors";
import { chooseFeature, openApprovalOf } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { giveApproval } from "../give-approval.ts";
import { withReader } from "../reader.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const feature = await chooseFeature(records, args.positionals[0]);
    const question = await openApprovalOf(records, feature.id);
    if (question === null) {
      throw new SlipwayError("question_not_found", `"${feature.id}" is ${feature.status} and does not wait for an approval.`, {
        feature_id: feature.id,
        suggested_next_actions: ["`slipway status` shows what it waits for."],
      });
    }
    const { tree, by } = await giveApproval(records, question, io, args.text("tree"));
    const next = `slipway merge ${feature.id}`;
    if (args.flag("json")) io.out(`${JSON.stringify({ ok: true, feature: feature.id, tree, by, next })}\n`);
    else io.out(`Approved tree ${tree.slice(0, 10)} of ${feature.id}, signed as ${by}.\n  next: ${next}\n`);
    return EXIT.done;
  });
