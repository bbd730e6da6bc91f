import { openQuestionsOf } from "@slipway/runtime/choose";
import { bundledAnswers, cassetteOf } from "@slipway/protocols/demo/files";
import { HOURS } from "@slipway/protocols/factory/demo/files";
import { giveApproval } from "slipway/give-approval";
import { personOf } from "@slipway/protocols/surface/caller";
import { openSession } from "@slipway/runtime/session";
import { readPage } from "@slipway/protocols/surface/request";
import { beginNamed } from "./begin-run.ts";
import { quietIo, underOrders } from "./orders.ts";

/** Values that differ when a step is repeated would be a new point each time. */
const named = (text: string) => text.replaceAll(/\b(ICE|REL|rel|ESC)-[0-9a-f]{8}\b/g, "$1").replace(/#[^/]*/, "");

const { orders, point, note } = underOrders();
const io = quietIo(orders.folder, orders.env);
const session = await openSession({
  io,
  askTrust: io.trusts,
  agents: { provider: "replay", cassette: cassetteOf(HOURS) },
  observe: ({ stream, kind, name }) => point(named(`${kind} ${stream} ${name}`)),
  onStepStart: (runId, name) => note(named(`begin ${runId} ${name}`)),
  onOperation: ({ phase, operationId }) => point(named(`${phase} ${operationId}`)),
});
const answers = await bundledAnswers(HOURS);

const [known] = await session.engine.runs({ rootsOnly: true });
const runId = known?.runId ?? (await beginNamed("factory", session, [await readPage(orders.folder, "SPEC.md")], io));
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
    const value = answers[question.kind]?.[0];
    if (question.kind === "approval") {
      await giveApproval(session.records, question, io, { policyHash: session.kernel.configuration.policyHash });
    } else if (value === undefined) {
      throw new Error(`no answer for ${question.kind}: ${question.title}`);
    } else {
      await session.records.answer({ id: question.id, value, by: personOf(io) });
    }
    point(named(`answered ${question.id}`));
  }
}
await session.close();
