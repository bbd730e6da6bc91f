import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import { preparedQuery } from "@slipway/kernel/record/database/prepared-query";
import type { Tx } from "@slipway/kernel/record/database/tables";
import type { NotePending } from "@slipway/kernel/record/documents/operations";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { ARTIFACT } from "./create.ts";
import { artifactIdSchema, refOf, REF, type ArtifactEnvelope } from "./envelope.ts";
import { assertArtifactTransition, DECISIONS, type ArtifactStatus, type AdjudicationDecision } from "./status.ts";
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
export type ArtifactChange = z.output<typeof changeInput>;

/** Runs in the transaction of the change, for example to add an entry to the code index. */
export type Alongside = (tx: Tx, envelope: ArtifactEnvelope, ground: ArtifactChange["ground"]) => Promise<void>;

const decided = z.object({ decision: z.enum(DECISIONS) });

export function changeOperation(
  objects: Objects,
  alongside?: Alongside,
  pending?: NotePending,
): Operation<ArtifactChange, undefined, ArtifactEnvelope> {
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
      const changed: ArtifactEnvelope = { ...envelope, status: ground.to };
      await updateRow(tx, ground.to, JSON.stringify(changed), ground.to === "DRAFT" ? null : decision, artifact_id);
      await alongside?.(tx, changed, ground);
      await pending?.(tx, ARTIFACT, artifact_id, at);
      return changed;
    },
    event: ({ artifact_id, ground }) => ({ artifact_id, to: ground.to }),
  };
}

const updateRow = preparedQuery((db, status: ArtifactStatus, envelope: string, decision: AdjudicationDecision | null, id: string) =>
  db.updateTable("artifacts").set({ status, envelope, decision }).where("artifact_id", "=", id),
);

function referenced(tx: Tx, ground: ArtifactChange["ground"]): Promise<ArtifactRow | null> {
  if (ground.to === "CHALLENGED") return lookUp(tx, ground.challenge);
  if (ground.to === "ADJUDICATED") return lookUp(tx, ground.adjudication);
  return ground.to === "DEPRECATED" ? lookUp(tx, ground.successor) : Promise.resolve(null);
}

function isAbout(judgement: ArtifactEnvelope, target: ArtifactEnvelope): boolean {
  return judgement.inputs.some(({ ref }) => ref === refOf(target));
}

/** Code ships only on passing tests and a matching fingerprint. */
function assertCodeEvidence({ envelope }: ArtifactRow, ground: ArtifactChange["ground"]): void {
  if (ground.to !== "SHIPPED" || envelope.artifact_type !== "IMPLEMENTATION" || ground.evidence.kind === "code") return;
  throw new SlipwayError("invalid_status_transition", `${refOf(envelope)} is code: it ships on ship evidence, not on validators.`, {
    artifact_id: envelope.artifact_id,
    suggested_next_actions: ["Run the ship step: it runs the tests and compares the fingerprint."],
  });
}

async function decisionOf(tx: Tx, objects: Objects, { envelope, body }: ArtifactRow): Promise<AdjudicationDecision> {
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
