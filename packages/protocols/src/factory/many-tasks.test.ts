import { workflow, type Ctx } from "@slipway/durable/ctx";
import type { JournalEvent } from "@slipway/durable/chain";
import { openEngine } from "@slipway/durable/engine";
import { SlipwayError } from "@slipway/agents/errors";
import { openScratchKernel, PERSON } from "@slipway/kernel/change/testing/scratch-kernel";
import { expect, onTestFinished, test, vi } from "vitest";
import { projectSteps } from "./tasks/project-steps.ts";
import type { EngineeringInput, EngineeringResult } from "./engineering/engineering.ts";
import { projectLoop } from "./project/loop.ts";
import { specOf } from "./project/testing/specs.ts";
import { openFactoryServices, type FactoryServices } from "./services.ts";
import { projectRun } from "./project-run.ts";
import { migrateFactory } from "./tables.ts";

interface Size {
  /** Stories of a hundred tasks, in chains of ten. */
  readonly stories: number;
  readonly tasks: number;
}

/** Ships every task; the fortieth fails the first time. */
async function engineer({ task }: EngineeringInput): Promise<EngineeringResult> {
  if (task.task_id.endsWith("-0-040") && task.take === undefined) {
    throw new SlipwayError("agent_failed", "nobody is there", { retryable: false, suggested_next_actions: ["Wait."] });
  }
  return { status: "SHIPPED", task_id: task.task_id, modules: [`MM-${task.task_id.replaceAll("-", "_")}@1.0.0`] };
}

/** The project loop of the factory as a run; only the engineering of a task is replaced. */
const loop = workflow<Size, null, FactoryServices>("many-tasks", "1", async (ctx, { stories, tasks }, services) => {
  const spec = specOf({ pillars: 1, epics: 1, stories, tasks, dependsOn: (task) => (task % 10 === 0 ? [] : [task - 1]) });
  const child = (name: string, _engineering: unknown, input: EngineeringInput) => ctx.step(name, () => engineer(input));
  const origin = { page: "SPEC.md", page_digest: "0", spec_digest: "1" };
  await projectLoop(projectSteps(projectRun({ ...ctx, child: child as Ctx["child"] }, services), spec, { origin, previous: undefined }));
  return null;
});

async function runOf(size: Size) {
  // In development every change is followed by a check of all tasks.
  vi.stubEnv("NODE_ENV", "production");
  onTestFinished(() => void vi.unstubAllEnvs());
  const scratch = await openScratchKernel();
  await migrateFactory(scratch.records.database.db, scratch.records.database.sqlite.path);
  const { database, objects, clock, ids, inbox } = scratch.records;
  // Without fsync: no power cut is tested, and a thousand turns are tens of thousands of commits.
  await database.sqlite.exclusive((connection) => connection.exec("PRAGMA synchronous = OFF"));
  const dispatcher = { invoke: () => Promise.reject(new Error("nobody is asked")) };
  const services = openFactoryServices({ kernel: scratch.kernel, dispatcher, env: {} });
  const base = { sqlite: database.sqlite, blobs: objects, clock, ids, inbox };
  const engine = await openEngine({ ...base, workflows: [loop], kernel: services });
  onTestFinished(async () => {
    await engine.close();
    await scratch.close();
  });
  const runId = await engine.start("many-tasks", size);
  const drive = () => engine.drive(runId, { whenWaiting: "return" });
  expect(await drive()).toMatchObject({ status: "waiting" });
  const [question] = await scratch.records.inbox.listOpen();
  const value = { action: "AMEND_SPEC", amended_acceptance_criteria: ["Returns a number"], amendment_rationale: "somebody is there" };
  await scratch.records.answer({ id: question!.id, value, by: PERSON });
  expect(await drive()).toMatchObject({ status: "completed" });
  const head = (await engine.head(runId)).seq;
  const events = await engine.events(runId, 1, head);
  expect(events).toHaveLength(head);
  return {
    events,
    summary: (await services.projectStore.projects.head())!.summary,
    tasks: await services.projectStore.projects.entries(runId),
  };
}

/** `dispatch:7` is a dispatch. */
const sort = ({ kind, name }: JournalEvent) => `${kind} ${name.split(/[:/@]/)[0]}`;

/** A halt records the whole machine, which is also in the question. */
const isAboutHalt = (event: JournalEvent) => /^(?:step escalation|step escalate|asked decide)$/.test(sort(event));

/** The size of the largest, by kind. */
function longest(events: readonly JournalEvent[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const event of events) found.set(sort(event), Math.max(found.get(sort(event)) ?? 0, event.payload.length));
  return found;
}

test("[FAC-218] [FAC-217] the loop dispatches more than a thousand times in one run, and each step records only the current task", async () => {
  const [few, many] = [await runOf({ stories: 1, tasks: 50 }), await runOf({ stories: 11, tasks: 91 })];
  expect(many.summary).toMatchObject({ total: 1001, complete: true, counts: { SHIPPED: 1001 }, large: true });
  expect(few.summary).toMatchObject({ total: 50, large: false });
  const dispatched = many.events.filter((event) => sort(event) === "step dispatch");
  expect(dispatched).toHaveLength(1001 + 1 + 1 + 1);

  const [small, large] = [few, many].map(({ events }) => longest(events.filter((event) => !isAboutHalt(event)))) as [
    Map<string, number>,
    Map<string, number>,
  ];
  expect([...large.keys()].toSorted()).toEqual([...small.keys()].toSorted());
  // Numbers have more digits.
  for (const [what, length] of large) expect(length, what).toBeLessThanOrEqual(small.get(what)! + 20);

  for (const { name, payload } of many.events.filter((event) => !isAboutHalt(event))) {
    const named = [...new Set(payload.match(/T-[a-z0-9-]+-\d{3}/g))];
    const own = named.filter((id) => named.every((other) => other === id || many.tasks.get(id)?.depends_on.includes(other)));
    expect(own.length, `${name}: ${named.join(", ")}`).toBe(Math.min(named.length, 1));
  }
});
