import { isUtf8 } from "node:buffer";
import { SlipwayError } from "../../schema/errors.ts";
import { readObjects } from "./fast-path/git-queries.ts";
import { decodePath, splitZero } from "./names.ts";
import type { Repository } from "./repository.ts";

export interface TreeTextLimits {
  readonly wanted: (path: string) => boolean;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

const REGULAR_FILE = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)$/;

/** The wanted text files of a commit, by path. Leaves out links, submodules, large files and what is not UTF-8. */
export async function readTreeTexts(repo: Repository, commit: string, limits: TreeTextLimits): Promise<Record<string, string>> {
  const { wanted, maxFiles, maxFileBytes, maxBytes } = limits;
  const { stdout } = await repo.git.run(["ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", commit]);
  const files = splitZero(stdout).flatMap((line) => {
    const end = line.indexOf(9);
    const [, oid, size] = REGULAR_FILE.exec(line.toString("latin1", 0, end)) ?? [];
    const path = decodePath(line.subarray(end + 1));
    return oid === undefined || Number(size) > maxFileBytes || !wanted(path) ? [] : [{ path, oid, size: Number(size) }];
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > maxFiles || bytes > maxBytes) throw tooLarge(files.length, bytes, limits);
  const blobs = await readObjects(
    repo,
    files.map(({ oid }) => oid),
  );
  const texts: Record<string, string> = {};
  for (const [index, { path }] of files.entries()) {
    const found = blobs[index]?.bytes;
    if (found !== undefined && isUtf8(found) && !found.includes(0)) texts[path] = found.toString("utf8");
  }
  return texts;
}

function tooLarge(files: number, bytes: number, { maxFiles, maxBytes }: TreeTextLimits): SlipwayError {
  return new SlipwayError(
    "repository_unsuitable",
    `The commit has ${files} files with ${bytes} bytes to read; at most ${maxFiles} files with ${maxBytes} bytes are read.`,
    { files, bytes, suggested_next_actions: ["Move what is not part of the program out of src and tests."] },
  );
}
