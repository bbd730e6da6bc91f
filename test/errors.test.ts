import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_ERRORS } from "@slipway/agents/errors";
import { DURABLE_ERRORS } from "@slipway/durable/errors";
import { KERNEL_ERRORS } from "@slipway/kernel/schema/errors";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** The texts of every test without its titles. */
const tests = ["packages", "test"]
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
  .filter(
    (entry) =>
      entry.isFile() && entry.name.endsWith(".test.ts") && entry.name !== "errors.test.ts" && !entry.parentPath.includes("node_modules"),
  )
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").replaceAll(/\b(test|describe)(\.each\([^)]*\))?\("[^"]*"/g, ""))
  .join("\n");

const CODES = Object.keys({ ...DURABLE_ERRORS, ...KERNEL_ERRORS, ...AGENT_ERRORS });

const SEED =
  "forbidden_tool_for_role version_conflict invalid_status_transition unknown_gate_profile_or_mode unsupported_parser gate_timeout transient_exec_failure coverage_below_minimum invalid_override_precedence path_out_of_bounds lock_not_held lock_conflict stale_lock_reclaimed collision_detected blocked_by_collision_policy commit_disabled merge_disabled user_approval_required missing_role_prompt qa_index_version_conflict invalid_cli_args input_path_not_found no_specs_found spec_ingest_failed invalid_feature_slug feature_slug_collision invalid_workspace_implementation agent_provider_not_configured unsupported_agent_provider provider_auth_missing";
const ADDED =
  "schema_validation_failed policy_violation feature_not_found plan_not_found patch_apply_failed gate_failed merge_failed unauthenticated run_lease_held operation_conflict delete_refused internal_error";

test.each(SEED.split(" "))("[FEA-165] %s is a code of the enum, and some test expects it", (code) => {
  expect(CODES).toContain(code);
  expect(tests).toMatch(new RegExp(`["'\`]${code}["'\`:]|^${code}:`, "m"));
});

test.each(ADDED.split(" "))("[FEA-166] %s is a code of the enum, and some test expects it", (code) => {
  expect(CODES).toContain(code);
  expect(tests).toMatch(new RegExp(`["'\`]${code}["'\`:]|^${code}:`, "m"));
});
