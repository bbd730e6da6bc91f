import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { exception } from "../exceptions/testing/samples.ts";
import { openBoard } from "../project/board.ts";
import { factoryRecords } from "../testing/factory-records.ts";
import { attestation } from "./answers.ts";
import { attested, escalationQuestion, exceptionDetails, keepEscalation, recordAnswer, recordOf } from "./escalate.ts";
import { escalationKind, newEscalationId, RESOLUTIONS, supplemented } from "./schema.ts";
import { AT, draft, idOf, machine } from "./testing/samples.ts";

async function projectStore() {
  const made = await factoryRecords();
  const keep = (fields: object = {}) =>
    keepEscalation(made.documents, made.call(), {
      escalation_id: newEscalationId(),
      draft: { ...draft(), ...fields },
      machine: machine(),
      at: AT,
    });
  const onDisk = (id: string) =>
    JSON.parse(readFileSync(join(made.folder, "escalations", `${id}.json`), "utf8")) as Record<string, unknown>;
  return { ...made, keep, onDisk };
}

describe("[FAC-203] an escalation", () => {
  test("has its own id, all required fields, the whole state machine, and is in the state store", async () => {
    const { keep, onDisk } = await projectStore();
    const kept = await keep();
    expect(kept).toEqual({
      ...draft(),
      escalation_id: expect.stringMatching(/^ESC-[0-9a-f]{8}$/),
      created_at: AT,
      state_machine_snapshot: machine(),
    });
    expect(onDisk(kept.escalation_id)).toEqual(kept);
  });

  test.each([
    ["task_id", "the first one"],
    ["task_ref", ""],
    ["failed_invariants", [{ invariant: "R1" }]],
    ["minimal_decision_required", " "],
    ["debate_trail", { proposals: [] }],
    ["owner", "me"],
  ])("is not stored with %s = %j", async (field, value) => {
    const { keep, documents } = await projectStore();
    await expect(keep({ [field]: value })).rejects.toMatchObject({ code: "schema_validation_failed" });
    expect(await documents.list(escalationKind)).toEqual([]);
  });

  test("[FAC-204] recommends one of the six", async () => {
    const { keep } = await projectStore();
    for (const recommended_resolution of RESOLUTIONS)
      expect(await keep({ recommended_resolution })).toMatchObject({ recommended_resolution });
    await expect(keep({ recommended_resolution: "RETRY" })).rejects.toThrow("/recommended_resolution");
  });

  test("keeps every answer, the last one as the answer", async () => {
    const { keep, documents, call, onDisk } = await projectStore();
    const { escalation_id } = await keep();
    const first = { action: "DEFER", payload: {}, by: "person:me", at: AT } as const;
    const last = recordOf({ action: "ABANDON_TASK", rationale: "Nobody needs it." }, "person:me", AT);
    await recordAnswer(documents, call(), escalation_id, first);
    await recordAnswer(documents, call(), escalation_id, last);
    expect(onDisk(escalation_id)).toMatchObject({
      resolution: { action: "ABANDON_TASK", payload: { rationale: "Nobody needs it." } },
      resolutions: [{ action: "DEFER" }, { action: "ABANDON_TASK" }],
    });
  });
});

describe("[FAC-170] the escalation of an exception", () => {
  test("has all its data, and gets the transcript if the debate ends without agreement", async () => {
    const { documents, call, onDisk } = await projectStore();
    const given = { escalation_id: newEscalationId(), draft: draft(), machine: machine(), at: AT, details: exceptionDetails(exception()) };
    const { escalation_id } = await keepEscalation(documents, call(), given);
    const { raised_by: _who, ...facts } = exception();
    expect(onDisk(escalation_id)).toMatchObject({ details: facts });
    await documents.revise(call(), escalationKind, escalation_id, "transcript", (one) => supplemented(one, { ice_debate: [{ round: 1 }] }));
    expect(onDisk(escalation_id)).toMatchObject({ details: { ...facts, ice_debate: [{ round: 1 }] } });
  });
});

describe("the question", () => {
  test("contains the whole escalation, and says what each of the six would do", async () => {
    const { keep } = await projectStore();
    const escalation = await keep();
    const question = escalationQuestion(escalation);
    expect(question.context).toEqual({ escalation });
    expect(question.options?.map(({ value }) => value)).toEqual(RESOLUTIONS);
    expect(question.body).toContain("R2: No test for an empty text.");
    expect(question.body).toContain("Recommended: PROVIDE_FIX");
    expect(escalationQuestion(escalation, ["/rationale: missing"]).body).toContain("- /rationale: missing");
    expect(escalationQuestion({ ...escalation, resolution_context: "" }).body).not.toContain("\n\n\n");
  });

  test("accepts any of the six, whatever is recommended, and its schema can be shown as JSON", async () => {
    const { keep } = await projectStore();
    const { schema } = escalationQuestion(await keep());
    expect(schema.safeParse({ action: "ABANDON_TASK", rationale: "x" }).success).toBe(true);
    expect(schema.safeParse("ABANDON_TASK").success).toBe(false);
    const shown = z.fromJSONSchema(z.toJSONSchema(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    expect(shown.safeParse({ action: "ABANDON_TASK", rationale: "x" }).success).toBe(true);
    expect(shown.safeParse({ action: "ABANDON_TASK" }).success).toBe(false);
  });
});

test("an attestation needs a rationale, moves HALTED to SHIPPED and is kept in the escalation", async () => {
  const { keep, documents, call, onDisk } = await projectStore();
  const escalation = await keep();
  for (const given of [{}, { rationale: " " }, { rationale: "x", module_refs: ["MM-x"] }])
    expect(attestation.safeParse(given).success).toBe(false);
  const { change, record } = attested(escalation, attestation.parse({ rationale: "Built by hand." }), "person:me", AT);
  const tasks = machine().tasks;
  const board = openBoard({ ...tasks, [idOf(0)]: { ...tasks[idOf(0)]!, escalation_ref: escalation.escalation_id } });
  board.apply(change);
  expect(board.task(idOf(0))).toMatchObject({ status: "SHIPPED", shipped_at: AT });
  await recordAnswer(documents, call(), escalation.escalation_id, record);
  expect(onDisk(escalation.escalation_id)).toMatchObject({ resolution: { action: "ATTEST", payload: { rationale: "Built by hand." } } });
});
