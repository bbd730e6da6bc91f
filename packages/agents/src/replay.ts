import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "./errors.ts";
import { fromFailure, type Failure } from "@slipway/durable/errors";
import { hasCode, nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import {
  CASSETTE_FILE,
  cassetteSchema,
  entryPath,
  entrySchema,
  invalidFile,
  parseCassetteFile,
  type CassetteEntry,
  type EntryKey,
} from "./cassette.ts";
import type { Provider, ProviderReply, ProviderRequest } from "./provider.ts";

export interface ReplayOptions {
  readonly folder: string;
  /** Refuse an answer recorded for another prompt, instead of only warning. */
  readonly strict?: boolean;
}

/** Answers from a folder of recorded ones: no network, no cost, always the same. */
export async function replayProvider({ folder, strict = false }: ReplayOptions): Promise<Provider> {
  const head = await read(join(folder, CASSETTE_FILE));
  if (head === null) throw noCassette(folder);
  parseCassetteFile(join(folder, CASSETTE_FILE), head, cassetteSchema);
  return {
    name: "replay",
    works: "prompt",
    async invoke(request, signal) {
      signal.throwIfAborted();
      const file = join(folder, entryPath(request));
      const bytes = await read(file);
      if (bytes === null) throw await noAnswer(folder, file, request);
      const entry = parseCassetteFile(file, bytes, entrySchema);
      assertSame(file, entry, request);
      if (entry.failure !== undefined) throw fromFailure(entry.failure as Failure);
      return reply(entry, drift(file, entry, request, strict));
    },
  };
}

function reply({ text, output, usage, model }: CassetteEntry, warnings: readonly string[]): ProviderReply {
  return { text: text ?? JSON.stringify(output), usage, model, warnings };
}

/** A copied or renamed file would answer for another role or subject. */
function assertSame(file: string, entry: EntryKey, request: EntryKey): void {
  for (const field of ["role", "subject", "attempt", "repair"] as const) {
    if (entry[field] === request[field]) continue;
    throw invalidFile(
      file,
      `/${field}`,
      `/${field} is ${JSON.stringify(entry[field])}, but its name says ${JSON.stringify(request[field])}`,
    );
  }
}

function drift(file: string, entry: CassetteEntry, request: ProviderRequest, strict: boolean): string[] {
  if (entry.prompt_digest === null || entry.prompt_digest === request.promptDigest) return [];
  const message = `${file} was recorded for another prompt (${entry.prompt_digest.slice(0, 12)}, now ${request.promptDigest.slice(0, 12)}).`;
  if (!strict) return [message];
  throw new SlipwayError("agent_failed", message, {
    file,
    retryable: false,
    expected_prompt_digest: entry.prompt_digest,
    prompt_digest: request.promptDigest,
    suggested_next_actions: ["Record the cassette again, or replay without strict prompts."],
  });
}

async function noAnswer(folder: string, file: string, { role, subject, attempt, repair }: ProviderRequest): Promise<SlipwayError> {
  const there = await answersIn(folder);
  const which = `attempt ${attempt}${repair === 0 ? "" : `, repair ${repair}`}`;
  const listed = there.length === 0 ? "The cassette is empty." : `It holds ${there.join(", ")}.`;
  return new SlipwayError(
    "cassette_answer_missing",
    `The cassette has no answer of the ${role} for ${subject} (${which}): ${file} does not exist. ${listed}`,
    {
      file,
      role,
      subject,
      attempt,
      repair,
      available: there,
      suggested_next_actions: ["Record the cassette again, or choose a live provider with --agent-provider."],
    },
  );
}

const LISTED = 30;

async function answersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".json") && name !== CASSETTE_FILE)
    .toSorted()
    .slice(0, LISTED);
}

function noCassette(folder: string): SlipwayError {
  return new SlipwayError("cassette_missing", `There is no cassette in ${folder}: ${CASSETTE_FILE} is missing.`, {
    file: join(folder, CASSETTE_FILE),
    suggested_next_actions: ["Check runtime.replay.cassette in slipway/agents.yaml, or the --cassette option."],
  });
}

async function read(file: string): Promise<Uint8Array | null> {
  try {
    return await nodeFileSystem.read(file);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return null;
    throw new SlipwayError(
      "cassette_missing",
      `${file} cannot be read.`,
      { file, suggested_next_actions: ["Check that it is a file and that you may read it."] },
      { cause: error },
    );
  }
}
