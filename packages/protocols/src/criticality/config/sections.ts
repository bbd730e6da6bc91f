import { notificationsPolicy } from "@slipway/kernel/config/notifications";
import { LANGUAGE_IDS } from "@slipway/languages/adapter";
import { z } from "zod";

const text = z.string().min(1);
const count = z.int().min(0);
const positive = z.int().min(1);
const ratio = z.number().min(0).max(1);

const endpoint = z.union([text, z.strictObject({ provider: text, model: text.optional() })]);

/** `slipway/criticality.toml`. Every section and every key may be left out. */
export const configSchema = z.strictObject({
  project: z
    .strictObject({
      name: text.nullable().default(null),
      language: z.enum(LANGUAGE_IDS).default("typescript"),
      spec_path: text.default("spec/spec.toml"),
    })
    .prefault({}),
  models: z
    .strictObject({
      architect: text.optional(),
      auditor: text.optional(),
      structurer: text.optional(),
      worker: text.optional(),
      worker_fallback_1: text.optional(),
      worker_fallback_2: text.optional(),
      /** By family: the first word of a model's name. */
      endpoints: z.record(text, endpoint).default({}),
      /** Context windows in tokens, for models that you choose yourself. */
      context: z
        .strictObject({
          architect: positive.optional(),
          auditor: positive.optional(),
          structurer: positive.optional(),
          worker: positive.optional(),
          refiner: positive.optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  escalation: z
    .strictObject({
      syntax_retry_limit: count.default(2),
      type_retry_limit: count.default(2),
      test_retry_limit: count.default(3),
    })
    .prefault({}),
  circuit_breaker: z
    .strictObject({
      max_attempts_per_function: positive.default(8),
      require_opus_attempt: z.boolean().default(true),
      module_escalation_rate: ratio.default(0.2),
      phase_failure_rate: ratio.default(0.1),
    })
    .prefault({}),
  mass_defect: z
    .strictObject({
      /** Lets the auditor judge transforms of risk 3 and 4. */
      audit_transforms: z.boolean().default(false),
      /** Lets the architect look for smells that are not measured. */
      detect_smells: z.boolean().default(false),
      targets: z
        .strictObject({
          max_cyclomatic_complexity: positive.default(10),
          max_function_length_lines: positive.default(50),
          max_nesting_depth: positive.default(4),
          min_test_coverage: ratio.default(0.8),
        })
        .prefault({}),
    })
    .prefault({}),
  /** An external program that proves or refutes critical functions; none by default. */
  verifier: z
    .strictObject({
      command: z.array(text).min(1),
      /** Globs of function ids, such as `src/domain/account.ts#*`. */
      functions: z.array(text).min(1),
      timeout_seconds: positive.default(300),
      /** Whether a function without a verdict is rejected. */
      required: z.boolean().default(false),
      /** Absolute folders that the program reads besides the system's. */
      read_only: z.array(text.regex(/^\//, "Must be an absolute path.")).default([]),
    })
    .nullable()
    .default(null),
  /** The same section as in the policy, which decides for every protocol: it is checked, and the reader is told to move it there. */
  notifications: notificationsPolicy.nullable().default(null),
  orchestrator: z
    .strictObject({
      max_parallel_injections: positive.default(8),
      checkpoint_interval_seconds: positive.default(60),
      max_repair_attempts: count.default(5),
      /** Scanners that compare dependencies with a public database may use the network. */
      scan_dependencies: z.boolean().default(false),
      timeouts: z
        .strictObject({
          ignition_max_seconds: positive.default(3600),
          lattice_max_seconds: positive.default(1800),
          injection_per_function_seconds: positive.default(60),
          mesoscopic_per_cluster_seconds: positive.default(300),
        })
        .prefault({}),
    })
    .prefault({})
    .transform(({ timeouts, ...others }) => ({ ...others, ...timeouts })),
});
