import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { openApprovalOf } from "slipway/choose";
import { CASSETTE } from "slipway/demo/scratch";
import { giveApproval } from "slipway/give-approval";
import type { Io } from "slipway/io";
import { openSession } from "slipway/session";
import { startRun } from "slipway/start-run";
import { readSpecs } from "@slipway/kernel/specs/read";

/** Carries the demo's flow as far as it gets. Dies at the first point it has never died at before, when told to. */
interface Orders {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly spec: string;
  /** One line per thing that happened, over all processes. */
  readonly log: string;
  /** Points somebody has died at already; null: do not die. */
  readonly deaths: string | null;
}

const orders = JSON.parse(process.argv[2] ?? "") as Orders;
const died = new Set(orders.deaths !== null && existsSync(orders.deaths) ? readFileSync(orders.deaths, "utf8").split("\n") : []);

function point(label: string): void {
  appendFileSync(orders.log, `${label}\n`);
  if (orders.deaths === null || died.has(label)) return;
  appendFileSync(orders.deaths, `${label}\n`);
  process.kill(process.pid, "SIGKILL");
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
  agents: { provider: "replay", cassette: CASSETTE },
  observe: ({ stream, kind, name }) => point(`${kind} ${stream} ${name}`),
  onStepStart: (runId, name) => appendFileSync(orders.log, `begin ${runId} ${name}\n`),
  onOperation: ({ phase, operationId }) => point(`${phase} ${operationId}`),
});

const [known] = await session.engine.runs({ rootsOnly: true });
const runId = known?.runId ?? (await startRun(session, await readSpecs(orders.folder, [orders.spec]), undefined, io));
if ((known?.crashes ?? 0) > 2) await session.engine.resetCrashes(runId, "kill suite");
for (;;) {
  const outcome = await session.drive(runId);
  if (outcome.status !== "waiting") {
    process.stdout.write(JSON.stringify(outcome));
    break;
  }
  const question = await openApprovalOf(session.records, "currency_format");
  if (question === null) throw new Error(`nobody can answer: ${JSON.stringify(outcome)}`);
  await giveApproval(session.records, question, io);
  point("approved");
}
await session.close();
