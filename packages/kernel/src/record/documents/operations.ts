import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Tx } from "../database/tables.ts";
import type { Operation } from "../operations/operation.ts";
import { newDocumentId, unknownDocument, type DocumentKind } from "./kind.ts";
import { insert, latest, type Kept } from "./store.ts";

/** Computes the next body from the current one. Pure; runs in the transaction, so an exception undoes everything. */
export type Revise<T> = (body: T) => T;

/** Called in the transaction of a record whose files are written without fsync. */
export type NotePending = (tx: Tx, kind: string, id: string, at: number) => Promise<void>;

type Body = Readonly<Record<string, unknown>>;

const body = z.record(z.string(), z.unknown());
// Created once: the first use of a schema is the expensive one.
const keepInput = z.strictObject({ body });
const keepAllInput = z.strictObject({ bodies: z.array(body) });
const reviseInput = z.strictObject({ id: z.string(), wish: z.json() });

export function keepOperation<T>(
  kind: DocumentKind<T>,
  uuid: () => string,
  pending?: NotePending,
): Operation<z.output<typeof keepInput>, undefined, Kept> {
  return {
    name: `${kind.kind}.keep`,
    roles: ["system", "orchestrator", "person"],
    input: keepInput,
    commit: (tx, given, _effect, { at }) => keepWithin(tx, kind, given.body, at, uuid, pending),
    event: (_input, kept) => ({ ...kept }),
  };
}

export function keepAllOperation<T>(
  kind: DocumentKind<T>,
  uuid: () => string,
  pending?: NotePending,
): Operation<z.output<typeof keepAllInput>, undefined, { kept: Kept[] }> {
  return {
    name: `${kind.kind}.keep_all`,
    roles: ["system", "orchestrator", "person"],
    input: keepAllInput,
    async commit(tx, { bodies }, _effect, { at }) {
      const kept: Kept[] = [];
      for (const one of bodies) kept.push(await keepWithin(tx, kind, one, at, uuid, pending));
      return { kept };
    },
    event: (_input, { kept }) => ({ kept: kept.map((one) => ({ ...one })) }),
  };
}

async function keepWithin<T>(
  tx: Tx,
  kind: DocumentKind<T>,
  given: Body,
  at: number,
  uuid: () => string,
  pending?: NotePending,
): Promise<Kept> {
  const id = await idFor(tx, kind, given, uuid);
  const time = kind.timeField === undefined ? {} : { [kind.timeField]: new Date(at).toISOString() };
  if (kind.loose === true) await pending?.(tx, kind.kind, id, at);
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

export function reviseOperation<T>(
  kind: DocumentKind<T>,
  revise: Revise<T>,
  pending?: NotePending,
): Operation<{ id: string; wish: Json }, undefined, Kept> {
  return {
    name: `${kind.kind}.revise`,
    roles: ["system", "orchestrator", "person"],
    input: reviseInput,
    async commit(tx, { id }, _effect, { at }) {
      const before = await latest(tx, kind, id);
      if (before === null) throw unknownDocument(kind.kind, id);
      if (kind.fixity === "once") throw fixed(kind.kind, id);
      if (kind.loose === true) await pending?.(tx, kind.kind, id, at);
      return insert(tx, kind, { id, revision: before.revision + 1, body: { ...revise(before.body), [kind.idField]: id }, at });
    },
    event: (_input, kept) => ({ ...kept }),
  };
}

function ownId({ kind, idField }: { readonly kind: string; readonly idField: string }): SlipwayError {
  return new SlipwayError("schema_validation_failed", `The ${kind} contains a ${idField}, which Slipway assigns itself.`, {
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
