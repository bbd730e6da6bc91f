import { SlipwayError } from "@slipway/agents/errors";
import { readOnce } from "@slipway/kernel/schema/read-once";
import type { z } from "zod";
import type { PlayedForgeRole } from "../agents.ts";
import type { ForgeRun } from "../forge-run.ts";
import { documentSchemaOf, taskDocumentSchema, type ForgeDocument } from "../schemas/documents.ts";
import type { DocumentPayload } from "../schemas/roles.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { invalidRecord, readOwnYaml, type ReadYaml } from "../schemas/yaml.ts";

/** The payload of a role's recorded output; null if it has none yet. */
export async function payloadOf<R extends PlayedForgeRole>(run: ForgeRun, role: R, path: string): Promise<DocumentPayload<R> | null> {
  return payloadIn(run, path, documentSchemaOf(role));
}

export function documentOfRole<R extends PlayedForgeRole>(
  run: ForgeRun,
  role: R,
  path: string,
): Promise<ForgeDocument<DocumentPayload<R>> | null> {
  return documentIn(run, path, documentSchemaOf(role));
}

export async function requiredPayload<R extends PlayedForgeRole>(run: ForgeRun, role: R, path: string): Promise<DocumentPayload<R>> {
  const payload = await payloadOf(run, role, path);
  if (payload !== null) return payload;
  throw new SlipwayError("object_missing", `${run.files.folder}/${path} is not recorded.`, {
    file: path,
    suggested_next_actions: ["Run `slipway journal verify`: the records of the run are incomplete."],
  });
}

export async function recordedTask(run: ForgeRun, id: string): Promise<ForgeTask> {
  const payload = await payloadIn(run, `tasks/${id}.yaml`, taskDocumentSchema);
  if (payload !== null) return payload.task;
  throw new SlipwayError("object_missing", `tasks/${id}.yaml is not recorded.`, {
    file: `tasks/${id}.yaml`,
    suggested_next_actions: ["Run `slipway journal verify`: the records of the run are incomplete."],
  });
}

async function payloadIn<P>(run: ForgeRun, path: string, schema: z.ZodType<ForgeDocument<P>>): Promise<P | null> {
  return (await documentIn(run, path, schema))?.agent_output.payload ?? null;
}

/** Every dispatch of a wave reads the documents of the steps before it, and its own task. */
const DOCUMENTS_KEPT = 64;
const readers = new WeakMap<z.ZodType, (text: string) => ReadYaml<unknown>>();

function readerOf<P>(schema: z.ZodType<ForgeDocument<P>>): (text: string) => ReadYaml<ForgeDocument<P>> {
  const reader = readers.get(schema) ?? readOnce(DOCUMENTS_KEPT, (text) => readOwnYaml<unknown>(text, schema));
  readers.set(schema, reader);
  return reader as (text: string) => ReadYaml<ForgeDocument<P>>;
}

/** From the records: the files on disk are for people. */
async function documentIn<P>({ files }: ForgeRun, path: string, schema: z.ZodType<ForgeDocument<P>>): Promise<ForgeDocument<P> | null> {
  const text = await files.text(path);
  if (text === null) return null;
  const read = readerOf(schema)(text);
  if (read.ok) return read.value;
  throw invalidRecord(path, read.errors);
}
