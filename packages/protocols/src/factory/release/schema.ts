import { moduleRef } from "../code-index/entry.ts";
import { storePaths } from "../artifacts/layout.ts";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";

const nonEmpty = z.string().regex(/\S/, "must not be empty");
const verdict = z.enum(["PASS", "FAIL"]);

export const RELEASE_GATES = ["dependency_check", "fingerprint_check", "deprecation_check", "code_index_check"] as const;
export type ReleaseGate = (typeof RELEASE_GATES)[number];

const gates = z.strictObject({
  dependency_check: verdict,
  fingerprint_check: verdict,
  deprecation_check: verdict,
  code_index_check: verdict,
});

/** The result in the repository. A release that waits for approval has none yet. */
const landing = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("merged"),
    commit: z.string().regex(/^[0-9a-f]{40,64}$/),
    base_branch: nonEmpty,
    branch: nonEmpty,
    folder: nonEmpty,
    approved_by: nonEmpty,
  }),
  z.strictObject({ status: z.literal("not_merged"), branch: nonEmpty, reason: nonEmpty }),
]);
export type ReleaseLanding = z.output<typeof landing>;

const manifestFields = z.strictObject({
  release_id: z.string().regex(/^REL-[0-9a-f]{8}$/),
  created_at: z.iso.datetime({ offset: true }),
  spec_version: nonEmpty,
  /** Dependencies come before their dependents. */
  modules: z.array(z.strictObject({ module_ref: moduleRef, ship_ref: nonEmpty })).min(1),
  integration_gates: gates,
  overall_result: verdict,
  notes: z.string(),
  landing: landing.optional(),
});

const failure = z.strictObject({
  gate: z.enum(RELEASE_GATES),
  /** The faulty modules, each with the reference it concerns. */
  culprits: z.array(z.strictObject({ module_ref: moduleRef, reference: z.string().nullable(), problem: nonEmpty })).min(1),
  explanation: nonEmpty,
});
export type GateFailure = z.output<typeof failure>;

/** The manifest and, if it is a FAIL, the failure report, in one record. */
export const releaseSchema = manifestFields
  .extend({ failures: z.array(failure) })
  .refine(({ integration_gates, overall_result }) => overall_result === (allPass(integration_gates) ? "PASS" : "FAIL"), {
    path: ["overall_result"],
    error: "must be PASS exactly when all four gates are",
  })
  .refine(
    ({ integration_gates, failures }) => RELEASE_GATES.every((gate) => reported(failures, gate) === (integration_gates[gate] === "FAIL")),
    {
      path: ["failures"],
      error: "must have an entry for each gate that failed, and for no other",
    },
  );
export type Release = z.output<typeof releaseSchema>;
export type ReleaseManifest = z.output<typeof manifestFields>;

function allPass(verdicts: z.output<typeof gates>): boolean {
  return RELEASE_GATES.every((gate) => verdicts[gate] === "PASS");
}

function reported(failures: readonly GateFailure[], gate: ReleaseGate): boolean {
  return failures.some((one) => one.gate === gate);
}

export const releaseKind: DocumentKind<Release> = {
  kind: "release",
  prefix: "REL",
  idField: "release_id",
  schema: releaseSchema,
  // Only the landing is added later.
  fixity: "revised",
  files: (id, { failures, ...manifest }) => ({
    [storePaths.release(id)]: jsonText(manifest satisfies ReleaseManifest),
    ...(failures.length === 0
      ? {}
      : { [storePaths.release(id).replace(/\.json$/, ".failure.json")]: jsonText({ release_id: id, failures }) }),
  }),
};

/** Adds the landing once; nothing else of a manifest changes. */
export function landed(release: Release, became: ReleaseLanding): Release {
  return release.landing === undefined ? { ...release, landing: became } : release;
}
