import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { scratch } from "../../git/testing/scratch.ts";
import type { Git } from "../../git/runner.ts";
import { openRepository } from "../../git/repository.ts";
import { temporaryFolder } from "../../git/testing/scratch.ts";

export interface Yard {
  readonly folder: string;
  readonly git: () => Promise<Git>;
  put(path: string, text: string): void;
}

/** A folder with files outside any repository, and git to search it. */
export async function treeYard(files: Readonly<Record<string, string>>): Promise<Yard> {
  const repository = await openRepository(scratch().root);
  const folder = temporaryFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  return { folder, put, git: () => repository.vault({ workTree: folder }) };
}

export async function refusalOf(run: () => unknown): Promise<SlipwayError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

export const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");
