import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openRepository } from "@slipway/kernel/host/git/repository";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { beforeAll, describe, expect, test } from "vitest";
import { refusalOf, scratch } from "../testing/samples.ts";
import { planPack } from "./plan.ts";
import { packStore } from "./store.ts";
import { givenFiles } from "./source.ts";
import { ALL, CLOCK, packYard, write, type PackYard } from "./testing/repository.ts";
import { workplaceIn } from "./workplace.ts";

const FILES = {
  "src/a.ts": "a\n",
  "src/lib/b.ts": "b\n",
  "docs/c.md": "c\n",
  "docs/tool.sh": { script: "#!/bin/sh\n" },
  "docs/alias.md": { link: "c.md" },
  "sealed/s.ts": "secret\n",
};
const RULES = [ALL, write("src/a.ts"), { path: "sealed", level: null, sealed: true, reason: "sealed" } as const];

let yard: PackYard;
beforeAll(async () => void (yard = await packYard(FILES)));

const blobOf = (path: string, executable = false) => {
  const oid = yard.git("rev-parse", `HEAD:${path}`).trim();
  return join(yard.packs, "blobs", oid.slice(0, 2), `${oid}${executable ? "x" : ""}`);
};
const present = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

describe("a pack on disk", () => {
  test("has exactly its files, without sealed ones and those it cannot contain", async () => {
    const pack = await yard.open(RULES);
    expect(present(pack.folder)).toEqual(["docs/c.md", "docs/tool.sh", "src/a.ts", "src/lib/b.ts"]);
    expect(JSON.parse(readFileSync(join(pack.folder, "..", "manifest.json"), "utf8"))).toMatchObject({
      version: 1,
      tree: yard.tree,
      included: [{ path: "docs/c.md", permission: "read" }, {}, { path: "src/a.ts", permission: "write" }, {}],
      excluded: [
        { path: "docs/alias.md", reason: "a symbolic link", sealed: false },
        { path: "sealed", reason: "sealed", sealed: true },
      ],
    });
    await pack.close();
    expect(existsSync(join(pack.folder, ".."))).toBe(false);
  });

  test("links read-only files and copies writable ones", async () => {
    const pack = await yard.open(RULES);
    const mode = (path: string) => statSync(join(pack.folder, path)).mode & 0o777;
    const isLink = (path: string, blob: string) => statSync(join(pack.folder, path)).ino === statSync(blob).ino;
    expect([mode("docs/c.md"), mode("docs/tool.sh"), mode("src/a.ts")]).toEqual([0o444, 0o555, 0o644]);
    expect(isLink("docs/c.md", blobOf("docs/c.md"))).toBe(true);
    expect(isLink("docs/tool.sh", blobOf("docs/tool.sh", true))).toBe(true);
    expect(isLink("src/a.ts", blobOf("src/a.ts"))).toBe(false);
    await pack.close();
    expect(readFileSync(blobOf("docs/c.md"), "utf8")).toBe("c\n");
  });

  test("without links everything is a copy", async () => {
    const pack = await yard.open(RULES, { links: false });
    for (const path of present(pack.folder)) expect(statSync(join(pack.folder, path)).nlink).toBe(1);
    await pack.close();
  });

  test("replaces one that a killed process left under the same id", async () => {
    const left = await yard.open(RULES, { id: "same" });
    writeFileSync(join(left.folder, "src/a.ts"), "half done\n");
    const again = await yard.open(RULES, { id: "same" });
    expect(readFileSync(join(again.folder, "src/a.ts"), "utf8")).toBe("a\n");
    await again.close();
  });

  test("is removed even if its folders are read-only", async () => {
    const pack = await yard.open(RULES);
    mkdirSync(join(pack.folder, "src/deep/er"), { recursive: true });
    writeFileSync(join(pack.folder, "src/deep/er/x"), "x");
    chmodSync(join(pack.folder, "src/deep"), 0o000);
    await pack.close();
    await expect.poll(() => readdirSync(yard.packs).filter((name) => name.startsWith(".old-"))).toEqual([]);
  });

  test("may be made from texts that are in no tree", async () => {
    const files = givenFiles({ "task.md": "# Task\n", "out.md": new Uint8Array() }, "sha1");
    const plan = planPack({ files, others: [], tree: null, objectFormat: "sha1", rules: [ALL, write("out.md")] });
    const pack = await packStore(yard.repo, yard.packs, CLOCK).open(plan, { id: "texts", links: true });
    await pack.tree.write("out.md", Buffer.from("done\n"));
    const { diff, changed } = await pack.changes();
    expect(changed).toEqual(["out.md"]);
    expect(diff).toMatch(/^\+done$/m);
    await pack.close();
  });

  test("content that is not in the repository is named", async () => {
    const contents = await yard.contents([ALL]);
    const missing = { path: "gone.ts", oid: "1".repeat(40), bytes: 3, executable: false };
    const plan = planPack({ ...contents, files: [missing] });
    const refusal = await refusalOf(() => packStore(yard.repo, yard.packs, CLOCK).open(plan, { id: "x", links: true }));
    expect(refusal).toMatchObject({ code: "object_missing", details: { file: "gone.ts" } });
  });
});

describe("B13: leftovers of an agent do not stop later work", () => {
  test("B13: folders nested beyond the longest path are removed", async () => {
    const trash = join(yard.packs, ".old-deep");
    mkdirSync(trash, { recursive: true });
    const nest = 'for (let i = 0; i < 300; i++) { fs.mkdirSync("a".repeat(20)); process.chdir("a".repeat(20)); }';
    execFileSync(process.execPath, ["--eval", nest], { cwd: trash });
    await (
      await packStore(await openRepository(yard.repo.root), yard.packs, CLOCK).open(await plain(), { id: "later", links: true })
    ).close();
    expect(existsSync(trash)).toBe(false);
  });

  test("B13: a link in place of a folder does not lead to the removal of its target", async () => {
    const outside = scratch("outside");
    writeFileSync(join(outside, "a.ts"), "mine\n");
    const pack = await yard.open(RULES);
    rmSync(join(pack.folder, "src"), { recursive: true });
    symlinkSync(outside, join(pack.folder, "src"));
    await pack.close();
    await expect.poll(() => readdirSync(yard.packs).filter((name) => name.startsWith(".old-"))).toEqual([]);
    expect(readFileSync(join(outside, "a.ts"), "utf8")).toBe("mine\n");
  });

  const plain = async () => planPack(await yard.contents([ALL]));
});

describe("contents shared by packs", () => {
  test.each([
    ["was written to", (path: string) => (chmodSync(path, 0o644), writeFileSync(path, "evil\n"), chmodSync(path, 0o444))],
    ["can be written to", (path: string) => chmodSync(path, 0o644)],
    ["is gone", (path: string) => rmSync(path)],
  ])("one that %s is recreated before it is used again", async (_what, spoil) => {
    await (await yard.open(RULES)).close();
    const blob = blobOf("docs/c.md");
    spoil(blob);
    const pack = await yard.open(RULES);
    expect(readFileSync(join(pack.folder, "docs/c.md"), "utf8")).toBe("c\n");
    expect(statSync(blob).mode & 0o222).toBe(0);
    await pack.close();
  });

  test("are verified by every process: a forged time does not help", async () => {
    const other = await packYard(FILES);
    await (await other.open(RULES)).close();
    const oid = other.git("rev-parse", "HEAD:docs/c.md").trim();
    const blob = join(other.packs, "blobs", oid.slice(0, 2), oid);
    const { mtime, atime } = statSync(blob);
    chmodSync(blob, 0o644);
    writeFileSync(blob, "E\n");
    utimesSync(blob, atime, mtime);
    chmodSync(blob, 0o444);
    const { openRepository } = await import("@slipway/kernel/host/git/repository");
    const fresh = packStore(await openRepository(other.root), other.packs, CLOCK);
    const pack = await fresh.open(planPack(await other.contents(RULES)), { id: "fresh", links: true });
    expect(readFileSync(join(pack.folder, "docs/c.md"), "utf8")).toBe("c\n");
  });

  test("are removed if no pack has used them for long, and abandoned packs with them", async () => {
    const other = await packYard(FILES);
    const now = Date.now();
    const store = (repo: typeof other.repo, at: number) => packStore(repo, other.packs, { now: () => at });
    const plan = planPack(await other.contents(RULES));
    const abandoned = await store(other.repo, now).open(plan, { id: "abandoned", links: false });
    const { openRepository } = await import("@slipway/kernel/host/git/repository");
    const later = now + 40 * 24 * 60 * 60_000;
    const pack = await store(await openRepository(other.root), later).open(planPack({ ...(await other.contents([ALL])), files: [] }), {
      id: "later",
      links: true,
    });
    expect(existsSync(abandoned.folder)).toBe(false);
    expect(present(join(other.packs, "blobs"))).toEqual([]);
    await pack.close();
  });
});

test("discarded packs that a process did not remove are removed by the next one", async () => {
  const other = await packYard(FILES);
  mkdirSync(join(other.packs, ".old-1/files"), { recursive: true });
  await (await other.open(RULES)).close();
  expect(existsSync(join(other.packs, ".old-1"))).toBe(false);
});

describe("if the file system has no hard links", () => {
  test("copies are made, and the pack is the same", async () => {
    const folder = scratch("elsewhere");
    // A second file system simulates one without hard links.
    const shm = "/dev/shm";
    const place = existsSync(shm) ? join(shm, folder.split("/").at(-1) ?? "") : folder;
    mkdirSync(place, { recursive: true });
    const { openBlobs } = await import("./blobs.ts");
    const { materialise } = await import("./materialise.ts");
    const blobs = openBlobs(join(folder, "blobs"), yard.repo);
    const pack = await materialise(planPack(await yard.contents(RULES)), { blobs, folder: join(place, "files"), links: true });
    expect(present(pack.folder)).toHaveLength(4);
    for (const path of present(pack.folder))
      expect(statSync(join(pack.folder, path)).nlink).toBe(place === folder ? expect.any(Number) : 1);
    rmSync(place, { recursive: true, force: true });
  });
});

describe.runIf(sandboxWorksHere())("an agent in its pack", () => {
  test("cannot change the shared contents in any way", async () => {
    const pack = await yard.open(RULES);
    const workplace = workplaceIn(pack, () => openSandbox());
    let output = "";
    const attacks = [
      "chmod u+w docs/c.md",
      "echo evil > docs/c.md",
      "echo evil >> src/lib/b.ts",
      "rm -f docs/c.md",
      "mv docs docs2",
      "mv src/lib src/lib2",
      "truncate -s 0 src/lib/b.ts",
      "touch docs/new",
      "ln docs/c.md src/hard && chmod u+w src/hard && echo evil > src/hard",
      "mount -o remount,rw docs",
    ];
    const script = attacks.map((attack) => `(${attack}) 2>/dev/null && echo "through: ${attack}"`).join("\n");
    await workplace.run({
      command: ["sh", "-c", `${script}\necho changed > src/a.ts\ncat docs/c.md src/lib/b.ts`],
      env: {},
      input: "",
      programs: [],
      home: scratch("home"),
      hosts: [],
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onStdout: (chunk) => (output += Buffer.from(chunk).toString("utf8")),
    });
    expect(output).toBe("c\nb\n");
    expect(readFileSync(blobOf("docs/c.md"), "utf8")).toBe("c\n");
    expect(readFileSync(blobOf("src/lib/b.ts"), "utf8")).toBe("b\n");
    expect(await pack.changes()).toMatchObject({ changed: ["src/a.ts"], dropped: [] });
    await pack.close();
  });
});

test("the diff of a pack applies with git apply", async () => {
  const pack = await yard.open([ALL, write("src/a.ts"), write("docs/new.md"), write("docs/tool.sh")]);
  await pack.tree.write("src/a.ts", Buffer.from("changed\n"));
  await pack.tree.write("docs/new.md", Buffer.from("no newline at the end"));
  rmSync(join(pack.folder, "docs/tool.sh"));
  const { diff, changed } = await pack.changes();
  expect(changed).toEqual(["docs/new.md", "docs/tool.sh", "src/a.ts"]);
  execFileSync("git", ["apply", "--index", "-"], { cwd: yard.root, input: diff });
  expect(readFileSync(join(yard.root, "docs/new.md"), "utf8")).toBe("no newline at the end");
  expect(existsSync(join(yard.root, "docs/tool.sh"))).toBe(false);
  yard.git("reset", "--quiet", "--hard");
  await pack.close();
});
