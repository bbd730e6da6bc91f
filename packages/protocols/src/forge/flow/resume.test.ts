import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgeScene, openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";

describe("a run that is stopped in Step 5, whose files a person edits, and that is resumed", () => {
  let scene: ForgeScene;
  let undisturbed: ForgeScene;
  let result: FeatureResult;
  let before = { run_id: "", tags: "", rows: 0, sent: [] as string[] };

  beforeAll(async () => {
    const options = { tasks: 2, waves: [[1], [2]] };
    undisturbed = await openForgeScene(options);
    await undisturbed.finish();
    scene = await openForgeScene({ ...options, leaveAt: (event) => /^step \S*implementer:task-01-w1-i1\.1 end$/.test(event) });
    expect((await scene.drive()).status).toBe("stopped");
    const tags = scene.scratch.git("for-each-ref", "refs/tags");
    before = { run_id: await scene.runId(), tags, rows: (await scene.checks()).length, sent: scene.dispatched() };
    writeFileSync(scene.place("design.md"), "# Another design\n");
    writeFileSync(scene.place("design-output.yaml"), "completion: { status: ERROR }\n");
    writeFileSync(scene.place("tasks/task-02.yaml"), "task: none\n");
    writeFileSync(scene.place("verification-ledger.yaml"), "anvil_checks: []\n");
    rmSync(scene.place("plan.md"));
    rmSync(scene.place("plan-output.yaml"));
    result = await scene.finish();
  }, 60_000);
  afterAll(async () => {
    await scene.close();
    await undisturbed.close();
  });

  test("[FOR-142][FOR-157] dispatches nobody twice, and everybody once", () => {
    expect(before.sent.at(-1)).toBe("implementer task-01-w1-i1.1");
    expect(scene.dispatched()).toHaveLength(new Set(scene.dispatched()).size);
    expect(scene.dispatched().toSorted()).toEqual(undisturbed.dispatched().toSorted());
  });

  test("[FOR-143] keeps run_id, tag and the rows from before", async () => {
    expect(result.status).toBe("merged");
    expect(await scene.runId()).toBe(before.run_id);
    expect(scene.scratch.git("for-each-ref", "refs/tags")).toBe(before.tags);
    const rows = await scene.checks();
    expect(rows.length).toBeGreaterThan(before.rows);
    expect(new Set(rows.map(({ run_id }) => run_id))).toEqual(new Set([before.run_id]));
  });

  test("[FOR-052][FOR-140] an edited or deleted file of the run changes no decision", async () => {
    expect(await scene.routes()).toEqual(await undisturbed.routes());
  });

  test("[FOR-057] the files are written again from the records", () => {
    for (const path of ["design.md", "plan.md", "design-output.yaml", "tasks/task-02.yaml"]) {
      const plain = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
      expect(plain(scene.file(path)), path).toBe(plain(undisturbed.file(path)));
    }
  });
});

test("[FOR-143] two runs that start in the same second of one repository have distinct run_ids and tags", { timeout: 60_000 }, async () => {
  const now = Date.parse("2026-02-26T14:30:00.400Z");
  const clock = { now: () => now, monotonic: () => performance.now() };
  const scene = await forgeScene({ kernel: { clock } });
  await scene.finish();
  const other = await forgeScene({ beside: scene, feature: "others", tasks: [{ number: 2 }] });
  await other.finish();
  expect([await scene.runId(), await other.runId()]).toEqual(["2026-02-26T14:30:00Z", "2026-02-26T14:30:01Z"]);
  expect(scene.scratch.git("tag", "--list").trim().split("\n")).toEqual([
    "pipeline-baseline-2026-02-26T14-30-00Z",
    "pipeline-baseline-2026-02-26T14-30-01Z",
  ]);
  expect((await other.checks()).every(({ run_id }) => run_id === "2026-02-26T14:30:01Z")).toBe(true);
});

test(
  "[FOR-137][FOR-157] where verification-ledger.db cannot be a file, the YAML ledger decides and the bundle says what is lost",
  { timeout: 60_000 },
  async () => {
    const scene = await forgeScene({
      prepare: ({ records }, run) => {
        const folder = `${records.layout.runs}/${run}/verification-ledger.db/kept`;
        mkdirSync(dirname(folder), { recursive: true });
        writeFileSync(folder, "");
      },
    });
    const result = await scene.finish();
    expect(result.status).toBe("merged");
    expect(result.words).toContain("confidence: Medium");
    expect((await scene.notes())[0]).toMatch(/SQLite cannot be used .*verification-ledger\.db is not a file/);
    expect(statSync(scene.place("verification-ledger.db")).isDirectory()).toBe(true);
    expect(scene.file("verification-ledger.yaml")).toMatch(/check_name: tests-fast-check/);
    expect(scene.file("evidence-bundle.md")).toContain("independent SQL verification is lost");
    expect(await scene.scratch.records.database.db.selectFrom("anvil_checks").select("id").execute()).toEqual([]);
  },
);

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: a read-only run folder of forge (file systems can be mounted as root only)");

test.skipIf(!isRoot)(
  "[FOR-133][FOR-142] where the run's folder is read-only, the run stops and keeps what was paid for; it goes on when it is writable",
  { timeout: 60_000 },
  async () => {
    let scene: ForgeScene | null = null;
    const closeFolder = () => {
      const folder = scene?.place() ?? "";
      execFileSync("mount", ["--bind", folder, folder]);
      execFileSync("mount", ["-o", "remount,ro,bind", folder]);
      return undefined;
    };
    scene = await forgeScene({ script: { "planner/plan.1": closeFolder } });
    const stopped = await scene
      .drive()
      .catch((error: unknown) => error)
      .finally(() => execFileSync("umount", ["--lazy", scene?.place() ?? ""]));
    expect(stopped).toMatchObject({ code: "io_error" });
    expect(scene.has("plan-output.yaml")).toBe(false);
    expect((await scene.finish()).status).toBe("merged");
    expect(scene.has("plan-output.yaml")).toBe(true);
    expect(scene.dispatched()).toHaveLength(new Set(scene.dispatched()).size);
    expect(scene.sent.filter(({ role }) => role === "planner")).toHaveLength(1);
  },
);
