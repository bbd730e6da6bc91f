import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SourceTree } from "../../adapter.ts";
import { openOracle } from "../oracle/oracle.ts";
import { HOLE } from "../source/hole.ts";
import { injectBody } from "../source/inject-body.ts";
import { parseSource } from "../source/parse-source.ts";

export interface OracleTimes {
  /** The check after one body. */
  readonly checkMs: number;
  readonly injectMs: number;
  /** A new process of the compiler over the same tree on disk. */
  readonly coldTscMs: number;
}

const FILES = 200;
const FUNCTIONS = 10;
const BODY = "const doubled = a * 2;\nif (doubled > text.length) {\n  return doubled;\n}\nreturn text.length - doubled;";

/** 200 files with 2,000 functions, each file importing the one before it. */
export function benchTree(): SourceTree {
  const config = {
    compilerOptions: { strict: true, noEmit: true, module: "nodenext", target: "es2024", allowImportingTsExtensions: true, types: [] },
  };
  const files = Array.from({ length: FILES }, (_, file) => {
    const imported = file === 0 ? "" : `import type { Item${file - 1} } from "./m${file - 1}.ts";\n`;
    const before = file === 0 ? "null" : `Item${file - 1} | null`;
    const functions = Array.from(
      { length: FUNCTIONS },
      (__, index) =>
        `\n/** REQUIRES: a > ${index} */\nexport function f${file}_${index}(a: number, text: string): number {\n  ${HOLE}\n}\n`,
    );
    return [
      `src/m${file}.ts`,
      `${imported}export interface Item${file} { readonly id: ${file}; readonly before: ${before} }\n${functions.join("")}`,
    ] as const;
  });
  return { "tsconfig.json": JSON.stringify(config), "package.json": `{ "type": "module" }`, ...Object.fromEntries(files) };
}

/** Times of `rounds` injections and checks (p50), and of one cold compiler. */
export async function measureOracle(rounds = 200): Promise<OracleTimes> {
  const tree = benchTree();
  const oracle = openOracle(tree);
  const [checks, injections]: [number[], number[]] = [[], []];
  try {
    await oracle.check();
    for (let round = 0; round < rounds; round++) {
      const [file, index] = [(round * 37) % FILES, round % FUNCTIONS];
      const path = `src/m${file}.ts`;
      const source = parseSource(tree[path] ?? "");
      const start = performance.now();
      const { text } = injectBody(source, `f${file}_${index}`, BODY);
      injections.push(performance.now() - start);
      const injected = performance.now();
      const { passed } = await oracle.checkFile(path, text);
      checks.push(performance.now() - injected);
      if (!passed) throw new Error(`The check of ${path} failed.`);
    }
  } finally {
    await oracle.close();
  }
  return { checkMs: median(checks), injectMs: median(injections), coldTscMs: coldCompile(tree) };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}

function coldCompile(tree: SourceTree): number {
  const folder = mkdtempSync(join(tmpdir(), "slipway-oracle-bench-"));
  try {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const program = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
    const start = performance.now();
    const { status, stdout } = spawnSync(process.execPath, [program, "-p", folder], { encoding: "utf8" });
    if (status !== 0) throw new Error(`tsc failed: ${stdout}`);
    return performance.now() - start;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
