import { SlipwayError } from "@slipway/agents/errors";
import type { SourceTree } from "@slipway/languages/adapter";
import { compilerOptionsOf, extendedConfigs } from "@slipway/languages/typescript/oracle/compiler-options";
import { openOracle } from "@slipway/languages/typescript/oracle/oracle";
import { strictProblems } from "@slipway/languages/typescript/oracle/strict";

const FILE = "tsconfig.json";
const MOST_CONFIGS = 20;

/** The configurations that tsconfig.json extends, by path. They decide what compiles, so that each has to be committed. */
export async function extendedFiles(text: string, read: (path: string) => Promise<string | null>): Promise<SourceTree> {
  const files: Record<string, string> = { [FILE]: text };
  const open = [FILE];
  for (let path = open.shift(); path !== undefined && Object.keys(files).length <= MOST_CONFIGS; path = open.shift()) {
    for (const parent of extendedConfigs(path, files[path] ?? "")) {
      if (parent in files) continue;
      const found = parent.startsWith("..") ? null : await read(parent).catch(() => null);
      if (found === null)
        throw refusal(`${path} extends ${parent}, which is not committed in the repository, so its options are unknown.`, [
          `Copy its compilerOptions into ${FILE}, and commit it.`,
        ]);
      files[parent] = found;
      open.push(parent);
    }
  }
  return files;
}

/** Two files that import each other as generated ones do. */
const SAMPLE: SourceTree = {
  "src/domain/sample.ts":
    "export interface Sample {\n  readonly size: number;\n}\n\nexport function sizeOf(sample: Sample): number {\n  return sample.size;\n}\n",
  "src/services/sample.ts":
    'import { sizeOf, type Sample } from "../domain/sample.ts";\n\nexport function twice(sample: Sample): number {\n  return 2 * sizeOf(sample);\n}\n',
};

/** Refuses settings under which no skeleton compiles. No model may change them, so it is said before one is called. */
export async function assertCompilerSettings(projectFiles: SourceTree): Promise<void> {
  const [loose] = strictProblems(projectFiles);
  if (loose !== undefined) throw refusal(loose.message, ["Write it there, or in a file that it extends, and commit it."]);
  const { allowImportingTsExtensions, rewriteRelativeImportExtensions } = compilerOptionsOf(projectFiles) ?? {};
  if (allowImportingTsExtensions !== true && rewriteRelativeImportExtensions !== true)
    throw refusal(`${FILE} does not allow imports that end in .ts, which generated code has.`, [
      `Write "rewriteRelativeImportExtensions": true, or "allowImportingTsExtensions": true with "noEmit": true, into compilerOptions, and commit it.`,
    ]);
  const oracle = openOracle({ ...projectFiles, ...SAMPLE });
  try {
    const [problem] = (await oracle.check()).problems;
    if (problem !== undefined)
      throw refusal(`Generated code does not compile with the settings of the repository: ${problem.message}`, [
        `Correct ${FILE} or package.json (modules need "type": "module"), and commit it.`,
      ]);
  } finally {
    await oracle.close();
  }
}

/** Settings that the compile check does not use. */
export function uncheckedSettings(projectFiles: SourceTree): string[] {
  const options = compilerOptionsOf(projectFiles) ?? {};
  const unused = ["noUnusedLocals", "noUnusedParameters"].filter((name) => options[name] === true);
  if (unused.length === 0) return [];
  return [`${FILE} has ${unused.join(" and ")}: a file of the program may import more than it uses, and a gate that runs tsc then fails.`];
}

function refusal(message: string, suggested_next_actions: readonly string[]): SlipwayError {
  return new SlipwayError("config_invalid", message, { file: FILE, suggested_next_actions });
}
