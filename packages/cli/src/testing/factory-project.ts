import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { APPROVE, challengeOf, contractOf, planOf } from "@slipway/protocols/factory/engineering/testing/modules";
import { deliver, FIRST, NUMBERS, SECOND } from "@slipway/protocols/factory/testing/numbers";
import { letters, type Ended, type Project } from "./project.ts";

/** A policy under which a release merges as soon as its gates pass. */
export const WITHOUT_APPROVAL = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");

/** A project whose factory builds MM-twice, and MM-quad, which calls it; the answer of every role is recorded. */
export function factoryProject(files: Readonly<Record<string, string>> = {}): Project {
  const project = letters({ "numbers.md": "# Numbers\n\nDouble numbers, and double them again.\n", ...files });
  const quad = contractOf("MM-quad", "quad", { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }] });
  project.record("product-owner", "1.1", { calls: [{ tool: "emit_structured_spec", spec: NUMBERS }] }, "numbers");
  project.record("planner", "1", planOf(["MM-twice"]), FIRST);
  project.record("planner", "1", planOf(["MM-quad", ["MM-twice@^1.0.0"]]), SECOND);
  for (const [module, contract] of [
    ["MM-twice", contractOf()],
    ["MM-quad", quad],
  ] as const) {
    // When a task is begun a second time, its attempts are 2.1 and so on.
    for (const attempt of ["1", "2.1"]) {
      project.record("proposer", attempt, deliver({ "module contract": JSON.stringify(contract) }), module);
      project.record("challenger", attempt, challengeOf(), module);
      project.record("arbiter", attempt, APPROVE, module);
    }
  }
  return project;
}

/** The second task never gets a valid plan. */
export function withoutSecondPlan(project: Project): Project {
  for (const attempt of ["1", "2", "3"]) project.record("planner", attempt, planOf(["MM-quad", ["MM-quad@^1.0.0"]]), SECOND);
  return project;
}

/** Runs the factory from the approved page until it needs a person or has released. */
export async function buildAll(project: Project): Promise<Ended> {
  await project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
  await project.slipway(["answer", "Q1", "APPROVE"]);
  return goOn(project);
}

export function goOn(project: Project, ...more: readonly string[]): Promise<Ended> {
  return project.slipway(["resume", "--cassette", project.cassette, ...more]);
}
