import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { provenChecks, recordCheck, type Check } from "../judge/evidence/checks.ts";
import { isOutdated, MODE } from "../judge/evidence/gate-queries.ts";
import { branchHead } from "../../host/git/branch.ts";
import { changeBetween, diffText, linesBetween } from "../../host/git/change.ts";
import { buildMerge, type MergeStrategy } from "../../host/git/merge.ts";
import { repositoryId } from "../../record/journal/place.ts";
import { chosenStrategy } from "./merge-checks.ts";
import { mergeWords, messageDigest, messageFor, oneSource, shownMessage, type MergeMessage } from "./merge-message.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { hunksOf, type DiffHunk } from "../judge/qa/hunks.ts";
import { inWords, type TestFinding } from "../judge/test-integrity/finding.ts";
import { identityOf } from "../feature/identity.ts";
import { moveWorktree } from "../feature/move.ts";
import { realign } from "../judge/qa-operations.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { canaryLines, type CanaryLines } from "../judge/canary/lines.ts";
import { expectedTestsOf } from "../judge/expected-tests/expect-tests.ts";
import { waiverFlag } from "../judge/expected-tests/judge-expected.ts";
import { findingsOn } from "../judge/findings.ts";
import { reconcileWorktree } from "../work/reconcile-worktree.ts";
import { findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

/** Kind of the rows that record findings about the change itself. */
const SCRUTINY = "scrutiny";

/** `words` and the strategy: what the merge will say and how it will land, so that a person approves these too. */
const candidateInput = z
  .strictObject({ feature_id: z.string(), merge_strategy: z.string().optional(), ...mergeWords })
  .refine(...oneSource);

/** The facts that a person approves: this change, with this resulting tree, on this base, under this policy, in this repository. */
export interface Candidate {
  readonly feature_id: string;
  readonly base_branch: string;
  readonly base: string;
  readonly tree: string;
  readonly change: string;
  readonly policy_hash: string;
  /** Names this repository in its place. */
  readonly repository: string;
  /** What the commit will say, besides the trailers that Slipway adds. */
  readonly message: string;
  readonly strategy: MergeStrategy;
  /** Of message and strategy. */
  readonly message_digest: string;
  /** How long an approval will hold. */
  readonly valid_hours: number;
  readonly summary: string;
  /** Findings in the change itself that suggest the work is not done. */
  readonly flags: readonly string[];
  /** Findings that the specification asked for, and other hints. */
  readonly notes: readonly string[];
  /** The base had moved, and the worktree now contains the change on top of it: run the gates again. */
  readonly rebuilt: boolean;
  /** Policy or gates have changed since the last gate on this tree, or none ran: run the gates again. */
  readonly outdated: boolean;
  readonly conflicts: readonly string[];
  /** The base already contains the change. */
  readonly empty: boolean;
}

interface Prepared {
  readonly base: string;
  readonly tree: string;
  readonly conflicts: readonly string[];
  readonly change: string;
  readonly strategy: MergeStrategy;
  readonly message: MergeMessage;
  readonly summary: string;
  readonly findings: readonly TestFinding[];
  readonly unsandboxedGates: readonly string[];
  readonly waivedTests: readonly string[];
  readonly canary: CanaryLines;
  readonly outdated: boolean;
  readonly empty: boolean;
  readonly hunks: readonly DiffHunk[];
}

export function candidateOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof candidateInput>, Prepared, Candidate> {
  const { repository, configuration, db } = dependencies;
  return {
    name: "feature.candidate",
    roles: ["orchestrator", "system"],
    input: candidateInput,
    async effect({ feature_id, merge_strategy, ...words }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const strategy = chosenStrategy(configuration.policy, merge_strategy);
      const base = await headOf(dependencies, feature.base_branch);
      // A person must not approve a change while the worktree contains another one.
      await reconcileWorktree(dependencies, feature, operationId, at);
      const { tree, conflicts } =
        base === feature.base_commit ? { tree: feature.tree, conflicts: [] } : await moveOnto(feature, base, operationId, at);
      const gated = (await provenChecks(db, { feature_id, tree })).filter(({ former }) => !former);
      const waived = (await expectedTestsOf(db, feature_id))?.waived;
      const { digest: change, entries } = await changeBetween(repository, base, tree);
      return {
        base,
        tree,
        conflicts,
        change,
        strategy,
        message: await messageFor(dependencies, feature, words),
        findings: await findingsOn(dependencies, feature, { entries, tree }),
        unsandboxedGates: unsandboxedGates(gated),
        canary: canaryLines(gated),
        waivedTests: waived == null ? [] : [waiverFlag(waived)],
        outdated: gated.every(({ kind }) => kind !== MODE) || isOutdated(gated, configuration.policyHash),
        empty: entries.length === 0,
        summary: await diffText(repository, base, tree, { stat: true }),
        hunks: base === feature.base_commit ? [] : hunksOf(await linesBetween(repository, base, tree)),
      };
    },
    async commit(tx, { feature_id }, prepared, { at, operationId }) {
      const { base, tree, conflicts, change, empty, summary, hunks, findings, outdated } = prepared;
      const before = await findFeature(tx, feature_id);
      const rebuilt = conflicts.length === 0 && base !== before.base_commit;
      if (rebuilt || outdated) {
        const { plan = "na" } = gateMap(before);
        const moved = rebuilt ? { base_commit: base, tree } : {};
        const feature = await updateFeature(tx, before, { ...moved, gates: JSON.stringify({ plan }) }, at);
        if (rebuilt) await realign(tx, dependencies, feature, hunks);
      }
      const warnings = findings.filter(({ level }) => level === "warning");
      for (const [index, { rule, path, message }] of warnings.entries()) {
        const check = {
          id: `${operationId}#scrutiny-${index + 1}`,
          name: rule,
          kind: SCRUTINY,
          status: "fail",
          exit_code: null,
          log_digest: null,
        } as const;
        await recordCheck(tx, { ...check, run_id: before.run_id, feature_id, tree, at, counts: { path, message } });
      }
      return {
        feature_id,
        base_branch: before.base_branch,
        base,
        tree,
        policy_hash: configuration.policyHash,
        repository: await repositoryId(tx, dependencies.sqlite.path),
        message: shownMessage(prepared.message),
        strategy: prepared.strategy,
        message_digest: messageDigest(prepared.message, prepared.strategy),
        valid_hours: configuration.policy.merge_policy.approval_valid_hours,
        rebuilt,
        outdated,
        conflicts,
        change,
        flags: [...warnings.map(inWords), ...prepared.unsandboxedGates, ...prepared.waivedTests, ...prepared.canary.flags],
        notes: [...findings.filter(({ level }) => level === "note").map(inWords), ...prepared.canary.notes],
        empty,
        summary,
      };
    },
    event: (_input, { feature_id, base, tree, rebuilt }) => ({ feature_id, base, tree, rebuilt }),
  };

  async function moveOnto(feature: Feature, base: string, step: string, at: number): Promise<Pick<Prepared, "tree" | "conflicts">> {
    const built = await buildMerge(repository, {
      baseCommit: feature.base_commit,
      baseNow: base,
      tree: feature.tree,
      strategy: "squash",
      message: `${feature.id} on ${base}`,
      ...identityOf(at),
    });
    if (built.conflicts.length > 0) return { tree: feature.tree, conflicts: built.conflicts };
    await moveWorktree(dependencies, feature, { base, tree: built.tree }, step, at);
    return { tree: built.tree, conflicts: [] };
  }
}

/** The approver must know that a gate had access to more than the worktree. */
function unsandboxedGates(gated: readonly Check[]): string[] {
  const runs = gated.filter(({ kind, counts }) => kind === MODE && isUnsandboxed(counts));
  return runs.length === 0 ? [] : [`gates ran without a sandbox: ${[...new Set(runs.map(({ name }) => name))].join(", ")}`];
}

function isUnsandboxed(counts: Json): boolean {
  return typeof counts === "object" && counts !== null && "sandbox" in counts && counts.sandbox === "none";
}

export async function headOf({ repository }: FeatureDependencies, branch: string): Promise<string> {
  const head = await branchHead(repository, branch);
  if (head !== null) return head;
  throw new SlipwayError("repository_unsuitable", `The base branch "${branch}" does not exist, so nothing can merge into it.`, {
    branch,
    suggested_next_actions: [
      `Create it again (\`git branch ${branch} <commit>\`, or \`git branch -m <its new name> ${branch}\`), then try again.`,
    ],
  });
}
