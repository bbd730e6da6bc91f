import { TARGETS } from "@slipway/agents/role-export";
import { crewExport } from "@slipway/protocols/crew/export/export-crew";
import { forgeExport } from "@slipway/protocols/forge/export/export-forge";
import type { ProtocolEntry } from "@slipway/protocols/protocol";
import { PROTOCOLS } from "@slipway/protocols/protocols";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { letters } from "../testing/project.ts";

const README = "slipway-forge/README.md";
const PLANNER = ".github/agents/planner.agent.md";

/** Only their exports are of interest here, so that the rest of the protocols need not be there. */
beforeAll(() => {
  const known = PROTOCOLS as ProtocolEntry[];
  for (const [name, exports] of [
    ["forge", forgeExport],
    ["crew", crewExport],
  ] as const)
    if (!known.some((entry) => entry.name === name)) known.push({ ...known[0]!, name, started: [name], exports });
});

interface Shown {
  readonly out: string;
  readonly files: readonly { readonly path: string; readonly was: string }[];
}

describe("slipway export of a protocol with more than its roles", () => {
  test.each(TARGETS)("%s: the second export finds everything up to date, and writes nothing", async (target) => {
    const project = letters();
    for (const [protocol, count] of [
      ["forge", target === "copilot" ? 14 : 12],
      ["crew", 14],
    ] as const) {
      const folder = join(project.home, protocol);
      const command = ["export", target, "--protocol", protocol, "--out", folder, "--json"];
      const first = (await project.slipway(command)).json()[0] as Shown;
      expect(first.files.map(({ was }) => was)).toEqual(Array.from({ length: count }, () => "missing"));
      const second = (await project.slipway(command)).json()[0] as Shown;
      expect(new Set(second.files.map(({ was }) => was))).toEqual(new Set(["same"]));
      expect((await project.slipway([...command, "--check"])).code).toBe(0);
    }
  });

  test("[FOR-121] an existing .github and README.md stay as they are, byte for byte", async () => {
    const own = {
      ".github/agents/planner.agent.md": "---\ndescription: ours\n---\n",
      ".github/workflows/ci.yml": "on: push\n",
      "README.md": "# Ours\n",
    };
    const project = letters(own);
    expect((await project.slipway(["export", "copilot", "--protocol", "forge"])).code).toBe(0);
    for (const [path, text] of Object.entries(own)) expect(project.read(path)).toBe(text);
    expect(project.read(README)).toContain("flowchart TD");
    expect(project.read(join("slipway-forge", PLANNER))).toContain("name: planner");
  });

  test("a file whose mark was taken out is not replaced without --force, and --check reports an edited one", async () => {
    const project = letters();
    const command = ["export", "copilot", "--protocol", "forge"];
    await project.slipway(command);
    project.write(README, `${project.read(README)}More.\n`);
    const checked = await project.slipway([...command, "--check"]);
    expect([checked.code, checked.stdout]).toEqual([3, expect.stringContaining("README.md: differs")]);
    project.write(README, "# Mine\n");
    const refused = await project.slipway(command);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/README\.md \(not ours\)/)]);
    expect(project.read(README)).toBe("# Mine\n");
  });

  test("an agent of the same name that another protocol exported is not replaced without --force", async () => {
    const project = letters();
    await project.slipway(["export", "copilot"]);
    const before = project.read(PLANNER);
    const refused = await project.slipway(["export", "copilot", "--protocol", "crew"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/planner\.agent\.md \(of another protocol\)/)]);
    expect(project.read(PLANNER)).toBe(before);
    expect(existsSync(join(project.root, ".github/crew"))).toBe(false);
    expect((await project.slipway(["export", "copilot", "--protocol", "crew", "--force"])).code).toBe(0);
    expect(project.read(PLANNER)).toContain("# Planner");
  });
});

/** What people keep where exports go: other names, other kinds, other bytes than text. */
const OWN: Readonly<Record<string, string>> = {
  ".github/agents/ours.agent.md": "---\ndescription: ours\n---\n",
  ".github/copilot-instructions.md": "Be brief.\r\n",
  ".github/crew/notes.md": "no newline at the end",
  ".github/workflows/ci.yml": "on: push\n",
  ".claude/agents/ours.md": "---\nname: ours\n---\n",
  ".claude/commands/deploy.md": "\ufeffDeploy.\n",
  ".claude/settings.json": '{ "permissions": {} }',
  "AGENTS.md": "# Ours\n",
  "CLAUDE.md": "# Ours\n",
  "slipway-forge/notes.md": "# Ours\n",
};

/** Every file of the working tree with its bytes, and what would tell that it was written again. */
function treeOf(root: string): Record<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return Object.fromEntries(
    paths
      .filter((path) => !path.startsWith(".git/"))
      .map((path) => {
        const { ino, mode, mtimeMs } = lstatSync(join(root, path));
        return [path, `${ino} ${mode} ${mtimeMs} ${readFileSync(join(root, path), "base64")}`];
      }),
  );
}

describe("slipway export into a repository with files of its own", () => {
  const cases = TARGETS.flatMap((target) => PROTOCOLS.map(({ name }) => [target, name] as const));

  test.each(cases)("%s of %s writes what it names, and touches nothing else", async (target, protocol) => {
    const project = letters(OWN);
    const before = treeOf(project.root);
    const { code, json } = await project.slipway(["export", target, "--protocol", protocol, "--json"]);
    expect(code).toBe(0);
    const [shown] = json<Shown & { readonly out: string }>();
    const written = (shown?.files ?? []).map(({ path }) => join(shown?.out ?? "", path).slice(project.root.length + 1));
    expect(written.length).toBeGreaterThan(2);
    const after = treeOf(project.root);
    expect(Object.keys(after).toSorted()).toEqual([...Object.keys(before), ...written].toSorted());
    expect(Object.fromEntries(Object.keys(before).map((path) => [path, after[path]]))).toEqual(before);
  });
});
