import { rmSync } from "node:fs";
import { recorded } from "@slipway/kernel/record/facts/testing/recorded";
import { recordCheck } from "@slipway/kernel/change/judge/evidence/checks";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import { openBench, type Bench } from "@slipway/kernel/record/operations/testing/door";
import { onTestFinished } from "vitest";
import { openForgeLedger, type ForgeLedger } from "../ledger.ts";
import { observationsOf } from "../observations.ts";
import { saveForgeRun } from "../runs.ts";
import { FORGE_TABLES } from "../tables.ts";

export const RUN = "2026-02-26T14:30:00Z";
export const FEATURE = "dark-mode";

export interface LedgerBench {
  readonly bench: Bench;
  readonly ledger: ForgeLedger;
  /** A call with a new operation id. */
  call(id?: string): { readonly actor: { readonly type: "system"; readonly id: string }; readonly operationId: string };
  /** An observation as the kernel records it, of a command that ran. */
  observe(name: string, passed: boolean, feature?: string): Promise<string>;
  /** Runs a command and records it for the tasks. */
  check(fields: {
    readonly name: string;
    readonly passed: boolean;
    readonly phase: "baseline" | "after";
    readonly task?: string;
    readonly round?: number;
    readonly output?: string;
  }): Promise<void>;
  verdict(fields: {
    readonly reviewer: string;
    readonly verdict: "approve" | "needs_revision" | "blocker";
    readonly scope?: "design" | "code";
    readonly round?: number;
    readonly findings?: Partial<Record<"blocker" | "critical" | "major" | "minor", number>>;
  }): Promise<void>;
}

let number = 0;

/** A real database and door with forge's tables. */
export async function openForgeBench(): Promise<Bench> {
  const bench = await openBench();
  await migrateOwner(bench.db, bench.sqlite.path, FORGE_TABLES);
  onTestFinished(async () => {
    await bench.close();
    rmSync(bench.folder, { recursive: true, force: true });
  });
  return bench;
}

export async function openLedgerBench(kind: "sqlite" | "yaml" = "sqlite"): Promise<LedgerBench> {
  return beginRun(await openForgeBench(), kind);
}

/** One run in the database. Its writes are not synced: no test cuts the power. */
export async function beginRun(bench: Bench, kind: "sqlite" | "yaml", run = RUN): Promise<LedgerBench> {
  const door = bench.door.relaxed;
  const call = (id = `call-${++number}`) => ({ actor: { type: "system", id: "test" } as const, operationId: id });
  await saveForgeRun(door, call(), { run_key: `key-of-${run}`, run_id: run, feature_id: FEATURE, state: "{}", ledger: kind });
  const ledger = openForgeLedger({ db: bench.db, door, observations: observationsOf }, kind);

  async function observe(name: string, passed: boolean, feature = FEATURE): Promise<string> {
    const id = `check-${++number}`;
    const common = {
      id,
      run_id: "run-1",
      feature_id: feature,
      name,
      kind: "command",
      tree: "0".repeat(40),
      counts: null,
      log_digest: null,
    };
    const row = { ...common, status: passed ? "pass" : "fail", exit_code: passed ? 0 : 1, at: 1 } as const;
    await recorded(bench.db, (tx) => recordCheck(tx, row));
    return id;
  }

  return {
    bench,
    ledger,
    call,
    observe,
    async check({ name, passed, phase, task = "task-01", round = 1, output = "done" }) {
      const checks = [{ check_id: await observe(name, passed), tool: "sh", command: `sh ${name}`, output }];
      await ledger.recordChecks(call(), { run_id: run, feature_id: FEATURE, task_ids: [task], phase, round, checks });
    },
    async verdict({ reviewer, verdict, scope = "design", round = 1, findings = {} }) {
      const findings_count = { blocker: 0, critical: 0, major: 0, minor: 0, ...findings };
      const what = { scope, reviewer, model: `model-${reviewer}`, round, verdict, findings_count, summary: "Read it." } as const;
      await ledger.recordVerdict(call(), { run_id: run, feature_slug: FEATURE, ...what });
    },
  };
}
