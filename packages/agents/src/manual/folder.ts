import { existsSync } from "node:fs";
import { cp, chmod, mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, writeFileAtomic } from "@slipway/kernel/host/files/write-atomic";
import { z } from "zod";
import type { ProviderRequest } from "../provider.ts";
import { digestsOf, type Digests } from "./edits.ts";
import { ANSWER_FILE, PACK_FOLDER, REQUEST_FILE, requestText, SCHEMA_FILE } from "./request-text.ts";

const FACTS_FILE = "request.json";

/** `<run>-<step>`, in characters that need no quoting in a shell. */
export function folderName(key: string): string {
  return key.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
}

const factsSchema = z.looseObject({
  /** The first prompt of the invocation, and the last one asked, which differs after a repair. */
  first: z.string(),
  asked: z.string(),
  /** Digests of the pack when it was copied. */
  files: z.record(z.string(), z.string()),
});

/** Writes the request. Existing answers and edits for the same invocation stay. */
export async function layOut(folder: string, request: ProviderRequest, errors: readonly string[]): Promise<void> {
  const { role, subject, attempt, repair, promptDigest, workplace } = request;
  const known = await factsOf(folder);
  const goesOn = known !== null && (repair > 0 || known.first === promptDigest);
  if (known !== null && !goesOn) await setAside(folder);
  await ensureDirectory(nodeFileSystem, folder);
  const pack = join(folder, PACK_FOLDER);
  const copied = workplace !== null && !(goesOn && existsSync(pack));
  if (copied) await copyPack(workplace.folder, pack);
  await put(join(folder, SCHEMA_FILE), `${JSON.stringify(request.schema, null, 2)}\n`);
  await put(join(folder, REQUEST_FILE), requestText(request, errors));
  // Written last: a folder with this file is complete.
  const files = copied ? await digestsOf(workplace.folder) : (known?.files ?? {});
  const facts = { role, subject, attempt, repair, first: goesOn ? known.first : promptDigest, asked: promptDigest, files };
  await put(join(folder, FACTS_FILE), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Whether this is the prompt asked last: only then the answer belongs to it. */
export async function wasAsked(folder: string, { repair, promptDigest }: ProviderRequest): Promise<boolean> {
  const facts = await factsOf(folder);
  return facts !== null && (facts.asked === promptDigest || (repair === 0 && facts.first === promptDigest));
}

/** Digests of the pack when it was written. */
export async function packAsCopied(folder: string): Promise<Digests> {
  return (await factsOf(folder))?.files ?? {};
}

async function factsOf(folder: string): Promise<z.output<typeof factsSchema> | null> {
  const json = parseStrictJson(await textOf(join(folder, FACTS_FILE)));
  const facts = factsSchema.safeParse(json.ok ? json.value : null);
  return facts.success ? facts.data : null;
}

/** Work on an earlier prompt is moved aside, not deleted. */
async function setAside(folder: string): Promise<void> {
  for (let number = 1; ; number++) {
    const aside = `${folder}.old-${number}`;
    if (!existsSync(aside)) return rename(folder, aside);
  }
}

async function copyPack(from: string, to: string): Promise<void> {
  const draft = `${to}.new`;
  // Left by a killed process.
  for (const path of [draft, to]) await removeTree(path);
  await mkdir(draft);
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await makeWritable(draft);
  await rename(draft, to);
}

/** Files of the pack may be links or read-only; the copy must be editable. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeWritable(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o777) | 0o200);
  }
}

/** Null if there is no answer file. */
export async function writtenAnswer(folder: string): Promise<string | null> {
  const file = join(folder, ANSWER_FILE);
  return existsSync(file) ? textOf(file) : null;
}

async function textOf(file: string): Promise<string> {
  return existsSync(file) ? (await readFile(file)).toString("utf8") : "";
}

async function put(path: string, text: string): Promise<void> {
  await writeFileAtomic(nodeFileSystem, path, Buffer.from(text.toWellFormed()), { durable: false });
}
