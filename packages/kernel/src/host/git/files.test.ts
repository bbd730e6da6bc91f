import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeFiles } from "./files.ts";
import type { RawEntry } from "./raw.ts";
import { contents, temporaryFolder } from "./testing/scratch.ts";

const entry = (path: string, oldMode: string, newMode: string): RawEntry => ({
  path,
  status: "M",
  oldMode,
  newMode,
  oldOid: "",
  newOid: "",
});

test("never writes through a link, and undoes earlier changes in reverse order", async () => {
  const root = temporaryFolder();
  const staged = temporaryFolder();
  const outside = temporaryFolder();
  writeFileSync(join(root, "changed"), "old");
  writeFileSync(join(root, "deleted"), "old");
  mkdirSync(join(root, "was-a-folder"));
  symlinkSync(outside, join(root, "link"));
  for (const name of ["1", "2", "3"]) writeFileSync(join(staged, name), "new");
  const before = contents(root);
  const entries = [
    entry("deleted", "100644", "000000"),
    entry("changed", "100644", "100644"),
    entry("was-a-folder", "000000", "100644"),
    entry("link/escaped", "000000", "100644"),
  ];
  await expect(placeFiles(root, staged, entries)).rejects.toMatchObject({ code: "path_out_of_bounds" });
  expect(contents(root)).toEqual(before);
  expect(readdirSync(outside)).toEqual([]);
});

test("the returned undo restores everything", async () => {
  const root = temporaryFolder();
  const staged = temporaryFolder();
  writeFileSync(join(root, "file"), "old");
  mkdirSync(join(root, "deep"));
  writeFileSync(join(root, "deep/deleted"), "old");
  for (const name of ["1", "2"]) writeFileSync(join(staged, name), "new");
  const before = contents(root);
  const undo = await placeFiles(root, staged, [
    entry("deep/deleted", "100644", "000000"),
    entry("file", "100644", "100644"),
    entry("new/file", "000000", "100644"),
  ]);
  expect(contents(root)).toEqual({ file: "- new", "new/file": "- new" });
  await undo();
  expect(contents(root)).toEqual(before);
  expect(readdirSync(root).toSorted()).toEqual(["deep", "file"]);
});
