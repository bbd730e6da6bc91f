import { z } from "zod";
import { globProblem } from "../paths/areas.ts";
import { repositoryArea, repositoryPath } from "../paths/fields.ts";
import { visible } from "../paths/paths.ts";
import {
  executionPolicy,
  gatesPolicy,
  locksPolicy,
  mergePolicy,
  probePolicy,
  releasePolicy,
  sandboxPolicy,
  supervisorPolicy,
  testingPolicy,
  thresholdsPolicy,
} from "./policy-parts.ts";
import { notificationsPolicy } from "./notifications.ts";
import { configPrecedence } from "./precedence.ts";
import { ACTOR_ROLES, DEFAULT_RBAC, TOOLS, type ActorRole } from "./rbac.ts";
import { errorCodes } from "../schema/shape.ts";
import { parseYamlConfig } from "./yaml.ts";

const MEBIBYTE = 1024 * 1024;

const text = z.string().min(1);

/** Any change to these is shown to the approver: they define what "done" means. */
const PROTECTED_FILES = [
  "slipway/**",
  ".github/**",
  ".gitlab-ci.yml",
  ".circleci/**",
  "**/Jenkinsfile",
  "azure-pipelines.yml",
  ".ci/**",
  "**/.gitattributes",
  "**/CODEOWNERS",
  // Hooks.
  "**/.husky/**",
  "**/.githooks/**",
  "**/lefthook.y*ml",
  "**/.pre-commit-config.yaml",
  // Files that test runners load by themselves.
  "**/node_modules/**",
  "**/.npmrc",
  "**/{vitest,vite,jest,playwright,karma,ava,cypress}.config.*",
  "**/{.mocharc,.nycrc,.c8rc}*",
  "**/{.coveragerc,pytest.ini,tox.ini}",
  "**/{sitecustomize,usercustomize,unittest,pytest}.py",
];

/** New tests are welcome; a change to, or removal of, an existing one is shown. */
const PROTECTED_TESTS = [
  "**/*.{test,spec}.*",
  "**/{test,tests,__tests__,spec}/**",
  "**/test_*.py",
  "**/*_test.*",
  "**/conftest.py",
  "**/*Test.java",
  "**/__snapshots__/**",
];

const glob = text.superRefine((pattern, context) => {
  const problem = globProblem(pattern);
  if (problem !== null) context.addIssue({ code: "custom", message: `the pattern ${visible(pattern)} ${problem}` });
});

const fields = z.strictObject({
  version: z.literal(1),
  commit_policy: z.strictObject({ allow_commit: z.boolean(), allow_merge: z.boolean() }),
  patch_policy: z.strictObject({
    enforce_plan: z.boolean(),
    enforce_allowed_areas: z.boolean(),
    max_bytes: z.int().min(1).default(MEBIBYTE),
    max_files: z.int().min(1).default(300),
  }),
  locks: locksPolicy,
  protected_areas: z.array(repositoryArea),
  exclusive_areas: z.array(repositoryArea).default([]),
  protected_files: z.array(glob).default(PROTECTED_FILES),
  protected_tests: z.array(glob).default(PROTECTED_TESTS),
  required_modes: z.array(text),
  required_merge_mode: text,
  collision_policy: z.enum(["reject", "block"]).default("reject"),
  config_precedence: configPrecedence,
  rbac: z
    .strictObject(Object.fromEntries(ACTOR_ROLES.map((role) => [role, granted(role)])) as Record<ActorRole, ReturnType<typeof granted>>)
    .prefault({}),
  path_rules: z.strictObject({
    matching: z.enum(["repo_prefix", "glob"]),
    normalize_paths: z.literal(true).default(true),
    allow_symlink_traversal: z.boolean().default(false),
  }),
  execution: executionPolicy,
  gates: gatesPolicy,
  implementation: z.strictObject({ workspace: z.enum(["nx"]).register(errorCodes, { code: "invalid_workspace_implementation" }) }),
  testing: testingPolicy,
  merge_policy: mergePolicy,
  worktree: z.strictObject({
    base_branch: text.regex(/^[^-\s][^\s]*$/),
    /** Default: worktrees are in the user's state folder. */
    root: repositoryPath.optional(),
  }),
  sandbox: sandboxPolicy,
  supervisor: supervisorPolicy,
  parsers: z.strictObject({ allow_unsupported: z.boolean().default(false) }).prefault({}),
  thresholds: thresholdsPolicy,
  probe: probePolicy.optional(),
  release: releasePolicy.optional(),
  notifications: notificationsPolicy.optional(),
});

export const policySchema = fields.superRefine((policy, context) => {
  if (policy.path_rules.matching !== "glob") return;
  for (const list of ["protected_areas", "exclusive_areas"] as const) {
    policy[list].forEach((area, index) => {
      const problem = globProblem(area);
      if (problem !== null)
        context.addIssue({
          code: "custom",
          path: [list, index],
          params: { rule: "glob" },
          message: `the area ${visible(area)} ${problem}`,
        });
    });
  }
});

export type Policy = z.output<typeof policySchema>;

export function parsePolicy(file: string, input: string | Uint8Array): Policy {
  return parseYamlConfig(file, input, policySchema);
}

function granted(role: ActorRole) {
  return z.array(z.enum(TOOLS)).default([...DEFAULT_RBAC[role]]);
}
