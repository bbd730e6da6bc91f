import { existsSync, lstatSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { writeFileAtomic } from "@slipway/kernel/host/files/write-atomic";

export interface WrittenFiles {
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/** Checked before any question: existing files are not replaced without --force. */
export function assertReplaceable(root: string, paths: readonly string[], force: boolean): void {
  const link = paths
    .map((path) => dirname(path))
    .find((folder) => lstatSync(join(root, folder), { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined) {
    throw new SlipwayError(
      "path_out_of_bounds",
      `${link} is a symbolic link, and Slipway would write its files elsewhere. Nothing was written.`,
      {
        file: link,
        suggested_next_actions: [`Look at where it leads, and remove it (\`git rm ${link}\`, if it is committed).`],
      },
    );
  }
  const present = paths.filter((path) => existsSync(join(root, path)));
  if (force || present.length === 0) return;
  throw new SlipwayError(
    "invalid_cli_args",
    `${present.join(", ")} ${present.length === 1 ? "exists" : "exist"} already. Nothing was written.`,
    {
      file: present[0],
      suggested_next_actions: ["Edit the files by hand, or run `slipway init --force`: the old ones are kept as *.bak."],
    },
  );
}

export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<WrittenFiles> {
  const backups: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true }).catch((cause: unknown) => {
      throw new SlipwayError(
        "io_error",
        `The folder ${dirname(path)} cannot be created: a file is in its place, or you may not write there.`,
        { file: path },
        { cause },
      );
    });
    if (existsSync(join(root, path))) backups.push(await putAside(root, path));
    await writeFileAtomic(nodeFileSystem, join(root, path), Buffer.from(text));
  }
  return { written: Object.keys(files), kept: backups };
}

async function putAside(root: string, path: string): Promise<string> {
  let aside = `${path}.bak`;
  for (let number = 2; existsSync(join(root, aside)); number++) aside = `${path}.${number}.bak`;
  await rename(join(root, path), join(root, aside));
  return aside;
}
