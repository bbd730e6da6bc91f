import { describe, expect, test } from "vitest";
import { sizeOf } from "../schemas/task.ts";
import { planAnswer } from "../schemas/plan.ts";
import { EXAMPLE_ANSWERS } from "../schemas/examples.ts";
import { protocolRole } from "../../dispatch/roles.ts";

describe("[FOR-108] the risk of a file", () => {
  test.each([
    ["🟢", ["tests", "documentation", "configuration", "comments", "utilities"]],
    ["🟡", ["existing logic", "signatures", "database queries", "UI state", "API handlers"]],
    ["🔴", ["authentication", "cryptography", "payments", "deletion of data", "schema migrations", "concurrency", "public API surface"]],
  ] as const)("%s is told to the planner with each class of its kind", async (risk, classes) => {
    const { prompt } = await protocolRole("forge", "planner", async () => null);
    const [, told = ""] = prompt.split(risk);
    for (const name of classes) expect(told.split(/[🟢🟡🔴]/u)[0]).toContain(name);
  });

  test("has exactly one of three values in every task", () => {
    const plan = structuredClone(EXAMPLE_ANSWERS.planner.payload) as {
      tasks: { relevant_context: { files_to_modify: { risk?: string }[] } }[];
    };
    const [file] = plan.tasks[0]?.relevant_context.files_to_modify ?? [];
    expect(planAnswer.safeParse(plan).success).toBe(true);
    if (file !== undefined) file.risk = "🟠";
    expect(planAnswer.safeParse(plan).success).toBe(false);
    if (file !== undefined) delete file.risk;
    expect(planAnswer.safeParse(plan).success).toBe(false);
  });

  test("makes the task Large when one file is 🔴", () => {
    expect([sizeOf(["🟢", "🟡"]), sizeOf(["🟢", "🔴"])]).toEqual(["Standard", "Large"]);
  });
});
