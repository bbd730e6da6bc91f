import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contractOf } from "@slipway/protocols/factory/engineering/testing/modules";
import { sampleSpec } from "@slipway/protocols/factory/product/testing/specs";
import { deliver, FIRST, NUMBERS, SECOND } from "@slipway/protocols/factory/testing/numbers";
import { describe, expect, test } from "vitest";
import { buildAll, factoryProject, goOn, WITHOUT_APPROVAL, withoutSecondPlan } from "../testing/factory-project.ts";
import type { Project } from "../testing/project.ts";

const [one, two] = NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks;
const POLICY = { "slipway/policy.yaml": WITHOUT_APPROVAL };

const factory = (project: Project, ...more: readonly string[]) =>
  project.slipway(["factory", "numbers.md", "--cassette", project.cassette, ...more]);

/** The page with one more sentence; only the product owner and the second task's roles have an answer for it. */
function edit(project: Project): void {
  for (const role of ["product-owner", "planner", "proposer", "challenger"]) {
    for (const subject of ["numbers.1.1", `${FIRST}.1`, "MM-twice.1"])
      rmSync(join(project.cassette, role, `${subject}.json`), { force: true });
  }
  project.write("numbers.md", "# Numbers\n\nDouble numbers, and double them again. Say so in the records.\n");
  const spec = sampleSpec([one!, { ...two!, description: "Turns one line of text into a record that says so." }]);
  project.record("product-owner", "1.1", { calls: [{ tool: "emit_structured_spec", spec }] }, "numbers");
  const change = { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }], module_version: "1.0.1" };
  const contract = contractOf("MM-quad", "quad", change);
  project.record("proposer", "1", deliver({ "module contract": JSON.stringify(contract) }), "MM-quad");
}

describe("slipway factory, on a page it has built before", () => {
  test("an unchanged page has nothing to do; an edited one says what is kept and what is built, and builds only that", async () => {
    const project = factoryProject(POLICY);
    expect((await buildAll(project)).stdout).toContain("releases 2 modules: MM-twice@1.0.0, MM-quad@1.0.0");
    rmSync(join(project.cassette, "product-owner"), { recursive: true });
    const same = await factory(project);
    expect(same.stdout).toMatch(
      /^Nothing to do: numbers\.md is unchanged since \S+_numbers was built \(2 tasks shipped, 0 abandoned\)\.\n {2}next: edit it/,
    );
    expect(same).toMatchObject({ code: 0, stderr: "" });
    expect((await factory(project, "--json")).json()).toMatchObject([{ status: "unchanged", shipped: 2, spec_source: "numbers.md" }]);

    edit(project);
    const asked = await factory(project);
    expect(asked.stdout).toMatch(/^run \S+_numbers-2, after \S+_numbers\n/);
    expect(asked.stdout).toContain(
      [
        "- product: 1 built again, 1 kept",
        "    1 built again:",
        `      ${SECOND} (Double again): description changed [MM-quad@1.0.0]`,
        "    1 kept as shipped:",
        `      ${FIRST} (Double): unchanged [MM-twice@1.0.0]`,
        "",
      ].join("\n"),
    );
    expect(asked.code).toBe(23);
    expect((await project.slipway(["inbox", "Q2"])).stdout).toMatch(/What runs when you approve:\n +\n +1 built again:\n/);
    await project.slipway(["answer", "Q2", "APPROVE"]);
    const ended = await goOn(project);
    expect(ended.stdout).toContain("releases 2 modules: MM-twice@1.0.0, MM-quad@1.0.1");
    expect(ended.code).toBe(0);
    expect(existsSync(join(project.root, "modules/MM-quad/1.0.1"))).toBe(true);
    expect(project.git("status", "--porcelain")).toBe(" M numbers.md\n");
  });

  test("cancelled before the end, it continues from the same page without the product owner", async () => {
    const project = withoutSecondPlan(factoryProject(POLICY));
    await buildAll(project);
    const [{ run_id }] = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL") as [{ run_id: string }];
    expect(await project.slipway(["stop", run_id, "--cancel", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/is ended for good; .*\n {2}next: slipway factory SPEC\.md\n$/),
    });
    rmSync(join(project.cassette, "product-owner"), { recursive: true });
    const again = await factory(project);
    expect(again.stdout).toContain(`      ${SECOND} (Double again): not finished before (HALTED)\n`);
    expect(again.stdout).toContain(`${SECOND} has halted`);
    expect(again.stdout).not.toContain(`${FIRST}: in progress`);
    expect(again.code).toBe(23);

    // The same with `slipway run --protocol factory`, on an edited page, with --json.
    expect((await project.slipway(["stop", `${run_id}-2`, "--cancel", "--yes"])).code).toBe(0);
    edit(project);
    const asked = await project.slipway(["run", "--protocol", "factory", "-fi", "numbers.md", "--cassette", project.cassette, "--json"]);
    const told = asked.json<{ event?: string; name?: string; plan?: unknown }>();
    expect(told.find(({ event, name }) => event === "step" && name === "changes:1.1")?.plan).toMatchObject({
      tasks: [
        { task_id: FIRST, action: "keep" },
        { task_id: SECOND, action: "build", because: ["description changed"] },
      ],
      removed: [],
    });
    expect(asked.code).toBe(23);
  });

  test("a release whose run was cancelled cannot be retried by name: every command names the page to run again", async () => {
    const project = factoryProject();
    expect((await buildAll(project)).code).toBe(23);
    const [{ id }] = project.sql("SELECT id FROM features") as [{ id: string }];
    const cancelled = await project.slipway(["stop", "--cancel", "--yes"]);
    expect(cancelled.stdout).toContain(`  ${id}: ready_to_merge`);
    expect(cancelled.stdout).toMatch(/\n {2}next: slipway factory SPEC\.md\n$/);
    expect(cancelled.stdout).not.toContain("slipway retry");
    expect((await project.slipway(["status"])).stdout).toContain(`${id}: the run was cancelled by kim → slipway factory SPEC.md\n`);
    expect(await project.slipway(["retry", id, "--cassette", project.cassette])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^run_exists: .*of another protocol \(factory\)\.\n {2}next: slipway factory SPEC\.md\n$/),
    });
    const again = await factory(project);
    expect(again.stdout).toContain("    2 kept as shipped:\n");
    expect(again.stdout).toMatch(/asks: Merge rel-\w+ into main\?/);
    expect(again.code).toBe(23);
  });

  test("`slipway run --protocol` needs a known protocol, and one page for the factory", async () => {
    const project = factoryProject();
    const none = await project.slipway(["run", "--protocol", "factory"]);
    expect(none.stderr).toContain("`slipway factory` takes one page, and 0 were named.");
    const other = await project.slipway(["run", "--protocol", "waterfall", "numbers.md"]);
    expect(other.stderr).toContain('There is no protocol "waterfall".');
    expect([none.code, other.code]).toEqual([2, 2]);
  });
});
