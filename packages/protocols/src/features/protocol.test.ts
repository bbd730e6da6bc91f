import { existsSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import { afterEach, describe, expect, test } from "vitest";
import {
  newFile,
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  toldIn,
  resultOf,
  withVerdicts,
  type Script,
  type Workshop,
} from "./testing/workshop.ts";

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

const packText = (index: number) => toldIn(services.asked[index]?.pack);
const status = async () => (await services.kernel.features.context("letters")).state;

describe("the happy path", () => {
  test("nothing is on the base branch before the approval, and exactly the gated tree is after it", async () => {
    const { runId, outcome, question } = await toApproval(HAPPY);
    const base = services.git("rev-parse", "main").trim();
    expect(outcome.status).toBe("waiting");
    expect(question.kind).toBe("approval");
    expect(await status()).toMatchObject({ status: "ready_to_merge", gates: { plan: "pass", fast: "pass", full: "pass" } });
    expect(services.read(".worktrees/letters/src/a.txt")).toBe("two\n");
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");

    await services.approve(question);
    const landing = resultOf(await services.drive(runId))?.landing;
    expect(landing).toMatchObject({ base_before: base, tree: question.context["tree"], strategy: "merge_commit", approved_by: "kim" });
    expect(services.git("rev-parse", "main", "main^{tree}", "main^1").trim().split("\n")).toEqual([landing?.commit, landing?.tree, base]);
    expect(services.git("show", "main:src/a.txt")).toBe("two\n");
    expect((await status()).status).toBe("merged");
  });

  test("the projected files match the rows", async () => {
    await toApproval(HAPPY);
    const state = services.read(".slipway/features/letters/state.md");
    expect(state).toContain("status: ready_to_merge");
    expect(JSON.parse(services.read(".slipway/features/letters/plan.json"))).toMatchObject({
      feature_id: "letters",
      gate_profile: "default",
    });
    expect(services.read(".slipway/features/letters/decisions.md")).toContain("every criterion is covered");
    expect(services.git("status", "--porcelain")).toBe("");
  });

  test("QA may add files the plan names, and its tests are part of what is gated", async () => {
    const { question } = await toApproval({ ...HAPPY, qa: [withVerdicts(newFile("src/new.txt", "three"))] });
    expect(services.read(".worktrees/letters/src/new.txt")).toBe("three\n");
    expect(question.body).toContain("src/new.txt");
    expect(question.body).toContain("gates ran without a sandbox: fast, full");
  });
});

describe("a failure goes back to the worker that caused it", () => {
  test("a refused plan, with every reason", async () => {
    await toApproval({
      ...HAPPY,
      planner: [
        planFor("letters", { files: { create: [], modify: ["slipway/gates.yaml"], delete: [] }, allowed_areas: ["slipway"] }),
        planFor(),
      ],
    });
    expect(services.asked.map(({ role, attempt }) => `${role} ${attempt}`)).toEqual(["planner 1", "planner 2", "builder 1", "qa 1"]);
    expect(packText(1)).toContain("slipway");
    expect(packText(2)).toBe("none");
  });

  test("a patch that leaves the plan changes nothing", async () => {
    await toApproval({ ...HAPPY, builder: [patchOf("src/b.txt", "one", "two"), patchOf("src/a.txt", "one", "two")] });
    expect(packText(2)).toMatch(/policy_violation: .*src\/b\.txt/s);
    expect(services.read(".worktrees/letters/src/b.txt")).toBe("one\n");
  });

  test("a patch that does not apply", async () => {
    await toApproval({ ...HAPPY, builder: [patchOf("src/a.txt", "nine", "two"), patchOf("src/a.txt", "one", "two")] });
    expect(packText(2)).toContain("patch_apply_failed");
  });

  test("a patch that changes nothing is refused even if the gates would pass", async () => {
    const { question } = await toApproval({ ...HAPPY, builder: [patchOf("src/a.txt", "one", "BUG"), patchOf("src/a.txt", "BUG", "one")] });
    expect(question).toMatchObject({ kind: "blocked", body: expect.stringContaining("the files are the same as on the base") });
  });

  test("a gate that fails, with the end of its log", async () => {
    await toApproval({ ...HAPPY, builder: [patchOf("src/a.txt", "one", "BUG"), patchOf("src/a.txt", "BUG", "two")] });
    expect(packText(2)).toMatch(/gate_failed.*src\/a\.txt:1:BUG/s);
  });

  test("a QA patch that breaks the full gate goes back to QA", async () => {
    await toApproval({ ...HAPPY, qa: [withVerdicts(newFile("src/new.txt", "BUG")), withVerdicts(patchOf("src/new.txt", "BUG", "fine"))] });
    expect(services.asked.map(({ role }) => role)).toEqual(["planner", "builder", "qa", "qa"]);
    expect(packText(3)).toContain("src/new.txt:1:BUG");
  });

  test("a note is recorded, but the work is still expected", async () => {
    await toApproval({ ...HAPPY, builder: [{ type: "NOTE", text: "thinking" }, patchOf("src/a.txt", "one", "two")] });
    expect(packText(2)).toContain("the work itself is still missing");
    expect(services.read(".slipway/features/letters/decisions.md")).toContain("thinking");
  });
});

describe("a person is asked", () => {
  const stuck: Script = { ...HAPPY, builder: [patchOf("src/b.txt", "one", "two")] };

  test("after the last attempt, and the next attempt sees the guidance", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/b.txt", "one", "x"), patchOf("src/b.txt", "one", "x"), patchOf("src/a.txt", "one", "two")],
    });
    expect(question).toMatchObject({ kind: "blocked", context: { feature_id: "letters", phase: "building" } });
    expect(await status()).toMatchObject({ status: "blocked" });
    await services.answer(question, { decision: "retry", comment: "leave b alone" });
    await services.drive(runId);
    expect(packText(3)).toContain("leave b alone");
    expect((await services.open())[0]?.kind).toBe("approval");
  });

  test("giving up ends the feature and keeps its work", async () => {
    const { runId, question } = await toApproval(stuck);
    await services.answer(question, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
    expect((await status()).status).toBe("failed");
    expect(existsSync(join(services.root, ".worktrees/letters"))).toBe(true);
  });

  test("giving up while planning or testing ends it too", async () => {
    const planning = await toApproval({ planner: [planFor("other")] });
    await services.answer(planning.question, { decision: "give_up", comment: "wrong spec" });
    expect(resultOf(await services.drive(planning.runId))?.status).toBe("failed");
    expect((await status()).status_reason).toBe("wrong spec");
    await services.close();
    const testing = await toApproval({
      ...HAPPY,
      qa: [withVerdicts(newFile("src/new.txt", "BUG")), withVerdicts(newFile("src/other.txt", "x"))],
    });
    await services.answer(testing.question, { decision: "give_up" });
    expect(resultOf(await services.drive(testing.runId))?.status).toBe("failed");
  });

  test("at once if no further attempt could help", async () => {
    const failure = toFailure(new SlipwayError("cassette_answer_missing", "There is no recorded answer."));
    const { question } = await toApproval({ planner: [{ ok: false, failure }] });
    expect(services.asked).toHaveLength(1);
    expect(question.body).toContain("cassette_answer_missing");
  });

  test("a worker's own request reaches a person, and the answer reaches the worker", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      planner: [{ type: "REQUEST", request: "more_context", text: "which letters?" }, planFor()],
    });
    expect(question).toMatchObject({ kind: "request", body: "which letters?" });
    await services.answer(question, { comment: "the first one" });
    await services.drive(runId);
    expect(packText(1)).toContain("the first one");
  });

  test("about an agent that gave no answer after several calls, with their number", async () => {
    const trouble = new SlipwayError("agent_failed", "exit code 9");
    const { runId, question } = await toApproval({ ...HAPPY, planner: [trouble, trouble, trouble, planFor()] });
    expect(services.asked.map(({ attempt }) => attempt)).toEqual(["1", "1", "1"]);
    expect(question).toMatchObject({
      kind: "blocked",
      body: expect.stringMatching(/^The planner was called 3 times .*agent_failed: exit code 9/),
    });
    await services.answer(question, { decision: "retry" });
    await services.drive(runId);
    expect((await services.open())[0]?.kind).toBe("approval");
  }, 30_000);
});

describe("a person may decline", () => {
  test("changes go back to the builder with the comment, and the next version needs approval again", async () => {
    const { runId, question } = await toApproval({
      ...HAPPY,
      builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "two", "three")],
    });
    await services.answer(question, { decision: "changes", comment: "three, please" });
    await services.drive(runId);
    expect(services.asked.findLast(({ role }) => role === "builder")?.pack.sections.at(-1)?.text).toContain("three, please");
    const [again] = await services.open();
    expect(again?.context["tree"]).not.toBe(question.context["tree"]);
    await services.approve(again!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.git("show", "main:src/a.txt")).toBe("three\n");
  });

  test("an unsigned token is not an approval: the question is asked again", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.answer(question, { decision: "approve", token: "made.up" });
    expect((await services.drive(runId)).status).toBe("waiting");
    const [again] = await services.open();
    expect(again).toMatchObject({ kind: "approval", context: { tree: question.context["tree"] } });
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");
    await services.approve(again!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
  });

  test("a rejection ends the feature", async () => {
    const { runId, question } = await toApproval(HAPPY);
    await services.answer(question, { decision: "reject", comment: "not wanted" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
    expect(await status()).toMatchObject({ status: "failed", status_reason: "rejected: not wanted" });
  });
});
