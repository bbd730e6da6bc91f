import { answerFrom } from "../answer-value.ts";
import { chooseQuestion } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { giveApproval, notSigned, policyHashNow } from "../give-approval.ts";
import { personOf } from "../places.ts";
import { withReader } from "../reader.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const [named = "", given] = args.positionals;
    const question = await chooseQuestion(records, named);
    if (question.kind === "approval" && given === "approve") {
      const approval = await giveApproval(records, question, io, { policyHash: await policyHashNow(io) });
      if (!approval.signed) {
        const feature = String(question.context["feature_id"]);
        io.out(args.flag("json") ? `${JSON.stringify({ ok: false, feature, why: approval.why })}\n` : notSigned(feature, approval.why));
        return EXIT.personNeeded;
      }
    } else await records.answer({ id: question.id, value: answerFrom(question, given, args.text("comment")), by: personOf(io) });
    if (args.flag("json")) io.out(`${JSON.stringify({ ok: true, question: question.id, next: "slipway resume" })}\n`);
    else io.out(`Answered: ${question.title}\n  next: slipway resume\n`);
    return EXIT.done;
  });
