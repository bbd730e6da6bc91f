import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { SourceTree, TestSelection } from "../../adapter.ts";
import { runProjectTests } from "../project-tests.ts";
import type { TestRun } from "../test-run.ts";

/** Writes a tree to a folder, runs its tests and removes it. */
export async function runTree(sandbox: Sandbox, tree: SourceTree, more: Partial<TestSelection> = {}): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-tree-"));
  try {
    for (const [path, text] of Object.entries(tree)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await runProjectTests(folder, { sandbox, timeoutMs: 60_000, ...more });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const MODULES = join(dirname(createRequire(import.meta.url).resolve("fast-check/package.json")), "..");
const TSC = join(MODULES, ".bin/tsc");
const OPTIONS = {
  target: "es2024",
  lib: ["es2024"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

/** Errors of the compiler in a tree, with strict options. */
export function compileProblems(tree: SourceTree, more: Record<string, boolean> = {}): string[] {
  const folder = mkdtempSync(join(tmpdir(), "slipway-compile-"));
  try {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    // Types of Jest are not installed here.
    writeFileSync(
      join(folder, "jest.d.ts"),
      `declare module "@jest/globals" { export * from "vitest"; export { vi as jest } from "vitest"; }\n`,
    );
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...OPTIONS, ...more } }));
    symlinkSync(MODULES, join(folder, "node_modules"));
    const { stdout } = spawnSync(TSC, ["-p", folder], { encoding: "utf8" });
    return stdout.split("\n").filter((line) => /error TS/.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
