import { beforeAll, describe, expect, test } from "vitest";
import type { FileTree } from "./file-tree.ts";
import { folderTree } from "./folder-tree.ts";
import { accessDenied } from "./levels.ts";
import { contextPackTree } from "./ruled-tree.ts";
import type { PackRule } from "./rules.ts";
import { refusalOf, textOf, treeYard, type Yard } from "./testing/yard.ts";

const FILES = {
  "modules/MM-own/1.0.0/implementation/own.ts": "secret own\n",
  "modules/MM-dep/1.0.0/contract.json": "contract secret\n",
  "modules/MM-dep/1.0.0/examples.md": "examples\n",
  "modules/MM-dep/1.0.0/implementation/contract.json": "secret inside\n",
  "modules/MM-dep/1.0.0/tests/a.test.ts": "secret test\n",
  "modules/MM-other/1.0.0/contract.json": "secret other\n",
  "debates/notes.md": "secret debate\n",
  "project/big.json": "secret big\n",
};
const RULES: readonly PackRule[] = [
  { path: "modules/MM-own/1.0.0", level: "FULL", permission: "write", reason: "the module at work" },
  { path: "modules/MM-dep/1.0.0", level: "CONTRACT_ONLY", reason: "a dependency" },
  { path: "debates/notes.md", level: "SUMMARY_ONLY", summary: "in short", reason: "background" },
  { path: "project/big.json", level: "METADATA_ONLY", reason: "background" },
];

let yard: Yard;
let tree: FileTree;
beforeAll(async () => {
  yard = await treeYard(FILES);
  tree = contextPackTree(folderTree(yard), { rules: RULES });
});

describe("[FAC-085] of another module only its contract surface is visible", () => {
  test("for reading", async () => {
    expect(textOf(await tree.read("modules/MM-dep/1.0.0/contract.json"))).toBe("contract secret\n");
    for (const path of ["implementation/contract.json", "tests/a.test.ts", "implementation", "anything.json"]) {
      const asked = `modules/MM-dep/1.0.0/${path}`;
      expect(textOf(await tree.read(asked))).toBe(accessDenied(asked));
    }
    expect((await refusalOf(() => tree.read("modules/MM-other/1.0.0/contract.json"))).code).toBe("input_path_not_found");
  });

  test("for listing, finding and searching", async () => {
    expect((await tree.ls(".")).map(({ path }) => path)).toEqual(["debates", "modules", "project"]);
    expect((await tree.ls("modules")).map(({ path }) => path)).toEqual(["modules/MM-dep", "modules/MM-own"]);
    expect((await tree.ls("modules/MM-dep/1.0.0")).map(({ path }) => path)).toEqual([
      "modules/MM-dep/1.0.0/contract.json",
      "modules/MM-dep/1.0.0/examples.md",
    ]);
    expect(await tree.ls("modules/MM-dep/1.0.0/implementation")).toEqual([]);
    expect((await refusalOf(() => tree.ls("modules/MM-other"))).code).toBe("input_path_not_found");
    expect((await tree.ls("project")).map(({ path }) => path)).toEqual([]);
    expect(await tree.glob("**")).toEqual([
      "debates/notes.md",
      "modules/MM-dep/1.0.0/contract.json",
      "modules/MM-dep/1.0.0/examples.md",
      "modules/MM-own/1.0.0/implementation/own.ts",
    ]);
    const seen = ["modules/MM-dep/1.0.0/contract.json", "modules/MM-own/1.0.0/implementation/own.ts"];
    expect((await tree.grep("secret")).map(({ path }) => path).toSorted()).toEqual(seen);
    expect((await tree.grep("secret", { path: "modules/MM-own/1.0.0/implementation" })).map(({ path }) => path)).toEqual(seen.slice(1));
    expect(await tree.grep("secret", { path: "modules/MM-other" })).toEqual([]);
    expect(await tree.grep("secret", { path: "modules/MM-dep/1.0.0/tests" })).toEqual([]);
    expect(await tree.grep("secret", { limit: 1 })).toHaveLength(1);
  });

  test("for changing", async () => {
    const sealed = "modules/MM-dep/1.0.0/implementation/x.ts";
    expect((await refusalOf(() => tree.write(sealed, Buffer.from("x")))).message).toBe(accessDenied(sealed));
    expect((await refusalOf(() => tree.edit(sealed, "a", "b"))).message).toBe(accessDenied(sealed));
    expect((await refusalOf(() => tree.remove("modules/MM-dep/1.0.0/contract.json"))).message).toMatch(/is read-only here/);
    expect((await refusalOf(() => tree.write("elsewhere.ts", Buffer.from("x")))).details.suggested_next_actions).toEqual([
      "No file is writable here: put the result in the answer.",
    ]);
  });
});

test("the module in progress can be read and written", async () => {
  const path = "modules/MM-own/1.0.0/implementation/own.ts";
  expect(tree.permission?.(path)).toBe("write");
  expect(tree.permission?.("modules/MM-dep/1.0.0/contract.json")).toBe("read");
  expect(tree.permission?.("modules/MM-dep/1.0.0/tests/a.test.ts")).toBeNull();
  await tree.write(path, Buffer.from("secret mine\n"));
  await tree.edit(path, "mine", "own");
  expect(textOf(await tree.read(path))).toBe("secret own\n");
});

test("a summarised file reads as its summary, and a file of which only the name is visible cannot be read", async () => {
  expect(textOf(await tree.read("debates/notes.md"))).toBe("in short");
  expect((await refusalOf(() => tree.read("project/big.json"))).code).toBe("input_path_not_found");
});
