import { randomInt } from "node:crypto";
import { toFailure, type Failure } from "@slipway/durable/errors";
import { posix } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { changeBetween } from "../../../host/git/change.ts";
import { ABSENT } from "../../../host/git/raw.ts";
import { treeOf } from "../../../host/git/fast-path/git-queries.ts";
import { listFiles } from "../../views/context.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import type { Feature } from "../../feature/store.ts";
import { checksOf } from "../evidence/checks.ts";
import type { PlannedGate } from "../gates/precedence.ts";
import { trialKey } from "../trials/key.ts";
import { isDocument } from "./documents.ts";
import { verdictOf, type PlantFate } from "./judge-plants.ts";
import { knownTests, textsOf } from "./known-tests.ts";
import { runPlanted, type PassedGate, type PlantedRun } from "./planted-run.ts";
import { planLoads, planTests, type PlantingGround } from "./plan-plants.ts";
import type { Plant } from "./plant.ts";
import { CANARY, canaryRecord, notProvenText, type CanaryRecord, type PlantRecord } from "./record.ts";
import { canaryWaiver, NOT_PROVEN } from "./waiver.ts";

export interface CanaryVerdict {
  readonly record: CanaryRecord;
  readonly failure: Failure | null;
  /** Of the last run with planted failures. */
  readonly logDigest: string | null;
}

/** Whether this mode is run with planted failures after it has passed. */
export function hasCanary(
  { configuration: { policy } }: FeatureDependencies,
  { gate_profile }: Feature,
  profile: string,
  mode: string,
): boolean {
  const { canary } = policy.gates;
  return profile === gate_profile && (canary === "every" || (canary === "final" && mode === policy.required_merge_mode));
}

/** Runs a gate that has passed again with a planted failure. If it stays green, its verdict proves nothing. */
export async function runCanary(dependencies: FeatureDependencies, feature: Feature, passed: PassedGate): Promise<CanaryVerdict> {
  const { db, repository } = dependencies;
  const { gate, request, result } = passed;
  const { digest, entries } = await changeBetween(repository, feature.base_commit, feature.tree);
  const key = trialKey(digest, gate, request);
  const nothing: CanaryRecord = {
    outcome: "nothing",
    profile: gate.profile,
    key,
    planted: [],
    runs: 0,
    ms: 0,
    gate_ms: Math.round(result.durationMs),
    collects: null,
    waived_by: null,
    comment: null,
    unknown: [],
  };
  const done = (more: Partial<CanaryRecord>): CanaryVerdict => ({ record: { ...nothing, ...more }, failure: null, logDigest: null });
  if (entries.every(({ path }) => isDocument(path))) return done({ outcome: "documents" });
  const before = (await checksOf(db, { feature_id: feature.id })).map(canaryRecord).filter((one) => one?.key === key);
  const known = before.find((one) => one?.outcome === "proven");
  if (known != null) return done({ outcome: "reused", planted: known.planted });
  const waiver = await canaryWaiver(db, feature.id, key);
  if (waiver !== null) {
    const planted = before.findLast((one) => one?.outcome === "not_proven")?.planted ?? [];
    return done({ outcome: "waived", planted, waived_by: waiver.by, comment: waiver.comment });
  }

  const changed = entries.map(({ path }) => path);
  const now = entries.filter(({ newMode }) => newMode !== ABSENT).map(({ path }) => path);
  const ground = await plantingGround(dependencies, feature, passed, changed, now);
  const tries = await inOrder(dependencies, passed, ground);
  if (tries.length === 0) return done({ unknown: [...new Set(now.map((path) => posix.extname(path) || posix.basename(path)))] });

  const planted: PlantRecord[] = [];
  let [runs, ms] = [0, 0];
  let last: PlantedRun | null = null;
  for (const plants of tries) {
    const kind = plants[0]?.kind ?? "test";
    last = await runPlanted(dependencies, ground, passed, plants, `canary-${++runs}`);
    ms += last.ms;
    planted.push(...plants.map((plant, index) => recordOf(plant, last?.fates[index])));
    const verdict = verdictOf(last.fates);
    if (verdict === "red") return { ...done({ outcome: "proven", planted, runs, ms, collects: kind }), logDigest: await last.keepLog() };
    if (verdict === "green") break;
  }
  const record = { ...nothing, outcome: "not_proven" as const, planted, runs, ms };
  return {
    record,
    failure: dependencies.redactor.value(failureOf(gate.mode, record, last?.tail ?? "")),
    logDigest: (await last?.keepLog()) ?? null,
  };
}

type Ground = PlantingGround & { readonly oids: ReadonlyMap<string, string> };

async function plantingGround(
  dependencies: FeatureDependencies,
  feature: Feature,
  { result }: PassedGate,
  changed: readonly string[],
  now: readonly string[],
): Promise<Ground> {
  const files = await listFiles(dependencies, feature.tree);
  const own = await knownTests(dependencies, feature.tree, changed);
  // A change that deletes every test must not escape.
  const tests = own.length > 0 ? own : await knownTests(dependencies, await treeOf(dependencies.repository, feature.base_commit), changed);
  return {
    tests,
    changed: now,
    paths: new Set(files.map(({ path }) => path)),
    oids: new Map(files.map(({ path, oid }) => [path, oid])),
    worktree: feature.worktree,
    reported: result.ran === null ? null : [...result.ran.keys()],
  };
}

const random = (limit: number) => randomInt(limit);

/** First the kind of plant that this gate ran last time. */
async function inOrder(dependencies: FeatureDependencies, { gate }: PassedGate, ground: Ground): Promise<(readonly Plant[])[]> {
  const wanted = [...new Set([...ground.changed, ...ground.tests.map(({ path }) => path)])];
  const texts = await textsOf(dependencies, wanted, ground.oids);
  const tests = planTests(ground, random);
  const loads = planLoads(ground, (path) => texts.get(path), random);
  const collects = await lastKind(dependencies, gate);
  return (collects === "load" ? [loads, tests] : [tests, loads]).filter((plants) => plants.length > 0);
}

async function lastKind({ db }: FeatureDependencies, { profile, mode }: PlannedGate): Promise<CanaryRecord["collects"]> {
  const rows = await db
    .selectFrom("checks")
    .select(["kind", "counts"])
    .where("kind", "=", CANARY)
    .where("name", "=", mode)
    .where("status", "=", "pass")
    .orderBy("at", "desc")
    .limit(20)
    .execute();
  const records = rows.map(({ kind, counts }) => canaryRecord({ kind, counts: counts === null ? null : JSON.parse(counts) }));
  return records.find((record) => record?.profile === profile && record.collects !== null)?.collects ?? null;
}

function recordOf(plant: Plant, fate: PlantFate | undefined): PlantRecord {
  const [near, framework] = plant.kind === "test" ? [plant.near, plant.framework] : [null, null];
  return {
    kind: plant.kind,
    path: plant.path,
    near,
    framework,
    fate: fate?.fate ?? "unseen",
    step: fate?.step ?? null,
    why: fate?.why ?? "",
  };
}

function failureOf(mode: string, { planted, key }: CanaryRecord, log_tail: string): Failure {
  return toFailure(
    new SlipwayError(NOT_PROVEN, notProvenText(mode, planted), {
      mode,
      key,
      planted: planted.map(({ kind, path, step, why }) => ({ kind, path, step, why })),
      log_tail,
      suggested_next_actions: [
        `Let the ${mode} gate run the tests of the project, and end with a code other than 0 if one fails.`,
        "Look in the change for code that replaces assertions, the test runner, its exit code or its report.",
        "A person may set gates.canary in slipway/policy.yaml.",
      ],
    }),
  );
}
