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

/** Records of the state store under an id of their own. The rows are the record; the files are made from them. */
export interface Documents {
  /** The body without its id, which is given here unless the kind has none of its own. */
  keep<T>(call: Call, kind: DocumentKind<T>, body: object): Promise<T>;
  /** Several of one kind, all or none. */
  keepAll<T>(call: Call, kind: DocumentKind<T>, bodies: readonly object[]): Promise<T[]>;
  /** `wish` names the change: the same call twice is worked out and done once. */
  revise<T>(call: Call, kind: DocumentKind<T>, id: string, wish: unknown, revise: Revise<T>): Promise<T>;
  get<T>(kind: DocumentKind<T>, id: string): Promise<T>;
  find<T>(kind: DocumentKind<T>, id: string): Promise<T | null>;
  /** In the order they were first kept. */
  list<T>(kind: DocumentKind<T>): Promise<T[]>;
  /** Writes what is missing or was edited by somebody; returns how many files. */
  repair<T>(kind: DocumentKind<T>): Promise<number>;
  /** The same for one of them. */
  renew<T>(kind: DocumentKind<T>, id: string): Promise<number>;
}

export interface DocumentsOptions {
  readonly db: Db;
  readonly door: Door;
  readonly fs: FileSystem;
  /** `.slipway/state_store`. */
  readonly folder: string;
  readonly uuid?: () => string;
  /** Notes records of loose kinds whose files are written without fsync; whoever takes these notes calls `renew` after a power cut. */
  readonly pending?: NotePending;
}

export function openDocuments(options: DocumentsOptions): Documents {
  const { db, door, fs, folder, uuid = randomUUID, pending } = options;
  const files = projectedFiles(fs);

  /** Also when the call is a repeat: whoever made it first may not have got this far. */
  async function project<T>(kind: DocumentKind<T>, id: string, body: T): Promise<number> {
    const options = { whole: pending === undefined || kind.loose !== true };
    const all = Object.entries(kind.files(id, body)).map(([path, text]) => files.stage(join(folder, path), text, options));
    return showInOrder(all);
  }

  async function get<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const found = await latest(db, kind, id);
    if (found === null) throw unknownDocument(kind.kind, id);
    return found.body;
  }

  async function projected<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const kept = await get(kind, id);
    await project(kind, id, kept);
    return kept;
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
