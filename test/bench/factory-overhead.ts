import { migrateFactory } from "@slipway/protocols/factory/tables";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import type { JournalEvent } from "@slipway/durable/chain";
import { openEngine } from "@slipway/durable/engine";
import { openKernel, type Kernel } from "@slipway/kernel/kernel";
import { layoutOf } from "@slipway/kernel/host/layout";
import { openRepositoryContext } from "@slipway/kernel/open";
import { openRecords } from "@slipway/kernel/open-records";
import type { LanguageReader } from "@slipway/languages/language";
import { openTypeScript, type TypeScriptReader } from "@slipway/languages/typescript/reader";
import { factory, type FactoryInput } from "@slipway/protocols/factory/protocol";
import { openFactoryServices } from "@slipway/protocols/factory/services";
import { dispatcherFor } from "@slipway/runtime/agents";
import { bundledAnswers, cassetteOf } from "@slipway/protocols/demo/files";
import { HOURS } from "@slipway/protocols/factory/demo/files";
import { makeRepository } from "slipway/demo/scratch";
import { giveApproval } from "slipway/give-approval";
import { personOf } from "@slipway/protocols/surface/caller";
import { readPage } from "@slipway/protocols/surface/request";
import { quietIo } from "../kill/orders.ts";
import { Stopwatch, timedRepository, timedSandbox } from "./stopwatch.ts";

const PROCESSES = 3;
const BAR = 0.1;

/** Steps that only compile and run tests, including the creation and removal of their folder. */
const TESTS = /\/(?:inspect:\d+|challenge:\d+:witnesses|ship(?:-amended)?:\d+:(?:fingerprint|tests))$|^gates:/;

/**
 * The share of a replayed run of the factory's demo that is spent outside git, the compiler and the tests: the median of the second runs of
 * three processes. The first run of a process, which includes compiling its code, is reported beside it. The clock stops while the person
 * answers: from the moment the run waits until it is driven again.
 */
export async function benchFactory(): Promise<BenchRow[]> {
  const [first, second]: Measured[][] = [[], []];
  for (let process = 0; process < PROCESSES; process++) {
    const [cold, warm] = measuredElsewhere();
    first?.push(cold);
    second?.push(warm);
  }
  const [cold, warm] = [middle(first ?? []), middle(second ?? [])];
  const inside = `${(warm.wallMs - warm.outsideMs).toFixed(0)} ms of ${warm.wallMs.toFixed(0)} ms in git, compiler and tests`;
  const value = `${inside}; ${warm.outsideMs.toFixed(0)} ms besides (first run of a process: ${(100 * share(cold)).toFixed(1)} %)`;
  const what = "orchestration of a replayed factory run, share of its wall clock";
  return [{ what, value, ratio: share(warm), bar: "≤ 0.10", ok: share(warm) <= BAR }];
}

/** In a separate process, so that the memory of earlier runs does not count. */
function measuredElsewhere(): [Measured, Measured] {
  const code = `import { measureRun } from ${JSON.stringify(import.meta.url)};
    console.log(JSON.stringify([await measureRun(), await measureRun()]));`;
  const args = [...process.execArgv, "--input-type=module", "--eval", code];
  const text = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: 300_000 });
  return JSON.parse(text) as [Measured, Measured];
}

function middle(runs: readonly Measured[]): Measured {
  const found = runs.toSorted((a, b) => share(a) - share(b))[Math.floor(runs.length / 2)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}

interface Measured {
  readonly wallMs: number;
  readonly outsideMs: number;
}

function share({ wallMs, outsideMs }: Measured): number {
  return outsideMs / wallMs;
}

export async function measureRun(): Promise<Measured> {
  const home = mkdtempSync(join(tmpdir(), "slipway-bench-factory-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  const watch = new Stopwatch();
  const io = quietIo(await makeRepository(quietIo(home, env), "repository", HOURS), env);
  const ground = await openRepositoryContext({ cwd: io.cwd, env });
  const records = await openRecords({ layout: layoutOf(ground.repository) });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  const walls = timedSandbox(await ground.sandbox(), watch);
  const kernel = openKernel({ ...ground, records, repository: timedRepository(ground.repository, watch), sandbox: async () => walls });
  const choice = { provider: "replay", cassette: cassetteOf(HOURS) };
  const dispatcher = dispatcherFor({ kernel, io, choice, protocol: () => "factory", recorded: () => null, onWarning: () => undefined });
  const language = timedReader(openTypeScript(), watch);
  const { database, objects, clock, ids, inbox } = records;
  const services = openFactoryServices({ kernel, dispatcher, env, language });
  const engine = await openEngine({
    sqlite: database.sqlite,
    blobs: objects,
    clock,
    ids,
    inbox,
    workflows: [factory],
    kernel: services,
    ...testSteps(watch),
  });
  try {
    const page = await readPage(io.cwd, "SPEC.md");
    const input: FactoryInput = { project: page.id, spec_source: page.path, spec_digest: await objects.put(page.bytes) };
    let personMs = 0;
    const started = performance.now();
    await engine.start("factory", input, { runId: "bench" });
    for (;;) {
      const outcome = await engine.drive("bench", { whenWaiting: "return" });
      if (outcome.status === "completed") break;
      if (outcome.status !== "waiting") throw new Error(`the run is ${outcome.status}: ${JSON.stringify(outcome)}`);
      const asked = performance.now();
      await answer(kernel, io);
      personMs += performance.now() - asked;
    }
    const wallMs = performance.now() - started - personMs;
    return { wallMs, outsideMs: wallMs - watch.totalMs };
  } finally {
    await engine.close();
    language.close();
    await records.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** From the start of such a step until it is recorded. */
function testSteps(watch: Stopwatch) {
  const open = new Set<string>();
  return {
    onStepStart(runId: string, name: string) {
      if (!TESTS.test(name)) return;
      open.add(`${runId} ${name}`);
      watch.begin();
    },
    observe({ stream, kind, name }: JournalEvent) {
      if (kind === "step" && open.delete(`${stream} ${name}`)) watch.end();
    },
  };
}

async function answer({ records, configuration }: Kernel, io: ReturnType<typeof quietIo>): Promise<void> {
  const answers = await bundledAnswers(HOURS);
  for (const question of await records.inbox.listOpen()) {
    const value = answers[question.kind]?.[0];
    if (question.kind === "approval") await giveApproval(records, question, io, { policyHash: configuration.policyHash });
    else if (value === undefined) throw new Error(`no answer for ${question.kind}: ${question.title}`);
    else await records.answer({ id: question.id, value, by: personOf(io) });
  }
}

function timedReader(reader: TypeScriptReader, watch: Stopwatch): LanguageReader {
  const timed = <T>(work: () => T): T => {
    watch.begin();
    try {
      return work();
    } finally {
      watch.end();
    }
  };
  return {
    readModule: async (sources, contract) => timed(() => reader.readModule(sources, contract)),
    elementsOf: async (files) => timed(() => reader.elementsOf(files)),
    close: () => reader.close(),
  };
}
