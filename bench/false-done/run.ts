import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CASES } from "./cases.ts";
import { GATES_FILE, type Adapter, type Case } from "./contract.ts";
import { prepare } from "./prepare.ts";
import { heading, line, outcomeOf, summary, type Outcome } from "./report.ts";
import { truthOf } from "./truth.ts";

const { values } = parseArgs({
  options: {
    adapter: { type: "string", default: join(import.meta.dirname, "adapters", "slipway.ts") },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const { default: adapter } = (await import(resolve(values.adapter))) as { default: Adapter };
const wanted = CASES.filter((found) => applies(found) && (!values.quick || found.quick === true) && matches(found.id));
const place = realpathSync(mkdtempSync(join(tmpdir(), "false-done-")));
const outcomes = await inParallel(wanted, Number(values.jobs), judge);
if (values.keep) process.stderr.write(`kept in ${place}\n`);
else rmSync(place, { recursive: true, force: true });
if (values.json) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
else process.stdout.write(`${summary(adapter.name, outcomes)}\n`);
process.exitCode = outcomes.some(({ result }) => result === "corpus error" || result === "error") ? 1 : 0;

function applies({ work }: Case): boolean {
  return adapter.gatesFile !== null || !Object.hasOwn(work, GATES_FILE);
}

function matches(id: string): boolean {
  return values.only === undefined || values.only.split(",").includes(id);
}

async function judge(found: Case): Promise<Outcome> {
  const scratch = join(place, found.id);
  mkdirSync(scratch, { recursive: true });
  const started = performance.now();
  try {
    const truth = await truthOf(found, scratch);
    const verdict = await adapter.judge(prepare(found, adapter.gatesFile, scratch));
    return outcomeOf(found, truth, verdict, performance.now() - started);
  } catch (error) {
    const { id, what, honest } = found;
    return { id, what, honest, result: "error", how: "broke down", said: String(error), ms: performance.now() - started };
  } finally {
    if (!values.keep) rmSync(scratch, { recursive: true, force: true });
  }
}

/** Printed in order, whenever they end. */
async function inParallel(cases: readonly Case[], jobs: number, work: (found: Case) => Promise<Outcome>): Promise<Outcome[]> {
  const queue = cases.map((found) => ({ found, ...Promise.withResolvers<Outcome>() }));
  const waiting = [...queue];
  const lanes = Array.from({ length: Math.max(1, jobs) }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next.resolve(await work(next.found));
  });
  if (!values.json) process.stdout.write(`${heading()}\n`);
  const outcomes: Outcome[] = [];
  for (const { promise } of queue) {
    outcomes.push(await promise);
    if (!values.json) process.stdout.write(`${line(outcomes.at(-1))}\n`);
  }
  await Promise.all(lanes);
  return outcomes;
}
