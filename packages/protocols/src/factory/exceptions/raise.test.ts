import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import { raiseException, RAISERS, type Raiser } from "./raise.ts";
import { decided, decisionLogKind, EXCEPTION_STATUSES, exceptionDecision, noted, statusOf, EXCEPTION_TRANSITIONS } from "./decisions.ts";
import { exceptionKind } from "./schema.ts";
import { raise } from "./testing/samples.ts";

const raiser: Raiser = {
  role: "proposer",
  phase: "implementation",
  artifact_ref: "IMPL-0a1b2c3d@1.0.0",
  run_id: "run-1",
  module_id: "MM-report",
  dependencies: ["MM-parse_duration@^1.0.0", "MM-other@1.0.0"],
};

async function projectStore() {
  const made = await factoryRecords();
  await made.ship(shippedEntry("parse_duration"), shippedEntry("other"), shippedEntry("stranger"));
  const ports = { documents: made.documents, statusOf: async (ref: string) => (await made.index.find(ref))?.status ?? null };
  return { ...made, ports };
}

test("[FAC-168] a valid exception is stored unchanged and cannot be edited; the raiser is recorded by the harness", async () => {
  const { ports, call, folder, documents } = await projectStore();
  const raised = await raiseException(ports, call(), raiser, raise());
  if (!raised.ok) throw new Error(raised.problems.join());
  expect(raised).toMatchObject({ status: "RAISED", task_halted: true, exception_id: expect.stringMatching(/^ICE-[0-9a-f]{8}$/) });
  const { proposed_delta, compatibility, ...rest } = raise();
  const { exception_id } = raised;
  expect(JSON.parse(readFileSync(join(folder, "exceptions", `${exception_id}.json`), "utf8"))).toEqual({
    exception_id,
    ...rest,
    proposed_contract_delta: proposed_delta,
    compatibility_expectation: compatibility,
    raised_by: { artifact_ref: raiser.artifact_ref, role: "proposer", run_id: "run-1" },
  });
  await expect(documents.revise(call(), exceptionKind, exception_id, "x", (one) => ({ ...one, reason: "another" }))).rejects.toMatchObject({
    details: { immutable: true },
  });
});

describe("is refused without a trace", () => {
  const empty = { ...raise().proposed_delta, added_inputs: [] };
  test.each([
    ["[FAC-166] a delta without a change", { proposed_delta: empty }, "/proposed_delta: must contain at least one change"],
    ["[FAC-166] a delta with a list missing", { proposed_delta: { added_inputs: [] } }, "/proposed_delta/removed_inputs"],
    ["[FAC-166] a delta with an unknown field", { proposed_delta: { ...raise().proposed_delta, removed_effects: [] } }, "removed_effects"],
    ["[FAC-166] empty mode changes", { proposed_delta: { ...empty, mode_changes: {} } }, "/proposed_delta/mode_changes"],
    ["[FAC-165] no evidence", { evidence: [] }, "/evidence"],
    ["[FAC-165] empty evidence", { evidence: [" "] }, "/evidence/0"],
    ["[FAC-165] no reason", { reason: "" }, "/reason"],
    ["[FAC-165] an unknown type", { type: "ANNOYING" }, "/type"],
    ["[FAC-165] an unknown compatibility", { compatibility: "MAYBE" }, "/compatibility"],
    ["[FAC-165] an unknown urgency", { urgency: "SOON" }, "/urgency"],
    ["[FAC-165] a range instead of a version", { target_module: "MM-parse_duration@^1.0.0" }, "/target_module"],
    ["[FAC-167] a raiser given by the caller", { raised_by: { role: "arbiter", artifact_ref: "x", run_id: "y" } }, "raised_by"],
    ["[FAC-167] no type", { type: undefined }, "/type"],
    ["[FAC-164] the module itself", { target_module: "MM-report@1.0.0" }, "is the module being implemented"],
    ["[FAC-164] a module that is not a dependency", { target_module: "MM-stranger@1.0.0" }, "is not one of the dependencies of MM-report"],
    ["[FAC-164] another version than the dependency's", { target_module: "MM-other@2.0.0" }, "is not one of the dependencies"],
    ["[FAC-164] an unshipped version", { target_module: "MM-parse_duration@1.9.0" }, "MM-parse_duration@1.9.0 is not shipped"],
  ])("%s", async (_case, fields, said) => {
    const { ports, call, folder, documents } = await projectStore();
    const raised = await raiseException(ports, call(), raiser, { ...raise(), ...fields });
    expect(raised.ok || raised.problems.join("\n")).toContain(said);
    expect(await documents.list(exceptionKind)).toEqual([]);
    expect(existsSync(join(folder, "exceptions"))).toBe(false);
  });

  test("[FAC-164] a deprecated version", async () => {
    const { ports, call, index } = await projectStore();
    await index.retire(call(), { module_ref: "MM-other@1.0.0", status: "DEPRECATED", superseded_by: null, note: "n" });
    const raised = await raiseException(ports, call(), raiser, { ...raise(), target_module: "MM-other@1.0.0" });
    expect(raised.ok || raised.problems.join()).toContain("is not shipped: it is DEPRECATED");
  });

  test("[FAC-163] a role without permission, or at the wrong time", async () => {
    const { ports, call } = await projectStore();
    const phases = ["implementation", "revision", "debate", "fingerprint_mismatch"] as const;
    const allowed: string[] = [];
    for (const role of ["proposer", "challenger", "ship", "arbiter", "dispatch", "micro-planner"])
      for (const phase of phases)
        if ((await raiseException(ports, call(), { ...raiser, role, phase }, raise())).ok) allowed.push(`${role} ${phase}`);
    expect(allowed).toEqual(["proposer implementation", "proposer revision", "challenger debate", "ship fingerprint_mismatch"]);
    expect(Object.keys(RAISERS)).not.toContain("arbiter");
  });
});

describe("a person's decision", () => {
  const at = "2026-01-02T03:04:05.000Z";
  test("[FAC-171] is one of three, in its form", () => {
    const accepted = [
      { decision: "APPROVE_CHANGE" },
      { decision: "REJECT_CHANGE", reason: "No.", afterwards: "REQUEUE" },
      { decision: "DEFER" },
    ];
    expect(accepted.map((one) => exceptionDecision.safeParse(one).success)).toEqual([true, true, true]);
    const refused = [
      "APPROVE_CHANGE",
      { decision: "AMEND_SPEC" },
      { decision: "REJECT_CHANGE", reason: "No." },
      { decision: "DEFER", afterwards: "REQUEUE" },
    ];
    expect(refused.map((one) => exceptionDecision.safeParse(one).success)).toEqual([false, false, false, false]);
  });

  test("[FAC-176] a rejection requeues the task or leaves it, as the person chooses", () => {
    const reject = { decision: "REJECT_CHANGE", reason: "It is enough as it is." } as const;
    const task = "T-a-b-c-001";
    expect(decided({ ...reject, afterwards: "REQUEUE" }, task)).toEqual({
      status: "REJECTED",
      note: "It is enough as it is.",
      change: { kind: "requeue", task, by: "REJECT_CHANGE" },
      resolve: false,
    });
    expect(decided({ ...reject, afterwards: "STAY_HALTED" }, task).change).toBeNull();
    expect(decided({ decision: "APPROVE_CHANGE" }, task)).toMatchObject({ change: null, resolve: true });
  });

  test("[FAC-177] deferring changes only the log, which grows beside the record", async () => {
    const { ports, call, folder, documents } = await projectStore();
    const raised = await raiseException(ports, call(), raiser, raise());
    if (!raised.ok) throw new Error("not raised");
    const { exception_id } = raised;
    const record = readFileSync(join(folder, "exceptions", `${exception_id}.json`), "utf8");
    const deferred = decided({ decision: "DEFER", note: "After the fair." }, "T-a-b-c-001");
    expect(deferred).toMatchObject({ status: "DEFERRED", change: null, resolve: false });
    const write = (status: (typeof EXCEPTION_STATUSES)[number]) =>
      documents.revise(call(), decisionLogKind, exception_id, status, (log) => noted(log, { status, at, by: "person:me", note: "" }));
    await write("DEFERRED");
    await write("DEFERRED");
    expect(statusOf(await write("APPROVED"))).toBe("APPROVED");
    await expect(write("DEFERRED")).rejects.toMatchObject({ code: "invalid_status_transition" });
    const lines = readFileSync(join(folder, "exceptions", `${exception_id}.decisions.jsonl`), "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { status: string }).status)).toEqual(["DEFERRED", "DEFERRED", "APPROVED"]);
    expect(readFileSync(join(folder, "exceptions", `${exception_id}.json`), "utf8")).toBe(record);
  });

  test("a rejected or resolved exception is closed", () => {
    for (const status of EXCEPTION_STATUSES)
      for (const next of EXCEPTION_STATUSES) {
        const log = { exception_id: "ICE-0a1b2c3d", entries: status === "RAISED" ? [] : [{ status, at, by: "me", note: "" }] };
        const write = () => noted(log, { status: next, at, by: "me", note: "" });
        if (EXCEPTION_TRANSITIONS[status].includes(next)) expect(statusOf(write())).toBe(next);
        else expect(write).toThrow(`cannot become ${next}`);
      }
    expect([EXCEPTION_TRANSITIONS.REJECTED, EXCEPTION_TRANSITIONS.RESOLVED]).toEqual([[], []]);
  });
});
