import { forgeDemo } from "@slipway/protocols/forge/demo/demo";
import { cassetteOf } from "@slipway/protocols/demo/files";
import { protocolNamed } from "@slipway/protocols/protocols";
import { beginRun } from "@slipway/protocols/surface/start-protocol";
import { openQuestionsOf } from "@slipway/runtime/choose";
import { openSession } from "@slipway/runtime/session";
import { giveApproval } from "slipway/give-approval";
import { quietIo, underOrders } from "./orders.ts";

const { files } = forgeDemo;
const { orders, point, note } = underOrders();
const io = quietIo(orders.folder, orders.env);
/** Without the day and without ids that differ when something is done again: a point has the same name in every run. */
const named = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\d_/, "")
    .replace(/#call_[\w-]+/, "")
    .replace(/answer_[\w-]+/, "answer");
const session = await openSession({
  io,
  agents: { provider: "replay", cassette: cassetteOf(files) },
  observe: ({ stream, kind, name }) => point(named(`${kind} ${stream} ${name}`)),
  onStepStart: (runId, name) => note(named(`begin ${runId} ${name}`)),
  onOperation: ({ phase, operationId }) => point(named(`${phase} ${operationId}`)),
});

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
    if (question.kind !== "approval") throw new Error(`no answer for ${question.kind}: ${question.title}`);
    await giveApproval(session.records, question, io, { policyHash: session.kernel.configuration.policyHash });
    point(named(`answered ${question.id}`));
  }
}
await session.close();

async function begin(): Promise<string> {
  const text = "text" in files.request ? files.request.text : null;
  const begun = await beginRun(protocolNamed("forge"), session, { specs: [], text, cwd: io.cwd, env: io.env });
  if ("runId" in begun) return begun.runId;
  throw new Error(`there is nothing to do: ${begun.lines.join(" ")}`);
}
