import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { workflow, type Ctx } from "@slipway/durable/ctx";
import { openEngine } from "@slipway/durable/engine";
import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import { migrateProtocols } from "@slipway/protocols/all-protocols";
import { openChangeServices } from "@slipway/protocols/change/services";
import { parseConfig } from "@slipway/protocols/criticality/config/config";
import type { CriticalityInput } from "@slipway/protocols/criticality/input";
import { functionId, type Lattice } from "@slipway/protocols/criticality/lattice/lattice";
import { openSession } from "@slipway/protocols/criticality/open-session";
import { injectionPhase } from "@slipway/protocols/criticality/phases/injection-phase";
import type { StateKeeper } from "@slipway/protocols/criticality/state-keeper";
import { NO_WORK } from "@slipway/protocols/criticality/work";
import { openCodeTools } from "@slipway/protocols/criticality/workspace/code-tools";
import type { AgentDispatcher, Reply } from "@slipway/protocols/dispatch/dispatcher";
import { z } from "zod";

export interface LatticeFigures {
  readonly functions: number;
  readonly totalMs: number;
  /** In the compiler. Tests are answered at once. */
  readonly compileMs: number;
  /** The replay of everything up to the end of the phase. */
  readonly resumeMs: number;
  readonly heapMb: readonly number[];
}

const PER_FILE = 10;
const RUN = "lattice";

/** Injects a lattice of `count` functions with a model and a test runner that answer at once: what is left is the harness. */
export async function measureLattice(count: number): Promise<LatticeFigures> {
  const real = await languageAdapter("typescript", { env: process.env });
  const spent = { compileMs: 0 };
  const language = answering(real, spent);
  const lattice = latticeOf(count, language);
  const scratch = await openScratchKernel();
  await migrateProtocols(scratch.records.database);
  const heapMb: number[] = [];
  let invoked = 0;
  const dispatcher: AgentDispatcher = {
    invoke: async <T>() => {
      if (++invoked % Math.ceil(count / 4) === 0) heapMb.push(usedHeap());
      return { ok: true, value: { body: "return a * 2;" } as T } satisfies Reply<T>;
    },
  };
  const services = { ...openChangeServices(scratch.kernel, dispatcher), openTools: openCodeTools };
  const input: CriticalityInput = { project: "bench", idea: null, spec_digest: null, config_text: null, project_files: {} };
  const flow = workflow("bench", "1", async (ctx: Ctx) => {
    const session = await openSession(ctx, input, { services, config: parseConfig(null).config, language });
    await toInjection(session.keeper);
    const { progress } = await injectionPhase(session, { ...NO_WORK, lattice });
    await session.tools.close();
    await ctx.ask("again", { kind: "bench", title: "Again?", schema: z.literal("yes") });
    return Object.keys(progress?.bodies ?? {}).length;
  });
  const { database, objects, clock, ids, inbox } = scratch.records;
  const open = () => openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [flow], kernel: null });
  const engine = await open();
  await engine.start(flow.name, {}, { runId: RUN });
  const started = performance.now();
  await engine.drive(RUN);
  const totalMs = performance.now() - started;
  await engine.signal(RUN, "again", "yes");
  const resumed = performance.now();
  const outcome = await engine.drive(RUN);
  const resumeMs = performance.now() - resumed;
  if (outcome.status !== "completed" || outcome.value !== count) throw new Error(`not injected: ${JSON.stringify(outcome).slice(0, 500)}`);
  await engine.close();
  await scratch.records.close();
  return { functions: count, totalMs, compileMs: spent.compileMs, resumeMs, heapMb };
}

async function toInjection(keeper: StateKeeper): Promise<void> {
  await keeper.advance({ artifacts: ["allAnswers"] });
  await keeper.advance({ artifacts: ["revisedProposal"] });
  await keeper.advance({ humanResponse: "approve", artifacts: ["spec"] });
  await keeper.advance({ artifacts: ["lattice"] });
  await keeper.advance({ compile: "passed" });
  for (let auditor = 0; auditor < 4; auditor++) await keeper.advance({ contradictions: { found: [], severity: "simple" } });
}

function latticeOf(count: number, { hole }: LanguageAdapter): Lattice {
  const files = Array.from({ length: Math.ceil(count / PER_FILE) }, (_, file) => {
    const names = Array.from({ length: PER_FILE }, (__, index) => `f${file}_${index}`);
    const text = names
      .map((name) => `/**\n * ENSURES: result === a * 2\n */\nexport function ${name}(a: number): number {\n  ${hole}\n}\n`)
      .join("\n");
    return { path: `src/domain/m${file}.ts`, text, names };
  });
  const tree: SourceTree = {
    "package.json": '{ "type": "module" }\n',
    "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
    ...Object.fromEntries(files.map(({ path, text }) => [path, text])),
  };
  const contract = { clauses: [{ kind: "ENSURES" as const, predicate: "result === a * 2", line: 2 }] };
  const functions = files.flatMap(({ path, names }) =>
    names.map((name) => ({
      id: functionId(path, name),
      path,
      name,
      signature: `export function ${name}(a: number): number`,
      contract,
      calls: [],
    })),
  );
  return { tree, functions, witnesses: [] };
}

/** The adapter with tests that pass at once, and a clock on its compiler. */
function answering(real: LanguageAdapter, spent: { compileMs: number }): LanguageAdapter {
  return {
    ...real,
    runTests: async (_folder, { files = [] }) => ({
      tests: files.map((file) => ({ name: nameOf(file), result: "PASS" as const, duration_ms: 0, error: null })),
      skipped: [],
      broken: null,
    }),
    async openOracle(tree, run) {
      const oracle = await real.openOracle(tree, run);
      return {
        ...oracle,
        async checkFile(path, text) {
          const before = performance.now();
          const result = await oracle.checkFile(path, text);
          spent.compileMs += performance.now() - before;
          return result;
        },
      };
    },
  };
}

/** The one test of a function of the lattice. */
function nameOf(file: string): string {
  return `${file.split("/").at(-1)?.replace(".test.ts", "")} ENSURES: result === a * 2`;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function usedHeap(): number {
  collectGarbage();
  return Math.round(process.memoryUsage().heapUsed / 1024 / 1024);
}

if (import.meta.main) console.log(JSON.stringify(await measureLattice(Number(process.argv[2] ?? 1000))));
