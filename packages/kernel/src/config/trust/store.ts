import { existsSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode, nodeFileSystem } from "../../host/files/file-system.ts";
import { whyInside, whyNotOwn, type Unreliable } from "../../host/files/own-place.ts";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { namesIn, writeFileAtomic } from "../../host/files/write-atomic.ts";

const entry = z.strictObject({
  digest: z.string(),
  /** The digest of each file, by path. */
  files: z.record(z.string(), z.string()),
  /** What the configuration could start and give away, one line for each: to tell what is new in the next one. */
  powers: z.array(z.string()),
  by: z.string(),
  at: z.iso.datetime(),
});

const kept = z.strictObject({ repository: z.string(), trusted: z.array(entry) });

/** A configuration that a person has trusted. */
export type TrustEntry = z.output<typeof entry>;

export interface TrustedRepository {
  /** Its common git directory. */
  readonly repository: string;
  readonly trusted: readonly TrustEntry[];
}

const CHANGED: Unreliable = { reason: "It was changed outside Slipway.", next: "Remove it, and run `slipway trust`." };

/** A way back to an earlier configuration asks nothing, for so many of them. */
const MOST_ENTRIES = 20;

export interface TrustStore {
  /** The newest last. */
  read(): Promise<readonly TrustEntry[]>;
  add(entry: TrustEntry): Promise<void>;
  /** False if there was nothing. */
  remove(): Promise<boolean>;
}

interface StorePlace {
  readonly configHome: string;
  readonly root: string;
  readonly commonDir: string;
}

/** In the user's configuration folder, one file for each repository: no repository can bring it, and no sandbox shows it. */
export function trustStore({ configHome, root, commonDir }: StorePlace): TrustStore {
  const folder = folderIn(configHome);
  const file = trustFile(configHome, commonDir);
  async function read(): Promise<readonly TrustEntry[]> {
    refuseIf(file, await whyInside(file, root));
    const found = await readKept(file);
    if (found === null || found.repository === commonDir) return found?.trusted ?? [];
    throw refused(file, CHANGED);
  }
  return {
    read,
    async add(added) {
      const others = (await read()).filter(({ digest }) => digest !== added.digest);
      makePrivateFolder(join(configHome, "slipway"));
      makePrivateFolder(folder);
      const trusted = [...others, added].slice(-MOST_ENTRIES);
      await writeFileAtomic(nodeFileSystem, file, Buffer.from(canonicalJson({ repository: commonDir, trusted })), { mode: 0o600 });
      await dropGone(folder);
    },
    async remove() {
      if ((await read()).length === 0) return false;
      await nodeFileSystem.unlink(file);
      return true;
    },
  };
}

/** Every repository whose configuration was trusted. */
export async function trustedRepositories(configHome: string): Promise<TrustedRepository[]> {
  const folder = folderIn(configHome);
  const names = (await namesIn(nodeFileSystem, folder)).filter((name) => name.endsWith(".json")).toSorted();
  return (await Promise.all(names.map((name) => readKept(join(folder, name))))).filter((one) => one !== null);
}

/** Repositories that were removed, such as those of demos. */
async function dropGone(folder: string): Promise<void> {
  for (const name of (await namesIn(nodeFileSystem, folder)).filter((name) => name.endsWith(".json"))) {
    const found = await readKept(join(folder, name)).catch(() => null);
    if (found !== null && !existsSync(found.repository)) await nodeFileSystem.unlink(join(folder, name)).catch(() => undefined);
  }
}

export function trustFile(configHome: string, commonDir: string): string {
  return join(folderIn(configHome), `${sha256(commonDir).slice(0, 24)}.json`);
}

function folderIn(configHome: string): string {
  return join(configHome, "slipway", "trust");
}

async function readKept(file: string): Promise<TrustedRepository | null> {
  const bytes = await nodeFileSystem.read(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  });
  if (bytes === null) return null;
  refuseIf(file, await whyNotOwn(file, 0o600));
  const parsed = kept.safeParse(jsonOf(Buffer.from(bytes).toString("utf8")));
  if (parsed.success) return parsed.data;
  throw refused(file, CHANGED);
}

function refuseIf(file: string, found: Unreliable | null): void {
  if (found !== null) throw refused(file, found);
}

function refused(file: string, { reason, next }: Unreliable): SlipwayError {
  return new SlipwayError("configuration_not_trusted", `${file}, which says what you have trusted, cannot be used. ${reason}`, {
    file,
    suggested_next_actions: [next],
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
