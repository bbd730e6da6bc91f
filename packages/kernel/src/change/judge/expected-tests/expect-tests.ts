import { z } from "zod";
import { SlipwayError } from "../../../schema/errors.ts";
import { repositoryPath } from "../../../paths/fields.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { Operation } from "../../../record/operations/operation.ts";
import { findFeature } from "../../feature/store.ts";

const expectedTests = z.strictObject({
  files: z.array(z.strictObject({ path: repositoryPath, titles: z.array(z.string().min(1)).min(1) })).min(1),
  /** Runs all of them and writes a JUnit report to `{report}`; for people. */
  command: z.array(z.string().min(1)).min(1),
});

/** Tests that a change brings with it, and that its gate has to run. */
export type ExpectedTests = z.infer<typeof expectedTests>;

const waiver = z.strictObject({ by: z.string(), comment: z.string().nullable(), question_id: z.string() });
export type TestWaiver = z.infer<typeof waiver>;

const expectInput = expectedTests.extend({ feature_id: z.string() });

/** From now on the gate that decides about the merge passes only if its report has these tests. */
export const expectTestsOperation: Operation<z.infer<typeof expectInput>, undefined, null> = {
  name: "feature.expect_tests",
  roles: ["orchestrator", "system"],
  input: expectInput,
  async commit(tx, { feature_id, ...expected }, _effect, { at }) {
    await findFeature(tx, feature_id);
    const row = { expected: JSON.stringify(expected), at };
    await tx
      .insertInto("expected_tests")
      .values({ feature_id, waived: null, ...row })
      .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
      .execute();
    return null;
  },
  event: ({ feature_id, files }) => ({ feature_id, files: files.length, tests: files.flatMap(({ titles }) => titles).length }),
};

/** The answer of a person that waives the tests, and the code in the context of its question. */
export const WITHOUT_TESTS = "without_tests";
export const NOT_RUN = "expected_tests_not_run";

const waiveInput = z.strictObject({ feature_id: z.string(), question_id: z.string() });

/** Accepts a change without its tests. Only an answer that a person gave to the question about them can do that. */
export const waiveTestsOperation: Operation<z.infer<typeof waiveInput>, undefined, TestWaiver> = {
  name: "feature.waive_tests",
  roles: ["orchestrator", "system"],
  input: waiveInput,
  async commit(tx, { feature_id, question_id }) {
    const question = await tx
      .selectFrom("questions")
      .select(["context", "answer", "answered_by"])
      .where("id", "=", question_id)
      .executeTakeFirst();
    const { feature_id: about, code } = JSON.parse(question?.context ?? "{}") as Readonly<Record<string, unknown>>;
    const { decision, comment } = JSON.parse(question?.answer ?? "{}") as Readonly<Record<string, unknown>>;
    const by = question?.answered_by ?? "";
    if (about !== feature_id || code !== NOT_RUN || decision !== WITHOUT_TESTS || !by.startsWith("person:"))
      throw new SlipwayError("answer_not_allowed", `No person decided to merge "${feature_id}" without its tests.`, { question_id });
    const waived: TestWaiver = { by: by.slice("person:".length), comment: typeof comment === "string" ? comment : null, question_id };
    await tx
      .updateTable("expected_tests")
      .set({ waived: JSON.stringify(waived) })
      .where("feature_id", "=", feature_id)
      .execute();
    return waived;
  },
  event: ({ feature_id }, { by, question_id }) => ({ feature_id, by, question_id }),
};

export async function expectedTestsOf(
  db: Db | Tx,
  feature_id: string,
): Promise<{ readonly expected: ExpectedTests; readonly waived: TestWaiver | null } | null> {
  const row = await db.selectFrom("expected_tests").selectAll().where("feature_id", "=", feature_id).executeTakeFirst();
  if (row === undefined) return null;
  return {
    expected: JSON.parse(row.expected) as ExpectedTests,
    waived: row.waived === null ? null : (JSON.parse(row.waived) as TestWaiver),
  };
}
