import type { Tx } from "@slipway/kernel/record/database/tables";
import type { ArtifactType } from "./envelope.ts";
import type { ArtifactStatus, Decision } from "./status.ts";

export interface ArtifactTables {
  /** The record of every artifact; the files in the state store are made from it. */
  artifacts: {
    artifact_id: string;
    artifact_type: ArtifactType;
    version: string;
    status: ArtifactStatus;
    /** The first artifact of which this one is a later version: its own id for that one. */
    lineage: string;
    pillar: string;
    /** JSON. */
    envelope: string;
    /** JSON: path to SHA-256, in `artifact_texts` or, where the text is long, in the object store. */
    body: string;
    /** Of the adjudication, once there is one. */
    decision: Decision | null;
  };
  /** Short texts of bodies. A text that two artifacts have is here once. */
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
