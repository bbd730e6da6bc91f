import { SlipwayError } from "@slipway/agents/errors";
import type { Insertable } from "kysely";
import { z } from "zod";
import { preparedQuery, preparedQueryWith } from "@slipway/kernel/record/database/prepared-query";
import type { Tx } from "@slipway/kernel/record/database/tables";
import { bumped } from "@slipway/languages/contracts/version";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import type { NotePending } from "@slipway/kernel/record/documents/operations";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import { checkBody, type Bodies } from "./body.ts";
import { ARTIFACT_TYPES, envelopeSchema, newArtifactId, newEnvelope, refOf, type ArtifactEnvelope } from "./envelope.ts";
import { findArtifact, type ArtifactRow } from "./store.ts";
import type { ArtifactTables } from "./tables.ts";
import { keepLong, keepShort } from "./texts.ts";
import { assertHigher, highestVersion } from "./versions.ts";

const { created_by, context_pack_ref, inputs, outputs, version } = envelopeSchema.shape;

/** There is no field for an id: input that brings one is rejected. */
export const createInput = z.strictObject({
  artifact_type: z.enum(ARTIFACT_TYPES),
  pillar: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "the slug of a pillar"),
  created_by,
  context_pack_ref,
  version: version.optional(),
  inputs: inputs.optional(),
  outputs: outputs.optional(),
  notes: z.string().optional(),
  /** The artifact this one is the next version of. */
  follows: z.string().optional(),
  /** Path below `body/` to text. */
  body: z.record(
    z.string().refine((path) => canonicalPath(path).ok && !path.split("/").includes(".."), "a path below body/"),
    z.string(),
  ),
});
export type CreateInput = z.input<typeof createInput>;

type Body = Readonly<Record<string, string>>;

/** As a kind of record with files. */
export const ARTIFACT = "artifact";

/** Stores id, envelope and body in one transaction. */
export function createOperation(
  objects: Objects,
  uuid: () => string,
  bodies: Bodies,
  pending?: NotePending,
): Operation<z.output<typeof createInput>, Body, ArtifactEnvelope> {
  return {
    name: "artifact.create",
    roles: ["system", "orchestrator"],
    input: createInput.superRefine(({ artifact_type, body }, context) => checkBody(bodies[artifact_type], body, context, ["body"])),
    // An object without an artifact is harmless, and putting it twice is a no-op.
    unclaimed: true,
    effect: ({ body }) => keepLong(objects, body),
    async commit(tx, given, body, { at }) {
      const { pillar, follows } = given;
      const before = follows === undefined ? null : await findArtifact(tx, follows);
      const lineage = before === null ? [] : await versionsOf(tx, before.lineage);
      const highest = highestVersion(lineage);
      const version = given.version ?? (highest === null ? undefined : bumped(highest, "patch"));
      if (version !== undefined) assertHigher(version, lineage);
      const id = await freeId(tx, () => newArtifactId(given.artifact_type, uuid));
      const linked = before === null ? [] : [{ ref: refOf(before.envelope), purpose: "earlier version" }];
      const envelope = newEnvelope({ ...given, version, inputs: [...linked, ...(given.inputs ?? [])] }, id, at);
      const { artifact_type, status } = envelope;
      const row = { artifact_id: id, artifact_type, version: envelope.version, status, lineage: before?.lineage ?? id, pillar };
      await keepShort(tx, given.body, body);
      await insertRow(tx, { ...row, envelope: JSON.stringify(envelope), body: JSON.stringify(body), decision: null });
      if (before !== null) await linkForward(tx, before, envelope);
      for (const one of [before?.envelope.artifact_id ?? [], id].flat()) await pending?.(tx, ARTIFACT, one, at);
      return envelope;
    },
    event: ({ artifact_type }, { artifact_id, version }) => ({ artifact_type, artifact_id, version }),
  };
}

const insertRow = preparedQueryWith((db, row: Insertable<ArtifactTables["artifacts"]>) => db.insertInto("artifacts").values(row));

const idRow = preparedQuery((db, id: string) => db.selectFrom("artifacts").select("artifact_id").where("artifact_id", "=", id));

async function versionsOf(tx: Tx, lineage: string): Promise<string[]> {
  return (await tx.selectFrom("artifacts").select("version").where("lineage", "=", lineage).execute()).map((row) => row.version);
}

const TRIES = 100;

/** Eight hex digits can collide, so a taken id is drawn again. */
async function freeId(tx: Tx, next: () => string): Promise<string> {
  for (let tried = 0; tried < TRIES; tried++) {
    const id = next();
    if ((await idRow(tx, id)).length === 0) return id;
  }
  throw new SlipwayError("internal_error", `No free artifact id was found in ${TRIES} tries.`, {
    suggested_next_actions: ["Check the source of randomness of this machine."],
  });
}

/** A shipped artifact keeps its envelope: only the successor names its predecessor. */
async function linkForward(tx: Tx, { envelope }: ArtifactRow, later: ArtifactEnvelope): Promise<void> {
  if (envelope.status === "SHIPPED" || envelope.status === "DEPRECATED") return;
  const outputs = [...envelope.outputs, { ref: refOf(later), purpose: "later version" }];
  await tx
    .updateTable("artifacts")
    .set({ envelope: JSON.stringify({ ...envelope, outputs }) })
    .where("artifact_id", "=", envelope.artifact_id)
    .execute();
}
