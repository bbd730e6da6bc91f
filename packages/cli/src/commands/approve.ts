import { jsonLine } from "@slipway/protocols/surface/escape";
import { confirm, isCancel } from "../terminal/prompts.ts";
import type { Engine } from "@slipway/durable/engine";
import { SlipwayError } from "../errors.ts";
import type { Feature } from "@slipway/kernel/change/feature/store";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { findingsText } from "@slipway/protocols/change/findings-text";
import { messageText } from "../message-text.ts";
import { approveWithoutRun } from "../approve-without-run.ts";
import { chooseWaiting, FOR_APPROVAL, openApprovalOf } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import { giveApproval, notSigned, policyHashNow } from "../give-approval.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { withReader } from "@slipway/runtime/reader";
import { reviewText } from "../review.ts";

interface Candidate {
  readonly feature: Feature;
  readonly question: InboxQuestion;
}

/** Signs each change separately. At a terminal it shows the change and asks first. */
export const run: RunCommand = async (args, io) => {
  const alone = await withReader(io, ({ records, engine }) => withoutRun(records, engine, args.positionals));
  return alone === null ? answerQuestions(args, io) : giveToken(alone, args, io);
};

/** On stderr if stdout is JSON. */
function sayTo(io: Io, json: boolean): (text: string) => void {
  return json ? io.err : io.out;
}

/** The only named feature, if it has no run. */
async function withoutRun(records: Records, engine: Engine, named: readonly string[]): Promise<string | null> {
  if (named.length > 1) return null;
  const { id, run_id, status } = await chooseWaiting(records, named[0], FOR_APPROVAL, () => undefined);
  if (status !== "ready_to_merge" || (await openApprovalOf(records, id)) !== null) return null;
  return (await engine.run(run_id.split("/")[0] ?? run_id)) === undefined ? id : null;
}

async function giveToken(id: string, args: Parameters<RunCommand>[0], io: Io): Promise<ExitCode> {
  const json = args.flag("json");
  const asks = io.interactive && !json && !args.flag("yes");
  const given = await approveWithoutRun(id, args.text("tree"), asks, io);
  if (given === null) return EXIT.personNeeded;
  const { feature, tree, by, token, until, message, strategy, flags, notes } = given;
  const next = `give it to the client that calls feature.ready_to_merge, as user_approval_token; it is valid once, for this change and this commit message`;
  if (json) io.out(jsonLine({ ok: true, feature, tree, by, until, message, strategy, flags, notes, token, next }));
  else {
    // At a terminal it was read before the answer.
    if (!asks) io.out(findingsText(given));
    io.out(`Approved tree ${tree.slice(0, 10)} of ${feature}, signed as ${by}, valid until ${until}.\n${token}\n  next: ${next}\n`);
    io.out(messageText({ message, strategy }));
  }
  return EXIT.done;
}

const answerQuestions: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const tree = args.text("tree");
    const named = args.positionals.length === 0 ? [undefined] : [...new Set(args.positionals)];
    if (tree !== undefined && named.length > 1) {
      throw new SlipwayError("invalid_cli_args", "--tree names one tree, so it goes with one feature.", {
        suggested_next_actions: ["Approve the features one by one."],
      });
    }
    // Look up all features before signing the first.
    const candidates = await Promise.all(named.map((id) => candidateOf(records, id, sayTo(io, args.flag("json")))));
    const asks = io.interactive && !args.flag("json") && !args.flag("yes");
    const policyHash = await policyHashNow(io);
    let unsigned = 0;
    for (const candidate of candidates) {
      const signs = !asks || (await agreed(records, candidate, io));
      if (!signs || !(await sign(records, candidate, { policyHash, expectedTree: tree }, args.flag("json"), io))) unsigned++;
    }
    return unsigned === 0 ? EXIT.done : EXIT.personNeeded;
  });

async function candidateOf(records: Records, id: string | undefined, say: (text: string) => void): Promise<Candidate> {
  const feature = await chooseWaiting(records, id, FOR_APPROVAL, say);
  const question = await openApprovalOf(records, feature.id);
  if (question !== null) return { feature, question };
  throw new SlipwayError("question_not_found", `"${feature.id}" is ${feature.status} and does not wait for an approval.`, {
    feature_id: feature.id,
    suggested_next_actions: ["`slipway status` shows what it is waiting for."],
  });
}

async function sign(
  records: Records,
  { feature: { id }, question }: Candidate,
  terms: Parameters<typeof giveApproval>[3],
  json: boolean,
  io: Io,
): Promise<boolean> {
  const given = await giveApproval(records, question, io, terms);
  if (!given.signed) {
    io.out(json ? jsonLine({ ok: false, feature: id, why: given.why, next: "slipway resume" }) : notSigned(id, given.why));
    return false;
  }
  const { tree, by, until } = given;
  const next = `slipway merge ${id}`;
  if (json) io.out(jsonLine({ ok: true, feature: id, tree, by, until, next }));
  else io.out(`Approved tree ${tree.slice(0, 10)} of ${id}, signed as ${by}, valid until ${until}.\n  next: ${next}\n`);
  return true;
}

/** The default is no, so that Enter alone signs nothing. */
async function agreed(records: Records, { feature, question }: Candidate, io: Io): Promise<boolean> {
  io.out(await reviewText(records, feature, question, io));
  const tree = String(question.context["tree"]).slice(0, 10);
  const yes = await confirm({ message: `Sign tree ${tree} of ${feature.id}?`, initialValue: false });
  return !isCancel(yes) && yes;
}
