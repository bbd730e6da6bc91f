import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ctx } from "@slipway/durable/ctx";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openChangeServices } from "../../change/services.ts";
import { openCrewRun } from "../crew-run.ts";
import { checkDispatch } from "../dispatch/check.ts";
import { emptyStatus } from "../session/first-status.ts";
import { knownIssue, parseStatus } from "../session/status.ts";
import { openCrewSession, type CrewSession } from "./crew-session.ts";
import { orderFor } from "./orders.ts";
import { saveFiles } from "./save.ts";
import { OWN, RUN } from "./testing/artifacts.ts";

let scratch: ScratchKernel;
let session: CrewSession;

beforeEach(async () => {
  let now = Date.parse("2026-11-18T10:00:00Z");
  scratch = await openScratchKernel({}, { clock: { now: () => (now += 1000), monotonic: () => now } as never });
  const ctx = {
    runId: RUN,
    step: (_name: string, work: (signal: AbortSignal) => Promise<unknown>) => work(new AbortController().signal),
  } as unknown as Ctx;
  const services = openChangeServices(scratch.kernel, { invoke: () => Promise.reject(new Error("no agent")) });
  const feature = {
    feature_id: "change-letters",
    spec_source: "request",
    spec_digest: "x",
    run_id: RUN,
    order: ["change-letters"],
    alone: true as const,
  };
  const { records } = scratch;
  const call = { actor: { type: "orchestrator", id: "o" } as const, operationId: "init" };
  const spec_digest = await records.objects.put(Buffer.from("Letters say two."));
  await scratch.kernel.features.init(call, { feature_id: "change-letters", run_id: RUN, spec_source: "request", spec_digest });
  const run = openCrewRun(ctx, services, { feature, project_type: "lib" });
  session = openCrewSession(run, { mode: "full", project_type: "lib" }, "Letters say two.");
  await session.save({ why: "created", edited: emptyStatus({ session: RUN, mode: "full", at: "2026-11-18T10:00:00Z" }) });
});
afterEach(() => scratch.close());

const onDisk = () => parseStatus(readFileSync(join(scratch.root, OWN, "status.json"), "utf8"));

describe("the files of a session", () => {
  test("[CRW-044] hold any text byte for byte", async () => {
    const issue = 'quotes " and \\ and {braces} and\nlines and ünï 漢字';
    await session.save({ why: "an issue", status: (status) => knownIssue(status, issue) });
    const read = onDisk();
    expect(read.ok && read.value.known_issues).toEqual([issue]);
  });

  test("[CRW-056] are not written where status.json would not be valid", async () => {
    const broken = session.save({
      why: "a pending answer",
      status: (status) => ({ ...status, user_decisions: [{ decision_id: "UD-1" }] as never }),
    });
    await expect(broken).rejects.toMatchObject({ code: "schema_validation_failed" });
    const read = onDisk();
    expect(read.ok && read.value.user_decisions).toEqual([]);
  });

  test("[CRW-079] of agents are not written by the orchestrator", async () => {
    await expect(session.save({ why: "a spec", texts: { "spec.md": "# Spec\n" } })).rejects.toMatchObject({ code: "policy_violation" });
  });

  test("[CRW-104] hold from the first write whether the project has instructions", () => {
    expect(session.status()?.runtime_flags).toMatchObject({ copilot_instructions_exists: false });
  });

  test("[CRW-045] written again after a crash keep what was recorded, nothing is recorded twice, and a file that cannot be written is told", async () => {
    const { run } = session;
    const write = () =>
      saveFiles(run, "again", {
        why: "once",
        texts: {},
        status: () => knownIssue(emptyStatus({ session: RUN, mode: "full", at: "2026-11-18T10:00:00Z" }), "one"),
      });
    const first = await write();
    const second = await write();
    expect(second).toEqual(first);
    expect(second).toMatchObject({ problem: null, status: { known_issues: ["one"] } });
    const place = join(scratch.root, OWN, "status.json");
    rmSync(place);
    mkdirSync(join(place, "in-the-way"), { recursive: true });
    expect(await write()).toMatchObject({ problem: expect.stringContaining("status.json: "), status: { known_issues: ["one"] } });
  });
});

test("[CRW-083] a session refuses a move that the table does not have", async () => {
  await expect(session.move("RELEASE", { why: "too early" })).rejects.toMatchObject({ code: "invalid_status_transition" });
  expect(session.state()).toBe("INTAKE");
});

describe("a check before a dispatch", () => {
  const planner = () => checkDispatch(session.run, { ...orderFor(session, "Planner", "meta"), number: 1 }, null);
  const decide = (answer: string) => ({
    decision_id: "UD-APPROVE-DESIGN",
    question: "Approve?",
    status: "answered" as const,
    answer,
    asked_at: "2026-11-18T10:00:00Z",
    resolved_at: "2026-11-18T10:00:01Z",
    resolution_reason: null,
    state_context: "APPROVE_DESIGN" as const,
  });

  test("[CRW-103] counts a decision only if row and file have it, and writes the file again", async () => {
    await session.save({ why: "approved", status: (status) => ({ ...status, user_decisions: [decide("approved")] }) });
    const place = join(scratch.root, OWN, "status.json");
    const recorded = readFileSync(place, "utf8");
    expect((await planner()).kind).not.toBe("gate");
    writeFileSync(place, recorded.replace('"approved"', '"changes-requested: stop"'));
    expect(await planner()).toEqual({ kind: "gate", gate: "APPROVE_DESIGN" });
    expect(readFileSync(place, "utf8")).toBe(recorded);
  });

  test("[CRW-103] takes no approval from the file", async () => {
    await session.save({ why: "not approved", status: (status) => ({ ...status, user_decisions: [decide("changes-requested: more")] }) });
    const place = join(scratch.root, OWN, "status.json");
    writeFileSync(place, readFileSync(place, "utf8").replace('"changes-requested: more"', '"approved"'));
    expect(await planner()).toEqual({ kind: "gate", gate: "APPROVE_DESIGN" });
  });

  test("[CRW-036] names a context file that is missing, without a call", async () => {
    await session.save({ why: "approved", status: (status) => ({ ...status, user_decisions: [decide("approved")] }) });
    const checked = await planner();
    expect(checked).toMatchObject({ kind: "prevented", wrong: false });
    expect(checked.kind === "prevented" && checked.problems).toContain(`The context file ${OWN}architecture.md is missing.`);
  });
});
