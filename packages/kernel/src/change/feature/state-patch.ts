import { isDeepStrictEqual } from "node:util";
import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { checkSchema } from "../../schema/violations.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { refusal, violation } from "../plan/violation.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import type { Call } from "../../record/operations/call.ts";
import { changeStatusWithin } from "./change-status.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { stateSchema, type FeatureState } from "./state.ts";
import { readState } from "../views/state-reads.ts";
import { findFeature, updateFeature, type Feature } from "./store.ts";

const patchInput = z.strictObject({ feature_id: z.string(), patch: z.record(z.string(), z.unknown()) });
export type StatePatch = z.infer<typeof patchInput>;

/** Fields that a caller may set. The kernel itself sets all other fields of the schema. */
const OPEN = ["status", "status_reason", "cluster", "role_status", "evidence"] as const;
const OWNED = Object.keys(stateSchema.shape).filter((field) => !OPEN.some((open) => open === field));

const MAX_EXTRA_BYTES = 64 * 1024;

/**
 * Applies an RFC 7396 merge patch (null removes a field). Stored only if the result is valid, the status transition is legal and no
 * kernel-owned field changes.
 */
export function statePatchOperation(dependencies: FeatureDependencies): Operation<StatePatch, undefined, FeatureState> {
  return {
    name: "feature.state_patch",
    roles: rolesFor(dependencies.configuration.policy.rbac, "feature.state_patch"),
    input: patchInput,
    async commit(tx, { feature_id, patch }, _effect, { at }) {
      const feature = await findFeature(tx, feature_id);
      const before = await readState(dependencies, tx, feature_id, at);
      const merged = checkedState(mergePatch(before, patch));
      assertNotForged(before, merged);
      if (isDeepStrictEqual(before, merged)) return before;
      const reason = merged.status_reason ?? "";
      if (merged.status !== before.status) await changeStatusWithin(dependencies, tx, feature, merged.status, reason);
      await updateFeature(tx, feature, columnsOf(merged, reason), at);
      if (merged.status !== before.status) await wakeQueue(tx, feature_id);
      return readState(dependencies, tx, feature_id, at);
    },
    event: ({ feature_id, patch }, { status, version }) => ({ feature_id, status, version, fields: Object.keys(patch) }),
  };
}

/** A patch must name the version of the state it was made for. */
export function versioned(call: Call): Call {
  if (call.expectedVersion !== undefined) return call;
  const message = "expected_version is needed: the version of the state this patch was made for";
  throw new SlipwayError("schema_validation_failed", `The input of feature.state_patch is not valid. /expected_version: ${message}.`, {
    violations: [{ pointer: "/expected_version", rule: "required", expected: "a whole number", message }],
    suggested_next_actions: ["Read the state with feature.state_get and pass its version."],
  });
}

function columnsOf(merged: FeatureState, reason: string): Partial<Feature> {
  const extra = JSON.stringify(Object.fromEntries(Object.entries(merged).filter(([field]) => !(field in stateSchema.shape))));
  if (Buffer.byteLength(extra) > MAX_EXTRA_BYTES)
    throw refusal("The patch", [
      violation("policy_violation", "too_large", `all extra properties together may have at most ${MAX_EXTRA_BYTES} bytes`),
    ]);
  return {
    status: merged.status,
    status_reason: reason,
    cluster: JSON.stringify(merged.cluster),
    role_status: JSON.stringify(merged.role_status),
    evidence: JSON.stringify(merged.evidence ?? {}),
    extra,
  };
}

/** A caller may send back the whole state it has read, with kernel-owned fields unchanged. */
function assertNotForged(before: FeatureState, merged: FeatureState): void {
  const forged = OWNED.filter((field) => !isDeepStrictEqual(before[field], merged[field]));
  if (forged.length === 0) return;
  throw refusal(
    "The patch",
    forged.map((field) => violation("policy_violation", "kernel_owned", `"${field}" is owned by the kernel and cannot be patched`)),
  );
}

function checkedState(state: unknown): FeatureState {
  const checked = checkSchema(stateSchema, state);
  if (checked.ok) return checked.value;
  const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError("schema_validation_failed", `The patched state would not be valid. ${listed}`, {
    violations: checked.violations,
    suggested_next_actions: ["Correct every field listed in `violations`; feature.state_get returns the current state."],
  });
}

/** RFC 7396. Built from entries, so that no key can reach a prototype. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
