import { describe, expect, test } from "vitest";
import { RISK_MEANINGS } from "../schemas/enums.ts";
import { sizeOf } from "../schemas/task.ts";
import { planAnswer } from "../schemas/plan.ts";
import { EXAMPLE_ANSWERS } from "../schemas/examples.ts";
import { protocolRole } from "../../dispatch/roles.ts";

describe("[FOR-108] the risk of a file", () => {
  test.each([
    ["🟢", ["tests", "documentation", "configuration", "comments", "utilities"]],
    ["🟡", ["existing logic", "signatures", "database queries", "UI state", "API handlers"]],
    ["🔴", ["authentication", "cryptography", "payments", "deletion of data", "schema migrations", "concurrency", "public API surface"]],
  ] as const)("%s means each class of its kind", (risk, classes) => {
    for (const name of classes) expect(RISK_MEANINGS[risk]).toContain(name);
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

  test("is told to the planner, and one 🔴 file makes the task Large", async () => {
    const { prompt } = await protocolRole("forge", "planner", async () => null);
    for (const risk of ["🟢", "🟡", "🔴"]) expect(prompt).toContain(risk);
    expect([sizeOf(["🟢", "🟡"]), sizeOf(["🟢", "🔴"])]).toEqual(["Standard", "Large"]);
  });
});
