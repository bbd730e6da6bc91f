import { chmodSync } from "node:fs";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import { SlipwayError } from "@slipway/durable/errors";
import { afterEach, describe, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let shop: Workshop;
afterEach(() => shop.close());

async function toApproval(script: Script) {
  shop = await openWorkshop(script);
  const runId = await shop.start();
  const outcome = await shop.drive(runId);
  const [question] = await shop.open();
  if (outcome.status !== "waiting") throw new Error(JSON.stringify(outcome));
  return { runId, outcome, question: question! };
}

const status = async () => (await shop.kernel.features.context("letters")).state;

describe("the base moves after the approval", () => {
  test("elsewhere: rebuilt, gated again, landed without a second question", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    const before = await shop.operations();
    shop.write("src/b.txt", "moved\n");
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    const landing = resultOf(await shop.drive(runId))?.landing;
    expect(landing?.base_before).toBe(shop.git("rev-parse", "main~1").trim());
    expect(shop.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\nmoved\n");
    const since = (await shop.operations()).slice(before.length).map(({ name }) => name);
    expect(since).toEqual(["feature.candidate", "gates.run", "gates.run", "feature.ready_to_merge"]);
    expect(await shop.open()).toEqual([]);
  });

  test("in a file of the change that still merges: a person is asked again", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    chmodSync(join(shop.root, "src/a.txt"), 0o755);
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    expect((await shop.drive(runId)).status).toBe("waiting");
    const [again] = await shop.open();
    expect(again).toMatchObject({
      kind: "approval",
      body: expect.stringMatching(/^Your last approval no longer holds: main has moved in files that the change touches: src\/a\.txt\.\n/),
    });
    expect(again?.id).not.toBe(question.id);
    await shop.approve(again!);
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
  });

  test("and a person who only looked again is asked again, and told that nothing else happened", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.answer(question, { decision: "again" });
    expect((await shop.drive(runId)).status).toBe("waiting");
    const [again] = await shop.open();
    expect(again?.body).toMatch(/^Asked again: somebody wanted another look\./);
    await shop.approve(again!);
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
  });

  test("to hold the very same change: nothing is left to merge, and a person says whether that is the end", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    shop.write("src/a.txt", "two\n");
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    expect((await shop.drive(runId)).status).toBe("waiting");
    const [nothingLeft] = await shop.open();
    expect(nothingLeft).toMatchObject({ kind: "blocked", body: "main already holds everything this feature changes." });
    await shop.answer(nothingLeft!, { decision: "give_up" });
    expect(resultOf(await shop.drive(runId))?.status).toBe("failed");
    expect((await status()).status_reason).toContain("nothing left to merge");
    expect(shop.git("log", "-1", "--format=%s", "main").trim()).toBe("theirs");
  });

  test("in conflict: a person decides, and the change can be built anew on the new base", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "theirs", "both")],
    });
    await shop.approve(question);
    shop.write("src/a.txt", "theirs\n");
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    expect(await shop.drive(runId)).toMatchObject({ status: "waiting", questions: [{ name: "conflict:2" }] });
    const [conflict] = await shop.open();
    expect(conflict).toMatchObject({ kind: "conflict", context: { files: ["src/a.txt"] } });
    expect(shop.git("show", "main:src/a.txt")).toBe("theirs\n");
    await shop.answer(conflict!, { decision: "rebuild", comment: "keep both" });
    await shop.drive(runId);
    expect(shop.asked.findLast(({ role }) => role === "builder")?.pack.sections.at(-1)?.text).toMatch(/keep both.*-one.*\+two/s);
    await shop.approve((await shop.open())[0]!);
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
    expect(shop.git("show", "main:src/a.txt")).toBe("both\n");
  });

  test("in conflict: giving up leaves the base as it is", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    shop.write("src/a.txt", "theirs\n");
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    await shop.drive(runId);
    await shop.answer((await shop.open())[0]!, { decision: "give_up" });
    expect(resultOf(await shop.drive(runId))?.status).toBe("failed");
    expect(shop.git("show", "main:src/a.txt")).toBe("theirs\n");
  });

  test("so that the gates fail on it: back to the builder", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "two", "three")],
    });
    await shop.approve(question);
    shop.write("src/b.txt", "BUG\n");
    shop.git("commit", "--quiet", "--all", "--message=theirs");
    await shop.drive(runId);
    expect(
      shop.asked
        .filter(({ role }) => role === "builder")
        .at(1)
        ?.pack.sections.at(-1)?.text,
    ).toContain("On the moved base");
  });
});

test("what only a person can mend is a question, not the end of the run", async () => {
  shop = await openWorkshop(HAPPY, { policy: WITHOUT_TRIAL });
  shop.breakSandbox(new SlipwayError("sandbox_unavailable", "There is no sandbox.", { suggested_next_actions: ["Install one."] }));
  const runId = await shop.start();
  expect((await shop.drive(runId)).status).toBe("waiting");
  const [question] = await shop.open();
  expect(question).toMatchObject({
    kind: "mend",
    title: "letters cannot go on: sandbox_unavailable",
    body: "There is no sandbox.\nnext: Install one.",
  });
  shop.breakSandbox(null);
  await shop.answer(question!, { decision: "retry" });
  await shop.drive(runId);
  expect((await shop.open())[0]?.kind).toBe("approval");
});

describe("locks", () => {
  const migration = planFor("letters", { contracts: { openapi: "none", events: "none", db: "migration" } });

  test("a plan that changes a contract takes its lock, and the merge gives it back", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "letters" }]);
    await shop.approve(question);
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
    expect(await shop.locks()).toEqual([]);
  });

  test("a lock that ran out and went to somebody else holds the landing up, and nobody builds the approved change again", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    await shop.approve(question);
    await shop.expireLocks();
    await shop.takeLock("db_migrations", "other");
    await shop.drive(runId);
    expect(shop.git("log", "--format=%s", "main").trim()).toBe("start");
    const [blocked] = await shop.open();
    expect(blocked).toMatchObject({ kind: "blocked", body: expect.stringContaining("db_migrations") });
    expect(shop.asked.filter(({ role }) => role === "builder")).toHaveLength(1);
    await shop.expireLocks();
    await shop.answer(blocked!, { decision: "retry" });
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
  });

  test("a person may give the feature up instead of waiting for the lock", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    await shop.approve(question);
    await shop.expireLocks();
    await shop.takeLock("db_migrations", "other");
    await shop.drive(runId);
    const [blocked] = await shop.open();
    await shop.answer(blocked!, { decision: "give_up" });
    expect(resultOf(await shop.drive(runId))?.status).toBe("failed");
    expect(shop.git("log", "--format=%s", "main").trim()).toBe("start");
  });

  test("a feature that is deleted while it waits ends, and says so", async () => {
    const { runId } = await toApproval(HAPPY);
    const call = { actor: { type: "system", id: "test" } as const, operationId: "delete-1" };
    await shop.kernel.features.delete(call, { feature_id: "letters", dry_run: false, force: true });
    expect(await shop.open()).toEqual([]);
    expect(resultOf(await shop.drive(runId))).toMatchObject({ feature_id: "letters", status: "failed", landing: null });
  });
});

test("a checkout with local changes in the way is not touched: the person is asked to clear it", async () => {
  const { runId, question } = await toApproval(HAPPY);
  await shop.approve(question);
  shop.write("src/a.txt", "my own edit\n");
  expect((await shop.drive(runId)).status).toBe("waiting");
  const [way] = await shop.open();
  expect(way).toMatchObject({
    kind: "mend",
    title: expect.stringContaining("checkout_in_the_way"),
    body: expect.stringContaining("src/a.txt"),
  });
  expect(shop.read("src/a.txt")).toBe("my own edit\n");
  shop.git("checkout", "--quiet", "--", "src/a.txt");
  await shop.answer(way!, { decision: "retry" });
  expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
  expect(shop.read("src/a.txt")).toBe("two\n");
});

describe("between the last look and the merge", () => {
  /** Does something the first time the merge is called. */
  function justBefore(act: () => void) {
    const { merge } = shop.kernel.features;
    let acted = false;
    shop.kernel.features.merge = async (call, input) => {
      const first = !acted;
      acted = true;
      if (first) act();
      return merge(call, input);
    };
  }

  test("the base moves elsewhere: it is built on again and lands with the same approval", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    justBefore(() => {
      shop.write("src/b.txt", "moved\n");
      shop.git("commit", "--quiet", "--all", "--message=theirs");
    });
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
    expect(shop.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\nmoved\n");
    expect(await shop.open()).toEqual([]);
  });

  test("the approval is found not to hold: it is asked again, with the reason", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    justBefore(() => {
      throw new SlipwayError("user_approval_required", "The approval does not hold: the policy or the gates have changed since.");
    });
    expect((await shop.drive(runId)).status).toBe("waiting");
    expect((await shop.open())[0]).toMatchObject({ kind: "approval", body: expect.stringContaining("the gates have changed since.") });
  });

  test("the gates change: it is gated again, and then asked again with the reason", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    Object.assign(shop.kernel.configuration, { policyHash: "f".repeat(64) });
    const gated: string[] = [];
    const { runGates } = shop.kernel.features;
    shop.kernel.features.runGates = (call, input, ...rest) => {
      gated.push(input.mode);
      return runGates(call, input, ...rest);
    };
    expect((await shop.drive(runId)).status).toBe("waiting");
    expect(gated).toEqual(["fast", "full"]);
    expect((await shop.open())[0]).toMatchObject({ kind: "approval", body: expect.stringContaining("the gates have changed since.") });
  });

  test("what no rule foresees is asked about with the reason; the approval holds when it is tried again", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await shop.approve(question);
    justBefore(() => {
      throw new SlipwayError("invalid_status_transition", "no rule foresaw this");
    });
    expect((await shop.drive(runId)).status).toBe("waiting");
    const [mend] = await shop.open();
    expect(mend).toMatchObject({ kind: "mend", body: expect.stringContaining("no rule foresaw this") });
    expect(shop.git("log", "--format=%s", "main").trim()).toBe("start");
    await shop.answer(mend!, { decision: "retry" });
    expect(resultOf(await shop.drive(runId))?.status).toBe("merged");
  });
});
