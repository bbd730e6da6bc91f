import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layoutAt } from "../../host/layout.ts";
import { MIGRATIONS } from "../../migrations.ts";
import { openStorage, type Records } from "../storage.ts";
import { openRunFiles, restoreRunFiles, type RunFolder } from "./run-files.ts";

let root: string;
let records: Records;
let files: RunFolder;
const call = (id: string) => ({ actor: { type: "orchestrator", id: "orchestrator@run" } as const, operationId: `run/${id}` });

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "run-files-"));
  mkdirSync(join(root, ".git"));
  records = await openStorage({ layout: layoutAt(root), migrations: MIGRATIONS });
  files = openRunFiles(records, "2026-11-18_search/2026-11-18_letters");
});
afterEach(async () => {
  await records.close();
  rmSync(root, { recursive: true });
});

const shown = (path: string) => readFileSync(join(root, ".slipway/runs/2026-11-18_search/2026-11-18_letters", path), "utf8");

test("a file is on disk and in the records after it is written", async () => {
  await files.write(call("a"), { "tasks/task-01.yaml": "id: task-01\n", "spec.md": "# Goals\n" });
  expect([shown("tasks/task-01.yaml"), await files.text("spec.md"), await files.paths()]).toEqual([
    "id: task-01\n",
    "# Goals\n",
    ["spec.md", "tasks/task-01.yaml"],
  ]);
});

test("an edited and a deleted file are written again from the records, and no other is touched", async () => {
  await files.write(call("a"), { "status.json": "{}\n", "spec.md": "# Goals\n", "report.md": "done\n" });
  writeFileSync(join(files.place, "status.json"), '{"current_state":"DONE"}\n');
  rmSync(join(files.place, "spec.md"));
  expect(await files.restore()).toEqual(["spec.md", "status.json"]);
  expect([shown("status.json"), shown("spec.md")]).toEqual(["{}\n", "# Goals\n"]);
});

test("a repeated write with the same operation id keeps what was written first in the records", async () => {
  await files.write(call("a"), { "spec.md": "one\n" });
  await files.write(call("b"), { "spec.md": "two\n" });
  await files.write(call("a"), { "spec.md": "one\n" });
  expect([await files.text("spec.md"), shown("spec.md")]).toEqual(["two\n", "two\n"]);
});

test("a removed file is gone from disk and records", async () => {
  await files.write(call("a"), { "spec.md": "one\n" });
  await files.write(call("b"), { "spec.md": null });
  expect([await files.text("spec.md"), existsSync(join(files.place, "spec.md"))]).toEqual([null, false]);
});

test("a text of a megabyte with quotes, line breaks and emoji reads back identical", async () => {
  const text = `"quoted" \\ \n🙂`.repeat(70_000);
  await files.write(call("a"), { "feature.md": text });
  expect((await files.text("feature.md")) === text && shown("feature.md") === text).toBe(true);
});

test.each(["../other/spec.md", "/etc/passwd", "a/../../b", "spec.md/", ""])(
  "the path %j is refused before anything is written",
  async (path) => {
    await expect(files.write(call("a"), { "ok.md": "x", [path]: "x" })).rejects.toMatchObject({ code: "path_out_of_bounds" });
    expect(await files.paths()).toEqual([]);
  },
);

test("if the folder cannot be written, the record is kept and the error names the file", async () => {
  mkdirSync(dirname(files.place), { recursive: true });
  writeFileSync(files.place, "in the way");
  await expect(files.write(call("a"), { "spec.md": "one\n" })).rejects.toMatchObject({ message: expect.stringContaining("spec.md") });
  rmSync(files.place);
  expect(await files.restore()).toEqual(["spec.md"]);
});

test("the files of a run are restored with those of its changes, and other runs are left alone", async () => {
  const others = ["2026-11-18_search", "2026-11-18_search-2", "2026-11-18_search-2/2026-11-18_letters"].map((name) =>
    openRunFiles(records, name),
  );
  for (const [index, one] of [files, ...others].entries()) await one.write(call(`w${index}`), { "spec.md": "# Goals\n" });
  rmSync(join(root, ".slipway/runs"), { recursive: true });
  expect(await restoreRunFiles(records, "2026-11-18_search")).toEqual([
    "2026-11-18_search/spec.md",
    "2026-11-18_search/2026-11-18_letters/spec.md",
  ]);
});
