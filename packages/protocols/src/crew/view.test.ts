import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Reader } from "../surface/surface.ts";
import { blocked, type CrewStatus } from "./session/status.ts";
import { fullTask, fullTasks, sampleStatus } from "./session/testing/samples.ts";
import { viewCrew } from "./view.ts";

let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const RUN = "2026-11-18_dates";
const view = () => viewCrew({ records: scratch.records } as Reader, { runId: RUN, id: "dates" });
let writes = 0;

async function write(folder: string, status: CrewStatus, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const call = { actor: { type: "system", id: "test" } as const, operationId: `write-${++writes}` };
  await openRunFiles(scratch.records, folder).write(call, { "status.json": JSON.stringify(status), ...files });
}

test("a blocked session is shown with why and how it goes on: a person would wait for it otherwise", async () => {
  expect(await view()).toEqual([]);
  await write(RUN, sampleStatus({ current_state: "PLAN" }));
  expect(await view()).toMatchObject([{ title: "PLAN", status: "plan", reason: null }]);
  await write(RUN, blocked(sampleStatus(), "agent_failed", "Coder: no.", "Install it."));
  expect(await view()).toMatchObject([{ title: "BLOCKED", reason: "agent_failed: Coder: no. Recovery: Install it." }]);
});

test("its tasks have the statuses of the recorded plan, and a plan that cannot be read hides no session", async () => {
  const tasks = fullTasks([fullTask("T-001", { status: "completed" }), fullTask("T-002")]);
  await write(RUN, sampleStatus({ current_state: "IMPLEMENT_LOOP" }), { "tasks.yaml": tasks });
  expect((await view()).slice(1)).toMatchObject([
    { title: "T-001 Task T-001", status: "completed", parent: "feature:dates/session" },
    { title: "T-002 Task T-002", status: "not-started" },
  ]);
  await write(RUN, sampleStatus({ current_state: "IMPLEMENT_LOOP" }), { "tasks.yaml": "tasks: all" });
  expect(await view()).toMatchObject([{ title: "IMPLEMENT_LOOP" }]);
});

test("as one change of a run of several it is shown from its own folder, not from that of the run", async () => {
  await write(RUN, sampleStatus({ current_state: "DESIGN" }));
  await write(`${RUN}/2026-11-18_dates`, sampleStatus({ current_state: "INTEGRATE" }));
  expect(await view()).toMatchObject([{ title: "INTEGRATE" }]);
});
