import { execFile } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";
import { layoutAt } from "../../host/layout.ts";

const CHILD = join(import.meta.dirname, "..", "testing", "patch-child.ts");

let scratch: ScratchKernel;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const TWO = replaceLine("src/a.txt", "one", "two");
const PROTECTED = POLICY.replace("[openapi, events, db_migrations]", '[openapi, events, db_migrations, "protected:src"]').replace(
  "protected_areas: [slipway]",
  "protected_areas: [src]",
);

const child = (names: readonly string[]) =>
  promisify(execFile)(process.execPath, ["--conditions=slipway-source", CHILD, scratch.root, ...names], { timeout: 60_000 });

test("[FEA-081] a lock that expires while the files are written: the stale holder changes nothing, and its bytes are anchored", async () => {
  let sql: string | null = null;
  scratch = await openScratchKernel(
    { "slipway/policy.yaml": PROTECTED },
    {
      observe({ phase, name }) {
        if (phase !== "effect_done" || name !== "repo.apply_patch" || sql === null) return;
        const database = new DatabaseSync(layoutAt(scratch.root).database);
        database.exec(sql);
        database.close();
      },
    },
  );
  closing.push(() => scratch.close());
  const feature = lettersOn(scratch);
  await feature.init();
  const lock = { ...LETTERS, resource: "protected:src" };
  await scratch.kernel.features.acquireLock(callAs(), lock);
  await scratch.kernel.features.submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters") });
  const before = await feature.row();
  const call = callAs();
  sql = "UPDATE locks SET expires_at = 0";
  await expect(scratch.kernel.features.applyPatch(call, { ...LETTERS, unified_diff: TWO })).rejects.toMatchObject({
    code: "lock_not_held",
  });
  expect(await feature.row()).toEqual(before);
  expect(feature.file("src/a.txt")).toBe("one\n");
  expect((await scratch.kernel.features.qaIndex("letters")).index.version).toBe(0);
  expect(scratch.git("show", `refs/slipway/run1/${call.operationId}:src/a.txt`)).toBe("two\n");
  // A repeat is answered from the ledger and changes nothing either.
  await expect(scratch.kernel.features.applyPatch(call, { ...LETTERS, unified_diff: TWO })).rejects.toMatchObject({
    code: "lock_not_held",
  });
  expect(feature.file("src/a.txt")).toBe("one\n");
});

test("[FEA-012] patches of several processes are all applied, in sequence", async () => {
  scratch = await openScratchKernel();
  closing.push(() => scratch.close());
  const feature = lettersOn(scratch);
  const names = Array.from({ length: 9 }, (_, index) => `src/new-${index}.txt`);
  await feature.planned({ files: { create: names, modify: ["src/a.txt"], delete: [] } });
  const before = await feature.row();
  const own = (name: string) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: addFile(name, name) });
  await Promise.all([child(names.slice(0, 3)), child(names.slice(3, 6)), ...names.slice(6).map(own)]);
  const after = await feature.row();
  expect(after.version).toBe(before.version + names.length);
  expect(names.map((name) => feature.file(name))).toEqual(names.map((name) => `${name}\n`));
  expect(scratch.git("ls-tree", "-r", "--name-only", after.tree).split("\n")).toEqual(expect.arrayContaining(names));
  const { index, counts } = await scratch.kernel.features.qaIndex("letters");
  expect([index.version, counts.pending]).toEqual([names.length, names.length]);
});

test("a patch waits for a gate on the same files", async () => {
  const gates = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: slow, cmd: [sh, -c, "cat src/a.txt > before; while [ ! -e ../../go ]; do sleep 0.02; done; cmp src/a.txt before"] }]
      full: [{ name: slow, cmd: ["true"] }]
`;
  scratch = await openScratchKernel({ "slipway/gates.yaml": gates });
  closing.push(() => scratch.close());
  const feature = lettersOn(scratch);
  await feature.planned();
  const order: string[] = [];
  const started = Promise.withResolvers<void>();
  const gate = scratch.kernel.features
    .runGates(callAs(), { ...LETTERS, mode: "fast" }, undefined, ({ kind }) => kind === "started" && started.resolve())
    .finally(() => order.push("gate"));
  await started.promise;
  const patched = scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: TWO }).finally(() => order.push("patch"));
  scratch.write("go", "");
  expect((await gate).passed).toBe(true);
  await patched;
  expect(order).toEqual(["gate", "patch"]);
  expect(feature.file("src/a.txt")).toBe("two\n");
});
