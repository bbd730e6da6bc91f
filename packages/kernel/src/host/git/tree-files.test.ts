import { expect, test } from "vitest";
import { scratch } from "./testing/scratch.ts";
import { readRegularFile, regularFilesAt } from "./tree-files.ts";

test("returns the paths that are regular files in the commit, without interpreting names as patterns", async () => {
  const repo = scratch();
  repo.write("run.sh", "echo\n", 0o755);
  repo.write(":(top)odd*.ts", "odd\n");
  repo.write("oddly.ts", "plain\n");
  repo.write("ümlaut\u00e9.ts", "u\n");
  repo.write("with space/a b.ts", "s\n");
  repo.link("src/link.ts", "add.ts");
  repo.link("linked", "src");
  const commit = repo.commit();
  const opened = await repo.open();
  const asked = [
    "src/add.ts",
    "run.sh",
    ":(top)odd*.ts",
    "ümlaut\u00e9.ts",
    "src",
    "src/link.ts",
    "src/none.ts",
    "linked/add.ts",
    "with space/a b.ts",
    "no such folder/a b.ts",
    "odd*.ts",
    "src/add.ts",
    "-r",
  ];
  expect((await regularFilesAt(opened, commit, asked)).toSorted()).toEqual(
    [":(top)odd*.ts", "run.sh", "src/add.ts", "with space/a b.ts", "ümlaut\u00e9.ts"].toSorted(),
  );
  repo.write("src/none.ts", "later\n");
  expect(await regularFilesAt(opened, commit, ["src/none.ts"])).toEqual([]);
  expect(await regularFilesAt(opened, "no such commit", [])).toEqual([]);
});

test("handles thousands of paths, and names with a line break", async () => {
  const repo = scratch();
  const opened = await repo.open();
  const many = Array.from({ length: 4_000 }, (_, index) => `src/${"x".repeat(200)}/${index}.ts`);
  expect(await regularFilesAt(opened, repo.commit("again"), [...many, "a\nb/c.ts", "src/add.ts"])).toEqual(["src/add.ts"]);
});

test("returns the content of a regular file, and null for a link, a folder or a path out of the tree", async () => {
  const repo = scratch();
  repo.link("src/link.ts", "add.ts");
  repo.write("raw.bin", Uint8Array.of(0, 255, 10, 0));
  const commit = repo.commit();
  const opened = await repo.open();
  expect((await readRegularFile(opened, commit, "raw.bin"))?.toString("hex")).toBe("00ff0a00");
  expect(await readRegularFile(opened, commit, "src/add.ts")).toEqual(repo.read("src/add.ts"));
  for (const path of ["src", "src/link.ts", "src/none.ts", "./src/add.ts", "../src/add.ts", "src/../src/add.ts", "src//add.ts", ""])
    expect(await readRegularFile(opened, commit, path), path).toBeNull();
});
