// Drives the demo of a protocol that takes a request or an interview.
import { bundledAnswers, cassetteOf } from "@slipway/protocols/demo/files";
import { protocolNamed } from "@slipway/protocols/protocols";
import { personOf } from "@slipway/protocols/surface/caller";
import { beginRun } from "@slipway/protocols/surface/start-protocol";
import { openQuestionsOf } from "@slipway/runtime/choose";
import { openSession } from "@slipway/runtime/session";
import { requestOf } from "slipway/demo/request";
import { giveApproval } from "slipway/give-approval";
import { demoOf } from "./demo-of.ts";
import { quietIo, underOrders } from "./orders.ts";
import { query } from "./query.ts";

const { orders, point, note } = underOrders();
const protocol = protocolNamed(orders.protocol ?? "");
const { files, next } = await demoOf(protocol.name);
const io = quietIo(orders.folder, orders.env);
/** Without the day and without ids that differ when something is done again: a point has the same name in every run. */
const named = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\d_/, "")
    .replace(/#call_[\w-]+/, "")
    .replace(/@[-\dT:.]+Z/, "")
    .replace(/answer_[\w-]+/, "answer");
const session = await openSession({
  io,
  askTrust: io.trusts,
  agents: { provider: "replay", cassette: cassetteOf(files) },
  observe: ({ stream, kind, name }) => point(named(`${kind} ${stream} ${name}`)),
  onStepStart: (runId, name) => note(named(`begin ${runId} ${name}`)),
  onOperation: ({ phase, operationId }) => point(named(`${phase} ${operationId}`)),
});
const answers = await bundledAnswers(files);

const [known] = await session.engine.runs({ rootsOnly: true });
const runId = known?.runId ?? (await begin());
if ((known?.crashes ?? 0) > 2) await session.engine.resetCrashes(runId, "kill suite");
for (;;) {
  const outcome = await session.drive(runId);
  if (outcome.status !== "waiting") {
    process.stdout.write(JSON.stringify(outcome));
    break;
  }
  const questions = await openQuestionsOf(session.records, runId);
  if (questions.length === 0) throw new Error(`no answer for: ${JSON.stringify(outcome)}`);
  for (const question of questions) {
    if (question.kind === "approval") {
      await giveApproval(session.records, question, io, { policyHash: session.kernel.configuration.policyHash });
    } else {
      // The first question of a kind gets the first answer of that kind, whichever process asks it.
      const value = answers[question.kind]?.[answered(question.kind)];
      if (value === undefined) throw new Error(`no answer for ${question.kind}: ${question.title} ${question.body}`);
      await session.records.answer({ id: question.id, value, by: personOf(io) });
    }
    point(named(`answered ${question.id}`));
  }
}
await session.close();

async function begin(): Promise<string> {
  const asked = orders.second === true ? next?.request : files.request;
  if (asked === undefined) throw new Error(`the demo of ${protocol.name} has no second request`);
  const begun = await beginRun(protocol, session, await requestOf(asked, io));
  if ("runId" in begun) return begun.runId;
  throw new Error(`there is nothing to do: ${begun.lines.join(" ")}`);
}

function answered(kind: string): number {
  return query(orders.folder, `SELECT id FROM questions WHERE kind = '${kind}' AND status = 'answered'`).length;
}
