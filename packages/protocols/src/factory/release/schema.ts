import { moduleRef } from "../code-index/entry.ts";
import { storePaths } from "../artifacts/layout.ts";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";

const said = z.string().regex(/\S/, "must not be empty");
const verdict = z.enum(["PASS", "FAIL"]);

export const RELEASE_GATES = ["dependency_check", "fingerprint_check", "deprecation_check", "code_index_check"] as const;
export type ReleaseGate = (typeof RELEASE_GATES)[number];

const gates = z.strictObject({
  dependency_check: verdict,
  fingerprint_check: verdict,
  deprecation_check: verdict,
  code_index_check: verdict,
});

/** What became of it in the repository. A release that waits for its approval has none yet. */
const landing = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("merged"),
    commit: z.string().regex(/^[0-9a-f]{40,64}$/),
    base_branch: said,
    branch: said,
    folder: said,
    approved_by: said,
  }),
  z.strictObject({ status: z.literal("not_merged"), branch: said, reason: said }),
]);
export type ReleaseLanding = z.output<typeof landing>;

const manifestFields = z.strictObject({
  release_id: z.string().regex(/^REL-[0-9a-f]{8}$/),
  created_at: z.iso.datetime({ offset: true }),
  spec_version: said,
  /** What others need comes before them. */
  modules: z.array(z.strictObject({ module_ref: moduleRef, ship_ref: said })).min(1),
  integration_gates: gates,
  overall_result: verdict,
  notes: z.string(),
  landing: landing.optional(),
});

const failure = z.strictObject({
  gate: z.enum(RELEASE_GATES),
  /** What is at fault, and what it refers to. */
  culprits: z.array(z.strictObject({ module_ref: moduleRef, reference: z.string().nullable(), problem: said })).min(1),
  explanation: said,
});
export type GateFailure = z.output<typeof failure>;

/** The manifest and, when it is a FAIL, the report of what is at fault: kept together. */
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
  // Only what becomes of it in the repository is added.
  fixity: "revised",
  files: (id, { failures, ...manifest }) => ({
    [storePaths.release(id)]: jsonText(manifest satisfies ReleaseManifest),
    ...(failures.length === 0
      ? {}
      : { [storePaths.release(id).replace(/\.json$/, ".failure.json")]: jsonText({ release_id: id, failures }) }),
  }),
};

/** What it came to is said once; nothing else of a manifest ever changes. */
export function landed(release: Release, became: ReleaseLanding): Release {
  return release.landing === undefined ? { ...release, landing: became } : release;
}
