import { jsonLine } from "@slipway/protocols/surface/escape";
import { answerFrom } from "@slipway/protocols/surface/answer-value";
import { chooseQuestion } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { giveAnswer, sayAnswered } from "@slipway/protocols/surface/give-answer";
import { giveApproval, notSigned, policyHashNow } from "../give-approval.ts";
import { withReader } from "@slipway/runtime/reader";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const [named = "", given] = args.positionals;
    const json = args.flag("json");
    const question = await chooseQuestion(records, named);
    if (question.kind !== "approval" || given !== "approve") {
      return giveAnswer(records, question, answerFrom(question, given, args.text("comment")), io, json);
    }
    const approval = await giveApproval(records, question, io, { policyHash: await policyHashNow(io) });
    if (approval.signed) return sayAnswered(question, io, json);
    const feature = String(question.context["feature_id"]);
    io.out(json ? jsonLine({ ok: false, feature, why: approval.why }) : notSigned(feature, approval.why));
    return EXIT.personNeeded;
  });
