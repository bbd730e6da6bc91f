import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { letters } from "../testing/project.ts";

const available = sandboxWorksHere();

describe.skipIf(!available)("slipway gates", () => {
  test("B2: runs the gates on the base without a run and without an agent, exit code 0", async () => {
    const project = letters();
    project.write("src/a.txt", "BUG\n");
    const ended = await project.slipway(["gates"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      /fast gates on main: passed\n {2}check: pass, exit code 0, \d+\.\d s: sh check\.sh; \S*\/sh; log \S+\.log\n/,
    );
    expect(ended.stdout).toContain("full gates on main: passed, the same steps as above");
    expect(project.sql("SELECT count(*) AS n FROM telemetry")).toEqual([{ n: 0 }]);
    expect(project.git("status", "--porcelain")).toBe(" M src/a.txt\n");
  });

  test("a red gate is exit code 3, with the end of the log and the likely cause; one mode may be named", async () => {
    const project = letters({ "check.sh": "echo trouble; nosuchprogram\n" });
    const ended = await project.slipway(["gates", "full"]);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain("likely cause: The program nosuchprogram is not found inside the sandbox.");
    expect(ended.stdout).toContain("    | trouble\n");
    expect(ended.stdout).not.toContain("fast gates");
  });

  test("--here uses the files and gates.yaml of the checkout, untracked files too, and changes nothing", async () => {
    const project = letters();
    project.write("src/new.txt", "BUG\n");
    expect((await project.slipway(["gates", "fast", "--here"])).code).toBe(3);
    expect(project.git("status", "--porcelain")).toBe("?? src/new.txt\n");
    expect((await project.slipway(["gates", "fast"])).code).toBe(0);
  });

  test("--feature uses a feature's current tree; --json prints the same", async () => {
    const project = letters();
    await project.run();
    const ended = await project.slipway(["gates", "fast", "--feature", "letters", "--json"]);
    expect(ended.code).toBe(0);
    expect(ended.json()[0]).toMatchObject({ of: "letters", trials: [{ mode: "fast", status: "pass", steps: [{ name: "check" }] }] });
    expect((await project.slipway(["gates", "--feature", "letters", "--here"])).code).toBe(2);
  });
});
