import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { OPEN_POLICY, type Yard } from "./yard.ts";

/** Files that the harness reads, writes and removes on the host after a gate ran code of the change. */
const steps = "[{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 60 }]";
const GATES = `version: 1
profiles:
  default:
    modes: { fast: ${steps}, full: ${steps} }
parsers: { tests: { type: junit_xml, path: target/surefire-reports/TEST-*.xml, modes: [full] } }
`;
const POLICY = `${OPEN_POLICY}sandbox: { shared_paths: [config/local.env, packages/a/node_modules] }\n`;
const ONE_TEST = '<testsuite tests="1"><testcase name="a"/></testsuite>';

let site: Site;
let yard: Yard;

beforeAll(async () => {
  const ignored = "config/local.env\nnode_modules/\n";
  site = await openSite({ files: { "slipway/gates.yaml": GATES, "slipway/policy.yaml": POLICY, ".gitignore": ignored } });
  yard = site.yard;
  yard.write("config/local.env", "A=1\n");
  mkdirSync(join(yard.root, "packages/a/node_modules"), { recursive: true });
  yard.write(join(yard.outside, "local.env"), "B=2\n");
  mkdirSync(join(yard.outside, "a/node_modules"), { recursive: true });
});
afterAll(() => site.close());

async function gate(files: Readonly<Record<string, string>>, mode: "fast" | "full" = "fast") {
  const feature_id = await site.feature();
  const unified_diff = Object.entries(files)
    .map(([path, text]) => adding(path, text))
    .join("");
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
  const envelope = await unharmed(yard, [feature_id], () => site.builder.call("gates.run", { feature_id, mode }));
  return { feature_id, ok: envelope.ok, error: envelope.ok ? null : envelope.error };
}

const script = (...lines: readonly string[]) => ({ "attack.sh": `${lines.join("\n")}\n` });

test("B5: a committed report is not written to another place, even if its folder becomes a link", async () => {
  mkdirSync(join(yard.home, "autostart"), { recursive: true });
  const { ok, error } = await gate(
    {
      ...script("rm -rf target", `ln -s ${join(yard.home, "autostart")} target`),
      "target/surefire-reports/TEST-evil.xml": ONE_TEST,
    },
    "full",
  );
  expect(readdirSync(join(yard.home, "autostart"))).toEqual([]);
  expect({ ok, error }).toMatchObject({ ok: false });
});

test("B5: reports two folders deep count if the gate writes them", async () => {
  const write = `printf '%s' '${ONE_TEST}' > target/surefire-reports/TEST-a.xml`;
  expect(await gate(script("mkdir -p target/surefire-reports", write), "full")).toMatchObject({ ok: true });
});

const COMMITTED = { "target/surefire-reports/TEST-evil.xml": ONE_TEST };

test.each([
  ["nobody writes", "true"],
  ["a step touches", "touch target/surefire-reports/TEST-evil.xml"],
  ["a step appends nothing to", "chmod 600 target/surefire-reports/TEST-evil.xml; : >> target/surefire-reports/TEST-evil.xml"],
  ["a step deletes", "rm target/surefire-reports/TEST-evil.xml"],
])("B5: a committed report that %s does not count, and the worktree does not change", async (_what, command) => {
  const { feature_id, error } = await gate({ ...script(command), ...COMMITTED }, "full");
  expect(error).toMatchObject({ code: "no_tests_ran" });
  // No question about an edit that only the gate could have made.
  expect(await site.builder.call("gates.run", { feature_id, mode: "full" })).toMatchObject({ error: { code: "no_tests_ran" } });
});

test("B5: a step that overwrites a committed report is counted by its own content", async () => {
  const write = `printf '%s' '${ONE_TEST}' > target/surefire-reports/TEST-evil.xml`;
  expect(await gate({ ...script(write), "target/surefire-reports/TEST-evil.xml": "<forged/>" }, "full")).toMatchObject({ ok: true });
});

test("B6: removing a mount point removes nothing outside, even if its path has become a link", async () => {
  const { ok } = await gate(
    script(
      "mv config config.old; rm -rf config.old",
      `ln -s ${yard.outside} config`,
      "mv packages packages.old",
      `ln -s ${yard.outside} packages`,
      "exit 0",
    ),
  );
  expect(ok).toBe(true);
  expect(yard.read(join(yard.outside, "local.env"))).toBe("B=2\n");
  expect(existsSync(join(yard.outside, "a/node_modules"))).toBe(true);
});

test("B14: folders nested beyond the longest path leave the feature usable", async () => {
  const deep = 'node -e \'for (let i = 0; i < 300; i++) { fs.mkdirSync("a".repeat(20)); process.chdir("a".repeat(20)); }\'';
  const { feature_id, ok, error } = await gate(script(deep));
  expect(error).toBeNull();
  expect(ok).toBe(true);
  await site.builder.ok("gates.run", { feature_id, mode: "fast" });
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("later.txt") });
});

test("B14: a file name that is not valid text leaves the feature usable", async () => {
  const { feature_id, ok } = await gate(script(`mkdir "$(printf 'd\\377')" && : > "$(printf 'd\\377/f\\376')"`));
  expect(ok).toBe(true);
  await site.builder.ok("gates.run", { feature_id, mode: "fast" });
});
