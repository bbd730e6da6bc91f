import fc from "fast-check";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { expect, test } from "vitest";
import { AGENTS_YAML } from "./agents-yaml.ts";
import type { DetectedGate } from "./detect.ts";
import { gatesYaml } from "./gates-yaml.ts";
import { policyYaml } from "./policy-yaml.ts";

function load(gates: readonly DetectedGate[], sandbox: { sharedPaths: readonly string[]; readOnly: readonly string[] }, branch: string) {
  const files: Record<string, string> = {
    "slipway/gates.yaml": gatesYaml(gates),
    "slipway/policy.yaml": policyYaml(sandbox, branch),
    "slipway/agents.yaml": AGENTS_YAML,
  };
  return loadConfiguration(async (path) => Buffer.from(files[path] ?? ""));
}

test("for any name of a file, folder, command or branch, the kernel reads back what was written", async () => {
  const word = fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
      fc.constantFrom("yes", "null", "~", "- a", "a: b", "#", "1e3", "\n- x"),
    )
    .filter((text) => !text.includes("\0") && text.isWellFormed());
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/).filter((text) => text !== "__proto__");
  const gate = fc.record({
    cmd: fc.array(word, { minLength: 1, maxLength: 4 }),
    cwd: word,
    why: word,
    env: fc.dictionary(name, word, { noNullPrototype: true }),
  });
  const branch = fc.stringMatching(/^[A-Za-z0-9_.#:][^\s\p{C}]{0,20}$/u);
  const path = fc.stringMatching(/^[a-z #'"&*!%@]{1,10}[a-z]$/).map((text) => `x${text}`);
  await fc.assert(
    fc.asyncProperty(gate, branch, fc.uniqueArray(path, { maxLength: 3 }), async (made, baseBranch, paths) => {
      const gates = [{ ...made, kind: "test", name: "test", project: "" } as const];
      const { gates: read, policy } = await load(gates, { sharedPaths: paths, readOnly: paths.map((text) => `/${text}`) }, baseBranch);
      const { cmd, cwd, env } = made;
      const step = { name: "test", cmd, cwd, ...(Object.keys(env).length === 0 ? {} : { env }) };
      expect(read.profiles["default"]?.modes).toEqual({ fast: [step], full: [step] });
      expect(policy.worktree.base_branch).toBe(baseBranch);
      expect(policy.sandbox).toEqual({ shared_paths: paths, read_only: paths.map((text) => `/${text}`) });
    }),
    { numRuns: 200 },
  );
});

test("agents cannot commit, merge or leave their plan, and a person approves", async () => {
  const gates = [{ kind: "test", name: "test", project: "", cmd: ["make"], why: "" }] as const;
  const { policy, agents } = await load(gates, { sharedPaths: [], readOnly: [] }, "main");
  expect(policy).toMatchObject({
    commit_policy: { allow_commit: false, allow_merge: false },
    patch_policy: { enforce_plan: true, enforce_allowed_areas: true },
    merge_policy: { require_user_approval: true },
    required_modes: ["fast", "full"],
    required_merge_mode: "full",
    protected_areas: ["slipway"],
  });
  expect(agents?.runtime.default_provider).toBeUndefined();
});

test("the files have comments that explain them", () => {
  const text = gatesYaml([{ kind: "test", name: "test", project: "", cmd: ["make", "test"], why: "The Makefile\nhas it." }]);
  expect(text).toContain("        # The Makefile has it.\n        - name: test\n          cmd: [make, test]\n");
  for (const file of [text, policyYaml({ sharedPaths: [], readOnly: [] }, "main"), AGENTS_YAML]) {
    expect(file).toContain("Written by `slipway init`; it is yours to edit.");
    expect(file).toContain("from the last commit of the base branch, so commit what you change.");
  }
});
