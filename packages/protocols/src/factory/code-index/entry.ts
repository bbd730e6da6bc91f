import { z } from "zod";
import { moduleId, moduleRef as moduleRange, moduleVersion } from "@slipway/languages/contracts/schema";

/** One version of one module. */
export const moduleRef = z.string().regex(/^MM-\w+@\d+\.\d+\.\d+$/, "must be a module and its version, such as MM-parse_date@1.0.0");

const text = z.string().trim().min(1);

export const ioSummary = z.strictObject({
  inputs: z.array(text),
  outputs: z.array(text),
  error_surfaces: z.array(text),
  effects: z.array(text),
  modes: z.array(text),
});

export const INDEX_STATUSES = ["SHIPPED", "DEPRECATED", "SUPERSEDED"] as const;
export type IndexStatus = (typeof INDEX_STATUSES)[number];

/** Allowed changes of status; all are final. */
export const INDEX_TRANSITIONS: Readonly<Record<IndexStatus, readonly IndexStatus[]>> = {
  SHIPPED: ["DEPRECATED", "SUPERSEDED"],
  DEPRECATED: [],
  SUPERSEDED: [],
};

/** The fields of an entry that never change. */
export const entryContent = z.strictObject({
  module_id: moduleId,
  version: moduleVersion,
  name: text,
  purpose: text,
  tags: z.array(text),
  contract_ref: text,
  examples_ref: text,
  ship_ref: text,
  io_summary: ioSummary,
  dependencies: z.array(moduleRange),
});
export type EntryContent = z.output<typeof entryContent>;

export const codeIndexEntry = entryContent.extend({
  status: z.enum(INDEX_STATUSES),
  superseded_by: moduleRef.nullable(),
  notes: z.string(),
});
export type CodeIndexEntry = z.output<typeof codeIndexEntry>;

/** A new entry: SHIPPED and without a successor. */
export const newEntry = entryContent.extend({
  status: z.literal("SHIPPED").default("SHIPPED"),
  superseded_by: z.null().default(null),
  notes: z.string().default(""),
});
export type NewEntry = z.output<typeof newEntry>;

export function refOf({ module_id, version }: { readonly module_id: string; readonly version: string }): string {
  return `${module_id}@${version}`;
}

/** Splits at the first `@`. */
export function splitRef(ref: string): { readonly module_id: string; readonly version: string } {
  const at = ref.indexOf("@");
  return { module_id: at < 0 ? ref : ref.slice(0, at), version: at < 0 ? "" : ref.slice(at + 1) };
}

/** The text an entry's embedding is computed from. */
export function embeddingText({ purpose, tags, io_summary }: Pick<EntryContent, "purpose" | "tags" | "io_summary">): string {
  const { inputs, outputs, error_surfaces, effects, modes } = io_summary;
  return `${purpose}\n${tags.join(", ")}\n${JSON.stringify({ inputs, outputs, error_surfaces, effects, modes })}`;
}

/** The fields of a contract that an entry summarises. */
export interface SummarisedContract {
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
  readonly outputs: readonly { readonly name: string; readonly type: string }[];
  readonly error_surfaces: readonly { readonly name: string }[];
  readonly effects: readonly { readonly type: string; readonly target: string }[];
  readonly modes: { readonly sync: boolean; readonly async: boolean };
}

/** `name: type` for inputs and outputs, so that a search can filter by type. */
export function summaryOf(contract: SummarisedContract): EntryContent["io_summary"] {
  return {
    inputs: contract.inputs.map(typed),
    outputs: contract.outputs.map(typed),
    error_surfaces: contract.error_surfaces.map(({ name }) => name),
    effects: contract.effects.map(({ type, target }) => `${type} ${target}`),
    modes: (["sync", "async"] as const).filter((mode) => contract.modes[mode]),
  };
}

function typed({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name}: ${type}`;
}
