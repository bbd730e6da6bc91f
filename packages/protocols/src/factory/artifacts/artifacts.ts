import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Db } from "@slipway/kernel/record/database/tables";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { FileSystem } from "@slipway/kernel/host/files/file-system";
import type { NotePending } from "@slipway/kernel/record/documents/operations";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Door } from "@slipway/kernel/record/operations/door";
import { missing } from "@slipway/kernel/host/file-views/files";
import type { Bodies } from "./body.ts";
import { changeOperation, type Alongside, type ChangeInput } from "./change.ts";
import { createOperation, type CreateInput } from "./create.ts";
import type { Envelope } from "./envelope.ts";
import { storePaths } from "./layout.ts";
import { findArtifact, lookUp, queryArtifacts, type ArtifactQuery, type ArtifactRow } from "./store.ts";
import { readText } from "./texts.ts";

/** Every record of what the factory made and judged. Through the door, like every change of state. */
export interface Artifacts {
  create(call: Call, input: CreateInput): Promise<Envelope>;
  change(call: Call, input: ChangeInput, alongside?: Alongside): Promise<Envelope>;
  get(ref: string): Promise<ArtifactRow>;
  query(query: ArtifactQuery): Promise<Envelope[]>;
  /** One text of the body, as it was stored. */
  read(ref: string, path: string): Promise<string>;
  isShipped(id: string, version: string): Promise<boolean>;
  /** Writes what is missing of its files, or was edited by somebody; returns how many files. */
  renew(ref: string): Promise<number>;
}

export interface ArtifactsOptions {
  readonly db: Db;
  readonly door: Door;
  readonly objects: Objects;
  readonly fs: FileSystem;
  /** `.slipway/state_store`. */
  readonly folder: string;
  readonly uuid?: () => string;
  /** What is stored as an artifact of one of these types is a record of that form, or is not stored. */
  readonly bodies?: Bodies;
  /** With it files are written without fsync; whoever takes these notes calls `renew` after a power cut. */
  readonly pending?: NotePending;
}

export function openArtifacts(options: ArtifactsOptions): Artifacts {
  const { db, door, objects, fs, folder, uuid = randomUUID, bodies = {}, pending } = options;
  const files = projectedFiles(fs);
  const written = { whole: pending === undefined };
  const creation = createOperation(objects, uuid, bodies, pending);

  /** Also when the call is a repeat: whoever made it first may not have got this far. */
  async function project(ref: string, isNew: boolean, texts: Readonly<Record<string, string>> = {}): Promise<number> {
    const { envelope, pillar, body } = await findArtifact(db, ref);
    const place = join(folder, storePaths.artifact(pillar, envelope.artifact_id, envelope.version));
    // A body never changes. Its files side by side: most of the time is waiting for the disk.
    const bodies = Object.entries(isNew ? body : {});
    const made = await Promise.all(bodies.map(([path, digest]) => projectBody(join(place, "body", path), digest, texts[path])));
    made.push(await files.write(join(place, "envelope.json"), `${JSON.stringify(envelope, null, 2)}\n`, written));
    return made.filter((changed) => changed).length;
  }

  async function projectBody(path: string, digest: string, text: string | undefined): Promise<boolean> {
    return files.write(path, text ?? (await readText(db, objects, digest)), written);
  }

  return {
    async create({ actor, operationId }, input) {
      const envelope = await door.perform(creation, actor, operationId, input);
      // The same call has the same texts, so what was stored need not be read again.
      await project(envelope.artifact_id, true, input.body);
      if (input.follows !== undefined) await project(input.follows, false);
      return envelope;
    },
    async change({ actor, operationId }, input, alongside) {
      const envelope = await door.perform(changeOperation(objects, alongside, pending), actor, operationId, input);
      await project(envelope.artifact_id, false);
      return envelope;
    },
    get: (ref) => findArtifact(db, ref),
    query: async (query) => (await queryArtifacts(db, query)).map(({ envelope }) => envelope),
    async read(ref, path) {
      const digest = (await findArtifact(db, ref)).body[path];
      if (digest === undefined) throw missing(`${ref}/body/${path}`);
      return readText(db, objects, digest);
    },
    renew: (ref) => project(ref, true),
    async isShipped(id, version) {
      const status = (await lookUp(db, `${id}@${version}`))?.envelope.status;
      return status === "SHIPPED" || status === "DEPRECATED";
    },
  };
}
