import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { readBoard } from "../../open-board.ts";
import { verifyAll } from "../journal/verify.ts";
import { layoutAt } from "../../host/layout.ts";
import { objectStore } from "../objects/store.ts";
import { openRecords } from "../../open-records.ts";
import { formerPlaces } from "./former.ts";
import { relocate } from "./relocate.ts";
import { formerRepository } from "./testing/former.ts";

const CHILD = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "testing", "child.ts")];

function moveInChild(root: string, dieAfter = 0) {
  const { signal, stdout, stderr } = spawnSync(process.execPath, [...CHILD, root, String(dieAfter)], { encoding: "utf8" });
  return { signal, steps: Number(stdout), stderr };
}

/** Everything exists once, complete, and is readable by the user only. */
async function expectMoved(root: string): Promise<void> {
  const layout = layoutAt(root);
  const former = formerPlaces(layout);
  const records = await openRecords({ layout });
  for (const path of [former.database, `${former.database}-wal`, `${former.database}-journal`, former.objects])
    expect(existsSync(path)).toBe(false);
  const verdicts = await verifyAll(records.database.sqlite, { blobs: objectStore(nodeFileSystem, layout.objects) });
  expect([...verdicts.values()].filter(({ ok }) => !ok)).toEqual([]);
  expect(verdicts.size).toBeGreaterThan(3);
  const specs = await records.database.db.selectFrom("features").select("spec_digest").execute();
  for (const { spec_digest } of specs) expect((await records.objects.get(spec_digest)).length).toBeGreaterThan(10);
  await records.close();
  expect(statSync(layout.truth).mode & 0o777).toBe(0o700);
  for (const file of filesBelow(layout.objects)) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(layout.database).mode & 0o777).toBe(0o600);
  expect(readdirSync(layout.truth).filter((name) => name.includes(".new"))).toEqual([]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("records of Slipway 0.1 in the checkout", () => {
  test("A5: move below the common git directory when they are opened, with journal, objects and transcripts", async () => {
    const { root } = formerRepository();
    const layout = layoutAt(root);
    const former = formerPlaces(layout);
    const before = filesBelow(former.objects).map((path) => path.slice(former.objects.length));
    const unfinished = join(former.transcripts("2026-11-18_more"), "x.1.jsonl");
    mkdirSync(join(unfinished, ".."), { recursive: true });
    writeFileSync(unfinished, "{}\n");
    await expectMoved(root);
    expect(filesBelow(layout.objects).map((path) => path.slice(layout.objects.length))).toEqual(expect.arrayContaining(before));
    expect(existsSync(join(layout.transcripts("2026-11-18_more"), "x.1.jsonl"))).toBe(true);
  });

  test("A5: reading the board moves them as well", async () => {
    const { root } = formerRepository();
    const { features } = await readBoard(layoutAt(root));
    expect(features.map(({ id, status }) => [id, status])).toEqual([
      ["letters", "merged"],
      ["more", "ready_to_merge"],
    ]);
    await expectMoved(root);
  });

  test("data that is only in the write-ahead log moves, too", async () => {
    const { root } = formerRepository();
    const { database } = formerPlaces(layoutAt(root));
    // A killed process leaves its log behind.
    const write = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(process.argv[1]);
      db.exec("PRAGMA journal_mode = WAL; UPDATE features SET status_reason = 'in the log'"); process.kill(process.pid, "SIGKILL");`;
    spawnSync(process.execPath, ["-e", write, database]);
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
    expect((await readBoard(layoutAt(root))).features.map(({ reason }) => reason)).toEqual(["in the log", "in the log"]);
  });

  test("killed after every step, the next start finishes the move", async () => {
    const { root } = formerRepository();
    const kept = `${root}.kept`;
    cpSync(root, kept, { recursive: true, preserveTimestamps: true });
    const { steps, stderr } = moveInChild(root);
    expect(stderr).toBe("");
    expect(steps).toBeGreaterThan(10);
    // Each of the files is moved in the same way.
    const points = [1, 2, ...Array.from({ length: 6 }, (_, index) => steps - 5 + index)];
    for (const point of points) {
      rmSync(root, { recursive: true });
      cpSync(kept, root, { recursive: true, preserveTimestamps: true });
      expect(moveInChild(root, point).signal).toBe("SIGKILL");
      const layout = layoutAt(root);
      // One of the two is complete, and only one is used.
      const shown = existsSync(layout.database);
      expect(shown || existsSync(formerPlaces(layout).database)).toBe(true);
      expect(shown).toBe(point > steps - 3);
      await expectMoved(root);
    }
  }, 60_000);

  test("an older Slipway refuses the marked database, and a killed move is finished from it", () => {
    const { root } = formerRepository();
    const { steps } = moveInChild(formerRepository().root);
    moveInChild(root, steps - 3);
    const database = new DatabaseSync(formerPlaces(layoutAt(root)).database);
    const names = database.prepare("SELECT name FROM schema_version ORDER BY version").all();
    database.close();
    expect(names.at(-1)).toEqual({ name: "moved below the common git directory" });
  });

  test("two processes at once: one moves it, both continue", async () => {
    const { root } = formerRepository();
    const children = [1, 2, 3].map(() => spawn(process.execPath, [...CHILD, root], { stdio: "pipe" }));
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.on("close", resolve))));
    expect(codes).toEqual([0, 0, 0]);
    await expectMoved(root);
  });

  test("is refused while an older Slipway has it open, and changes nothing", async () => {
    const { root } = formerRepository();
    const layout = layoutAt(root);
    const { database } = formerPlaces(layout);
    const hold = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(process.argv[1]);
      db.exec("PRAGMA journal_mode = WAL"); db.prepare("SELECT count(*) FROM features").get(); console.log("open"); setInterval(() => db, 1000);`;
    const older = spawn(process.execPath, ["-e", hold, database], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void older.kill("SIGKILL"));
    await new Promise((resolve) => older.stdout.once("data", resolve));
    await expect(relocate(layout, { patienceMs: 200 })).rejects.toMatchObject({
      code: "database_locked",
      details: { file: database, suggested_next_actions: [expect.stringContaining("slipway mcp")] },
    });
    expect(existsSync(layout.database)).toBe(false);
    older.kill("SIGKILL");
    await new Promise((resolve) => older.once("close", resolve));
    await expectMoved(root);
  });

  test("data that an older Slipway has written after the move is not mixed in", async () => {
    const { root } = formerRepository();
    const layout = layoutAt(root);
    const { database } = formerPlaces(layout);
    const copy = `${root}.copy.db`;
    cpSync(database, copy);
    await expectMoved(root);
    cpSync(copy, database);
    await expect(openRecords({ layout })).rejects.toMatchObject({ code: "operation_conflict", details: { file: database } });
    await expect(readBoard(layout)).rejects.toMatchObject({ code: "operation_conflict" });
    rmSync(database);
    await expectMoved(root);
  });

  test("a committed database is not moved", async () => {
    const { root } = formerRepository();
    const { database } = formerPlaces(layoutAt(root));
    execFileSync("git", ["add", "--force", ".slipway/slipway.db"], { cwd: root });
    await expect(openRecords({ layout: layoutAt(root) })).rejects.toMatchObject({
      code: "repository_unsuitable",
      details: { file: database },
    });
    expect(existsSync(layoutAt(root).database)).toBe(false);
    execFileSync("git", ["rm", "--quiet", "--cached", ".slipway/slipway.db"], { cwd: root });
    await expectMoved(root);
  });
});

test("packs in the old folder are removed, also if it is a link, and the link's target is not", async () => {
  const { root, home } = formerRepository();
  const [packs = ""] = formerPlaces(layoutAt(root)).unused;
  rmSync(packs, { recursive: true, force: true });
  execFileSync("ln", ["-s", home, packs]);
  await expectMoved(root);
  expect(lstatSync(packs, { throwIfNoEntry: false })).toBeUndefined();
  expect(readdirSync(home)).toContain("cassette");
});
