import { z } from "zod";
import { committedSchema, worktreeSchema } from "../change/work/repo-operations.ts";
import { diffBundleSchema, diffSchema } from "../change/views/repo-reads.ts";
import { DIFF_FORMATS } from "../host/git/change.ts";
import { APPROVAL_TOKEN, COMMIT_MESSAGE } from "./merge.ts";
import { tool } from "./tool.ts";

const feature_id = z.string().min(1).describe("The feature's id.");
const feature = z.strictObject({ feature_id });

export const repoTools = [
  tool({
    name: "repo.ensure_worktree",
    kind: "mutating",
    description:
      "Creates the feature's worktree if it is missing, checked out on the feature's branch, with the last accepted content. An existing one " +
      "is not changed. A new branch starts at the current head of the base branch. Refused with feature_not_found before " +
      "feature.init, and with worktree_swapped if something else is in its place.",
    input: feature,
    output: worktreeSchema,
    call: async (kernel, input, call) => ({ data: await kernel.features.ensureWorktree(call, input) }),
  }),
  tool({
    name: "repo.status",
    kind: "read",
    description:
      "Returns the branch of the feature's worktree and the output of `git status --porcelain` there. Changes of the " +
      "feature appear as uncommitted: the merge commits them. Edits that were not made through repo.apply_patch appear too, and " +
      "stop the next operation (worktree_edited).",
    input: feature,
    output: z.strictObject({ worktree_path: z.string(), branch: z.string().nullable(), porcelain: z.string() }),
    call: async (kernel, input) => ({ data: await kernel.features.repoStatus(input.feature_id) }),
  }),
  tool({
    name: "repo.diff",
    kind: "read",
    description:
      "Returns the feature's accepted change against its base. Without `options` a patch; with them git's other formats, such as " +
      "--stat or --name-only. No other argument reaches git. --name-only and --name-status exclude each other. Long output is cut; then " +
      "`truncated` is true.",
    input: z.strictObject({ feature_id, options: z.array(z.enum(DIFF_FORMATS)).max(DIFF_FORMATS.length).optional() }),
    output: diffSchema,
    call: async (kernel, input) => ({ data: await kernel.features.repoDiff(input.feature_id, input.options) }),
  }),
  tool({
    name: "repo.read_file",
    kind: "read",
    description:
      "Reads one file of the feature's worktree. The path is relative to the repository. Refused with path_out_of_bounds if it leaves the " +
      "worktree, passes a symbolic link or reaches git's own folder; with input_path_not_found if there is no such file. `text` is null " +
      "for a binary file. Of a long file only the beginning is returned, and `truncated` is true.",
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
      "Finds the lines that match `query` in the text files of the feature's accepted content. The query is an extended regular " +
      "expression for one line, case matters; with `literal` it is plain text. Returns file, line number and line of each match; " +
      "`truncated` is true if there were more. Refused with schema_validation_failed if the expression is invalid, refers back to a " +
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
      "Returns a feature's change for a reviewer: the diff stat, the whole diff (or the path of a file with it), the changed " +
      "files, and the last gate run. Use it before you judge or approve a change.",
    input: feature,
    output: diffBundleSchema,
    call: async (kernel, input) => ({ data: await kernel.features.repoDiffBundle(input.feature_id) }),
  }),
  tool({
    name: "repo.commit",
    kind: "mutating",
    description:
      "Commits the feature's accepted content on the feature's own branch. Not needed for a merge, which makes its own commit. Refused " +
      "with commit_disabled unless commit_policy.allow_commit is true.",
    input: z.strictObject({ feature_id, message: z.string().min(1) }),
    output: committedSchema,
    call: async (kernel, input, call) => ({ data: await kernel.features.repoCommit(call, input) }),
  }),
  tool({
    name: "repo.rebase_onto_main",
    kind: "mutating",
    description:
      "Moves the feature's branch and worktree onto the current base branch. Gates must pass again afterwards. Refused with " +
      "merge_failed and the files if both sides changed the same lines; then nothing has moved. The earlier content stays " +
      "reachable under refs/slipway.",
    input: feature,
    output: z.strictObject({
      base: z.string(),
      tree: z.string(),
      moved: z.boolean().describe("False if it was already on the current base."),
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
      "Merges a feature as feature.ready_to_merge does, with the same conditions: gates passed on exactly this content, locks held, and, unless " +
      "the policy waives it, a person's approval token (else user_approval_required). Refused with merge_disabled unless " +
      "commit_policy.allow_merge is true.",
    input: z.strictObject({
      feature_id,
      commit_message: z.string().min(1).optional().describe(COMMIT_MESSAGE),
      merge_strategy: z.string().min(1).optional().describe("merge_commit, squash or rebase; default: the first that the policy allows."),
      user_approval_token: z.string().optional().describe(APPROVAL_TOKEN),
    }),
    output: z.strictObject({
      commit: z.string().describe("The new head of the base branch."),
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
