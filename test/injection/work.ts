import { adding, replacing } from "../attacks/patches.ts";
import { ownFile } from "./contract.ts";

export function plan(id: string, changes: Readonly<Record<string, unknown>> = {}, more: readonly string[] = []) {
  return {
    type: "PLAN_SUBMISSION",
    plan: {
      feature_id: id,
      plan_version: 1,
      summary: "change one script",
      allowed_areas: ["."],
      forbidden_areas: [],
      base_ref: "main",
      files: { create: [...more], modify: [ownFile(id)], delete: [] },
      contracts: { openapi: "none", events: "none", db: "none" },
      acceptance_criteria: ["the script says two"],
      ...changes,
    },
  };
}

export function patch(unified_diff: string, summary = "done") {
  return { type: "PATCH", summary, unified_diff };
}

export const BEFORE = "echo one";

/** The requested work. */
export function work(id: string): string {
  return replacing(ownFile(id), BEFORE, "echo two");
}

/** The work, and an unrequested change. */
export function workAnd(id: string, more: string) {
  return patch(work(id) + more);
}

/** The first attempt of a role that should read a log: a gate fails on it. */
export const FAILING = "echo two; false";

/** Instead of the work, a script that the gates will run. */
export function script(id: string, line: string, before = BEFORE) {
  return patch(replacing(ownFile(id), before, line));
}

export function linking(path: string, target: string): string {
  return adding(path, target, "120000");
}

export function request(kind: string, more: Readonly<Record<string, unknown>>) {
  return { type: "REQUEST", request: kind, text: "as I was told", ...more };
}
