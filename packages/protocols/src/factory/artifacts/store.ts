import { SlipwayError } from "@slipway/agents/errors";
import { preparedQuery } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import { parseEnvelope, type ArtifactType, type ArtifactEnvelope } from "./envelope.ts";
import type { ArtifactStatus, AdjudicationDecision } from "./status.ts";

export interface ArtifactRow {
  readonly envelope: ArtifactEnvelope;
  readonly lineage: string;
  readonly pillar: string;
  /** Path to SHA-256. */
  readonly body: Readonly<Record<string, string>>;
  readonly decision: AdjudicationDecision | null;
}

export interface ArtifactQuery {
  readonly artifact_type?: ArtifactType;
  readonly status?: ArtifactStatus;
  readonly lineage?: string;
  readonly limit?: number;
}

const MOST = 1000;

/** By id, or by `id@version`, which must be its version. */
export async function findArtifact(db: Db | Tx, ref: string): Promise<ArtifactRow> {
  const found = await lookUp(db, ref);
  if (found !== null) return found;
  throw new SlipwayError("input_path_not_found", `There is no artifact ${JSON.stringify(ref.slice(0, 80))}.`, {
    ref: ref.slice(0, 80),
    requires_human: false,
    suggested_next_actions: ["Look for it with query_artifacts."],
  });
}

const artifactRow = preparedQuery((db, id: string) => db.selectFrom("artifacts").selectAll().where("artifact_id", "=", id));

export async function lookUp(db: Db | Tx, ref: string): Promise<ArtifactRow | null> {
  const [id = "", version] = ref.split("@");
  const [row] = await artifactRow(db, id);
  return row === undefined || (version !== undefined && version !== row.version) ? null : rowFrom(row);
}

export async function queryArtifacts(db: Db | Tx, { artifact_type, status, lineage, limit = MOST }: ArtifactQuery): Promise<ArtifactRow[]> {
  let query = db.selectFrom("artifacts").selectAll();
  if (artifact_type !== undefined) query = query.where("artifact_type", "=", artifact_type);
  if (status !== undefined) query = query.where("status", "=", status);
  if (lineage !== undefined) query = query.where("lineage", "=", lineage);
  return (await query.orderBy("artifact_id").limit(Math.min(limit, MOST)).execute()).map(rowFrom);
}

interface Stored {
  readonly envelope: string;
  readonly lineage: string;
  readonly pillar: string;
  readonly body: string;
  readonly decision: AdjudicationDecision | null;
}

function rowFrom({ envelope, body, lineage, pillar, decision }: Stored): ArtifactRow {
  return {
    envelope: parseEnvelope(JSON.parse(envelope)),
    body: JSON.parse(body) as Record<string, string>,
    lineage,
    pillar,
    decision,
  };
}
