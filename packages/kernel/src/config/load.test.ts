import { expect, test } from "vitest";
import { AGENTS_FILE, loadConfiguration, POLICY_FILE } from "./load.ts";
import { POLICY_YAML, policyYaml } from "./testing/samples.ts";

const GATES_YAML = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: unit, cmd: [npm, test] }]
      full: [{ name: unit, cmd: [npm, test] }]
`;
const FILES: Readonly<Record<string, string>> = { [POLICY_FILE]: POLICY_YAML, "slipway/gates.yaml": GATES_YAML };

const load = (files: Readonly<Record<string, string>>) =>
  loadConfiguration((path) => Promise.resolve(Object.hasOwn(files, path) ? Buffer.from(files[path] ?? "") : null));

test("the files are read through the given reader, and only through it", async () => {
  const asked: string[] = [];
  const configuration = await loadConfiguration((path) => {
    asked.push(path);
    return Promise.resolve(path === AGENTS_FILE ? null : Buffer.from(FILES[path] ?? ""));
  });
  expect(asked.toSorted()).toEqual(["slipway/agents.yaml", "slipway/gates.yaml", "slipway/policy.yaml"]);
  expect(configuration.agents).toBeNull();
  expect(configuration.gates.profiles).toHaveProperty("default.modes.fast.0.name", "unit");
  expect(configuration.policy.worktree.base_branch).toBe("main");
});

test("agents.yaml is validated if it exists", async () => {
  expect((await load({ ...FILES, [AGENTS_FILE]: "version: 1\nroles: {}\n" })).agents).toMatchObject({ version: 1 });
  await expect(load({ ...FILES, [AGENTS_FILE]: "version: 1\n" })).rejects.toMatchObject({
    code: "config_invalid",
    details: { file: AGENTS_FILE, field: "/roles" },
  });
});

test("a missing file is named, with the command that writes it", async () => {
  await expect(load({})).rejects.toMatchObject({
    code: "config_missing",
    message: expect.stringContaining("slipway/policy.yaml and slipway/gates.yaml do not exist"),
    details: { files: ["slipway/policy.yaml", "slipway/gates.yaml"], suggested_next_actions: [expect.stringContaining("slipway init")] },
  });
  await expect(load({ [POLICY_FILE]: POLICY_YAML })).rejects.toMatchObject({
    code: "config_missing",
    details: { file: "slipway/gates.yaml" },
  });
  await expect(load({ "slipway/gates.yaml": GATES_YAML })).rejects.toMatchObject({
    code: "config_missing",
    details: { files: ["slipway/policy.yaml"] },
  });
});

test("an invalid file is named", async () => {
  await expect(load({ ...FILES, [POLICY_FILE]: "version: 1\n" })).rejects.toMatchObject({ details: { file: POLICY_FILE } });
  await expect(load({ ...FILES, "slipway/gates.yaml": "version: 1\n" })).rejects.toMatchObject({
    details: { file: "slipway/gates.yaml", field: "/profiles" },
  });
});

test("the hash depends on what decides about a merge, and on nothing else", async () => {
  const { policyHash } = await load(FILES);
  expect(policyHash).toMatch(/^[0-9a-f]{64}$/);
  const same = await load({
    ...FILES,
    [POLICY_FILE]: `# a comment\n${policyYaml({ collision_policy: "reject" })}`,
    [AGENTS_FILE]: "version: 1\nroles: {}\n",
  });
  expect(same.policyHash).toBe(policyHash);
  expect((await load({ ...FILES, [POLICY_FILE]: policyYaml({ "merge_policy.require_user_approval": false }) })).policyHash).not.toBe(
    policyHash,
  );
  expect((await load({ ...FILES, "slipway/gates.yaml": GATES_YAML.replace("npm, test", "npm, run, test") })).policyHash).not.toBe(
    policyHash,
  );
});
