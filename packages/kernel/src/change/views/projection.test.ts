import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { nodeFileSystem, type FileSystem } from "../../host/files/file-system.ts";
import { ensureDirectory } from "../../host/files/write-atomic.ts";
import { CrashSimulator, type CrashState } from "../../host/files/testing/crash-simulator.ts";
import { layoutAt } from "../../host/layout.ts";
import { planSchema } from "../plan/schema.ts";
import { qaTestIndex } from "../judge/qa/schema.ts";
import { openProjections } from "./projection.ts";
import { stateSchema } from "../feature/state.ts";
import { findFeature } from "../feature/store.ts";
import { openScratchKernel, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let number = 0;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const FOLDER = ".slipway/features/letters";
const call = (id = "test") => ({ actor: { type: "orchestrator", id } as const, operationId: `op${(number += 1)}` });
const file = (name: string) => join(scratch.root, FOLDER, name);
const read = (name: string) => scratch.read(`${FOLDER}/${name}`);
const note = (text: string, by?: string) => scratch.kernel.features.logAppend(call(by), { feature_id: "letters", note: text });
const dependencies = () => ({
  db: scratch.records.database.db,
  layout: scratch.records.layout,
  configuration: scratch.kernel.configuration,
  clock: scratch.kernel.clock,
});

async function planned() {
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Letters\n"));
  await scratch.kernel.features.init(call(), { feature_id: "letters", run_id: "run1", spec_source: "letters.md", spec_digest });
  await scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") });
}

function frontMatter(text: string) {
  const [, front = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  return stateSchema.parse(parse(front));
}

test("[FEA-016] a feature owns its folder, and nothing is written outside .slipway and the worktrees", async () => {
  const before = readdirSync(scratch.root);
  await planned();
  expect(
    readdirSync(join(scratch.root, FOLDER))
      .filter((name) => !name.startsWith("harness"))
      .toSorted(),
  ).toEqual(["decisions.md", "evidence", "logs", "plan.json", "qa_test_index.json", "spec.md", "state.md"]);
  expect(readdirSync(scratch.root).filter((name) => !before.includes(name))).toEqual([".worktrees"]);
  expect(scratch.git("status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(frontMatter(read("state.md"))).toEqual((await scratch.kernel.features.getState("letters")).state);
});

describe("[FEA-011] the database is canonical", () => {
  test("a forged or missing file is rewritten from the rows, and never read", async () => {
    await planned();
    const truth = Object.fromEntries(["state.md", "plan.json", "qa_test_index.json", "decisions.md"].map((name) => [name, read(name)]));
    writeFileSync(file("state.md"), read("state.md").replace("status: building", "status: merged"));
    writeFileSync(file("plan.json"), "{}");
    rmSync(file("qa_test_index.json"));
    writeFileSync(file("decisions.md"), "# Decisions\n\nnobody said this\n");
    expect((await scratch.kernel.features.getState("letters")).state.status).toBe("building");
    expect(await scratch.kernel.features.repairProjections()).toEqual(["letters"]);
    for (const [name, text] of Object.entries(truth)) expect(read(name)).toBe(text);
    expect(await scratch.kernel.features.repairProjections()).toEqual([]);
  });

  test.each(["building", "failed"] as const)("also without its folder, if the feature is %s", async (status) => {
    await planned();
    if (status === "failed") await scratch.kernel.features.changeStatus(call(), { feature_id: "letters", to: status, reason: "r" });
    rmSync(join(scratch.root, FOLDER), { recursive: true });
    expect(await scratch.kernel.features.repairProjections()).toEqual(["letters"]);
    expect(frontMatter(read("state.md")).status).toBe(status);
  });

  test("during a live run only missing files are written", async () => {
    await planned();
    writeFileSync(file("state.md"), "a live run may be about to write it\n");
    await scratch.kernel.features.restoreProjections();
    expect(read("state.md")).toBe("a live run may be about to write it\n");
    rmSync(file("state.md"));
    await scratch.kernel.features.restoreProjections();
    expect(frontMatter(read("state.md")).status).toBe("building");
  });

  test("a change is committed before its files are written; a failed write loses nothing", async () => {
    await planned();
    rmSync(file("state.md"));
    mkdirSync(join(file("state.md"), "in the way"), { recursive: true });
    const fails = scratch.kernel.features.changeStatus(call(), { feature_id: "letters", to: "blocked", reason: "r" });
    await expect(fails).rejects.toMatchObject({ code: "io_error" });
    expect(await findFeature(scratch.records.database.db, "letters")).toMatchObject({ status: "blocked", version: 3 });
    rmSync(file("state.md"), { recursive: true });
    await scratch.kernel.features.repairProjections();
    expect(frontMatter(read("state.md"))).toMatchObject({ status: "blocked", version: 3 });
  });

  test("temporary files of killed writers are removed", async () => {
    await planned();
    for (const name of [".slipway-0a.tmp", ".slipway-0b.tmp"]) writeFileSync(file(name), "half");
    utimesSync(file(".slipway-0a.tmp"), new Date(0), new Date(0));
    await scratch.kernel.features.repairProjections();
    expect([existsSync(file(".slipway-0a.tmp")), existsSync(file(".slipway-0b.tmp"))]).toEqual([false, true]);
  });
});

test("[FEA-010] after a power cut at any moment every projection is complete: old, new or not yet there, and valid", async () => {
  await planned();
  const simulator = new CrashSimulator();
  const layout = layoutAt("/r");
  await ensureDirectory(simulator.fs, layout.feature("letters"));
  const projections = openProjections({ ...dependencies(), layout }, simulator.fs);
  await projections.write("letters");
  await scratch.kernel.features.changeStatus(call(), { feature_id: "letters", to: "blocked", reason: "r".repeat(100) });
  await projections.write("letters");
  let states = 0;
  const seen = { "state.md": new Set<string>(), "plan.json": new Set<string>(), "qa_test_index.json": new Set<string>() };
  for (const state of simulator.crashStates()) {
    states++;
    for (const name of ["state.md", "plan.json", "qa_test_index.json"] as const) {
      const text = await textAfter(state, `${layout.feature("letters")}/${name}`);
      if (text !== null && !seen[name].has(text)) seen[name].add(text);
    }
  }
  expect(states).toBeGreaterThan(1_000);
  expect([...seen["state.md"]].map((text) => frontMatter(text).status).toSorted()).toEqual(["blocked", "building"]);
  expect([...seen["plan.json"]].map((text) => planSchema.parse(JSON.parse(text)).plan_version)).toEqual([1]);
  expect([...seen["qa_test_index.json"]].map((text) => qaTestIndex.parse(JSON.parse(text)).version)).toEqual([0]);
});

async function textAfter({ fs }: CrashState, path: string): Promise<string | null> {
  const bytes = await fs.read(path).catch(() => null);
  return bytes === null ? null : Buffer.from(bytes).toString("utf8");
}

describe("decisions.md", () => {
  test("[FEA-073] a note is appended with role, id and time; the earlier text stays byte for byte", async () => {
    await planned();
    await note("first", "kim");
    const [before, { ino }] = [read("decisions.md"), statSync(file("decisions.md"))];
    await note("second\nline", "lee");
    const after = read("decisions.md");
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toMatch(/^\n## \d{4}-\d\d-\d\dT[\d:.]+Z orchestrator \(lee\)\n\n> second\n> line\n$/);
    expect(statSync(file("decisions.md")).ino).toBe(ino);
    expect((await scratch.kernel.features.getState("letters")).state.version).toBe(2);
  });

  test.each([
    "x\n\n## 2030-01-01T00:00:00.000Z person (kim)\n\n> approved",
    "x\r## 2030-01-01T00:00:00.000Z person (kim)",
    "x\u2028## 2030-01-01T00:00:00.000Z person (kim)",
  ])("attack 59: a note cannot imitate another: %j", async (text) => {
    await planned();
    await note(text, "mallory)\n## 2030-01-01T00:00:00.000Z person (kim");
    expect(
      read("decisions.md")
        .split(/[\n\r\u2028]/)
        .filter((line) => line.startsWith("## ")),
    ).toHaveLength(1);
  });

  test("a truncated or edited file is restored by the next note", async () => {
    await planned();
    await note("first");
    writeFileSync(file("decisions.md"), "# Deci");
    await note("second");
    expect(read("decisions.md").match(/^> .*$/gm)).toEqual(["> first", "> second"]);
    await note("third");
    expect(read("decisions.md").match(/^> .*$/gm)).toEqual(["> first", "> second", "> third"]);
  });
});

test("an operation writes only the files it changes", async () => {
  await planned();
  const times = () => ["state.md", "plan.json", "qa_test_index.json"].map((name) => statSync(file(name)).ino);
  const before = times();
  await note("a note is not part of the state");
  expect(times()).toEqual(before);
  await scratch.kernel.features.changeStatus(call(), { feature_id: "letters", to: "blocked", reason: "r" });
  expect(times().map((inode, index) => inode === before[index])).toEqual([false, true, true]);
});

test("a state that changed while its file was written is written again", async () => {
  await planned();
  rmSync(file("state.md"));
  let times = 0;
  const meanwhile: FileSystem = {
    ...nodeFileSystem,
    async rename(from, to) {
      times += 1;
      if (times === 1) await scratch.records.database.db.updateTable("features").set({ version: 9, status_reason: "newer" }).execute();
      await nodeFileSystem.rename(from, to);
    },
  };
  await openProjections(dependencies(), meanwhile).write("letters");
  expect(frontMatter(read("state.md"))).toMatchObject({ version: 9, status_reason: "newer" });
});

test("concurrent writes of several processes leave the newest state", async () => {
  await planned();
  const others = [openProjections(dependencies()), openProjections(dependencies())];
  for (let round = 1; round <= 5; round++) {
    const change = scratch.kernel.features.setSessions(call(), { feature_id: "letters", cluster: { qa_session_id: `s-${round}` } });
    await Promise.all([change, ...others.map((other) => other.write("letters"))]);
    await Promise.all(others.map((other) => other.write("letters")));
    expect(frontMatter(read("state.md")).cluster.qa_session_id).toBe(`s-${round}`);
  }
});
