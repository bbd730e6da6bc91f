import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collectingIo, scratchRepository } from "../init/testing/scratch.ts";
import { main } from "../main.ts";
import { blockedInLattice } from "../testing/criticality-project.ts";
import type { Project } from "../testing/project.ts";

const stateOf = (project: Project) => {
  const runs = ".slipway/runs";
  return join(runs, readdirSync(join(project.root, runs))[0] ?? "", "state.json");
};
const resume = (project: Project) => project.slipway(["resume", "--cassette", project.cassette]);

describe("[CRI-178] slipway resume", () => {
  test("exits non-zero in a repository without any state, and says to run slipway init first", async () => {
    const io = collectingIo(scratchRepository({ "README.md": "" }));
    expect(await main(["resume"], io)).toBe(2);
    expect(io.stderr()).toContain("Run `slipway init`");
  });

  test("refuses a state file of an unknown version, leaves it as it is, and continues nothing", async () => {
    const project = await blockedInLattice(1);
    const path = stateOf(project);
    const text = project.read(path).replace('"version": "1.0.0"', '"version": "9.0.0"');
    project.write(path, text);
    const before = project.sql("SELECT stream, seq FROM heads ORDER BY stream");
    const { code, stderr } = await resume(project);
    expect(code).toBe(2);
    expect(stderr).toContain('state.json has the version "9.0.0"; this Slipway reads 1.0.0.');
    expect(project.read(path)).toBe(text);
    expect(project.sql("SELECT stream, seq FROM heads WHERE stream <> 'repository' ORDER BY stream")).toEqual(
      before.filter(({ stream }) => stream !== "repository"),
    );
  });

  test.each([
    ["damaged", "{"],
    ["no state file", "[]\n"],
  ])("writes a state file again that is %s: the state is in the records", async (_what, text) => {
    const project = await blockedInLattice(1);
    const path = stateOf(project);
    project.write(path, text);
    expect((await resume(project)).code).toBe(23);
    expect(JSON.parse(project.read(path))).toMatchObject({ version: "1.0.0", protocolState: { type: "blocked" } });
  });
});
