import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { fixed } from "@slipway/kernel/record/database/prepared-query";
import type { Tx } from "@slipway/kernel/record/database/tables";
import type { NotePending } from "@slipway/kernel/record/documents/operations";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { ARTIFACT } from "./create.ts";
import { artifactIdSchema, refOf, REF, type Envelope } from "./envelope.ts";
import { assertArtifactTransition, DECISIONS, type ArtifactStatus, type Decision } from "./status.ts";
import { findArtifact, lookUp, type ArtifactRow } from "./store.ts";
import { readText } from "./texts.ts";

const ref = z.string().regex(REF, "id@version");
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/, "64 lowercase hex characters");
const evidence = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("code"),
    result: z.enum(["PASS", "FAIL"]),
    fingerprint,
    lockedFingerprint: fingerprint.nullable(),
  }),
  z.strictObject({ kind: z.literal("other"), validatorsPassed: z.boolean() }),
]);

export const changeInput = z.strictObject({
  artifact_id: artifactIdSchema,
  ground: z.discriminatedUnion("to", [
    z.strictObject({ to: z.literal("CHALLENGED"), challenge: ref }),
    z.strictObject({ to: z.literal("ADJUDICATED"), adjudication: ref }),
    z.strictObject({ to: z.literal("SHIPPED"), amendmentsApplied: z.boolean(), evidence }),
    z.strictObject({ to: z.literal("DRAFT"), revisionsLeft: z.int().min(0) }),
    z.strictObject({ to: z.literal("DEPRECATED"), successor: ref }),
  ]),
});
export type ChangeInput = z.output<typeof changeInput>;

/** In the transaction of the change: what else becomes true with it, such as an entry of the code index. */
export type Alongside = (tx: Tx, envelope: Envelope, ground: ChangeInput["ground"]) => Promise<void>;

const decided = z.object({ decision: z.enum(DECISIONS) });

export function changeOperation(
  objects: Objects,
  alongside?: Alongside,
  pending?: NotePending,
): Operation<ChangeInput, undefined, Envelope> {
  return {
    name: "artifact.change",
    roles: ["system", "orchestrator"],
    input: changeInput,
    async commit(tx, { artifact_id, ground }, _effect, { at }) {
      const artifact = await findArtifact(tx, artifact_id);
      const { envelope } = artifact;
      const named = await referenced(tx, ground);
      assertCodeEvidence(artifact, ground);
      assertArtifactTransition(
        {
          from: envelope.status,
          decision: artifact.decision,
          isReferencedBy: (_, type) => named?.envelope.artifact_type === type && isAbout(named.envelope, envelope),
          isShipped: () => named !== null && named.envelope.status === "SHIPPED",
        },
        ground,
      );
      const decision = ground.to === "ADJUDICATED" && named !== null ? await decisionOf(tx, objects, named) : artifact.decision;
      const changed: Envelope = { ...envelope, status: ground.to };
      await updateRow(tx, ground.to, JSON.stringify(changed), ground.to === "DRAFT" ? null : decision, artifact_id);
      await alongside?.(tx, changed, ground);
      await pending?.(tx, ARTIFACT, artifact_id, at);
      return changed;
    },
    event: ({ artifact_id, ground }) => ({ artifact_id, to: ground.to }),
  };
}

const updateRow = fixed((db, status: ArtifactStatus, envelope: string, decision: Decision | null, id: string) =>
  db.updateTable("artifacts").set({ status, envelope, decision }).where("artifact_id", "=", id),
);

function referenced(tx: Tx, ground: ChangeInput["ground"]): Promise<ArtifactRow | null> {
  if (ground.to === "CHALLENGED") return lookUp(tx, ground.challenge);
  if (ground.to === "ADJUDICATED") return lookUp(tx, ground.adjudication);
  return ground.to === "DEPRECATED" ? lookUp(tx, ground.successor) : Promise.resolve(null);
}

function isAbout(judgement: Envelope, target: Envelope): boolean {
  return judgement.inputs.some(({ ref }) => ref === refOf(target));
}

/** Code ships on tests and a fingerprint; nothing else about it can stand in for them. */
function assertCodeEvidence({ envelope }: ArtifactRow, ground: ChangeInput["ground"]): void {
  if (ground.to !== "SHIPPED" || envelope.artifact_type !== "IMPLEMENTATION" || ground.evidence.kind === "code") return;
  throw new SlipwayError("invalid_status_transition", `${refOf(envelope)} is code: it ships on ship evidence, not on validators.`, {
    artifact_id: envelope.artifact_id,
    suggested_next_actions: ["Run the ship step: it runs the tests and compares the fingerprint."],
  });
}

async function decisionOf(tx: Tx, objects: Objects, { envelope, body }: ArtifactRow): Promise<Decision> {
  const digest = body["adjudication.json"];
  const text = digest === undefined ? "null" : await readText(tx, objects, digest);
  const parsed = decided.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data.decision;
  throw new SlipwayError("schema_validation_failed", `${refOf(envelope)} has no adjudication.json with a decision.`, {
    artifact_id: envelope.artifact_id,
    suggested_next_actions: [`Create an ADJUDICATION whose body has adjudication.json with one of ${DECISIONS.join(", ")}.`],
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
