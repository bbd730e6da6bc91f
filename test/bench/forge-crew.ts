import type { BenchRow } from "@slipway/durable/bench/durable";
import type { ScratchOptions } from "@slipway/kernel/change/testing/scratch-kernel";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { openBench } from "@slipway/protocols/crew/flow/testing/bench";
import { file, plan, planTask } from "@slipway/protocols/crew/flow/testing/artifacts";
import { builds, TEAM, YES } from "@slipway/protocols/crew/flow/testing/team";
import { openForgeScene } from "@slipway/protocols/forge/testing/forge-scene";
import { join } from "node:path";
import { measureRouting } from "./forge-routing.ts";
import { Stopwatch, timedRepository, timedSandbox } from "./stopwatch.ts";

const TASKS = 20;
const MAX_SHARE = 0.1;
const RUNS = 10;
const MAX_BYTES = 600e6;
const FLAT = 1.5;

/** One small file of tests in a real runner. */
const TESTS = {
  "check.sh": "exec node --test\n",
  "test/sum.test.mjs": `import { equal } from "node:assert";\nimport { test } from "node:test";\ntest("sum", () => equal(1 + 1, 2));\n`,
};
const TSC = join(import.meta.dirname, "..", "..", "node_modules", "typescript", "bin", "tsc");
/** What checks a repository: the cheapest that there is, and a compiler before it, on one small file. */
const CHECKS = {
  "tests of 0.1 s": TESTS,
  "a compiler and tests": {
    ...TESTS,
    "check.sh": `'${process.execPath}' '${TSC}' --noEmit --strict sum.ts && exec node --test\n`,
    "sum.ts": "export const sum = (a: number, b: number): number => a + b;\n",
  },
};
type Files = Readonly<Record<string, string>>;

/** Runs of forge and crew whose agents answer at once. */
export async function benchForgeAndCrew(): Promise<BenchRow[]> {
  const memory = await memoryRow();
  const shares: BenchRow[] = [];
  for (const [checks, files] of Object.entries(CHECKS)) {
    shares.push(shareRow("forge", checks, await measureForge(files)), shareRow("crew", checks, await measureCrew(files)));
  }
  return [memory, await routingRow(), ...shares];
}

interface Measured {
  readonly wallMs: number;
  readonly insideMs: number;
}

function shareRow(protocol: string, checks: string, { wallMs, insideMs }: Measured): BenchRow {
  const share = (wallMs - insideMs) / wallMs;
  return {
    what: `orchestration of a run of ${protocol} with ${TASKS} tasks, checked by ${checks}, share of its wall clock`,
    value: `${insideMs.toFixed(0)} ms of ${wallMs.toFixed(0)} ms in git and checks; ${((wallMs - insideMs) / TASKS).toFixed(0)} ms a task besides`,
    ratio: share,
    bar: `≤ ${MAX_SHARE.toFixed(2)}`,
    ok: share <= MAX_SHARE,
  };
}

async function measured(run: (kernel: ScratchOptions) => Promise<() => Promise<unknown>>): Promise<Measured> {
  const watch = new Stopwatch();
  const sandbox = timedSandbox(unsandboxed({ reason: "benchmark", by: "kim" }), watch);
  const work = await run({ sandbox, wrapRepository: (opened) => timedRepository(opened, watch) });
  const [started, before] = [performance.now(), watch.totalMs];
  await work();
  return { wallMs: performance.now() - started, insideMs: watch.totalMs - before };
}

async function measureForge(files: Files): Promise<Measured> {
  return measured(async (kernel) => {
    const scene = await openForgeScene({ tasks: TASKS, kernel, files });
    return async () => {
      const result = await scene.finish();
      if (scene.sent.length !== 54) throw new Error(`${scene.sent.length} dispatches: ${JSON.stringify(result)}`);
    };
  });
}

async function measureCrew(files: Files): Promise<Measured> {
  const ids = Array.from({ length: TASKS }, (_, index) => `T-${String(index + 1).padStart(3, "0")}`);
  const models = {
    ...TEAM,
    planner: [plan(...ids.map((id) => planTask(id, { acceptance_checks: ["cmd: sh check.sh"] })))],
    coder: [
      (request: Parameters<ReturnType<typeof builds>>[0]) => {
        const id = /"id": "(T-\d+)"/.exec(request.prompt)?.[1] ?? "meta";
        const ofTask = [file(`src/${id}.txt`, `${id}\n`), file(`test/${id}.test.sh`, `test -f src/${id}.txt\n`)];
        return builds(id === ids[0] ? [...ofTask, file("src/a.txt", "two\n")] : ofTask)(request);
      },
    ],
  };
  return measured(async (kernel) => {
    const bench = await openBench(models, YES, { kernel, files });
    return () => bench.result();
  });
}

async function routingRow(): Promise<BenchRow> {
  const [few, many] = [await measureRouting(10), await measureRouting(1000)];
  return {
    what: "one routing decision of forge, evidence queries included: 1,000 tasks against 10",
    value: `${few.toFixed(3)} ms with 10 tasks, ${many.toFixed(3)} ms with 1,000 (medians)`,
    ratio: many / few,
    bar: `≤ ${FLAT}`,
    ok: many / few <= FLAT,
  };
}

/** The memory of this process, in which the runs work side by side. */
async function memoryRow(): Promise<BenchRow> {
  const first = await openForgeScene({ tasks: tasksOf(0) });
  const others = Array.from({ length: RUNS - 1 }, (_, index) =>
    openForgeScene({ tasks: tasksOf(index + 1), feature: `parts-${index + 2}`, beside: first }),
  );
  const scenes = [first, ...(await Promise.all(others))];
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  await Promise.all(scenes.map((scene) => scene.finish()));
  clearInterval(timer);
  return {
    what: `memory of ${RUNS} runs of forge side by side in one repository, without agents`,
    value: `${(most / 1e6).toFixed(0)} MB`,
    ratio: null,
    bar: `≤ ${MAX_BYTES / 1e6} MB`,
    ok: most <= MAX_BYTES,
  };
}

/** Other files for each run, so that none waits for another. */
function tasksOf(run: number): { readonly number: number }[] {
  return [1, 2, 3, 4].map((task) => ({ number: run * 4 + task }));
}
