import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { SourceTree } from "../../adapter.ts";
import { pythonAdapter } from "../adapter.ts";

export interface PythonTimes {
  readonly p50: number;
  readonly p95: number;
}

const FILES = 60;
const FUNCTIONS = 10;
const ROUNDS = 200;
const BODY = "doubled = a * 2\nif doubled > len(text):\n    return doubled\nreturn len(text) - doubled";

/** 60 files with 600 functions. Imports form a tree, six files deep. */
function benchTree(hole: string): SourceTree {
  const files = Array.from({ length: FILES }, (_, file) => {
    const parent = file >> 1;
    const imported = file === 0 ? "" : `from m${parent} import Item${parent}\n`;
    const before = file === 0 ? "None" : `Item${parent} | None`;
    const functions = Array.from(
      { length: FUNCTIONS },
      (__, index) => `\n\ndef f${file}_${index}(a: int, text: str) -> int:\n    """REQUIRES: a > ${index}"""\n    ${hole}\n`,
    );
    const item = `from dataclasses import dataclass\n${imported}\n\n@dataclass(frozen=True)\nclass Item${file}:\n    id: int\n    before: ${before}\n`;
    return [`src/m${file}.py`, `${item}${functions.join("")}`] as const;
  });
  return Object.fromEntries(files);
}

/** The check after one body with pyright, whose package is in one of these folders called node_modules. */
export async function measurePython(sandbox: Sandbox, packages: readonly string[]): Promise<PythonTimes> {
  const language = pythonAdapter({ env: process.env, packages });
  const tree = benchTree(language.hole);
  const oracle = await language.openOracle(tree, { sandbox });
  const times: number[] = [];
  try {
    await oracle.check();
    for (let round = 0; round < ROUNDS; round++) {
      const [file, index] = [(round * 37) % FILES, round % FUNCTIONS];
      const path = `src/m${file}.py`;
      const text = language.emitCode(language.injectBody(language.parseAst(tree[path] ?? ""), `f${file}_${index}`, BODY));
      const start = performance.now();
      const { passed } = await oracle.checkFile(path, text);
      times.push(performance.now() - start);
      if (!passed) throw new Error(`The check of ${path} failed.`);
    }
  } finally {
    await oracle.close();
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: sorted[ROUNDS / 2] ?? 0, p95: sorted[ROUNDS * 0.95] ?? 0 };
}
