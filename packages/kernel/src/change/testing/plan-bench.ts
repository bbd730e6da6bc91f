import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { parsePolicy } from "../../config/policy.ts";
import { policyYaml } from "../../config/testing/samples.ts";
import { indexSchema } from "../views/feature-index/index-value.ts";
import { openRepository, type Repository } from "../../host/git/repository.ts";
import { openKernel } from "../../kernel.ts";
import { layoutAt } from "../../host/layout.ts";
import { PLAN } from "../plan/testing/samples.ts";
import { openRecords } from "../../open-records.ts";
import { ENDED, type FeatureStatus } from "../feature/status.ts";
import { findFeature } from "../feature/store.ts";

export const FILES = ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "db/1.sql", "db/2.sql", "libs/core/x.ts", "libs/core/y.ts"];

export interface PlanBenchOptions {
  /** Changes to the sample policy at dotted paths. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** The state of an earlier bench, as a restarted process finds it. */
  readonly root?: string;
  readonly clock?: Clock;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export type PlanBench = Awaited<ReturnType<typeof openPlanBench>>;
export type Parts = Readonly<Record<string, unknown>>;

/** A kernel with a real database and git. Features are rows without worktrees, which plans and locks do not need. */
export async function openPlanBench(options: PlanBenchOptions = {}) {
  const { repository, commit } = await baseRepository();
  const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), "slipway-plans-")));
  const clock = { time: 1_000_000, now: () => clock.time, monotonic: () => clock.time };
  const records = await openRecords({ layout: layoutAt(root), clock: options.clock ?? clock });
  const changes = { protected_areas: ["libs/core"], exclusive_areas: ["db"], "locks.resources": RESOURCES, ...options.policy };
  const kernel = openKernel({
    records,
    repository,
    configuration: {
      policy: parsePolicy("slipway/policy.yaml", policyYaml(changes)),
      gates: { version: 1, profiles: { default: { modes: { fast: [], full: [] } }, strict: { modes: { fast: [], full: [] } } } } as never,
      agents: null,
      policyHash: "0",
    },
    approvalKey: null as never,
    hostEnv: {},
    sandbox: () => Promise.reject(new Error("no sandbox in this bench")),
    random: () => 0.5,
    ...(options.sleep && { sleep: options.sleep }),
  });
  const { db } = records.database;
  const call = (operationId = `op${(number += 1)}-${process.pid}`) => ({ actor: { type: "system", id: "test" } as const, operationId });
  return {
    root,
    clock,
    kernel,
    records,
    db,
    call,
    async addFeature(id: string, status: FeatureStatus = "planning", base = commit): Promise<void> {
      await db
        .insertInto("features")
        .values(featureRow(id, status, base, clock.time))
        .execute();
      mkdirSync(join(root, ".slipway", "features", id), { recursive: true });
    },
    row: (id: string) => findFeature(db, id),
    submit: (feature_id: string, parts: Parts, operationId?: string) =>
      kernel.features.submitPlan(call(operationId), { feature_id, plan_json: planFor(feature_id, parts) }),
    update: (feature_id: string, from: number, parts: Parts) =>
      kernel.features.updatePlan(call(), {
        feature_id,
        expected_plan_version: from,
        plan_json: planFor(feature_id, { plan_version: from + 1, revision_of: from, ...parts }),
      }),
    acquire: (feature_id: string, ...resources: string[]) => kernel.features.acquireLocks(call(), { feature_id, resources }),
    release: (feature_id: string, resource: string) => kernel.features.releaseLock(call(), { feature_id, resource }),
    fail: (feature_id: string, reason = "given up") => kernel.features.changeStatus(call(), { feature_id, to: "failed", reason }),
    queue: async () => (await kernel.features.index())?.blocked_queue ?? [],
    /** Reads the file and checks it against its schema. */
    indexFile: () => indexSchema.parse(JSON.parse(readFileSync(join(root, ".slipway", "features", "index.json"), "utf8"))),
    close: () => records.close(),
  };
}

const RESOURCES = ["openapi", "events", "db_migrations", "protected:libs/core"];

/** The sample plan with only the given content. */
export function planFor(feature_id: string, parts: Parts): Record<string, unknown> {
  const { files, contracts, ...rest } = parts;
  return {
    ...PLAN,
    feature_id,
    allowed_areas: ["src", "db", "libs"],
    ...rest,
    files: { create: [], modify: [], delete: [], ...(files as object | undefined) },
    contracts: { ...PLAN.contracts, ...(contracts as object | undefined) },
  };
}

function featureRow(id: string, status: FeatureStatus, base: string, at: number) {
  return {
    id,
    run_id: "run",
    status,
    status_reason: ENDED.includes(status) ? "over" : "",
    version: 1,
    branch: id,
    worktree: `/nowhere/${id}`,
    base_branch: "main",
    base_commit: base,
    tree: "0".repeat(40),
    spec_source: `${id}.md`,
    spec_digest: "0".repeat(64),
    gate_profile: "default",
    gates: "{}",
    created_at: at,
    updated_at: at,
  };
}

let number = 0;
let made: Promise<{ repository: Repository; commit: string }> | undefined;

/** One repository for all benches of a process: plans only read it. */
function baseRepository(): Promise<{ repository: Repository; commit: string }> {
  made ??= (async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-base-")));
    for (const path of FILES) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${path}\n`);
    }
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: root, encoding: "utf8" });
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=start");
    return { repository: await openRepository(root), commit: git("rev-parse", "HEAD").trim() };
  })();
  return made;
}
