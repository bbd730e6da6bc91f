import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "../features/testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop;
afterEach(() => services.close());

/** A feature whose worktree is edited after the approval: a tracked file, a new file outside the plan, and a commit. */
async function editedAfterApproval() {
  services = await openWorkshop(HAPPY);
  const runId = await services.start();
  await services.drive(runId);
  const [question] = await services.open();
  await services.approve(question!);
  const [, worktree = ""] = /^worktree (.+)\n.*\nbranch refs\/heads\/letters$/m.exec(services.git("worktree", "list", "--porcelain")) ?? [];
  appendFileSync(join(worktree, "src/a.txt"), "by hand\n");
  services.git("-C", worktree, "commit", "--quiet", "--all", "--message=my fix");
  writeFileSync(join(worktree, "notes.txt"), "mine\n");
  expect((await services.drive(runId)).status).toBe("waiting");
  const [edited] = await services.open();
  return { runId, edited: edited! };
}

describe("A3, A4: edits and commits by hand after the approval", () => {
  test("are shown in a question, and nothing has merged", async () => {
    const { edited } = await editedAfterApproval();
    expect(edited).toMatchObject({ kind: "edited", title: "letters was edited by hand" });
    expect(edited.body).toContain("changed: src/a.txt");
    expect(edited.body).toContain("added: notes.txt");
    expect(edited.body).toMatch(/commit [0-9a-f]{10} by .+: my fix/);
    expect(edited.body).toContain("the plan does not name notes.txt");
    expect(services.git("show", "main:src/a.txt")).toBe("one\n");
  });

  test("become part of the change when adopted, which has to be approved again", async () => {
    const { runId, edited } = await editedAfterApproval();
    await services.answer(edited, { decision: "adopt" });
    await services.drive(runId);
    const [again] = await services.open();
    expect(again).toMatchObject({ kind: "approval", body: expect.stringContaining("Your last approval is no longer valid") });
    await services.approve(again!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.git("show", "main:src/a.txt")).toBe("two\nby hand\n");
    expect(services.git("show", "main:notes.txt")).toBe("mine\n");
  });

  test("keep their commits on a branch when adopted, with message, author and earlier versions", async () => {
    const { runId, edited } = await editedAfterApproval();
    await services.answer(edited, { decision: "adopt" });
    await services.drive(runId);
    expect(services.git("log", "-1", "--format=%s", String(edited.context["kept_branch"]))).toBe("my fix\n");
  });

  test("stay on their own branch when set aside, and the approved change merges without them", async () => {
    const { runId, edited } = await editedAfterApproval();
    await services.answer(edited, { decision: "set_aside" });
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.git("show", "main:src/a.txt")).toBe("two\n");
    const kept = String(edited.context["kept_branch"]);
    expect(services.git("show", `${kept}:src/a.txt`)).toBe("two\nby hand\n");
    expect(services.git("show", `${kept}:notes.txt`)).toBe("mine\n");
  });
});
