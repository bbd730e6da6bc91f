import { z } from "zod";
import { moduleId, moduleVersion } from "./schema.ts";

const executedTest = z.strictObject({
  name: z.string().min(1),
  result: z.enum(["PASS", "FAIL"]),
  duration_ms: z.number().nonnegative().optional(),
});

/** The harness's own record of a test run of a module. */
export const executionLogSchema = z
  .strictObject({
    module_id: moduleId,
    module_version: moduleVersion,
    executed_at: z.iso.datetime(),
    tests: z.array(executedTest).min(1),
    summary: z.strictObject({ total: z.int().nonnegative(), passed: z.int().nonnegative(), failed: z.int().nonnegative() }),
  })
  .superRefine(({ tests, summary }, context) => {
    const counted = summaryOf(tests);
    for (const field of ["total", "passed", "failed"] as const) {
      if (summary[field] === counted[field]) continue;
      const message = `is ${summary[field]}, and the list of tests has ${counted[field]}`;
      context.addIssue({ code: "custom", path: ["summary", field], message });
    }
    if (new Set(tests.map(({ name }) => name)).size < tests.length) {
      context.addIssue({ code: "custom", path: ["tests"], message: "two tests have the same name" });
    }
  });
export type ExecutionLog = z.infer<typeof executionLogSchema>;

export function summaryOf(tests: readonly z.infer<typeof executedTest>[]): ExecutionLog["summary"] {
  const passed = tests.filter(({ result }) => result === "PASS").length;
  return { total: tests.length, passed, failed: tests.length - passed };
}

/** The attestation that a module works, with where to look. */
export const shipEvidenceSchema = z.strictObject({
  module_id: moduleId,
  module_version: moduleVersion,
  ship_id: z.string().regex(/^SHIP-[0-9a-f]{8}$/),
  verified_at: z.iso.datetime(),
  verification: z.strictObject({
    result: z.enum(["PASS", "FAIL"]),
    interface_fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
    evidence_ref: z.string().min(1),
  }),
  environment: z.strictObject({
    repo_revision: z.string().min(1),
    dependency_lock_ref: z.string().min(1),
    runner_id: z.string().min(1),
  }),
});
export type ShipEvidence = z.infer<typeof shipEvidenceSchema>;

export function evidenceRefOf(id: string, version: string): string {
  return `state_store/modules/${id}/${version}/tests/execution_log.json`;
}
