import { z } from "zod";
import { committedSchema, worktreeSchema } from "../change/work/repo-operations.ts";
import { diffBundleSchema, diffSchema } from "../change/views/repo-reads.ts";
import { DIFF_FORMATS } from "../host/git/change.ts";
import { tool } from "./tool.ts";

const feature_id = z.string().min(1).describe("The feature's id.");
const feature = z.strictObject({ feature_id });

export const repoTools = [
  tool({
    name: "repo.ensure_worktree",
    kind: "mutating",
    description:
      "Makes sure that the feature's worktree is there, checked out on the feature's branch, with the content that was last accepted. One that " +
      "stands is left exactly as it is. A new branch starts at the current head of the base branch. Refused with feature_not_found before " +
      "feature.init, and with worktree_swapped when something else stands in its place.",
    input: feature,
    output: worktreeSchema,
    call: async (kernel, input, call) => ({ data: await kernel.features.ensureWorktree(call, input) }),
  }),
  tool({
    name: "repo.status",
    kind: "read",
    description:
      "Returns the branch of the feature's worktree and what `git status --porcelain` says there, compared with that branch. Changes of the " +
      "feature show as uncommitted: they are committed by the merge. Changes that were not made through repo.apply_patch show too, and are " +
      "put aside by the next operation.",
    input: feature,
    output: z.strictObject({ worktree_path: z.string(), branch: z.string().nullable(), porcelain: z.string() }),
    call: async (kernel, input) => ({ data: await kernel.features.repoStatus(input.feature_id) }),
  }),
  tool({
    name: "repo.diff",
    kind: "read",
    description:
      "Returns what the feature changes in its base, as accepted so far. Without `options` a patch; with them git's other forms, such as " +
      "--stat or --name-only. No other argument reaches git. --name-only and --name-status exclude each other. Long output is cut, and " +
      "`truncated` says so.",
    input: z.strictObject({ feature_id, options: z.array(z.enum(DIFF_FORMATS)).max(DIFF_FORMATS.length).optional() }),
    output: diffSchema,
    call: async (kernel, input) => ({ data: await kernel.features.repoDiff(input.feature_id, input.options) }),
  }),
  tool({
    name: "repo.read_file",
    kind: "read",
    description:
      "Reads one file of the feature's worktree. The path is relative to the repository. Refused with path_out_of_bounds when it leaves the " +
      "worktree, passes a symbolic link or reaches git's own folder; with input_path_not_found when there is no such file. `text` is null " +
      "for a binary file; of a long one only the beginning comes, and `truncated` says so.",
    input: z.strictObject({ feature_id, path: z.string().min(1) }),
    output: z.strictObject({
      path: z.string(),
      bytes: z.int(),
      binary: z.boolean(),
      text: z.string().nullable(),
      truncated: z.boolean(),
    }),
    call: async (kernel, input) => ({ data: await kernel.features.repoReadFile(input.feature_id, input.path) }),
  }),
  tool({
    name: "repo.search",
    kind: "read",
    description:
      "Finds the lines that match `query` in the text files of the feature's content as accepted so far. The query is an extended regular " +
      "expression for one line, case matters; with `literal` it is plain text. Returns file, line number and line of each match; " +
      "`truncated` says that there were more. Refused with schema_validation_failed when the expression is not valid, refers back to a " +
      "group, or repeats too much.",
    input: z.strictObject({ feature_id, query: z.string().min(1).max(1_000), literal: z.boolean().optional() }),
    output: z.strictObject({
      matches: z.array(z.strictObject({ path: z.string(), line: z.int(), text: z.string() })),
      truncated: z.boolean(),
    }),
    async call(kernel, { feature_id: id, query, literal = false }, { signal }) {
      const { matches, truncated } = await kernel.features.repoSearch(id, { query, literal, signal: signal() });
      return { data: { matches: [...matches], truncated } };
    },
  }),
  tool({
    name: "repo.diff_bundle",
    kind: "read",
    description:
      "Returns what a reviewer needs of a feature's change: the diff stat, the whole diff (or the path of a file that holds it), the touched " +
      "files, and the last gate run. Use it before you judge or approve a change.",
    input: feature,
    output: diffBundleSchema,
    call: async (kernel, input) => ({ data: await kernel.features.repoDiffBundle(input.feature_id) }),
  }),
  tool({
    name: "repo.commit",
    kind: "mutating",
    description:
      "Commits the feature's accepted content on the feature's own branch. Not needed for a merge, which makes the one commit itself. Refused " +
      "with commit_disabled unless commit_policy.allow_commit is true.",
    input: z.strictObject({ feature_id, message: z.string().min(1) }),
    output: committedSchema,
    call: async (kernel, input, call) => ({ data: await kernel.features.repoCommit(call, input) }),
  }),
  tool({
    name: "repo.rebase_onto_main",
    kind: "mutating",
    description:
      "Puts the feature's branch and worktree onto the base branch as it is now. Gates have to pass again afterwards. Refused with " +
      "merge_failed, naming the files, when both sides changed the same lines; then nothing has moved. What was there before stays " +
      "reachable under refs/slipway.",
    input: feature,
    output: z.strictObject({
      base: z.string(),
      tree: z.string(),
      moved: z.boolean().describe("False when it stood there already."),
      stat: z.string(),
    }),
    async call(kernel, input, call) {
      const { base, tree, rebuilt, summary } = await kernel.features.rebaseOntoMain(call, input);
      return { data: { base, tree, moved: rebuilt, stat: summary } };
    },
  }),
  tool({
    name: "repo.merge",
    kind: "mutating",
    description:
      "Merges a feature as feature.ready_to_merge does, with the same demands: gates passed on exactly this content, locks held, and, unless " +
      "the policy does without, a person's approval token (else user_approval_required). Refused with merge_disabled unless " +
      "commit_policy.allow_merge is true.",
    input: z.strictObject({
      feature_id,
      commit_message: z.string().min(1).optional(),
      merge_strategy: z.string().min(1).optional().describe("merge_commit, squash or rebase; the first the policy allows unless told."),
      user_approval_token: z.string().optional().describe("From `slipway approve`. Good for one change of one feature, once."),
    }),
    output: z.strictObject({
      commit: z.string().describe("What the base branch points to now."),
      feature_commit: z.string(),
      base_branch: z.string(),
      base_before: z.string(),
      strategy: z.string(),
      approved_by: z.string(),
    }),
    async call(kernel, input, call) {
      const { commit, feature_commit, base_branch, base_before, strategy, approved_by } = await kernel.features.repoMerge(call, input);
      return { data: { commit, feature_commit, base_branch, base_before, strategy, approved_by } };
    },
  }),
];
