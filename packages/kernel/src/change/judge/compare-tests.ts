import { SlipwayError } from "../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { PlannedGate } from "./gates/precedence.ts";
import type { RanTests } from "./gates/parse-junit.ts";
import type { GateRequest } from "./gates/run.ts";
import { ABSENT, rawBetween } from "../../host/git/raw.ts";
import { readObjects } from "../../host/git/fast-path/git-queries.ts";
import { strictAreaMatcher } from "../../paths/areas.ts";
import { compareTests, type Contradictions } from "./test-integrity/compare-tests.ts";
import { declaredTitles, type DeclaredTitles } from "./test-integrity/declared-titles.ts";
import { listed } from "./test-integrity/finding.ts";
import { trialKey } from "./trials/key.ts";
import { readRanTests } from "./trials/ran-tests.ts";
import { trialsOf, type TrialRecord } from "./trials/store.ts";
import { listFiles, type TreeFile } from "../views/context.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

export interface Comparison {
  /** The tree of the base whose report was compared; null if there was none. */
  readonly with: string | null;
  readonly failure: Failure | null;
}

export const NOT_COMPARED: Comparison = { with: null, failure: null };

/**
 * Compares the tests that a passed gate reports with those that the sources declare and that the same gate ran on the base. `gate` is
 * without the plan's overrides: arguments appended by a plan must not omit tests of the base.
 */
export async function compareReportedTests(
  dependencies: FeatureDependencies,
  feature: Feature,
  gate: PlannedGate,
  request: GateRequest,
  ran: RanTests | null,
): Promise<Comparison> {
  const trial =
    ran === null || !dependencies.configuration.policy.gates.compare_tests ? null : await trialOnBase(dependencies, feature, gate, request);
  if (ran === null || trial === null) return NOT_COMPARED;
  const before = await readRanTests(dependencies.objects, trial.ran);
  if (sameNames(before, ran)) return { with: trial.tree, failure: null };
  const sources = await testSources(dependencies, trial.tree, feature.tree);
  const contradictions = compareTests({ ran: before, sources: sources.before }, { ran, sources: sources.now }, sources.unchanged);
  return { with: trial.tree, failure: dependencies.redactor.value(failureOf(contradictions)) };
}

type KnownTrial = TrialRecord & { readonly ran: string };

/** How many commits of the base's history are searched for a tree with a trial of this gate. */
const MOST_COMMITS = 200;

async function trialOnBase(
  dependencies: FeatureDependencies,
  feature: Feature,
  gate: PlannedGate,
  request: GateRequest,
): Promise<KnownTrial | null> {
  const { repository, db } = dependencies;
  const vault = await repository.vault();
  const args = ["log", "--first-parent", `--max-count=${MOST_COMMITS}`, "--format=%T", "--end-of-options", feature.base_commit];
  const trees = (await vault.text(args)).split("\n").filter((tree) => tree !== "");
  const trials = (await trialsOf(db, trees)).flatMap((trial) => (trial.counts.ran == null ? [] : [{ ...trial, ran: trial.counts.ran }]));
  const nearest = trials.toSorted((left, right) => trees.indexOf(left.tree) - trees.indexOf(right.tree));
  return nearest.find(({ tree, key }) => trialKey(tree, gate, request) === key) ?? null;
}

function sameNames(left: RanTests, right: RanTests): boolean {
  return left.size === right.size && [...left.keys()].every((name) => right.has(name));
}

type SourceFile = Pick<TreeFile, "path" | "oid">;

interface Sources {
  readonly before: readonly DeclaredTitles[];
  readonly now: readonly DeclaredTitles[];
  readonly unchanged: readonly DeclaredTitles[];
}

/** A test file that cannot be read may declare any test. */
const ANY_TITLE: DeclaredTitles = { certain: [], repeated: [], marked: [], patterns: [[""]] };
const LARGEST_BYTES = 1024 * 1024;
const FILES_AT_ONCE = 200;

/** Test files that match the policy's patterns, plus every file that differs between the trees, because a new test may be in any file. */
async function testSources(dependencies: FeatureDependencies, before: string, now: string): Promise<Sources> {
  const { repository, configuration } = dependencies;
  const isTest = strictAreaMatcher(configuration.policy.protected_tests, "glob");
  const vault = await repository.vault();
  const changes = await rawBetween(vault, before, now);
  const changed = new Set(changes.map(({ path }) => path));
  const side = (which: "old" | "new"): SourceFile[] =>
    changes.filter((entry) => entry[`${which}Mode`] !== ABSENT).map((entry) => ({ path: entry.path, oid: entry[`${which}Oid`] }));
  const unchangedTests = (await listFiles(dependencies, now)).filter(({ path }) => !changed.has(path) && isTest(path) !== null);
  const read = async (files: readonly SourceFile[], isUnchanged: boolean) =>
    (await textsOf(dependencies, files)).flatMap(({ path, text }) => {
      const titles = text === null ? null : declaredTitles(path, text);
      // An unreadable file declares nothing known. Only a new one may contain tests that no other source declares.
      // Names in reports are redacted, so the titles must be redacted too.
      return titles !== null ? [dependencies.redactor.value(titles)] : isUnchanged || isTest(path) === null ? [] : [ANY_TITLE];
    });
  const unchanged = await read(unchangedTests, true);
  return {
    unchanged,
    before: [...unchanged, ...(await read(side("old"), false))],
    now: [...unchanged, ...(await read(side("new"), false))],
  };
}

async function textsOf({ repository }: FeatureDependencies, files: readonly SourceFile[]) {
  const texts: { readonly path: string; readonly text: string | null }[] = [];
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const some = files.slice(at, at + FILES_AT_ONCE);
    const objects = await readObjects(
      repository,
      some.map(({ oid }) => oid),
    );
    for (const [index, { path }] of some.entries()) {
      const object = objects[index];
      const isText = object?.type === "blob" && object.bytes.length <= LARGEST_BYTES && !object.bytes.includes(0);
      texts.push({ path, text: isText ? object.bytes.toString("utf8") : null });
    }
  }
  return texts;
}

function failureOf({ vanished, undeclared }: Contradictions): Failure | null {
  const contradictions = [
    ...(vanished.length === 0
      ? []
      : [`${tests(vanished.length)} ran on the base but not here, although the source is unchanged: ${listed(vanished)}`]),
    ...(undeclared.length === 0
      ? []
      : [
          `${tests(undeclared.length)} in the report ${undeclared.length === 1 ? "is" : "are"} not declared by any source: ${listed(undeclared)}`,
        ]),
  ];
  if (contradictions.length === 0) return null;
  return toFailure(
    new SlipwayError("tests_contradict_sources", `The test report contradicts the sources. ${contradictions.join(". ")}.`, {
      vanished: vanished.slice(0, 50),
      undeclared: undeclared.slice(0, 50),
      suggested_next_actions: [
        "Make the gate run every test that it runs on the base, and let only the test runner write the report.",
        "If report and sources are both right, ask a person to set gates.compare_tests: false in slipway/policy.yaml.",
      ],
    }),
  );
}

function tests(count: number): string {
  return count === 1 ? "1 test" : `${count} tests`;
}
