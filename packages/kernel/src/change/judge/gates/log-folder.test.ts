import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { nodeFileSystem } from "../../../host/files/file-system.ts";
import { objectStore } from "../../../record/objects/store.ts";
import { missingFolders, restoreLogFolder, stepsWithLogs } from "./log-folder.ts";
import type { RecordedStep } from "./store.ts";

async function site() {
  const root = mkdtempSync(join(tmpdir(), "slipway-logs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const objects = objectStore(nodeFileSystem, join(root, "objects"));
  const step = (name: string, log_digest: string | null, status: RecordedStep["status"] = "pass"): RecordedStep => ({
    name,
    command: [name],
    status,
    exit_code: 0,
    duration_ms: 1,
    log_path: join("/moved/away", `${name}.log`),
    log_digest,
  });
  const steps = [step("test", await objects.put(Buffer.from("two tests\n"))), step("lint", null), step("build", null, "skipped")];
  return { root, folder: join(root, "logs", "run"), objects, steps };
}

test("rewrites the logs of a run: the output, an empty file for no output, none for a skipped step", async () => {
  const { folder, objects, steps } = await site();
  await restoreLogFolder(objects, folder, steps);
  expect(readdirSync(folder).toSorted()).toEqual(["lint.log", "test.log"]);
  expect(readFileSync(join(folder, "test.log"), "utf8")).toBe("two tests\n");
  expect(readFileSync(join(folder, "lint.log"), "utf8")).toBe("");
});

test("a folder that another process wrote first is unchanged, and no temporary files remain", async () => {
  const { root, folder, objects, steps } = await site();
  await restoreLogFolder(objects, folder, steps.slice(1, 2));
  await restoreLogFolder(objects, folder, steps);
  expect(readdirSync(folder)).toEqual(["lint.log"]);
  expect(readdirSync(join(root, "logs"))).toEqual(["run"]);
});

test("what prevents the logs from being written is told, and leaves nothing behind", async () => {
  const { root, objects, steps } = await site();
  writeFileSync(join(root, "run"), "a file in the place of the folder");
  await expect(restoreLogFolder(objects, join(root, "run"), steps)).rejects.toThrow("ENOTDIR");
  expect(readdirSync(root).toSorted()).toEqual(["objects", "run"]);
});

test("a log whose object is lost is omitted", async () => {
  const { folder, objects, steps } = await site();
  rmSync(objects.pathOf(steps[0]?.log_digest ?? ""));
  await restoreLogFolder(objects, folder, steps);
  expect(readdirSync(folder)).toEqual(["lint.log"]);
});

test("before a run is shown, a missing log is rewritten, and each step gets the current path of its log", async () => {
  const { folder, objects, steps } = await site();
  await stepsWithLogs(objects, folder, steps);
  rmSync(join(folder, "test.log"));
  const shown = await stepsWithLogs(objects, folder, steps);
  expect(shown.map(({ log_path }) => log_path)).toEqual(["test", "lint", "build"].map((name) => join(folder, `${name}.log`)));
  expect(readFileSync(join(folder, "test.log"), "utf8")).toBe("two tests\n");
});

test("a run without steps has an empty folder, and is no longer listed as missing", async () => {
  const { folder, objects } = await site();
  expect(missingFolders([{ folder }])).toEqual([{ folder }]);
  await restoreLogFolder(objects, folder, []);
  expect([existsSync(folder), missingFolders([{ folder }])]).toEqual([true, []]);
});
