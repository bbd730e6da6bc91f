import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../init/testing/scratch.ts";
import { startSlipway } from "../testing/child.ts";
import { buildAll, factoryProject, goOn, WITHOUT_APPROVAL } from "../testing/factory-project.ts";
import type { Project } from "../testing/project.ts";

interface Manifest {
  readonly release_id: string;
  readonly overall_result: string;
  readonly modules: readonly { readonly module_ref: string }[];
  readonly landing?: Readonly<Record<string, string>>;
}

function manifests(project: Project): Manifest[] {
  const folder = join(project.root, ".slipway/state_store/releases");
  const names = readdirSync(folder).filter((name) => /^REL-\w+\.json$/.test(name));
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Manifest);
}

const branchOf = (project: Project) => manifests(project)[0]!.release_id.toLowerCase();

describe("a release enters the repository as a change", () => {
  test("on a branch, gated, approved by a person and merged; its tests run with Node alone", async () => {
    const project = factoryProject();
    const before = project.git("rev-parse", "main").trim();
    const built = await buildAll(project);
    const branch = branchOf(project);
    expect(built.stdout).toContain(`Merge ${branch} into main?\n    slipway approve ${branch}\n`);
    expect(built.code).toBe(23);
    expect(project.git("rev-parse", "main").trim()).toBe(before);
    expect(existsSync(join(project.root, "modules"))).toBe(false);
    const waiting = await project.slipway(["factory", "release"]);
    expect(waiting.stdout).toContain(`Not merged yet: \`slipway status\` shows where ${branch} is.`);

    project.write("mine.txt", "not committed\n");
    expect((await project.slipway(["approve", branch])).code).toBe(0);
    const ended = await goOn(project, "--json");
    expect(ended.code).toBe(0);
    const commit = project.git("rev-parse", "main").trim();
    const value = { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"], merge: { commit, folder: "modules" } };
    expect(ended.json().at(-1)).toMatchObject({ status: "completed", value });
    expect(project.git("rev-parse", "main^1").trim()).toBe(before);
    expect(project.git("log", "--format=%B", "-1", "main^2")).toContain("MM-twice@1.0.0, MM-quad@1.0.0");
    expect(project.git("status", "--porcelain")).toBe("?? mine.txt\n");
    expect(manifests(project)).toMatchObject([{ landing: { status: "merged", commit, branch, approved_by: "kim" } }]);
    const shown = await project.slipway(["factory", "release"]);
    expect(shown.stdout).toContain(`Merged into main as ${commit.slice(0, 10)}, in modules/; approved by kim.`);

    // In this folder there is no package, no compiler and no file of Slipway.
    const elsewhere = join(scratchFolder(), "modules");
    cpSync(join(project.root, "modules"), elsewhere, { recursive: true });
    const tests = execFileSync(process.execPath, ["--test", "--test-reporter=tap"], { cwd: elsewhere, encoding: "utf8" });
    expect(tests).toMatch(/# tests 6\n[^]*# pass 6\n/);
    const quad = 'import { quad } from "./MM-quad/1.0.0/implementation/index.ts"; process.stdout.write(String(quad(4)))';
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", quad], { cwd: elsewhere, encoding: "utf8" })).toBe("8");
  });

  test("a release that fails the repository's gates asks; after a fix it continues; rejected, it is kept and not merged", async () => {
    const check = "if test -d modules; then exit 1; fi\n";
    const project = factoryProject({ "check.sh": check, "slipway/policy.yaml": `${POLICY}release: { folder: lib/made }\n` });
    project.write("check.sh", "if test -d lib/made; then exit 1; fi\n");
    project.git("commit", "--quiet", "--all", "--message=stricter");
    const refused = await buildAll(project);
    const branch = branchOf(project);
    expect(refused.stdout).toContain(`x ${branch}: fast gates failed`);
    expect(refused.code).toBe(23);
    expect((await project.slipway(["inbox"])).stdout).toContain(`${branch} is blocked in building`);

    project.write("check.sh", "test -f lib/made/MM-quad/1.0.0/ship.json\n");
    project.git("commit", "--quiet", "--all", "--message=mended");
    const before = project.git("rev-parse", "main").trim();
    expect((await project.slipway(["answer", "Q2", "retry"])).code).toBe(0);
    expect((await goOn(project)).stdout).toContain(`Merge ${branch} into main?`);
    await project.slipway(["answer", "Q3", "changes", "--comment", "leave MM-quad out"]);
    const back = await goOn(project);
    expect(back.stdout).toContain(`${branch} was not merged: leave MM-quad out`);
    await project.slipway(["answer", "Q4", "retry"]);
    await goOn(project);
    expect((await project.slipway(["answer", "Q5", "reject", "--comment", "not this quarter"])).code).toBe(0);
    const ended = await goOn(project);
    expect(ended.stdout).toContain("was not merged: rejected: not this quarter. Its modules stay shipped");
    expect(ended.stdout).toContain("slipway factory release MM-twice@1.0.0 MM-quad@1.0.0 starts another one");
    expect(ended.code).toBe(3);
    expect(project.git("rev-parse", "main").trim()).toBe(before);
    expect(manifests(project)).toMatchObject([{ overall_result: "PASS", landing: { status: "not_merged", branch } }]);
    expect(existsSync(join(project.root, ".worktrees", branch, "lib/made/MM-twice/1.0.0/contract.json"))).toBe(true);
    expect((await project.slipway(["diff", branch, "--stat"])).stdout).toContain("lib/made/releases/");
    expect((await project.slipway(["factory", "release"])).stdout).toContain("Not merged: rejected: not this quarter.");
  });

  test("killed while its files are placed and while it is merged, it is merged once", async () => {
    const project = factoryProject({ "slipway/policy.yaml": WITHOUT_APPROVAL });
    await project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
    await project.slipway(["answer", "Q1", "APPROVE"]);
    for (const step of ["assemble:1", "candidate:1"]) {
      const child = startSlipway(project, ["resume", "--cassette", project.cassette, "--json"]);
      await child.says(`"name":"${step}"`);
      child.process.kill("SIGKILL");
      await child.ended;
    }
    expect((await goOn(project)).code).toBe(0);
    expect(manifests(project)).toMatchObject([{ landing: { status: "merged", commit: project.git("rev-parse", "main").trim() } }]);
    expect(project.git("rev-list", "--count", "main").trim()).toBe("3");
    expect(project.git("status", "--porcelain")).toBe("");
  });
});
