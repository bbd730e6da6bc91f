import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codeOf, testsOf } from "../engineering/testing/modules.ts";
import { patchesOf } from "../../change/patches.ts";
import type { Release } from "./schema.ts";
import { workspaceOf } from "./workspace.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "slipway-workspace-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const module = (ref: string, code: string, depends_on: string[] = []) => {
  const [module_id = "", version = ""] = ref.split("@");
  const name = module_id.slice("MM-".length);
  return { module_id, version, depends_on, sources: { "implementation/index.ts": code, "tests/module.test.ts": testsOf(name) } };
};

const calling = (name: string, call: string) =>
  codeOf(name)
    .replace("return n * 2", `return ${call}`)
    .replace(/^/, 'import twice, { NegativeError as Theirs } from "#MM-twice";\nexport type Refused = Theirs;\n');

const RELEASE = { release_id: "REL-0a1b2c3d", failures: [], modules: [{ module_ref: "MM-twice@1.0.0" }] } as unknown as Release;

test("each module runs and compiles with the exact versions it was built with, two of one module side by side", () => {
  const twice = (by: string) => `${codeOf("twice").replace("n * 2", by)}export default twice;\n`;
  const files = workspaceOf(RELEASE, [
    module("MM-twice@1.0.0", twice("n * 2")),
    module("MM-twice@1.0.1", twice("n + n + 0")),
    module("MM-quad@1.0.0", calling("quad", "twice(n)"), ["MM-twice@1.0.0"]),
    module("MM-octo@2.0.0", calling("octo", "twice(n)"), ["MM-twice@1.0.1"]),
  ]);
  expect(files["MM-quad/1.0.0/dependencies/MM-twice.ts"]).toContain('"../../../MM-twice/1.0.0/implementation/index.ts"');
  expect(files["MM-octo/2.0.0/dependencies/MM-twice.ts"]).toContain('"../../../MM-twice/1.0.1/implementation/index.ts"');
  expect(files["MM-twice/1.0.0/package.json"]).toBeUndefined();
  expect(JSON.parse(files["releases/REL-0a1b2c3d.json"] ?? "")).not.toHaveProperty("failures");
  const root = folder(files);
  const ran = execFileSync(process.execPath, ["--test", "--test-reporter=tap"], { cwd: root, encoding: "utf8" });
  expect(ran).toMatch(/# pass 12\n# fail 0\n/);
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const types = dirname(dirname(require.resolve("@types/node/package.json")));
  execFileSync(process.execPath, [tsc, "--project", root, "--typeRoots", types], { encoding: "utf8" });
});

test("patches replace whole files in git's format, and none exceeds the size limit", () => {
  const root = folder({ "a.txt": "one\ntwo\n", "b.txt": "no end", "e.txt": "something\n" });
  const git = (args: readonly string[], input = "") => execFileSync("git", args, { cwd: root, input, encoding: "utf8" });
  git(["init", "--quiet"]);
  const changes = [
    { path: "a.txt", before: "one\ntwo\n", after: "one\nthree" },
    { path: "b.txt", before: "no end", after: "an end\n" },
    { path: "e.txt", before: "something\n", after: "" },
    { path: "new/c.txt", before: null, after: "- dash\r\n+ plus\n" },
    { path: "new/d.txt", before: null, after: "" },
  ];
  const patches = patchesOf(changes, { max_bytes: 1_000_000, max_files: 2 });
  expect(patches).toHaveLength(3);
  for (const patch of patches) git(["apply", "--whitespace=nowarn", "-"], patch);
  for (const { path, after } of changes) expect(execFileSync("cat", [join(root, path)], { encoding: "utf8" })).toBe(after);
  expect(patchesOf(changes, { max_bytes: 1, max_files: 99 })).toHaveLength(5);
  expect(patchesOf([], { max_bytes: 1, max_files: 1 })).toEqual([]);
});
