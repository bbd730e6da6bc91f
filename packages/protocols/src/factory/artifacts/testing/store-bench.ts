import { migrateFactory } from "../../tables.ts";
import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { openBench, type Bench } from "@slipway/kernel/record/operations/testing/door";
import { openArtifacts, type Artifacts } from "../artifacts.ts";
import type { CreateInput } from "../create.ts";
import { refOf, type ArtifactEnvelope } from "../envelope.ts";
import type { AdjudicationDecision } from "../status.ts";

export const SYSTEM = { type: "system", id: "test" } as const;

export interface StoreBench extends Bench {
  readonly store: string;
  readonly artifacts: Artifacts;
  call(): { readonly actor: typeof SYSTEM; readonly operationId: string };
  create(parts?: Partial<CreateInput>): Promise<ArtifactEnvelope>;
  /** Through challenge and adjudication. */
  adjudicated(decision: AdjudicationDecision, parts?: Partial<CreateInput>): Promise<ArtifactEnvelope>;
}

export async function openStoreBench(uuid?: () => string): Promise<StoreBench> {
  const bench = await openBench();
  await migrateFactory(bench.db, bench.folder);
  const store = join(bench.folder, "state_store");
  const { db, door, objects } = bench;
  const artifacts = openArtifacts({ db, door, objects, fs: nodeFileSystem, folder: store, ...(uuid && { uuid }) });
  let number = 0;
  const call = () => ({ actor: SYSTEM, operationId: `call ${number++}` });
  const create = (parts: Partial<CreateInput> = {}) => artifacts.create(call(), wish(parts));
  return {
    ...bench,
    store,
    artifacts,
    call,
    create,
    async adjudicated(decision, parts) {
      const target = await create(parts);
      const about = { inputs: [{ ref: refOf(target), purpose: "judged" }] };
      const challenge = await create({ artifact_type: "CHALLENGE", ...about });
      await artifacts.change(call(), { artifact_id: target.artifact_id, ground: { to: "CHALLENGED", challenge: refOf(challenge) } });
      const body = { "adjudication.json": JSON.stringify({ decision }) };
      const adjudication = await create({ artifact_type: "ADJUDICATION", ...about, body });
      const ground = { to: "ADJUDICATED" as const, adjudication: refOf(adjudication) };
      return artifacts.change(call(), { artifact_id: target.artifact_id, ground });
    },
  };
}

export function wish(parts: Partial<CreateInput> = {}): CreateInput {
  return {
    artifact_type: "IMPLEMENTATION",
    pillar: "core",
    created_by: { role: "proposer", run_id: "run1" },
    context_pack_ref: "CP-0a1b2c3d",
    body: { "src/index.ts": "export {};\n" },
    ...parts,
  };
}
