import type { Tx } from "@slipway/kernel/record/database/tables";
import type { ArtifactType } from "./envelope.ts";
import type { ArtifactStatus, AdjudicationDecision } from "./status.ts";

export interface ArtifactTables {
  /** The record of every artifact; files in the state store are written from it. */
  artifacts: {
    artifact_id: string;
    artifact_type: ArtifactType;
    version: string;
    status: ArtifactStatus;
    /** The first artifact of the chain of versions; an artifact without a predecessor names itself. */
    lineage: string;
    pillar: string;
    /** JSON. */
    envelope: string;
    /** JSON: path to SHA-256. Short texts are in `artifact_texts`, long ones in the object store. */
    body: string;
    /** Of the adjudication, once there is one. */
    decision: AdjudicationDecision | null;
  };
  /** Short texts of bodies, stored once per digest. */
  artifact_texts: { digest: string; text: string };
}

export async function createArtifacts(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("artifacts")
    .addColumn("artifact_id", "text", (column) => column.primaryKey())
    .addColumn("artifact_type", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("lineage", "text", (column) => column.notNull())
    .addColumn("pillar", "text", (column) => column.notNull())
    .addColumn("envelope", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("decision", "text")
    .execute();
  await tx.schema.createIndex("artifacts_by_lineage").on("artifacts").columns(["lineage"]).execute();
  await tx.schema.createIndex("artifacts_by_type").on("artifacts").columns(["artifact_type", "status"]).execute();
}

export async function createArtifactTexts(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("artifact_texts")
    .addColumn("digest", "text", (column) => column.primaryKey())
    .addColumn("text", "text", (column) => column.notNull())
    .execute();
}
