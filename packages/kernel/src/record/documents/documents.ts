import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Db } from "../database/tables.ts";
import type { Call } from "../operations/call.ts";
import type { FileSystem } from "../../host/files/file-system.ts";
import { projectedFiles, showInOrder } from "../../host/files/projection-writer.ts";
import type { Door } from "../operations/door.ts";
import { unknownDocument, type DocumentKind } from "./kind.ts";
import { keepAllOperation, keepOperation, reviseOperation, type NotePending, type Revise } from "./operations.ts";
import { all, latest } from "./store.ts";

/** Records of the state store, each under its own id. The rows are the record; the files are projections of them. */
export interface Documents {
  /** Stores a body without an id and assigns one, unless the kind takes its id from the body (`prefix: null`). */
  keep<T>(call: Call, kind: DocumentKind<T>, body: object): Promise<T>;
  /** Several of one kind, all or none. */
  keepAll<T>(call: Call, kind: DocumentKind<T>, bodies: readonly object[]): Promise<T[]>;
  /** `wish` identifies the change: a repeated call with the same `wish` revises once. */
  revise<T>(call: Call, kind: DocumentKind<T>, id: string, wish: unknown, revise: Revise<T>): Promise<T>;
  get<T>(kind: DocumentKind<T>, id: string): Promise<T>;
  find<T>(kind: DocumentKind<T>, id: string): Promise<T | null>;
  /** In the order in which they were first stored. */
  list<T>(kind: DocumentKind<T>): Promise<T[]>;
  /** Rewrites files that are missing or were edited. Returns the number of files written. */
  repair<T>(kind: DocumentKind<T>): Promise<number>;
  /** Like `repair`, for one document. */
  renew<T>(kind: DocumentKind<T>, id: string): Promise<number>;
}

export interface DocumentsOptions {
  readonly db: Db;
  readonly door: Door;
  readonly fs: FileSystem;
  /** `.slipway/state_store`. */
  readonly folder: string;
  readonly uuid?: () => string;
  /**
   * Records which documents of loose kinds have files written without fsync. The owner of this list calls `renew` for them after a power
   * cut.
   */
  readonly pending?: NotePending;
}

export function openDocuments(options: DocumentsOptions): Documents {
  const { db, door, fs, folder, uuid = randomUUID, pending } = options;
  const files = projectedFiles(fs);

  /** Also for a repeated call: the process that made the first one may have died before it wrote the files. */
  async function project<T>(kind: DocumentKind<T>, id: string, body: T): Promise<number> {
    const options = { whole: pending === undefined || kind.loose !== true };
    const all = Object.entries(kind.files(id, body)).map(([path, text]) => files.stage(join(folder, path), text, options));
    return showInOrder(all);
  }

  async function get<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const document = await latest(db, kind, id);
    if (document === null) throw unknownDocument(kind.kind, id);
    return document.body;
  }

  async function projected<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const body = await get(kind, id);
    await project(kind, id, body);
    return body;
  }

  return {
    async keep({ actor, operationId }, kind, body) {
      const { id } = await door.perform(keepOperation(kind, uuid, pending), actor, operationId, { body });
      return projected(kind, id);
    },
    async keepAll({ actor, operationId }, kind, bodies) {
      const { kept } = await door.perform(keepAllOperation(kind, uuid, pending), actor, operationId, { bodies });
      return Promise.all(kept.map(({ id }) => projected(kind, id)));
    },
    async revise({ actor, operationId }, kind, id, wish, revise) {
      await door.perform(reviseOperation(kind, revise, pending), actor, operationId, { id, wish });
      return projected(kind, id);
    },
    get,
    find: async (kind, id) => (await latest(db, kind, id))?.body ?? null,
    list: async (kind) => (await all(db, kind)).map(({ body }) => body),
    renew: async (kind, id) => project(kind, id, await get(kind, id)),
    async repair(kind) {
      let written = 0;
      for (const { id, body } of await all(db, kind)) written += await project(kind, id, body);
      return written;
    },
  };
}
