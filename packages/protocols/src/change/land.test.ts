import { chmodSync } from "node:fs";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import {
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  resultOf,
  toldIn,
  type Script,
  type Workshop,
} from "../features/testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop;
afterEach(() => services.close());

async function toApproval(script: Script) {
  services = await openWorkshop(script);
  const runId = await services.start();
  const outcome = await services.drive(runId);
  const [question] = await services.open();
  if (outcome.status !== "waiting") throw new Error(JSON.stringify(outcome));
  return { runId, outcome, question: question! };
}

const status = async () => (await services.kernel.features.context("letters")).state;

describe("the base moves after the approval", () => {
  test("elsewhere: rebuilt, gated again, landed without a second question", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    const before = await services.operations();
    services.write("src/b.txt", "moved\n");
    services.git("commit", "--quiet", "--all", "--message=theirs");
    const landing = resultOf(await services.drive(runId))?.landing;
    expect(landing?.base_before).toBe(services.git("rev-parse", "main~1").trim());
    expect(services.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\nmoved\n");
    const since = (await services.operations()).slice(before.length).map(({ name }) => name);
    expect(since).toEqual(["feature.candidate", "gates.run", "gates.run", "feature.ready_to_merge"]);
    expect(await services.open()).toEqual([]);
  });

  test("in a file of the change that still merges: a person is asked again", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    chmodSync(join(services.root, "src/a.txt"), 0o755);
    services.git("commit", "--quiet", "--all", "--message=theirs");
    expect((await services.drive(runId)).status).toBe("waiting");
    const [again] = await services.open();
    expect(again).toMatchObject({
      kind: "approval",
      body: expect.stringMatching(
        /^Your last approval is no longer valid: main has moved in files that the change touches: src\/a\.txt\.\n/,
      ),
    });
    expect(again?.id).not.toBe(question.id);
    await services.approve(again!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  });

  test("an answer `again` repeats the question and says why", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.answer(question, { decision: "again" });
    expect((await services.drive(runId)).status).toBe("waiting");
    const [again] = await services.open();
    expect(again?.body).toMatch(/^Asked again: a person requested it\./);
    await services.approve(again!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  });

  test("to contain the same change: nothing is left to merge, and a person decides whether to end the feature", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    services.write("src/a.txt", "two\n");
    services.git("commit", "--quiet", "--all", "--message=theirs");
    expect((await services.drive(runId)).status).toBe("waiting");
    const [nothingLeft] = await services.open();
    expect(nothingLeft).toMatchObject({ kind: "blocked", body: "main already contains everything this feature changes." });
    await services.answer(nothingLeft!, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
    expect((await status()).status_reason).toContain("nothing left to merge");
    expect(services.git("log", "-1", "--format=%s", "main").trim()).toBe("theirs");
  });

  test("in conflict: a person decides, and the change can be built again on the new base", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "theirs", "both")],
    });
    await services.approve(question);
    services.write("src/a.txt", "theirs\n");
    services.git("commit", "--quiet", "--all", "--message=theirs");
    expect(await services.drive(runId)).toMatchObject({ status: "waiting", questions: [{ name: "conflict:2" }] });
    const [conflict] = await services.open();
    expect(conflict).toMatchObject({ kind: "conflict", context: { files: ["src/a.txt"] } });
    expect(services.git("show", "main:src/a.txt")).toBe("theirs\n");
    await services.answer(conflict!, { decision: "rebuild", comment: "keep both" });
    await services.drive(runId);
    expect(services.asked.findLast(({ role }) => role === "builder")?.pack.sections.at(-1)?.text).toMatch(/keep both.*-one.*\+two/s);
    await services.approve((await services.open())[0]!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.git("show", "main:src/a.txt")).toBe("both\n");
  });

  test("in conflict: giving up leaves the base unchanged", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    services.write("src/a.txt", "theirs\n");
    services.git("commit", "--quiet", "--all", "--message=theirs");
    await services.drive(runId);
    await services.answer((await services.open())[0]!, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
    expect(services.git("show", "main:src/a.txt")).toBe("theirs\n");
  });

  test("so that the gates fail on it: the change goes back to the builder", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "two", "three")],
    });
    await services.approve(question);
    services.write("src/b.txt", "BUG\n");
    services.git("commit", "--quiet", "--all", "--message=theirs");
    await services.drive(runId);
    expect(toldIn(services.packs("builder")[1])).toMatch(/^The gates fail on the moved base.*src\/b\.txt:1:BUG/s);
  });
});

test("a failure that only a person can fix becomes a question and does not end the run", async () => {
  services = await openWorkshop(HAPPY, { policy: WITHOUT_TRIAL });
  services.breakSandbox(new SlipwayError("sandbox_unavailable", "There is no sandbox.", { suggested_next_actions: ["Install one."] }));
  const runId = await services.start();
  expect((await services.drive(runId)).status).toBe("waiting");
  const [question] = await services.open();
  expect(question).toMatchObject({
    kind: "mend",
    title: "letters cannot continue: sandbox_unavailable",
    body: "There is no sandbox.\nnext: Install one.",
  });
  services.breakSandbox(null);
  await services.answer(question!, { decision: "retry" });
  await services.drive(runId);
  expect((await services.open())[0]?.kind).toBe("approval");
});

describe("locks", () => {
  const migration = planFor("letters", { contracts: { openapi: "none", events: "none", db: "migration" } });

  test("a plan that changes a contract acquires its lock, and the merge releases it", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "letters" }]);
    await services.approve(question);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(await services.locks()).toEqual([]);
  });

  test("an expired lock that another run acquired delays the landing, and the approved change is not built again", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    await services.approve(question);
    await services.expireLocks();
    await services.takeLock("db_migrations", "other");
    await services.drive(runId);
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");
    const [blocked] = await services.open();
    expect(blocked).toMatchObject({ kind: "blocked", body: expect.stringContaining("db_migrations") });
    expect(services.asked.filter(({ role }) => role === "builder")).toHaveLength(1);
    await services.expireLocks();
    await services.answer(blocked!, { decision: "retry" });
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  });

  test("a person may give the feature up instead of waiting for the lock", async () => {
    const { runId, question } = await toApproval({ ...HAPPY, planner: [migration] });
    await services.approve(question);
    await services.expireLocks();
    await services.takeLock("db_migrations", "other");
    await services.drive(runId);
    const [blocked] = await services.open();
    await services.answer(blocked!, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");
  });

  test("a feature that is deleted while it waits ends with that reason", async () => {
    const { runId } = await toApproval(HAPPY);
    const call = { actor: { type: "system", id: "test" } as const, operationId: "delete-1" };
    await services.kernel.features.delete(call, { feature_id: "letters", dry_run: false, force: true });
    expect(await services.open()).toEqual([]);
    expect(resultOf(await services.drive(runId))).toMatchObject({ feature_id: "letters", status: "failed", landing: null });
  });
});

test("a checkout with local changes in the way is not touched: the person is asked to clear it", async () => {
  const { runId, question } = await toApproval(HAPPY);
  await services.approve(question);
  services.write("src/a.txt", "my own edit\n");
  expect((await services.drive(runId)).status).toBe("waiting");
  const [way] = await services.open();
  expect(way).toMatchObject({
    kind: "mend",
    title: expect.stringContaining("checkout_in_the_way"),
    body: expect.stringContaining("src/a.txt"),
  });
  expect(services.read("src/a.txt")).toBe("my own edit\n");
  services.git("checkout", "--quiet", "--", "src/a.txt");
  await services.answer(way!, { decision: "retry" });
  expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  expect(services.read("src/a.txt")).toBe("two\n");
});

describe("between the last candidate and the merge", () => {
  /** Runs `work` before the first call of the merge. */
  function justBefore(act: () => void) {
    const { merge } = services.kernel.features;
    let acted = false;
    services.kernel.features.merge = async (call, input) => {
      const first = !acted;
      acted = true;
      if (first) act();
      return merge(call, input);
    };
  }

  test("the base moves in other files: the change is rebuilt on it and lands with the same approval", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    justBefore(() => {
      services.write("src/b.txt", "moved\n");
      services.git("commit", "--quiet", "--all", "--message=theirs");
    });
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\nmoved\n");
    expect(await services.open()).toEqual([]);
  });

  test("the approval turns out to be void: a person is asked again, with the reason", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    justBefore(() => {
      throw new SlipwayError("user_approval_required", "The approval does not hold: the policy or the gates have changed since.");
    });
    expect((await services.drive(runId)).status).toBe("waiting");
    expect((await services.open())[0]).toMatchObject({ kind: "approval", body: expect.stringContaining("the gates have changed since.") });
  });

  test("the gates change: they run again once, then a person is asked again with the reason", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    Object.assign(services.kernel.configuration, { policyHash: "f".repeat(64) });
    const gated: string[] = [];
    const { runGates } = services.kernel.features;
    services.kernel.features.runGates = (call, input, ...rest) => {
      gated.push(input.mode);
      return runGates(call, input, ...rest);
    };
    expect((await services.drive(runId)).status).toBe("waiting");
    const [again] = await services.open();
    expect(again).toMatchObject({ kind: "approval", body: expect.stringContaining("the gates have changed since.") });
    await services.approve(again!);
    await services.drive(runId);
    expect(gated).toEqual(["fast", "full"]);
  });

  test("an unexpected error becomes a question with the reason; the approval stays valid for the retry", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.approve(question);
    justBefore(() => {
      throw new SlipwayError("invalid_status_transition", "no rule foresaw this");
    });
    expect((await services.drive(runId)).status).toBe("waiting");
    const [mend] = await services.open();
    expect(mend).toMatchObject({ kind: "mend", body: expect.stringContaining("no rule foresaw this") });
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");
    await services.answer(mend!, { decision: "retry" });
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  });
});
