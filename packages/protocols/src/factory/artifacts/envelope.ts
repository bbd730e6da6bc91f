import { randomUUID } from "node:crypto";
import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { FIRST_VERSION } from "@slipway/languages/contracts/version";
import { ARTIFACT_STATUSES } from "./status.ts";
import { VERSION } from "./versions.ts";

/** Every artifact type with the prefix of its ids. */
export const ID_PREFIXES = {
  MICRO_PLAN: "MP",
  CONTRACT: "CTR",
  IMPLEMENTATION: "IMPL",
  PROPOSAL: "PROP",
  CHALLENGE: "CHAL",
  ADJUDICATION: "ADJ",
  SHIP_EVIDENCE: "SHIP",
  ESCALATION: "ESC",
  CONTEXT_PACK: "CP",
  INTERFACE_CHANGE_EXCEPTION: "ICE",
  REUSE_SEARCH_REPORT: "RSR",
  PRODUCT_SPEC: "SPEC",
  EXAMPLES: "EX",
} as const;

export type ArtifactType = keyof typeof ID_PREFIXES;
export const ARTIFACT_TYPES = Object.keys(ID_PREFIXES) as [ArtifactType, ...ArtifactType[]];

const ARTIFACT_ID = new RegExp(`^(?:${Object.values(ID_PREFIXES).join("|")})-[0-9a-f]{8}$`);
export const artifactIdSchema = z.string().regex(ARTIFACT_ID, "an artifact id, such as PROP-0a1b2c3d");
export type ArtifactId = z.infer<typeof artifactIdSchema>;

/** An artifact or a module at one version: `PROP-0a1b2c3d@1.0.0`, `MM-parser@2.1.0`. */
export const REF = /^[A-Z]+-[\w-]+@\d+\.\d+\.\d+$/;
const refSchema = z.strictObject({ ref: z.string().regex(REF, "id@version"), purpose: z.string().min(1) });

export const envelopeSchema = z
  .strictObject({
    artifact_id: artifactIdSchema,
    artifact_type: z.enum(ARTIFACT_TYPES),
    version: z.string().regex(VERSION, "major.minor.patch"),
    status: z.enum(ARTIFACT_STATUSES),
    created_at: z.iso.datetime({ offset: true }),
    created_by: z.strictObject({ role: z.string().min(1), run_id: z.string().min(1) }),
    context_pack_ref: z.string().regex(/^CP-[\w-]+$/, "CP-{id}"),
    inputs: z.array(refSchema),
    outputs: z.array(refSchema),
    notes: z.string().default(""),
  })
  .refine(({ artifact_id, artifact_type }) => artifact_id.startsWith(`${ID_PREFIXES[artifact_type]}-`), {
    path: ["artifact_id"],
    error: "the prefix of the artifact's type",
  });

export type ArtifactEnvelope = z.output<typeof envelopeSchema>;

/** The only source of artifact ids: an agent cannot choose one. */
export function newArtifactId(type: ArtifactType, uuid: () => string = randomUUID): ArtifactId {
  return `${ID_PREFIXES[type]}-${uuid().slice(0, 8)}`;
}

/** The fields a caller may set; the rest of a new envelope is filled in here. */
export type NewArtifact = Pick<ArtifactEnvelope, "artifact_type" | "created_by" | "context_pack_ref"> & {
  readonly [field in "version" | "inputs" | "outputs" | "notes"]?: ArtifactEnvelope[field] | undefined;
};

/** A new artifact is a draft, at 1.0.0 unless it follows an earlier one. */
export function newEnvelope(artifact: NewArtifact, id: ArtifactId, at: number): ArtifactEnvelope {
  const { artifact_type, created_by, context_pack_ref, version = FIRST_VERSION, inputs = [], outputs = [], notes = "" } = artifact;
  const created_at = new Date(at).toISOString();
  return parseEnvelope({
    artifact_id: id,
    artifact_type,
    version,
    status: "DRAFT",
    created_at,
    created_by,
    context_pack_ref,
    inputs,
    outputs,
    notes,
  });
}

export function parseEnvelope(value: unknown): ArtifactEnvelope {
  const checked = checkSchema(envelopeSchema, value);
  if (checked.ok) return checked.value;
  const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError("schema_validation_failed", `The envelope of the artifact is not valid, so nothing was stored. ${listed}`, {
    violations: checked.violations,
    suggested_next_actions: ["Correct every field listed in `violations` and create the artifact again."],
  });
}

export function refOf({ artifact_id, version }: Pick<ArtifactEnvelope, "artifact_id" | "version">): string {
  return `${artifact_id}@${version}`;
}
