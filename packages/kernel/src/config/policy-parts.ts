import { z } from "zod";
import { repositoryArea, repositoryPath } from "../paths/fields.ts";
import { visible } from "../paths/paths.ts";

const text = z.string().min(1);
const seconds = z.number().positive();
const ratio = z.number().min(0).max(1);

/** Jittered exponential: the nth wait is initial × factorⁿ, at most max, plus or minus jitter. */
const backoff = z.strictObject({
  initial_seconds: seconds.default(0.2),
  factor: z.number().min(1).default(2),
  max_seconds: seconds.default(10),
  jitter: ratio.default(0.2),
});

export const locksPolicy = z
  .strictObject({
    resources: z.array(text),
    contract_to_resource: z
      .strictObject({ openapi: text.default("openapi"), events: text.default("events"), db: text.default("db_migrations") })
      .prefault({}),
    /** Which lock a change below a path needs, for example { "api/openapi.yaml": "openapi" }. */
    path_resources: z.record(repositoryArea, text).default({}),
    lease_ttl_seconds: seconds,
    acquire_behavior: z.enum(["wait", "fail"]).default("wait"),
    default_wait_timeout_seconds: z.number().min(0).default(300),
    acquire_backoff: backoff.prefault({}),
  })
  .superRefine(({ resources, contract_to_resource, path_resources }, context) => {
    const listed = new Set(resources);
    const unlisted = (path: string[], resource: string) => {
      if (listed.has(resource)) return;
      context.addIssue({ code: "custom", path, message: `the lock ${visible(resource)} is not listed in locks.resources; add it there` });
    };
    for (const [contract, resource] of Object.entries(contract_to_resource)) unlisted(["contract_to_resource", contract], resource);
    for (const [path, resource] of Object.entries(path_resources)) unlisted(["path_resources", path], resource);
  });

export const executionPolicy = z
  .strictObject({
    default_step_timeout_seconds: seconds.default(600),
    retry_policy: z
      .strictObject({
        transient_max_retries: z.int().min(0).default(1),
        transient_error_codes: z.array(text).default(["transient_exec_failure"]),
        non_retryable_error_codes: z
          .array(text)
          .default(["schema_validation_failed", "policy_violation", "forbidden_tool_for_role", "path_out_of_bounds"]),
      })
      .prefault({}),
    /** Folders git ignores that a step of the fast gate finds as it left them, such as "target". Everything else it adds goes. */
    caches: z.array(repositoryPath).default([]),
    env_allowlist: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)).default(["PATH", "LANG", "LC_ALL", "TZ"]),
  })
  .prefault({});

const minimum = z.number().min(0.9).max(1).default(0.9);
const target = z.literal(1).default(1);

/** Binds Slipway's own workspace only; a managed repository sets its thresholds in gates.yaml or under `thresholds`. */
export const testingPolicy = z.strictObject({
  framework: z.enum(["vitest"]),
  coverage: z
    .strictObject({
      minimums: z.strictObject({ line: minimum, branch: minimum }).prefault({}),
      targets: z.strictObject({ line: target, branch: target }).prefault({}),
    })
    .prefault({}),
});

export const mergePolicy = z.strictObject({
  require_user_approval: z.boolean().default(true),
  /** From the signature on. */
  approval_valid_hours: z.int().min(1).max(8_760).default(72),
  allowed_strategies: z.array(z.enum(["merge_commit", "squash", "rebase"])).min(1),
});

/** What a gate may read besides its worktree: folders of the machine ("~/" is home), and folders of the repository that git ignores. */
export const sandboxPolicy = z
  .strictObject({
    read_only: z.array(z.string().regex(/^(?:~\/|\/)./)).default([]),
    shared_paths: z.array(repositoryPath).default([]),
  })
  .prefault({});

export const supervisorPolicy = z
  .strictObject({
    max_active_features: z.int().min(1).default(5),
    /** Without it: 2, or 3 on a machine with 8 or more processors. */
    max_parallel_gate_runs: z.int().min(1).optional(),
    max_iterations_per_phase: z.int().min(1).default(5),
    /** Without them: locks.default_wait_timeout_seconds and locks.acquire_backoff. */
    lock_wait_timeout_seconds: z.number().min(0).optional(),
    lock_acquire_backoff_seconds: backoff.optional(),
  })
  .prefault({});

/** Hard limits for managed repositories; gates.yaml may be stricter, never looser. */
export const thresholdsPolicy = z
  .strictObject({
    coverage_line_min: ratio.optional(),
    coverage_branch_min: ratio.optional(),
    coverage_line_target: ratio.optional(),
    coverage_branch_target: ratio.optional(),
    performance: z.record(text, z.number()).default({}),
    repository: z.record(text, z.number()).default({}),
  })
  .prefault({});

export const gatesPolicy = z
  .strictObject({
    /** Whether the gates run on the base branch before any agent is called. */
    try_on_base: z.boolean().default(true),
    /** Whether the tests that a gate reports are compared with the sources, and with the same gate on the base. */
    compare_tests: z.boolean().default(true),
    /** Which gates run again with a planted failure after they have passed: the one that decides about the merge, every one, or none. */
    canary: z.enum(["final", "every", "off"]).default("final"),
  })
  .prefault({});

/** Checks before a person is asked whether tests would notice a wrong change, by running a gate mode on broken copies. Off by default. */
export const probePolicy = z.strictObject({
  mode: text.default("fast"),
  /** How many changed lines are broken, one at a time, until a test notices. */
  mutants: z.int().min(0).max(10).default(3),
  /** Whether the tests on the base are counted, too. */
  baseline: z.boolean().default(true),
});

/** The folder of released modules. */
export const releasePolicy = z.strictObject({ folder: repositoryPath.default("modules") });
