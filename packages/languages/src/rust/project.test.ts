import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFolder } from "../testing/adapter-suite.ts";
import { filesIn } from "../toolchains/work-folder.ts";
import { moduleTree, prepareRustProject } from "./project.ts";

test("modules are declared as their files lie, and a folder with a file of its own declares itself", () => {
  expect(moduleTree(["src/a.rs", "src/b/c.rs", "src/b/d/e.rs", "src/f/mod.rs", "src/f/g.rs", "src/h.rs", "src/h/i.rs", "tests/t.rs"])).toBe(
    "pub mod a;\npub mod b {\n    pub mod c;\n    pub mod d {\n        pub mod e;\n    }\n}\npub mod f;\npub mod h;\n",
  );
});

describe("the copy of a project", () => {
  const prepared = async (tree: Record<string, string>) => {
    const folder = projectFolder(tree);
    await prepareRustProject(folder);
    return { paths: filesIn(folder), read: (path: string) => readFileSync(join(folder, path), "utf8") };
  };

  test("without a manifest gets one, and the root of a library", async () => {
    const { read } = await prepared({ "src/a.rs": "pub fn f() {}\n" });
    expect(read("Cargo.toml")).toContain('name = "project"');
    expect(read("Cargo.toml")).not.toContain("proptest");
    expect(read("src/lib.rs")).toBe("pub mod a;\n");
  });

  test("keeps its own manifest and root, and gets proptest only if a test uses it", async () => {
    const own = '[package]\nname = "mine"\nversion = "1.0.0"\n';
    const plain = await prepared({ "Cargo.toml": own, "src/main.rs": "fn main() {}\n" });
    expect(plain.read("Cargo.toml")).toBe(own);
    expect(plain.paths).not.toContain("src/lib.rs");
    const using = { "src/lib.rs": "", "tests/t.rs": "use proptest::prelude::*;\n" };
    expect((await prepared({ ...using, "Cargo.toml": own })).read("Cargo.toml")).toBe(`${own}\n[dev-dependencies]\nproptest = "1"\n`);
    expect((await prepared({ ...using, "Cargo.toml": `${own}[dev-dependencies]\nx = "1"\n` })).read("Cargo.toml")).toBe(
      `${own}[dev-dependencies]\nproptest = "1"\nx = "1"\n`,
    );
    const has = `${own}[dev-dependencies]\nproptest = "1.2"\n`;
    expect((await prepared({ ...using, "Cargo.toml": has })).read("Cargo.toml")).toBe(has);
  });
});
