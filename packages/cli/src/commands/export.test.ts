import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExport } from "@slipway/agents/role-export";
import { protocolRole, roleNames } from "@slipway/protocols/dispatch/roles";
import { describe, expect, test } from "vitest";
import { collectingIo, git, scratchFolder, scratchRepository } from "../init/testing/scratch.ts";
import { main } from "../main.ts";
import { FILES, letters } from "../testing/project.ts";

const COPILOT = [".github/agents/builder.agent.md", ".github/agents/planner.agent.md", ".github/agents/qa.agent.md"];
const none = async () => null;

describe("slipway export", () => {
  test.each(["copilot", "claude"])("%s: exports every role, and each file reads back as the role", async (target) => {
    const project = letters();
    const { code, stdout } = await project.slipway(["export", target]);
    expect(code).toBe(0);
    const paths = stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(/ written$/, ""));
    expect(paths).toHaveLength(3);
    for (const [index, name] of (await roleNames("features")).entries()) {
      const path = paths[index]!;
      expect(parseExport(path, project.read(path))).toEqual({ protocol: "features", role: await protocolRole("features", name, none) });
    }
    expect((await project.slipway(["export", target])).stdout).toContain("was up to date");
    expect((await project.slipway(["export", target, "--check"])).code).toBe(0);
  });

  test("--check fails if a file is missing or differs, and writes nothing", async () => {
    const project = letters();
    const missing = await project.slipway(["export", "copilot", "--check"]);
    expect([missing.code, missing.stdout.split("\n")[0]]).toEqual([3, ".github/agents/builder.agent.md: missing"]);
    expect(existsSync(join(project.root, ".github"))).toBe(false);
    await project.slipway(["export", "copilot"]);
    project.write(COPILOT[0]!, `${project.read(COPILOT[0]!)}More.\n`);
    const differs = await project.slipway(["export", "copilot", "--check", "--json"]);
    expect(differs.code).toBe(3);
    expect(differs.json()).toMatchObject([{ files: [{ path: COPILOT[0], was: "differs" }, { was: "same" }, { was: "same" }] }]);
    expect((await project.slipway(["export", "copilot", "--json"])).code).toBe(0);
    expect((await project.slipway(["export", "copilot", "--check"])).code).toBe(0);
  });

  test("an agent file that Slipway did not write is not replaced without --force", async () => {
    const project = letters();
    project.write(COPILOT[0]!, "---\ndescription: ours\n---\n");
    const refused = await project.slipway(["export", "copilot"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(COPILOT[0]);
    expect(existsSync(join(project.root, COPILOT[1]!))).toBe(false);
    expect((await project.slipway(["export", "copilot", "--force"])).code).toBe(0);
    expect(project.read(COPILOT[0]!)).toContain("name: builder");
  });

  test("exports the committed roles and prompts of the repository", async () => {
    const own = "---\nname: builder\ntier: fast\ntools: [read]\nwrite_grant: patch\noutput: PATCH\n---\n\nOurs.\n";
    const project = letters({
      "slipway/roles/features/builder.md": own,
      "prompts/qa.md": "Test it.\n",
      "slipway/agents.yaml": "version: 1\nroles: { qa: { system_prompt_path: prompts/qa.md } }\n",
    });
    const out = join(project.home, "elsewhere");
    expect((await project.slipway(["export", "claude", "--out", out])).code).toBe(0);
    const builder = readFileSync(join(out, ".claude/agents/builder.md"), "utf8");
    expect(builder).toContain("tools: Read\nmodel: haiku\n");
    expect(builder.endsWith("\n\nOurs.\n")).toBe(true);
    expect(readFileSync(join(out, ".claude/agents/qa.md"), "utf8").endsWith("\n\nTest it.\n\n")).toBe(true);
  });

  test("without configuration, and outside a repository, exports the built-in roles", async () => {
    const { ["slipway/policy.yaml"]: _, ["slipway/gates.yaml"]: __, ...bare } = FILES;
    for (const folder of [scratchRepository(bare), scratchFolder()]) {
      const io = collectingIo(folder);
      expect(await main(["export", "copilot"], io)).toBe(0);
      expect(existsSync(join(folder, COPILOT[2]!))).toBe(true);
    }
    const broken = scratchRepository(FILES);
    git(broken, "checkout", "-q", "-b", "other");
    git(broken, "branch", "-D", "main");
    expect(await main(["export", "copilot"], collectingIo(broken))).toBe(2);
  });

  test.each([
    ["an unknown target", ["export", "cursor"], /There is no export 'cursor'/],
    ["an unknown protocol", ["export", "copilot", "--protocol", "waterfall"], /There is no protocol "waterfall"/],
  ])("%s", async (_, argv, message) => {
    const io = collectingIo(scratchFolder());
    expect(await main(argv, io)).toBe(2);
    expect(io.stderr()).toMatch(message);
  });

  test("a folder where a file should be is reported", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, COPILOT[0]!), { recursive: true });
    expect(await main(["export", "copilot"], collectingIo(folder))).not.toBe(0);
    const other = scratchFolder();
    writeFileSync(join(other, ".github"), "in the way");
    const io = collectingIo(other);
    expect(await main(["export", "copilot"], io)).toBe(2);
    expect(io.stderr()).toMatch(/^io_error/);
  });
});
