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
import { coverageReport } from "../gates/judge.ts";
import { checksOf } from "../evidence/checks.ts";
import type { PlannedGate } from "../gates/precedence.ts";
import { trialKey } from "../trials/key.ts";
import { isDocument } from "./documents.ts";
import { verdictOf, type PlantFate } from "./judge-plants.ts";
import { knownTests, plantingPlaces, textsOf } from "./known-tests.ts";
import { runPlanted, type PassedGate, type PlantedRun } from "./planted-run.ts";
import { canFailAtLoad } from "./load-plants.ts";
import { frameworksFor } from "./frameworks.ts";
import { loadsIn, planChangedTests, planCovers, planLoads, planTests, type PlantingTree } from "./plan-plants.ts";
import type { Plant } from "./plant.ts";
import { CANARY, canaryRecord, notProvenText, type CanaryRecord, type PlantRecord } from "./record.ts";
import { tryPlans, type PlantPlans, type TriedPlants } from "./try-plans.ts";
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

/** Every file in which this gate's canary may plant something. */
export async function canaryPlaces(dependencies: FeatureDependencies, { base_commit, tree }: Feature): Promise<string[]> {
  const { entries } = await changeBetween(dependencies.repository, base_commit, tree);
  return plantingPlaces(
    dependencies,
    tree,
    entries.map(({ path }) => path),
  );
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
  const plans = await plansFor(dependencies, passed, ground);
  if (plans.first.length === 0) return done({ unknown: [...new Set(now.map((path) => posix.extname(path) || posix.basename(path)))] });

  const planted: PlantRecord[] = [];
  let [runs, ms] = [0, 0];
  let last: PlantedRun | null = null;
  const run = async (plants: readonly Plant[]): Promise<TriedPlants> => {
    last = await runPlanted(dependencies, ground, passed, plants, `canary-${++runs}`);
    ms += last.ms;
    const { fates } = last;
    planted.push(...plants.map((plant, index) => recordOf(plant, fates[index])));
    const others = plants.filter(({ kind }) => kind !== "cover");
    const isDenied = fates.some(({ fate }, index) => fate === "green" && plants[index]?.kind === "cover");
    const verdict = isDenied ? "green" : verdictOf(fates.filter((_, index) => plants[index]?.kind !== "cover"));
    // A step may fail because it dislikes a function that nothing calls.
    if (verdict === "unseen" && last.hasFailed && others.length < plants.length) return run(others);
    const withFate = (wanted: PlantFate["fate"]) => plants.filter((_, index) => fates[index]?.fate === wanted);
    return { verdict, unseen: withFate("unseen"), red: new Set(withFate("red").map(({ path }) => path)) };
  };
  const { collects, hiding } = await tryPlans(plans, run);
  const judged = planted.map((one) => (one.kind === "test" && hiding.has(one.path) ? { ...one, ...HIDDEN } : one));
  const logDigest = async () => (await last?.keepLog()) ?? null;
  if (collects !== null) return { ...done({ outcome: "proven", planted: judged, runs, ms, collects }), logDigest: await logDigest() };
  const record = { ...nothing, outcome: "not_proven" as const, planted: judged, runs, ms };
  const tail = (last as PlantedRun | null)?.tail ?? "";
  return { record, failure: dependencies.redactor.value(failureOf(gate.mode, record, tail)), logDigest: await logDigest() };
}

const HIDDEN = { fate: "green", why: "a log shows an exception at the end of this file, but not that the test failed" } as const;

type Ground = PlantingTree & { readonly oids: ReadonlyMap<string, string> };

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

async function plansFor(dependencies: FeatureDependencies, { gate }: PassedGate, ground: Ground): Promise<PlantPlans> {
  const wanted = [...new Set([...ground.changed, ...ground.tests.map(({ path }) => path)])];
  const texts = await textsOf(dependencies, wanted, ground.oids);
  const textOf = (path: string) => texts.get(path);
  const changed = planChangedTests(ground, random);
  const isElsewhere = ({ path }: Plant) => !changed.some((one) => frameworksFor(one.path) === frameworksFor(path));
  const covers = coverageReport(gate) === null ? [] : planCovers(ground, textOf, random);
  const found = [...changed, ...planTests(ground, random).filter(isElsewhere)];
  const tests = found.length === 0 ? [] : [...found, ...covers];
  const loads = planLoads(ground, textOf, random);
  const inTests = loadsIn([...new Set(changed.map(({ path }) => path))].filter(canFailAtLoad), textOf, random);
  const isLoad = !changed.some(({ reported }) => reported) && (await lastKind(dependencies, gate)) === "load";
  const [first = [], second = []] = (isLoad ? [loads, tests] : [tests, loads]).filter((plants) => plants.length > 0);
  return { first, second, inTests };
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
