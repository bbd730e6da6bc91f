import { confirm, isCancel } from "@clack/prompts";
import { SlipwayError } from "@slipway/durable/errors";
import type { Feature } from "@slipway/kernel/features/store";
import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Records } from "@slipway/kernel/records";
import { chooseFeature, openApprovalOf } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { giveApproval } from "../give-approval.ts";
import type { Io } from "../io.ts";
import { withReader } from "../reader.ts";
import { reviewText } from "../review.ts";

interface Candidate {
  readonly feature: Feature;
  readonly question: InboxQuestion;
}

/** Signs each change by itself. Somebody at a terminal is shown what they sign and asked first. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const tree = args.text("tree");
    const named = args.positionals.length === 0 ? [undefined] : [...new Set(args.positionals)];
    if (tree !== undefined && named.length > 1) {
      throw new SlipwayError("invalid_cli_args", "--tree names one tree, so it goes with one feature.", {
        suggested_next_actions: ["Approve the features one after the other."],
      });
    }
    // All of them are looked up before the first is signed.
    const candidates = await Promise.all(named.map((id) => candidateOf(records, id)));
    const asks = io.interactive && !args.flag("json") && !args.flag("yes");
    let declined = 0;
    for (const candidate of candidates) {
      if (asks && !(await agreed(records, candidate, io))) declined++;
      else await sign(records, candidate, tree, args.flag("json"), io);
    }
    return declined === 0 ? EXIT.done : EXIT.personNeeded;
  });

async function candidateOf(records: Records, id: string | undefined): Promise<Candidate> {
  const feature = await chooseFeature(records, id);
  const question = await openApprovalOf(records, feature.id);
  if (question !== null) return { feature, question };
  throw new SlipwayError("question_not_found", `"${feature.id}" is ${feature.status} and does not wait for an approval.`, {
    feature_id: feature.id,
    suggested_next_actions: ["`slipway status` shows what it waits for."],
  });
}

async function sign(records: Records, { feature: { id }, question }: Candidate, wanted: string | undefined, json: boolean, io: Io) {
  const { tree, by } = await giveApproval(records, question, io, wanted);
  const next = `slipway merge ${id}`;
  if (json) io.out(`${JSON.stringify({ ok: true, feature: id, tree, by, next })}\n`);
  else io.out(`Approved tree ${tree.slice(0, 10)} of ${id}, signed as ${by}.\n  next: ${next}\n`);
}

/** Never answered by Enter alone. */
async function agreed(records: Records, { feature, question }: Candidate, io: Io): Promise<boolean> {
  io.out(await reviewText(records, feature, question, io));
  const tree = String(question.context["tree"]).slice(0, 10);
  const yes = await confirm({ message: `Sign tree ${tree} of ${feature.id}?`, initialValue: false });
  return !isCancel(yes) && yes;
}
