import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import type { GeneratedTest, LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import type { InjectionFailure } from "../../escalation/failures.ts";
import type { LatticeFunction } from "../../lattice/lattice.ts";
import { readLattice } from "../../lattice/problems.ts";
import { projectTemplate } from "../../lattice/target.ts";
import { openCodeTools, type CodeTools } from "../../workspace/code-tools.ts";
import { verifyBodies } from "../verify-bodies.ts";

/** The sandbox of this machine, or none with the reason. */
export async function sandboxHere(): Promise<Sandbox> {
  return sandboxWorksHere() ? openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
}

/** Two holes: one with a contract that tests can check, one that calls it. */
export const SKELETON: SourceTree = {
  ...projectTemplate({ id: "typescript" }, "numbers"),
  "src/domain/numbers.ts": `/**
 * ENSURES: result >= left
 * ENSURES: result >= right
 * ENSURES: result === left || result === right
 * PURITY: pure
 */
export function larger(left: number, right: number): number {
  throw new Error("hole");
}

/**
 * ENSURES: result === (value < 0 ? 0 - value : value)
 * PURITY: pure
 */
export function distance(value: number): number {
  throw new Error("hole");
}
`,
};

export const HONEST = "return left > right ? left : right;";

export interface BodyScene {
  readonly language: LanguageAdapter;
  readonly tools: CodeTools;
  readonly tree: SourceTree;
  readonly functions: readonly LatticeFunction[];
  /** Verifies a body of `larger`. */
  verify(body: string, limits?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<InjectionFailure | null>;
  close(): Promise<void>;
}

/** Real parser, compiler, sandbox and test runner. `wrap` may put itself before the adapter. */
export async function openBodyScene(wrap: (adapter: LanguageAdapter) => LanguageAdapter = (adapter) => adapter): Promise<BodyScene> {
  const language = wrap(typescriptAdapter());
  const sandbox = await sandboxHere();
  const tools = openCodeTools({ language, sandbox: async () => sandbox, compileTimeoutMs: 20_000 });
  const scaffold = { files: [{ path: "src/domain/numbers.ts", feature: null, text: "" }], calls: [] };
  const { functions } = readLattice(SKELETON, scaffold, { claims: {}, features: {} }, language);
  const target = functions.find(({ name }) => name === "larger");
  if (target === undefined) throw new TypeError("The skeleton has no such function.");
  const test = language.unitTest(SKELETON, target.path, target.name, target.contract);
  const tests: GeneratedTest[] = test === null ? [] : [test];
  return {
    language,
    tools,
    tree: SKELETON,
    functions,
    verify: (body, { timeoutMs = 50_000, signal } = {}) =>
      verifyBodies(
        {
          language,
          folders: tools.folders,
          oracle: () => tools.oracleFor(SKELETON),
          dropOracle: tools.dropOracle,
          turns: tools.turns,
          run: { sandbox, timeoutMs, ...(signal === undefined ? {} : { signal }) },
        },
        SKELETON,
        [{ target, body }],
        tests,
      ),
    close: () => tools.close(),
  };
}
