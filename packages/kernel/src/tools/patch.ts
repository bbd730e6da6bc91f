import { z } from "zod";
import { tool } from "./tool.ts";

const paths = z.array(z.string());

export const patchTools = [
  tool({
    name: "repo.apply_patch",
    kind: "mutating",
    description: [
      "Applies a unified diff to the feature's worktree: the only way to change its files. Make the diff against the current files (repo.read_file, repo.diff), with a/ and b/ prefixes; git applies it.",
      "It is applied completely or not at all. Afterwards the QA index is aligned with it, and gate results of the earlier content no longer count.",
      "Refused with plan_not_found before a plan is accepted; with policy_violation, naming every path and rule, for a path that the newest accepted plan does not list for this operation (create, modify, delete), that is outside its allowed_areas or in its forbidden_areas; with lock_not_held for a protected area or contract path whose lock the feature does not hold; with path_out_of_bounds for a path that leaves the worktree, reaches .git or passes a symbolic link; with patch_rejected for symbolic links, submodules, unsafe names and too large patches; with patch_apply_failed if it does not apply to the files.",
    ].join(" "),
    input: z.strictObject({
      feature_id: z.string().min(1).describe("The feature's id."),
      unified_diff: z.string().min(1).describe("In the format of `git diff`; it may change several files."),
    }),
    output: z.strictObject({
      changed_files: z
        .array(z.strictObject({ path: z.string(), status: z.enum(["A", "M", "D", "T"]) }))
        .describe("Files that this patch changed."),
      porcelain: z.string().describe("Output of `git status --porcelain --untracked-files=all`: all changes of the feature so far."),
      empty: z.boolean().describe("True if the feature as a whole has no change any more."),
      tree: z.string().describe("The new git tree of the worktree; gate results name it."),
      anchor: z.string().describe("The ref that keeps these bytes."),
      qa_index_version: z.int(),
      flags: z
        .strictObject({
          executable: paths,
          binary: paths,
          lockfiles: paths,
          testsTouched: paths,
          continuousIntegration: paths,
          configuration: paths,
        })
        .describe("Not forbidden, but a person is shown it before a merge."),
    }),
    async call(kernel, input, call) {
      const { changed, flags, ...applied } = await kernel.features.applyPatch(call, input);
      const lists = Object.fromEntries(Object.entries(flags).map(([name, list]) => [name, [...list]])) as Record<
        keyof typeof flags,
        string[]
      >;
      return { data: { changed_files: [...changed], ...applied, flags: lists } };
    },
  }),
];
