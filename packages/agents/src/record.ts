import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, writeFileAtomic } from "@slipway/kernel/host/files/write-atomic";
import { CASSETTE_FILE, entryPath, type CassetteEntry } from "./cassette.ts";
import type { Moment, TranscriptHead, Watch } from "./transcripts/line.ts";

export type RecordedInvocation = Pick<TranscriptHead, "role" | "subject" | "attempt">;

/** Makes cassette entries from the events of an invocation, live or from an old transcript. */
export interface EntryMaker {
  readonly watch: Watch;
  /** One for the first answer and one per repair. */
  entries(): CassetteEntry[];
}

export function entryMaker({ role, subject, attempt }: RecordedInvocation): EntryMaker {
  const digests = new Map<number, string>();
  const given: Given[] = [];
  let verdict: Ending | null = null;
  const entry = ({ repair, model, usage, ending }: Given): CassetteEntry => ({
    role,
    subject,
    attempt,
    repair,
    prompt_digest: digests.get(repair) ?? null,
    model,
    ...ending,
    usage,
  });
  return {
    watch(moment) {
      if (moment.kind === "sent") digests.set(moment.repair, moment.prompt_digest);
      if (moment.kind === "answer") given.push(answered(moment));
      if (moment.kind === "failed") given.push(failed(moment));
      if (moment.kind === "output") verdict = { output: moment.output };
      if (moment.kind === "rejected") verdict = { failure: moment.failure };
    },
    entries: () => (verdict === null ? given : [judged(given, verdict)]).map(entry),
  };
}

type Ending = Pick<CassetteEntry, "text" | "output" | "failure">;

interface Given extends Pick<CassetteEntry, "repair" | "model" | "usage"> {
  readonly ending: Ending;
}

function answered({ repair, text, usage, model, duration_ms }: Moment & { kind: "answer" }): Given {
  return { repair, model, usage: { ...usage, duration_ms: usage.duration_ms ?? Math.round(duration_ms) }, ending: answerOf(text) };
}

function failed({ repair, failure, duration_ms }: Moment & { kind: "failed" }): Given {
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: Math.round(duration_ms) };
  return { repair, model: null, usage, ending: { failure } };
}

/**
 * The answer of an agent that works on files lacks the patch, which was found in its folder. Its repairs cannot be replayed one by one, so
 * there is one entry with the final result and the total cost.
 */
function judged(given: readonly Given[], ending: Ending): Given {
  const sum = (field: "input_tokens" | "output_tokens" | "cost_usd" | "duration_ms") =>
    given.reduce((total, { usage }) => total + (usage[field] ?? 0), 0);
  const [input_tokens, output_tokens, cost_usd, duration_ms] = [
    sum("input_tokens"),
    sum("output_tokens"),
    sum("cost_usd"),
    sum("duration_ms"),
  ];
  return { repair: 0, model: given.at(-1)?.model ?? null, usage: { input_tokens, output_tokens, cost_usd, duration_ms }, ending };
}

/** As a value if it gives back the same text, because people read and edit cassettes. */
function answerOf(text: string): { readonly output: unknown } | { readonly text: string } {
  const json = parseStrictJson(text);
  return json.ok && JSON.stringify(json.value) === text ? { output: json.value } : { text };
}

export interface CassetteWriter {
  write(entries: readonly CassetteEntry[]): Promise<void>;
}

export interface CassetteOptions {
  readonly folder: string;
  readonly description: string;
  readonly clock: Clock;
}

/** Entries are written atomically. Recording into an existing cassette keeps its description. */
export function cassetteWriter({ folder, description, clock }: CassetteOptions): CassetteWriter {
  let head: Promise<void> | null = null;
  const file = join(folder, CASSETTE_FILE);
  const about = () => ({ version: 1, created: new Date(clock.now()).toISOString(), description });
  return {
    async write(entries) {
      await (head ??= existsSync(file) ? Promise.resolve() : writeJson(file, about()));
      for (const entry of entries) await writeJson(join(folder, entryPath(entry)), entry);
    },
  };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await ensureDirectory(nodeFileSystem, dirname(path));
  await writeFileAtomic(nodeFileSystem, path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
}
