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
import { changeOperation, type Alongside, type ArtifactChange } from "./change.ts";
import { createOperation, type CreateInput } from "./create.ts";
import type { ArtifactEnvelope } from "./envelope.ts";
import { storePaths } from "./layout.ts";
import { findArtifact, lookUp, queryArtifacts, type ArtifactQuery, type ArtifactRow } from "./store.ts";
import { readText } from "./texts.ts";

/** Every artifact of the factory. All changes go through the door. */
export interface Artifacts {
  create(call: Call, input: CreateInput): Promise<ArtifactEnvelope>;
  change(call: Call, input: ArtifactChange, alongside?: Alongside): Promise<ArtifactEnvelope>;
  get(ref: string): Promise<ArtifactRow>;
  query(query: ArtifactQuery): Promise<ArtifactEnvelope[]>;
  /** One text of the body, as it was stored. */
  read(ref: string, path: string): Promise<string>;
  isShipped(id: string, version: string): Promise<boolean>;
  /** Rewrites files that are missing or differ from the record; returns how many it wrote. */
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
  /** Schemas for the bodies of some types; a body that does not match is not stored. */
  readonly bodies?: Bodies;
  /** If set, files are written without fsync, and the caller must run `renew` after a power cut. */
  readonly pending?: NotePending;
}

export function openArtifacts(options: ArtifactsOptions): Artifacts {
  const { db, door, objects, fs, folder, uuid = randomUUID, bodies = {}, pending } = options;
  const files = projectedFiles(fs);
  const written = { whole: pending === undefined };
  const creation = createOperation(objects, uuid, bodies, pending);

  /** Also runs for a repeated call: the first one may have died before it wrote the files. */
  async function project(ref: string, isNew: boolean, texts: Readonly<Record<string, string>> = {}): Promise<number> {
    const { envelope, pillar, body } = await findArtifact(db, ref);
    const place = join(folder, storePaths.artifact(pillar, envelope.artifact_id, envelope.version));
    // A body never changes. Its files are written concurrently, because most of the time is disk latency.
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
      // A repeated call carries the same texts, so the stored ones need not be read.
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
