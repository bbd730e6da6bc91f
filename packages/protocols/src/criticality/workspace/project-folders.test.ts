import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProjectFolders, type ProjectFolders } from "./project-folders.ts";

let folders: ProjectFolders;
beforeEach(() => {
  folders = openProjectFolders();
});
afterEach(() => folders.close());

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

test("a folder holds exactly the tree, also when it is used again", async () => {
  const first = await folders.withTree({ "src/a.ts": "one", "src/b/c.ts": "two" }, async (folder) => folder);
  await folders.withTree({ "src/a.ts": "changed" }, async (folder) => {
    expect(folder).toBe(first);
    expect(filesIn(folder)).toEqual(["src/a.ts"]);
    expect(readFileSync(join(folder, "src/a.ts"), "utf8")).toBe("changed");
  });
});

test("trees at the same time are in different folders", async () => {
  const inside = await Promise.all(
    ["a", "b"].map((text) => folders.withTree({ "x.ts": text }, async (folder) => readFileSync(join(folder, "x.ts"), "utf8"))),
  );
  expect(inside).toEqual(["a", "b"]);
});

test("a folder in which work failed is not used again", async () => {
  let failed = "";
  const work = folders.withTree({ "x.ts": "" }, async (folder) => {
    failed = folder;
    throw new Error("stopped");
  });
  await expect(work).rejects.toThrow("stopped");
  await folders.withTree({ "x.ts": "" }, async (folder) => expect(folder).not.toBe(failed));
});

test("nothing is left after it is closed", async () => {
  const folder = await folders.withTree({ "x.ts": "" }, async (path) => path);
  await folders.close();
  expect(existsSync(folder)).toBe(false);
});

test.each(["../out.ts", "/etc/out.ts", "src/../../out.ts"])("a path outside of the folder is refused: %s", async (path) => {
  await expect(folders.withTree({ [path]: "" }, async () => "ran")).rejects.toMatchObject({ code: "path_out_of_bounds" });
});
