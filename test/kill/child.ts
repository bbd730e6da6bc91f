import { openQuestionsOf } from "@slipway/runtime/choose";
import { cassetteOf } from "@slipway/protocols/demo/files";
import { SHOP } from "@slipway/protocols/features/demo/files";
import { giveApproval } from "slipway/give-approval";
import { openSession } from "@slipway/runtime/session";
import { readSpecs } from "@slipway/kernel/change/plan/specs/read";
import { beginNamed } from "./begin-run.ts";
import { quietIo, underOrders } from "./orders.ts";

const { orders, point, note } = underOrders();

const io = quietIo(orders.folder, orders.env);
const session = await openSession({
  io,
  askTrust: io.trusts,
  agents: { provider: "replay", cassette: cassetteOf(SHOP) },
  observe: ({ stream, kind, name }) => point(`${kind} ${stream} ${name}`),
  onStepStart: (runId, name) => note(`begin ${runId} ${name}`),
  // Points that are counted per call have a number after the "#".
  onOperation: ({ phase, operationId }) => point(`${phase} ${operationId.replace(/#[^/]*/, "")}`),
});

const [known] = await session.engine.runs({ rootsOnly: true });
const runId = known?.runId ?? (await beginNamed("features", session, await readSpecs(orders.folder, orders.specs), io));
if ((known?.crashes ?? 0) > 2) await session.engine.resetCrashes(runId, "kill suite");
for (;;) {
  const outcome = await session.drive(runId);
  if (outcome.status !== "waiting") {
    process.stdout.write(JSON.stringify(outcome));
    break;
  }
  const open = await openQuestionsOf(session.records, runId);
  const questions = open.filter(({ kind }) => kind === "approval");
  if (questions.length === 0) throw new Error(`no answer for: ${JSON.stringify(outcome)} ${open.map(({ body }) => body).join("; ")}`);
  for (const question of questions) {
    await giveApproval(session.records, question, io, { policyHash: session.kernel.configuration.policyHash });
    point(`approved ${String(question.context["feature_id"])}`);
  }
}
await session.close();
