import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyChain, type JournalEvent } from "./chain.ts";
import { openSqlite } from "./sqlite.ts";
import type { WorkerOptions, WorkerReport } from "./testing/worker.ts";

let folder: string;
let alive: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-processes-"));
  writeFileSync(join(folder, "trace"), "");
  alive = [];
});
afterEach(() => {
  for (const child of alive) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Worker {
  readonly child: ChildProcess;
  readonly reports: WorkerReport[];
  /** Resolves with the first matching report. */
  saw(fits: (report: WorkerReport) => boolean): Promise<WorkerReport>;
  readonly ended: Promise<NodeJS.Signals | number | null>;
}

function work(options: Partial<WorkerOptions>): Worker {
  const all: WorkerOptions = { database: join(folder, "a.db"), runId: "run", trace: join(folder, "trace"), steps: 6, ...options };
  const script = join(import.meta.dirname, "testing/worker.ts");
  const child = spawn(process.execPath, ["--conditions=slipway-source", script, JSON.stringify(all)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  alive.push(child);
  const reports: WorkerReport[] = [];
  const waiting = new Set<(report: WorkerReport) => void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const report = JSON.parse(line) as WorkerReport;
    reports.push(report);
    for (const listener of waiting) listener(report);
  });
  return {
    child,
    reports,
    saw: (fits) =>
      new Promise((resolve) => {
        const listener = (report: WorkerReport) => {
          if (fits(report)) resolve(report);
        };
        waiting.add(listener);
        reports.forEach(listener);
      }),
    ended: new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code))),
  };
}

const said = (report: WorkerReport) => "status" in report || "error" in report;
const began = (number: number) => (report: WorkerReport) => "started" in report && report.started === number;
const trace = () => readFileSync(join(folder, "trace"), "utf8").split("\n").filter(Boolean);

async function journal(): Promise<Record<string, JournalEvent[]>> {
  const sqlite = openSqlite(join(folder, "a.db"));
  const rows = await sqlite.exclusive(
    (database) => database.prepare("SELECT * FROM events ORDER BY stream, seq").all() as unknown as JournalEvent[],
  );
  await sqlite.close();
  return Object.groupBy(rows, (row) => row.stream) as Record<string, JournalEvent[]>;
}

async function expectWhole(): Promise<void> {
  for (const events of Object.values(await journal())) expect(verifyChain(events)).toMatchObject({ ok: true });
}

const EVERYTHING = ["last:0", "last:1", "last:2", "run/member:3", "step:0", "step:1", "step:2", "step:4", "step:5"];

test("only one of two processes drives the run, and every step runs once", async () => {
  const workers = [work({ bodyMs: 20 }), work({ bodyMs: 20 })];
  const reports = await Promise.all(workers.map((worker) => worker.saw(said)));
  expect(reports).toContainEqual({ status: "completed" });
  for (const report of reports) expect([{ status: "completed" }, { error: "run_lease_held" }]).toContainEqual(report);
  expect(trace().toSorted()).toEqual(EVERYTHING);
  await expectWhole();
});

test("a killed owner is replaced at once, and no recorded step runs again", async () => {
  const first = work({ hangAt: 4 });
  await first.saw(began(4));
  first.child.kill("SIGKILL");
  await first.ended;
  expect(await work({}).saw(said)).toEqual({ status: "completed" });
  expect(trace().toSorted()).toEqual(EVERYTHING);
  expect((await journal())["run"]!.map((event) => event.kind)).toContain("taken_over");
  await expectWhole();
});

test("an owner that is suspended past its lease is replaced, and writes nothing when it continues", async () => {
  const first = work({ leaseMs: 300, bodyMs: 150, hangAt: -1 });
  await first.saw(began(1));
  first.child.kill("SIGSTOP");
  let taken: WorkerReport;
  for (;;) {
    taken = await work({ leaseMs: 5000 }).saw(said);
    const refused = "error" in taken ? taken.error : null;
    // Until the lease has expired, another process is refused.
    if (refused === "run_lease_held") continue;
    if (refused !== "database_locked") break;
    // It was suspended within a transaction.
    first.child.kill("SIGCONT");
    await sleep(20);
    first.child.kill("SIGSTOP");
  }
  expect(taken).toEqual({ status: "completed" });
  const before = await journal();
  first.child.kill("SIGCONT");
  expect(await first.saw(said)).toEqual({ error: "lease_lost" });
  expect(await journal()).toEqual(before);
  await expectWhole();
});

test("a process that crashes repeatedly without progress is not retried forever", async () => {
  await work({ steps: 2, killAtEvent: 2 }).ended;
  // From here on each process only writes its taken_over event.
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await work({ steps: 2, killAtEvent: 1, maxCrashes: 2 }).ended).toBe(attempt < 2 ? "SIGKILL" : 0);
  expect(await work({ steps: 2, maxCrashes: 2 }).saw(said)).toEqual({ error: "run_crashed_too_often" });
});

test("every step runs once, even if the process is killed after each event", async () => {
  let kills = 0;
  for (;;) {
    const worker = work({ killAtEvent: kills === 0 ? 1 : 2 });
    if ((await worker.ended) !== "SIGKILL") {
      expect(worker.reports.at(-1)).toEqual({ status: "completed" });
      break;
    }
    kills++;
  }
  const events = Object.values(await journal()).flat();
  expect(kills).toBe(events.filter((event) => event.kind !== "taken_over").length - 1);
  // The parallel bodies at the end may all end before the first of them is recorded.
  const recordedOnce = trace().filter((line) => !line.startsWith("last"));
  expect(recordedOnce.toSorted()).toEqual(EVERYTHING.filter((line) => !line.startsWith("last")));
  await expectWhole();
}, 60_000);
