import { afterEach, beforeEach, expect, test } from "vitest";
import { runsWorkingOn, telemetryOfRun } from "../../budget/telemetry.ts";
import { checkCounts } from "../judge/evidence/checks.ts";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";
import { recordedFeatures } from "./recorded-features.ts";

let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const reads = () => recordedFeatures(scratch.records);
const sql = (text: string) => scratch.records.database.sqlite.exclusive((database) => database.exec(text));
const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);

test("finds features by id, by age and by their run; an unknown one is refused, or undefined", async () => {
  const feature = lettersOn(scratch);
  for (const id of ["zebra", "apple"]) await feature.init(id);
  await sql("UPDATE features SET updated_at = 9000000000000, run_id = 'r1/feature:zebra' WHERE id = 'zebra'");
  await sql("UPDATE features SET run_id = 'r10/feature:apple' WHERE id = 'apple'");
  expect(ids(await reads().all())).toEqual(["apple", "zebra"]);
  expect(ids(await reads().newest(1))).toEqual(["zebra"]);
  expect(await reads().ofRun("r1")).toEqual(["zebra"]);
  expect((await reads().find("apple")).id).toBe("apple");
  expect((await reads().ifAny("apple"))?.id).toBe("apple");
  expect(await reads().ifAny("none")).toBeUndefined();
  await expect(reads().find("none")).rejects.toMatchObject({ code: "feature_not_found" });
});

test("returns the merge of a feature, all merges, and the number of checks", async () => {
  expect(await reads().mergeOf("letters")).toBeNull();
  const candidate = await lettersOn(scratch).ready();
  const { commit } = await scratch.kernel.features.merge(call(), { ...letters, user_approval_token: scratch.sign(candidate) });
  expect(await reads().mergeOf("letters")).toMatchObject({ feature_id: "letters", commit_sha: commit });
  expect((await reads().merges()).map(({ commit_sha }) => commit_sha)).toEqual([commit]);
  expect(await reads().former("letters")).toEqual([]);
  const { passed, failed } = await checkCounts(scratch.records);
  expect({ passed: passed > 0, failed }).toEqual({ passed: true, failed: 0 });
});

test("returns telemetry of a run with its children, and the runs that worked on a feature", async () => {
  const row = (id: string, run: string) => `('${id}', '${run}', 'letters', 'builder', 'p', NULL, 1, 1, 0.25, 1, 1, NULL, 1)`;
  await sql(
    `INSERT INTO telemetry (id, run_id, feature_id, role, provider, model, input_tokens, output_tokens, cost_usd, duration_ms, calls, transcript_digest, at)
       VALUES ${row("1", "r1/feature:letters")}, ${row("2", "r1/feature:letters")}, ${row("3", "r10/feature:letters")}, ${row("4", "r1")}`,
  );
  expect(ids(await telemetryOfRun(scratch.records, "r1"))).toEqual(["1", "2", "4"]);
  expect(await runsWorkingOn(scratch.records, "letters")).toEqual(["r1/feature:letters", "r10/feature:letters", "r1"]);
});
