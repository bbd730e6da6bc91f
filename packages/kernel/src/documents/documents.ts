import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { canonicalJson, sha256, type Json } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { fixed as fixedQuery, fixedWith } from "../database/fixed.ts";
import type { Db, Tx } from "../database/tables.ts";
import type { Call } from "../features/call.ts";
import type { FileSystem } from "../files/file-system.ts";
import { projectedFiles, showInOrder } from "../files/projected.ts";
import type { Door } from "../operations/door.ts";
import type { Operation } from "../operations/operation.ts";
import { newDocumentId, parseDocument, unknownDocument, type DocumentKind } from "./kind.ts";
import type { DocumentTables } from "./tables.ts";

/** What a document becomes, from what it is; pure, and within the transaction: what it throws undoes all. */
export type Revise<T> = (body: T) => T;

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
  /** For a door that does not wait: what is kept is on the disk before a file shows it, when this says so. */
  readonly onDisk?: () => Promise<void>;
}

export function openDocuments(options: DocumentsOptions): Documents {
  const { db, door, fs, folder, uuid = randomUUID, onDisk = async () => undefined } = options;
  const files = projectedFiles(fs);

  /** Also when the call is a repeat: whoever made it first may not have got this far. */
  async function project<T>(kind: DocumentKind<T>, id: string, body: T, recorded?: Promise<void>): Promise<number> {
    const options = { whole: kind.loose !== true };
    const all = Object.entries(kind.files(id, body)).map(([path, text]) => files.stage(join(folder, path), text, options));
    return showInOrder(all, recorded);
  }

  async function get<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const found = await latest(db, kind, id);
    if (found === null) throw unknownDocument(kind.kind, id);
    return found.body;
  }

  async function projected<T>(kind: DocumentKind<T>, id: string): Promise<T> {
    const recorded = onDisk();
    // Whoever shows a file hears of it.
    recorded.catch(() => undefined);
    const kept = await get(kind, id);
    await project(kind, id, kept, recorded);
    return kept;
  }

  return {
    async keep({ actor, operationId }, kind, body) {
      const { id } = await door.perform(keepOperation(kind, uuid), actor, operationId, { body });
      return projected(kind, id);
    },
    async keepAll({ actor, operationId }, kind, bodies) {
      const { kept } = await door.perform(keepAllOperation(kind, uuid), actor, operationId, { bodies });
      return Promise.all(kept.map(({ id }) => projected(kind, id)));
    },
    async revise({ actor, operationId }, kind, id, wish, revise) {
      await door.perform(reviseOperation(kind, revise), actor, operationId, { id, wish });
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

interface Kept {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
}

type Body = Readonly<Record<string, unknown>>;

const body = z.record(z.string(), z.unknown());
// Made once: the first use of a schema costs more than all others.
const keepInput = z.strictObject({ body });
const keepAllInput = z.strictObject({ bodies: z.array(body) });
const reviseInput = z.strictObject({ id: z.string(), wish: z.json() });

function keepOperation<T>(kind: DocumentKind<T>, uuid: () => string): Operation<z.output<typeof keepInput>, undefined, Kept> {
  return {
    name: `${kind.kind}.keep`,
    roles: ["system", "orchestrator", "person"],
    input: keepInput,
    commit: (tx, given, _effect, { at }) => keepWithin(tx, kind, given.body, at, uuid),
    event: (_input, kept) => ({ ...kept }),
  };
}

function keepAllOperation<T>(
  kind: DocumentKind<T>,
  uuid: () => string,
): Operation<z.output<typeof keepAllInput>, undefined, { kept: Kept[] }> {
  return {
    name: `${kind.kind}.keep_all`,
    roles: ["system", "orchestrator", "person"],
    input: keepAllInput,
    async commit(tx, { bodies }, _effect, { at }) {
      const kept: Kept[] = [];
      for (const one of bodies) kept.push(await keepWithin(tx, kind, one, at, uuid));
      return { kept };
    },
    event: (_input, { kept }) => ({ kept: kept.map((one) => ({ ...one })) }),
  };
}

async function keepWithin<T>(tx: Tx, kind: DocumentKind<T>, given: Body, at: number, uuid: () => string): Promise<Kept> {
  const id = await idFor(tx, kind, given, uuid);
  const time = kind.timeField === undefined ? {} : { [kind.timeField]: new Date(at).toISOString() };
  return insert(tx, kind, { id, revision: 1, body: { ...given, ...time, [kind.idField]: id }, at });
}

async function idFor<T>(tx: Tx, kind: DocumentKind<T>, body: Body, uuid: () => string): Promise<string> {
  if (kind.prefix === null) {
    const id = String(body[kind.idField]);
    if ((await latest(tx, kind, id)) !== null) throw fixed(kind.kind, id);
    return id;
  }
  if (Object.hasOwn(body, kind.idField)) throw ownId(kind);
  for (;;) {
    const id = newDocumentId(kind.prefix, uuid);
    if ((await latest(tx, kind, id)) === null) return id;
  }
}

function reviseOperation<T>(kind: DocumentKind<T>, revise: Revise<T>): Operation<{ id: string; wish: Json }, undefined, Kept> {
  return {
    name: `${kind.kind}.revise`,
    roles: ["system", "orchestrator", "person"],
    input: reviseInput,
    async commit(tx, { id }, _effect, { at }) {
      const before = await latest(tx, kind, id);
      if (before === null) throw unknownDocument(kind.kind, id);
      if (kind.fixity === "once") throw fixed(kind.kind, id);
      return insert(tx, kind, { id, revision: before.revision + 1, body: { ...revise(before.body), [kind.idField]: id }, at });
    },
    event: (_input, kept) => ({ ...kept }),
  };
}

const insertRow = fixedWith((db, row: DocumentTables["documents"]) => db.insertInto("documents").values(row));

const latestRow = fixedQuery((db, kind: string, id: string) =>
  db
    .selectFrom("documents")
    .select(["revision", "body", "digest"])
    .where("kind", "=", kind)
    .where("id", "=", id)
    .orderBy("revision", "desc")
    .limit(1),
);

async function insert<T>(
  tx: Tx,
  kind: DocumentKind<T>,
  { id, revision, body, at }: { readonly id: string; readonly revision: number; readonly body: unknown; readonly at: number },
): Promise<Kept> {
  const text = canonicalJson(parseDocument(kind, body));
  const kept = { id, revision, digest: sha256(text) };
  await insertRow(tx, { kind: kind.kind, ...kept, body: text, at });
  return kept;
}

async function latest<T>(
  db: Db | Tx,
  { kind }: DocumentKind<T>,
  id: string,
): Promise<{ readonly revision: number; readonly body: T } | null> {
  const [row] = await latestRow(db, kind, id);
  return row === undefined ? null : { revision: row.revision, body: bodyOf<T>(kind, id, row) };
}

async function all<T>(db: Db, { kind }: DocumentKind<T>): Promise<{ readonly id: string; readonly body: T }[]> {
  const rows = await db
    .selectFrom("documents")
    .select(["id", "body", "digest"])
    .where("kind", "=", kind)
    .orderBy("revision")
    .orderBy("at")
    .execute();
  const bodies = new Map<string, T>();
  for (const { id, ...row } of rows) bodies.set(id, bodyOf<T>(kind, id, row));
  return [...bodies].map(([id, body]) => ({ id, body }));
}

/** A row that is not what was kept is used by nobody, whoever has changed it. */
function bodyOf<T>(kind: string, id: string, { body, digest }: { readonly body: string; readonly digest: string }): T {
  if (sha256(body) === digest) return JSON.parse(body) as T;
  throw new SlipwayError(
    "database_corrupt",
    `The record of ${id} (${kind}) in the database is not what was kept: somebody or something has changed it.`,
    {
      kind,
      id,
      suggested_next_actions: [
        "Put a backup of .slipway/slipway.db in its place, then `slipway resume`. Nothing was done in the meantime.",
      ],
    },
  );
}

function ownId({ kind, idField }: { readonly kind: string; readonly idField: string }): SlipwayError {
  return new SlipwayError("schema_validation_failed", `The ${kind} brings its own ${idField}; ids are given where it is kept.`, {
    field: idField,
    suggested_next_actions: [`Leave ${idField} out.`],
  });
}

function fixed(kind: string, id: string): SlipwayError {
  return new SlipwayError("policy_violation", `${id} cannot be changed: a ${kind} is written once.`, {
    id,
    immutable: true,
    suggested_next_actions: ["Write a new record instead."],
  });
}
