import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { manifestSchema } from "./levels.ts";
import { planPack } from "./plan.ts";
import { rulingsOf, type PackRule } from "@slipway/kernel/host/file-views/rules";
import { givenFiles } from "./source.ts";
import { ALL, write } from "./testing/repository.ts";
import { viewOf } from "./view.ts";

const plan = (files: Readonly<Record<string, string>>, rules: readonly PackRule[], others: { path: string; reason: string }[] = []) =>
  planPack({ files: givenFiles(files, "sha1"), others, rules, tree: null, objectFormat: "sha1" });

const MODULE = {
  "modules/mail/contract.json": "{}",
  "modules/mail/examples.md": "# Examples",
  "modules/mail/ship.json": "{}",
  "modules/mail/src/send.ts": "secret();",
  "modules/mail/src/contract.json": "not the contract",
  "own/index.ts": "own();",
};

describe("contents of a pack", () => {
  test("the longest matching path decides, and paths without a grant are omitted with the reason", () => {
    const { manifest, files } = plan({ "a.ts": "a", "src/b.ts": "b", "src/deep/c.ts": "c" }, [
      { path: "src", level: "FULL", permission: "read", reason: "the module" },
      { path: "src/deep", level: null, sealed: false, reason: "generated" },
    ]);
    expect(files.map(({ path }) => path)).toEqual(["src/b.ts"]);
    expect(manifest.included).toMatchObject([{ path: "src/b.ts", level: "FULL", permission: "read", reason: "the module", bytes: 1 }]);
    expect(manifest.excluded).toEqual([
      { path: "a.ts", reason: "no rule of the pack grants it", sealed: false },
      { path: "src/deep", reason: "generated", sealed: false },
    ]);
    expect(manifestSchema.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

  test("a module at CONTRACT_ONLY has its contract, examples and ship record, and nothing else", () => {
    const { manifest, files, rulings } = plan(MODULE, [
      { path: "modules/mail", level: "CONTRACT_ONLY", reason: "a dependency" },
      { path: "own", level: "FULL", permission: "read", reason: "the module in work" },
    ]);
    expect(files.map(({ path }) => path)).toEqual([
      "modules/mail/contract.json",
      "modules/mail/examples.md",
      "modules/mail/ship.json",
      "own/index.ts",
    ]);
    expect(manifest.excluded).toEqual([{ path: "modules/mail", reason: "a dependency", sealed: true }]);
    expect(rulings("modules/mail/src/send.ts")).toMatchObject({ kind: "absent", sealed: true });
  });

  test("SUMMARY_ONLY has the summary instead of the text, METADATA_ONLY only size and digest", () => {
    const { manifest, files } = plan({ "a.ts": "implementation", "b.ts": "implementation" }, [
      { path: "a.ts", level: "SUMMARY_ONLY", summary: "adds", reason: "background" },
      { path: "b.ts", level: "METADATA_ONLY", reason: "background" },
    ]);
    expect(files).toMatchObject([{ path: "a.ts", content: Buffer.from("adds") }]);
    expect(manifest.included).toMatchObject([
      { path: "a.ts", level: "SUMMARY_ONLY", bytes: 4 },
      { path: "b.ts", level: "METADATA_ONLY", bytes: 14, digest: givenFiles({ b: "implementation" }, "sha1")[0]?.oid },
    ]);
  });

  test("a file to be created is listed, and a writable folder covers future files", () => {
    const { manifest, writable, rulings } = plan({ "src/a.ts": "a" }, [ALL, write("src"), write("new/b.ts")]);
    expect(manifest.included.find(({ path }) => path === "new/b.ts")).toMatchObject({ permission: "write", digest: null, bytes: 0 });
    expect(writable).toEqual(["src/a.ts", "new/b.ts"]);
    expect(rulings("src/later.ts")).toMatchObject({ kind: "shown", writable: true });
  });

  test("contents that a pack cannot have are named", () => {
    const { manifest } = plan({}, [ALL], [{ path: "link", reason: "a symbolic link" }]);
    expect(manifest.excluded).toEqual([{ path: "link", reason: "a symbolic link", sealed: false }]);
  });

  test.each(["/etc", "../x", "a/../../b", ".git/config"])("a rule for %s is refused", (path) => {
    expect(() => plan({}, [{ ...ALL, path }])).toThrow(/The path/);
  });

  test("sealed paths never appear, under any rules", () => {
    const name = fc.constantFrom("a", "b", "c");
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const rule = fc.oneof(
      path.map((at): PackRule => ({ ...ALL, path: at })),
      path.map(write),
      path.map((at): PackRule => ({ path: at, level: null, sealed: true, reason: "sealed" })),
      path.map((at): PackRule => ({ path: at, level: "CONTRACT_ONLY", reason: "a dependency" })),
    );
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), fc.array(rule, { maxLength: 6 }), (paths, rules) => {
        const files = Object.fromEntries(paths.map((at) => [`${at}/f.ts`, at]));
        const rulings = rulingsOf(rules);
        const planned = plan(files, rules);
        for (const { path: shown } of planned.files) expect(rulings(shown).kind).toBe("shown");
        for (const { path: listed } of planned.manifest.included) expect(rulings(listed).kind).not.toBe("absent");
      }),
    );
  });
});

test("the text of a refusal is the specification's, with the requested path", () => {
  expect(accessDenied("modules/mail/src")).toBe(
    "ACCESS DENIED: 'modules/mail/src' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13).",
  );
});

describe("writable folders", () => {
  test("the folders of permitted changes, and none below them", () => {
    const { open, access, folders } = viewOf(["a.ts", "src/b.ts", "src/lib/c.ts", "docs/d.md"], ["src/b.ts", "new/deep/e.ts"]);
    expect([...open]).toEqual(["src", "new/deep"]);
    expect(access).toEqual([
      { path: ".", writable: false },
      { path: "src", writable: true },
      { path: "new/deep", writable: true },
      { path: "src/lib", writable: false },
    ]);
    expect(folders).toEqual([".", "docs", "new", "src", "new/deep", "src/lib"]);
  });

  test("if a file at the top may change, every other folder is read-only", () => {
    expect(viewOf(["a.ts", "src/b.ts", "docs/x/y.md"], ["a.ts"]).access).toEqual([
      { path: "docs", writable: false },
      { path: "src", writable: false },
    ]);
  });

  test("with too many mounts everything is copied and writable", () => {
    const paths = Array.from({ length: 5 }, (_, index) => `d${index}/a.ts`);
    const { open, access } = viewOf(paths, ["x.ts"], 4);
    expect(access).toEqual([]);
    expect(open.size).toBe(6);
  });

  test("no folder outside the list is writable", () => {
    const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.ts`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 10 }), fc.uniqueArray(path, { maxLength: 4 }), (paths, writable) => {
        const { open, access, folders } = viewOf(paths, writable);
        const stated = new Map(access.map((mount) => [mount.path, mount.writable]));
        const canWrite = (folder: string): boolean => {
          const own = stated.get(folder);
          if (own !== undefined) return own;
          return folder === "." || canWrite(folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : ".");
        };
        for (const folder of folders) expect(canWrite(folder)).toBe(open.has(folder));
      }),
    );
  });
});
