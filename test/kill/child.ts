import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { openQuestionsOf } from "slipway/choose";
import { cassetteOf, SHOP } from "slipway/demo/bundle";
import { giveApproval } from "slipway/give-approval";
import type { Io } from "slipway/io";
import { openSession } from "slipway/session";
import { startRun } from "slipway/start-run";
import { readSpecs } from "@slipway/kernel/specs/read";

/** Carries the demo's flow as far as it gets. Dies at the first point it has never died at before, when told to. */
interface Orders {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly specs: readonly string[];
  /** One line per thing that happened, over all processes. */
  readonly log: string;
  /** Points somebody has died at already; null: do not die. */
  readonly deaths: string | null;
  /** At which share of the points to die. */
  readonly share: number;
}

const orders = JSON.parse(process.argv[2] ?? "") as Orders;
const died = new Set(orders.deaths !== null && existsSync(orders.deaths) ? readFileSync(orders.deaths, "utf8").split("\n") : []);

function point(label: string): void {
  appendFileSync(orders.log, `${label}\n`);
  if (orders.deaths === null || died.has(label) || !chosen(label)) return;
  appendFileSync(orders.deaths, `${label}\n`);
  process.kill(process.pid, "SIGKILL");
}

function chosen(label: string): boolean {
  return createHash("sha256").update(label).digest().readUInt32BE(0) / 2 ** 32 < orders.share;
}

const io: Io = {
  cwd: orders.folder,
  env: orders.env,
  terminal: false,
  interactive: false,
  color: false,
  columns: 100,
  rows: 24,
  out: () => undefined,
  err: () => undefined,
};
const session = await openSession({
  io,
  agents: { provider: "replay", cassette: cassetteOf(SHOP) },
  observe: ({ stream, kind, name }) => point(`${kind} ${stream} ${name}`),
  onStepStart: (runId, name) => appendFileSync(orders.log, `begin ${runId} ${name}\n`),
  // What is counted with every call that is made has a number of its own after the "#".
  onOperation: ({ phase, operationId }) => point(`${phase} ${operationId.replace(/#[^/]*/, "")}`),
});

const [known] = await session.engine.runs({ rootsOnly: true });
const runId = known?.runId ?? (await startRun(session, await readSpecs(orders.folder, orders.specs), undefined, io));
if ((known?.crashes ?? 0) > 2) await session.engine.resetCrashes(runId, "kill suite");
for (;;) {
  const outcome = await session.drive(runId);
  if (outcome.status !== "waiting") {
    process.stdout.write(JSON.stringify(outcome));
    break;
  }
  const questions = (await openQuestionsOf(session.records, runId)).filter(({ kind }) => kind === "approval");
  if (questions.length === 0) throw new Error(`nobody can answer: ${JSON.stringify(outcome)}`);
  for (const question of questions) {
    await giveApproval(session.records, question, io, { policyHash: session.kernel.configuration.policyHash });
    point(`approved ${String(question.context["feature_id"])}`);
  }
}
await session.close();
