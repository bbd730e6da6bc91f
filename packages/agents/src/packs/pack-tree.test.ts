import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { beforeAll, describe, expect, test } from "vitest";
import { refusalOf } from "../testing/samples.ts";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { ALL, CLOCK, packYard, write, type PackYard } from "./testing/repository.ts";

const FILES = {
  "src/a.ts": "const one = 1;\nconst two = 2;\n",
  "src/b.ts": "const one = 1;\n",
  "run.sh": { script: "#!/bin/sh\n" },
  "notes/x.bin": Uint8Array.of(0, 255, 1),
  "modules/mail/contract.json": "{}\n",
  "modules/mail/src/send.ts": "const one = secret;\n",
  "big.ts": "meta",
};
const RULES: readonly PackRule[] = [
  ALL,
  write("src/a.ts"),
  write("run.sh"),
  write("new/c.ts"),
  write("notes/x.bin"),
  { path: "modules/mail", level: "CONTRACT_ONLY", reason: "a dependency" },
  { path: "big.ts", level: "METADATA_ONLY", reason: "background" },
];

let yard: PackYard;
beforeAll(async () => void (yard = await packYard(FILES)));

async function opened() {
  const pack = await yard.open(RULES);
  const text = (path: string) => readFileSync(join(pack.folder, path), "utf8");
  return { ...pack, text };
}

describe("reading", () => {
  test("returns the bytes, and logs every read with digest, time and tool", async () => {
    const { tree, reads } = await opened();
    expect(Buffer.from(await tree.read("src/a.ts")).toString()).toBe(FILES["src/a.ts"]);
    await tree.grep("two");
    await tree.edit("src/a.ts", "two", "three");
    expect(reads).toEqual([
      { path: "src/a.ts", digest: sha256(FILES["src/a.ts"]), at: CLOCK.now(), tool: "read" },
      { path: "src/a.ts", digest: sha256(FILES["src/a.ts"]), at: CLOCK.now(), tool: "grep" },
      { path: "src/a.ts", digest: sha256(FILES["src/a.ts"]), at: CLOCK.now(), tool: "edit" },
    ]);
  });

  test("a sealed path is refused with the specification's text, on every operation", async () => {
    const { tree, text, reads } = await opened();
    const path = "modules/mail/src/send.ts";
    expect(Buffer.from(await tree.read(path)).toString()).toBe(accessDenied(path));
    expect((await refusalOf(() => tree.edit(path, "one", "two"))).message).toBe(accessDenied(path));
    expect((await refusalOf(() => tree.write("modules/mail/new.ts", Buffer.from("x")))).message).toBe(accessDenied("modules/mail/new.ts"));
    expect(() => text(path)).toThrow(/ENOENT/);
    expect(reads).toEqual([]);
    expect(Buffer.from(await tree.read("modules/mail/contract.json")).toString()).toBe("{}\n");
  });

  test("ls, glob and grep omit sealed paths silently", async () => {
    const { tree } = await opened();
    expect((await tree.ls("modules/mail")).map(({ path }) => path)).toEqual(["modules/mail/contract.json"]);
    expect(await tree.glob("**/*.ts")).toEqual(["src/a.ts", "src/b.ts"]);
    expect((await tree.grep("one")).map(({ path }) => path)).toEqual(["src/a.ts", "src/b.ts"]);
  });

  test("for files present by name only, the size is returned", async () => {
    const { tree } = await opened();
    expect((await refusalOf(() => tree.read("big.ts"))).message).toMatch(/only the metadata of "?big\.ts"?: 4 bytes/);
    expect((await tree.ls(".")).map(({ path }) => path)).toEqual(["modules", "new", "notes", "run.sh", "src"]);
  });

  test.each([
    ["/etc/passwd", "path_out_of_bounds"],
    ["../../x", "path_out_of_bounds"],
    ["src/../src/a.ts", "path_out_of_bounds"],
    ["src\\a.ts", "path_out_of_bounds"],
    [".git/config", "path_out_of_bounds"],
    ["src/none.ts", "input_path_not_found"],
    ["src/a.ts/b", "path_out_of_bounds"],
    ["src", "input_path_not_found"],
  ])("%s is refused", async (path, code) => {
    const { tree } = await opened();
    expect((await refusalOf(() => tree.read(path))).code).toBe(code);
  });

  test("no link is followed, neither as the file nor in its path", async () => {
    const { tree, folder } = await opened();
    writeFileSync(join(yard.root, "outside.ts"), "one outside\n");
    symlinkSync(join(yard.root, "outside.ts"), join(folder, "src/link.ts"));
    symlinkSync(yard.root, join(folder, "src/up"));
    expect((await refusalOf(() => tree.read("src/link.ts"))).code).toBe("path_out_of_bounds");
    expect((await refusalOf(() => tree.read("src/up/outside.ts"))).code).toBe("path_out_of_bounds");
    expect((await tree.ls("src")).map(({ path }) => path)).toEqual(["src/a.ts", "src/b.ts"]);
    expect((await refusalOf(() => tree.ls("src/up"))).code).toBe("path_out_of_bounds");
    expect((await tree.grep("outside")).length).toBe(0);
    expect(await tree.glob("**")).not.toContain("src/up/outside.ts");
  });
});

describe("writing", () => {
  test("permitted files are changed, created and edited; modes stay", async () => {
    const { tree, text, changes } = await opened();
    await tree.write("run.sh", Buffer.from("#!/bin/sh\necho hi\n"));
    await tree.write("new/c.ts", Buffer.from("c\n"));
    await tree.edit("src/a.ts", "const two = 2", "const two = 3");
    expect(text("src/a.ts")).toBe("const one = 1;\nconst two = 3;\n");
    const { changed, diff, dropped } = await changes();
    expect(changed).toEqual(["new/c.ts", "run.sh", "src/a.ts"]);
    expect(diff).not.toMatch(/^(old|new) mode/m);
    expect(dropped).toEqual([]);
  });

  test.each(["src/b.ts", "src/other.ts", "run.sh/x"])("%s cannot be written, and the error lists what can be", async (path) => {
    const { tree, text } = await opened();
    const refusal = await refusalOf(() => tree.write(path, Buffer.from("x")));
    expect(refusal.code).toBe(path === "run.sh/x" ? "path_out_of_bounds" : "policy_violation");
    if (refusal.code === "policy_violation") expect(refusal.details.suggested_next_actions[0]).toContain("src/a.ts");
    expect(text("src/b.ts")).toBe("const one = 1;\n");
  });

  test("if nothing may be changed, the error says so", async () => {
    const { tree } = await yard.open([ALL]);
    const { details } = await refusalOf(() => tree.write("src/a.ts", Buffer.from("x")));
    expect(details.suggested_next_actions).toEqual(["No file is writable here: put the result in the answer."]);
  });

  test("permitted files may be removed, and no others", async () => {
    const { tree, changes } = await opened();
    await tree.remove("src/a.ts");
    expect((await changes()).changed).toEqual(["src/a.ts"]);
    expect((await refusalOf(() => tree.remove("src/a.ts"))).code).toBe("input_path_not_found");
    expect((await refusalOf(() => tree.remove("src/b.ts"))).code).toBe("policy_violation");
    const whole = await yard.open([write(".")]);
    expect((await refusalOf(() => whole.tree.remove("src"))).message).toMatch(/not a file/);
  });

  test("reports what may be done with a path", async () => {
    const { tree } = await opened();
    expect(["src/a.ts", "src/b.ts", "modules/mail/src/send.ts", "big.ts"].map((path) => tree.permission?.(path))).toEqual([
      "write",
      "read",
      null,
      null,
    ]);
  });

  test("a failed write leaves no partial file", async () => {
    const { tree, folder, text } = await opened();
    rmSync(join(folder, "src/a.ts"));
    mkdirSync(join(folder, "src/a.ts"));
    expect((await refusalOf(() => tree.write("src/a.ts", Buffer.from("x")))).message).toMatch(/not a file/);
    expect(readdirSync(join(folder, "src"))).toEqual(["a.ts", "b.ts"]);
    expect(text("src/b.ts")).toBe("const one = 1;\n");
  });

  test.each([
    ["stands nowhere", "three", /does not contain the text to replace/],
    ["stands twice", "const", /contains the text to replace 2 times/],
    ["is empty", "", /is empty/],
  ])("an edit whose text %s changes nothing", async (_what, before, message) => {
    const { tree, text } = await opened();
    expect((await refusalOf(() => tree.edit("src/a.ts", before, "x"))).message).toMatch(message);
    expect(text("src/a.ts")).toBe(FILES["src/a.ts"]);
  });

  test("binary files are replaced as a whole or not at all", async () => {
    const { tree } = await opened();
    expect((await refusalOf(() => tree.edit("notes/x.bin", "a", "b"))).message).toMatch(/not text/);
  });

  test("a folder is no file, and nothing is written through a link", async () => {
    const pack = await yard.open([ALL, write("src")]);
    symlinkSync(yard.root, join(pack.folder, "src/up"));
    expect((await refusalOf(() => pack.tree.write("src/up/evil.ts", Buffer.from("x")))).code).toBe("path_out_of_bounds");
    expect(() => readFileSync(join(yard.root, "evil.ts"))).toThrow(/ENOENT/);
    await pack.tree.write("src/deep/er/new.ts", Buffer.from("x"));
    expect((await refusalOf(() => pack.tree.write("src/deep", Buffer.from("x")))).message).toMatch(/not a file/);
  });
});

describe("searching", () => {
  test("below a path, by an expression, up to a limit", async () => {
    const { tree } = await opened();
    expect(await tree.grep("^const (one|two)", { path: "src", limit: 2 })).toEqual([
      { path: "src/a.ts", line: 1, text: "const one = 1;" },
      { path: "src/a.ts", line: 2, text: "const two = 2;" },
    ]);
    expect(await tree.grep("nowhere")).toEqual([]);
  });

  test.each(["(", "", "a\nb", "(a{1,900}){1,900}"])("the expression %j is refused", async (pattern) => {
    const { tree } = await opened();
    expect((await refusalOf(() => tree.grep(pattern))).code).toBe("schema_validation_failed");
  });

  test("patterns find files, and expensive ones are refused", async () => {
    const { tree } = await opened();
    expect(await tree.glob("./src/*.ts")).toEqual(["src/a.ts", "src/b.ts"]);
    expect((await refusalOf(() => tree.glob("+(a|b)"))).code).toBe("policy_violation");
  });
});
