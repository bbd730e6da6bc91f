import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CompileResult, SourceTree, ToolRun } from "../../adapter.ts";
import { openOracle } from "./oracle.ts";

const NOT_SOURCES = new Set(["node_modules", ".git", ".slipway"]);
const READ = /(?:\.ts|(?:^|\/)(?:package|tsconfig[^/]*)\.json)$/;

/** Checks the TypeScript files of a folder. */
export async function compileCheck(sourcePath: string, run: Pick<ToolRun, "timeoutMs" | "signal">): Promise<CompileResult> {
  const oracle = openOracle(await readTree(sourcePath), run);
  try {
    return await oracle.check();
  } finally {
    await oracle.close();
  }
}

/** Sources and configurations below a folder. Links are not followed. */
export async function readTree(folder: string, below = ""): Promise<SourceTree> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const parts = await Promise.all(
    entries.map(async (entry): Promise<SourceTree> => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? {} : readTree(folder, path);
      return entry.isFile() && READ.test(path) ? { [path]: await readFile(join(folder, path), "utf8") } : {};
    }),
  );
  return Object.assign({}, ...parts) as SourceTree;
}
