import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planOf } from "@slipway/protocols/factory/engineering/testing/modules";
import { buildAll, factoryProject, goOn, WITHOUT_APPROVAL, withoutSecondPlan } from "../testing/factory-project.ts";
import type { Project } from "../testing/project.ts";

const built = async () => {
  const project = factoryProject({ "slipway/policy.yaml": WITHOUT_APPROVAL });
  expect((await buildAll(project)).code).toBe(0);
  return project;
};

const releases = (project: Project) => readdirSync(join(project.root, ".slipway/state_store/releases")).toSorted();

test("[FAC-192] [FAC-198] releases exactly the named modules if all are shipped; a failed release leaves a report and no branch", async () => {
  const project = await built();
  const release = (...refs: readonly string[]) => project.slipway(["factory", "release", ...refs]);
  const before = releases(project);
  for (const ref of ["MM-twice@9.9.9", "MM-nobody@1.0.0", "MM-twice"]) {
    const refused = await release("MM-twice@1.0.0", ref);
    expect(refused.stderr).toContain(`policy_violation: Nothing was released: ${ref} is not SHIPPED.`);
    expect(refused.code).toBe(2);
  }
  expect((await release("everything")).stderr).toContain('"everything" is neither a release nor a module.');
  expect(releases(project)).toEqual(before);
  const head = project.git("rev-parse", "main").trim();

  const failed = await release("MM-quad@1.0.0");
  expect(failed.code).toBe(3);
  expect(failed.stdout).toMatch(
    /The release gates refuse REL-\w+: Partial release\. dependency_check FAIL: MM-quad@1\.0\.0: MM-twice@\^1\.0\.0 is not in the release/,
  );
  const report = (await project.slipway(["factory", "release"])).stdout;
  expect(report).toContain("dependency_check FAIL\n");
  expect(report).toContain("  MM-quad@1.0.0: MM-twice@^1.0.0 is not in the release\nNothing was merged.\n");
  expect(releases(project).filter((name) => name.endsWith(".failure.json"))).toHaveLength(1);
  expect(project.git("rev-parse", "main").trim()).toBe(head);
  expect(project.git("branch", "--list", "rel-*").trim().split("\n")).toHaveLength(1);

  const passed = await release("MM-twice@1.0.0", "--json");
  expect(passed.code).toBe(0);
  expect(passed.json().at(-1)).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0"] } });
  const [last] = (await project.slipway(["factory", "release", "--json"])).json<{ release_id: string; modules: unknown[] }>();
  expect(last).toMatchObject({ notes: "Partial release.", landing: { commit: project.git("rev-parse", "main").trim() } });
  expect(project.git("diff", "--name-only", head, "main").trim()).toBe(`modules/releases/${last!.release_id}.json`);
  expect((await release(last!.release_id)).stdout).toContain(last!.release_id);
});

describe("a shipped module", () => {
  test("[FAC-200] [FAC-201] is shown without its source; after deprecation it names its dependants, stays, and fails releases", async () => {
    const project = await built();
    const module = (...more: readonly string[]) => project.slipway(["factory", "module", ...more]);
    const shown = await module("MM-twice");
    expect(shown.stdout).toContain("MM-twice@1.0.0 SHIPPED: Doubles a number (twice).");
    expect(shown.stdout).toContain("  used by: MM-quad@1.0.0\n");
    expect(shown.stdout).toContain("3 of 3 tests passed");
    expect(shown.stdout).toContain("Twenty-one doubled is forty-two.");
    expect((await module("MM-quad@1.0.0")).stdout).toContain("  built with: MM-twice@1.0.0\n  used by: none\n");
    const [view] = (await module("MM-twice@^1.0.0", "--json")).json<{ evidence: unknown; contract: unknown }>();
    expect(view).toMatchObject({ contract: { module_id: "MM-twice" }, evidence: { verification: { result: "PASS" } } });
    expect(JSON.stringify(view)).not.toContain("export function");
    for (const ref of ["MM-gone", "MM-twice@2.0.0", "twice"])
      expect((await module(ref)).stderr).toContain(`The code index has no module "${ref}".`);

    const deprecate = (...more: readonly string[]) => project.slipway(["factory", "deprecate", ...more]);
    const why = ["--reason", "It loses fractions."];
    expect((await deprecate("MM-twice@1.0.0")).stderr).toContain("needs --reason with a text");
    expect((await deprecate("MM-twice@1.0.0", "--reason", " ")).stderr).toContain("needs --reason with a text");
    expect((await deprecate("MM-gone@1.0.0", ...why)).stderr).toContain('The code index has no module "MM-gone@1.0.0".');
    expect((await deprecate("MM-twice@1.0.0", ...why, "--replacement", "MM-gone@1.0.0")).stderr).toContain("MM-gone@1.0.0");
    expect((await deprecate("MM-twice@1.0.0", ...why, "--migration", "")).stderr).toContain("needs --migration with a text");
    expect((await module("MM-twice")).stdout).toContain("MM-twice@1.0.0 SHIPPED");

    const done = await deprecate("MM-twice@1.0.0", ...why, "--replacement", "MM-quad@1.0.0", "--json");
    expect(done.json()).toMatchObject([
      { ok: true, dependents: ["MM-quad@1.0.0"], entry: { status: "DEPRECATED", superseded_by: "MM-quad@1.0.0" } },
    ]);
    const out = (await module("MM-twice@1.0.0")).stdout;
    expect(out).toMatch(/note: Deprecated at \d{4}-\d\d-\d\dT[\d:.]+Z: It loses fractions\.\n {2}note: Migration: Use MM-quad@1\.0\.0\.\n/);
    expect(out).toContain("MM-twice@1.0.0 DEPRECATED");
    for (const file of ["contract.json", "examples.md", "ship.json"])
      expect(existsSync(join(project.root, ".slipway/state_store/modules/MM-twice/1.0.0", file))).toBe(true);
    const found = (...more: readonly string[]) => project.slipway(["factory", "index", "search", "doubles a number", ...more]);
    expect((await found()).stdout).not.toContain("MM-twice@1.0.0");
    expect((await found("--include-inactive")).stdout).toContain("MM-twice@1.0.0");
    expect((await deprecate("MM-twice@1.0.0", ...why)).stderr).toContain("cannot become DEPRECATED");
    const refused = await project.slipway(["factory", "release", "MM-quad@1.0.0"]);
    expect(refused.stdout).toContain("deprecation_check FAIL: MM-quad@1.0.0: MM-twice@1.0.0 is DEPRECATED; use MM-quad@1.0.0");
    expect(refused.code).toBe(3);
    expect((await deprecate("MM-quad@1.0.0", ...why)).stdout).toContain("Nothing depends on it.\n");
  });
});

test("[FAC-202] a Challenger is told to flag a deprecated dependency, with its replacement and the risk", async () => {
  const project = withoutSecondPlan(factoryProject());
  await buildAll(project);
  await project.slipway(["factory", "deprecate", "MM-twice@1.0.0", "--reason", "It loses fractions."]);
  const plan = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);
  expect((await project.slipway(["answer", "Q2", JSON.stringify({ action: "REVISE_PLAN", revised_micro_plan: plan })])).stderr).toBe("");
  const ended = await goOn(project);
  expect(ended.stdout).toContain("MM-quad: tested, sealed and indexed");
  expect(ended.stdout).toContain("deprecation_check FAIL");
  const run = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]!["run_id"] as string;
  const sent = (await project.slipway(["transcript", run, "task:4/MM-quad/challenge:1", "--full"])).stdout;
  expect(sent).toContain("dependencies out of use");
  expect(sent).toContain(
    "MM-twice@1.0.0 is DEPRECATED. There is no replacement yet. A release with this dependency fails its deprecation_check.",
  );
  expect(sent).toContain("ask whether what supersedes it would fit better, and name the risk for a release");
});
