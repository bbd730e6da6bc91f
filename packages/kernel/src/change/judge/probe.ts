import { lstatSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTree } from "../../host/files/remove-tree.ts";
import { z } from "zod";
import { provenChecks, recordCheck, type Check } from "./evidence/checks.ts";
import { MODE } from "./evidence/gate-queries.ts";
import type { TestCounts } from "./gates/coverage.ts";
import { runGate, type GateResult } from "./gates/run.ts";
import type { GateSlots } from "./gates/slots.ts";
import { changeBetween } from "../../host/git/change.ts";
import { pathsOf } from "../../host/git/tree-listing.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { strictAreaMatcher } from "../../paths/areas.ts";
import { mutantsOf, type Mutant } from "./test-integrity/mutants.ts";
import { probeFindings, type ProbeResult } from "./test-integrity/probe-rules.ts";
import { inWords } from "./test-integrity/finding.ts";
import { writeBelow } from "../../host/file-views/files.ts";
import { gateRequest, overridesFor } from "./gate-request.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { changedFiles, findingsOn } from "./findings.ts";
import { findFeature, type Feature } from "../feature/store.ts";
import { makeUngatedFolder } from "../../host/ungated-folder.ts";
import { toolchainOf } from "./toolchain.ts";

const probeInput = z.strictObject({ feature_id: z.string() });

export interface ProbeSummary {
  readonly tree: string;
  readonly tried: number;
  readonly noticed: number;
  readonly warnings: readonly string[];
}

type Seen = ProbeResult & { readonly tree: string; readonly warnings: readonly string[] };

/**
 * Checks that require running the gate, enabled by the policy: whether the base had more tests, and whether any test fails when lines of
 * the change are broken on purpose. Runs in a separate folder; the feature is not touched.
 */
export function probeOperation(
  dependencies: FeatureDependencies,
  slots: GateSlots,
  signal?: AbortSignal,
): Operation<z.infer<typeof probeInput>, Seen, ProbeSummary> {
  const { db, repository, configuration } = dependencies;
  const { policy } = configuration;
  return {
    name: "feature.probe",
    roles: ["orchestrator", "system"],
    input: probeInput,
    async effect({ feature_id }) {
      if (policy.probe === undefined) throw notAsked();
      const feature = await findFeature(db, feature_id);
      const { mode, mutants, baseline } = policy.probe;
      const { entries } = await changeBetween(repository, feature.base_commit, feature.tree);
      const isTest = strictAreaMatcher(policy.protected_tests, "glob");
      const sources = (await changedFiles(dependencies, entries)).filter(({ path }) => isTest(path) === null);
      const now = countsOf(await provenChecks(db, { feature_id, tree: feature.tree }), mode, feature.gate_profile);
      const before = baseline && now !== null ? await countsBefore(feature, mode) : null;
      const tried: { mutant: Mutant; noticed: boolean }[] = [];
      for (const mutant of mutantsOf(sources, mutants)) {
        const { passed } = await gateOn(feature, feature.tree, mode, mutant);
        tried.push({ mutant, noticed: !passed });
        if (!passed) break;
      }
      const probed: ProbeResult = {
        mode,
        before,
        now,
        tried: tried.map(({ mutant: { path, line, what }, noticed }) => ({ path, line, what, noticed })),
      };
      const warnings = probeFindings(probed, await findingsOn(dependencies, feature, { entries, tree: feature.tree })).map(inWords);
      return { ...probed, tree: feature.tree, warnings };
    },
    async commit(tx, { feature_id }, { tree, tried, before, now, warnings }, { at, operationId }) {
      const { run_id } = await findFeature(tx, feature_id);
      const status = warnings.length === 0 ? "pass" : "fail";
      const check = { id: operationId, name: "probe", kind: "probe", status, exit_code: null, log_digest: null } as const;
      await recordCheck(tx, { ...check, run_id, feature_id, tree, at, counts: { tried, before, now, warnings } });
      return { tree, tried: tried.length, noticed: tried.filter(({ noticed }) => noticed).length, warnings };
    },
    event: ({ feature_id }, { tree, tried, noticed }) => ({ feature_id, tree, tried, noticed }),
  };

  /** Counts of an earlier gate on the base's tree, for any feature; otherwise runs the gate now. */
  async function countsBefore(feature: Feature, mode: string): Promise<TestCounts | null> {
    const tree = await treeOf(repository, feature.base_commit);
    const rows = await db.selectFrom("checks").select("feature_id").distinct().where("tree", "=", tree).where("kind", "=", MODE).execute();
    for (const { feature_id } of rows) {
      const known = feature_id === null ? null : countsOf(await provenChecks(db, { feature_id, tree }), mode, feature.gate_profile);
      if (known !== null) return known;
    }
    return (await gateOn(feature, tree, mode, null)).tests;
  }

  function gateOn(feature: Feature, tree: string, mode: string, mutant: Mutant | null): Promise<GateResult> {
    return slots.within(async () => {
      const folder = join(repository.ungated.probes, feature.id);
      makeUngatedFolder(repository, repository.ungated.probes);
      const worktree = join(folder, "tree");
      await removeTree(folder);
      const layOut = async () => {
        await removeTree(worktree);
        await mkdir(worktree, { recursive: true });
        const git = await repository.vault({ workTree: worktree, indexFile: join(folder, "index") });
        await git.run(["read-tree", "--end-of-options", tree]);
        await git.run(["checkout-index", "--all", "--force"]);
        if (mutant !== null) writeBelow(worktree, mutant.path, Buffer.from(mutant.text), isExecutable(join(worktree, mutant.path)));
      };
      try {
        await layOut();
        const overrides = await overridesFor(dependencies, feature, feature.gate_profile);
        const sandbox = await dependencies.sandbox();
        const wish = {
          profile: feature.gate_profile,
          mode,
          overrides,
          worktree,
          logFolder: join(folder, "logs"),
          sandbox,
          resetTree: layOut,
          trackedPaths: async () => pathsOf(await repository.vault(), tree),
        };
        return await runGate({
          ...gateRequest(dependencies, await toolchainOf(dependencies, sandbox), wish),
          ...(signal === undefined ? {} : { signal }),
        });
      } finally {
        await removeTree(folder);
      }
    }, signal);
  }
}

function countsOf(checks: readonly Check[], mode: string, profile: string): TestCounts | null {
  const run = checks.filter(({ kind, name }) => kind === MODE && name === mode).at(-1);
  const counts = run?.counts as { readonly profile?: string; readonly tests?: TestCounts | null } | null | undefined;
  return counts?.profile === profile ? (counts.tests ?? null) : null;
}

function isExecutable(path: string): boolean {
  return ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o100) !== 0;
}

function notAsked(): SlipwayError {
  return new SlipwayError("policy_violation", "The policy does not enable the probe.", {
    file: "slipway/policy.yaml",
    field: "probe",
    suggested_next_actions: ["Set probe in slipway/policy.yaml, for example { mode: fast }."],
  });
}
