import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workflow, type Ctx } from "@slipway/durable/ctx";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { DecisionDraft } from "@slipway/kernel/record/decisions/decision";
import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import type { Records } from "@slipway/kernel/record/storage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { canonicalConflicts } from "./conflicts.ts";
import { openLedger, type Ledger } from "./ledger.ts";

let records: Records;
let engine: Engine | null = null;
beforeEach(async () => {
  records = await openRecords({ layout: layoutAt(mkdtempSync(join(tmpdir(), "slipway-ledger-"))) });
});
afterEach(async () => {
  await engine?.close();
  await records.close();
});

/** Drives the body as a run, in the same way after every call: what was recorded is replayed. */
async function drive(body: (ledger: Ledger, ctx: Ctx) => Promise<unknown>) {
  await engine?.close();
  const { database, objects, clock, ids, inbox } = records;
  const flow = workflow("ledger-test", "1", (ctx: Ctx) => {
    const call = (step: string) => ({ actor: { type: "orchestrator", id: "o" } as const, operationId: `${ctx.runId}/${step}` });
    return body(openLedger({ ctx, kernel: { decisions: openDecisions({ db: database.db, door: records.door }) }, call }), ctx);
  });
  engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [flow], kernel: null });
  await engine.start("ledger-test", {}, { runId: "r1" });
  return engine.drive("r1", { whenWaiting: "return" });
}

const draft = (changes: Partial<DecisionDraft> = {}): DecisionDraft => ({
  constraint: "IDs are UUIDs",
  category: "data_model",
  source: "user_explicit",
  phase: "ignition",
  confidence: "canonical",
  ...changes,
});
const REPORT = { summary: "the audit failed" };
const answer = (value: string) => records.answer({ id: "r1#choose", value: { decision: value }, by: { type: "person", id: "ann" } });
const question = {
  kind: "conflict",
  title: "Which one holds?",
  options: [{ value: "replace", label: "the new one" }],
  schema: z.strictObject({ decision: z.string() }),
  answerableBy: ["person"],
};

test("[CRI-019] a delegation gets the id design_delegation_001, and the next one the next number", async () => {
  const delegation = draft({ prefix: "design_delegation_", category: "architectural", user_notes: "no stack traces" });
  const outcome = await drive(async (ledger) => [
    ...(await ledger.append("first", [delegation])),
    ...(await ledger.append("second", [delegation])),
  ]);
  expect(outcome).toMatchObject({
    status: "completed",
    value: [{ id: "design_delegation_001", user_notes: "no stack traces" }, { id: "design_delegation_002" }],
  });
});

test("a run that waits and continues in another process appends nothing twice, and reads what it read before", async () => {
  const body = async (ledger: Ledger, ctx: Ctx) => {
    const [added] = await ledger.append("add", [draft({ confidence: "inferred" })]);
    const before = await ledger.constraintBlock("block");
    const listed = await ledger.list("list");
    await ctx.ask("choose", question);
    await ledger.invalidate("end", added?.id ?? "", REPORT);
    return { before, listed, after: await ledger.list("after") };
  };
  expect(await drive(body)).toMatchObject({ status: "waiting" });
  await answer("replace");
  const outcome = await drive(body);
  expect(outcome).toMatchObject({
    status: "completed",
    value: {
      before: expect.stringContaining("- IDs are UUIDs [d001]"),
      listed: [{ id: "d001", status: "active" }],
      after: [{ id: "d001", status: "invalidated" }],
    },
  });
});

test("[CRI-014] [CRI-090] a marked conflict halts until a person's answer supersedes one side", async () => {
  const body = async (ledger: Ledger, ctx: Ctx) => {
    await ledger.append("add", [draft({ id: "a" }), draft({ id: "b" })]);
    const mark = { between: ["a", "b"], constraint: "a and b exclude each other", phase: "lattice", source: "auditor_contradiction" };
    const { id } = await ledger.markConflict("mark", mark);
    const found = canonicalConflicts(await ledger.list("found"));
    const refusal = await ledger
      .supersede("too-early", { id: "a", replacement: { constraint: "x" }, reason: "r" })
      .catch((error: { code: string }) => error.code);
    await ctx.ask("choose", question);
    const answer_to = `${ctx.runId}#choose`;
    const added = await ledger.supersede("replace", { id: "a", replacement: { constraint: "x" }, reason: "r", answer_to });
    await ledger.invalidate("resolve", id, REPORT, { answer_to });
    return { found, refusal, added: added.supersedes, left: canonicalConflicts(await ledger.list("left")) };
  };
  expect(await drive(body)).toMatchObject({ status: "waiting" });
  await answer("replace");
  expect(await drive(body)).toMatchObject({
    status: "completed",
    value: { found: [{ contradiction: "conflict_001", decisions: ["a", "b"] }], refusal: "decision_protected", added: "a", left: [] },
  });
});

test("an empty list of drafts appends nothing", async () => {
  expect(await drive((ledger) => ledger.append("none", []))).toEqual({ status: "completed", value: [] });
});

test("a failed phase ends the provisional decisions of the run's scope", async () => {
  const outcome = await drive(async (ledger) => {
    await ledger.append("add", [draft({ id: "root", confidence: "inferred" }), draft({ id: "maybe", confidence: "provisional" })]);
    return ledger.invalidateProvisional("failed", REPORT);
  });
  expect(outcome).toMatchObject({ status: "completed", value: { invalidated: ["maybe"] } });
  const entries = await openDecisions({ db: records.database.db, door: records.door }).list("run:r1");
  expect(entries.map(({ id, status }) => [id, status])).toEqual([
    ["root", "active"],
    ["maybe", "invalidated"],
  ]);
});
