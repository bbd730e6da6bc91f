import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

const catalog = (...args: string[]) => letters().slipway(["criticality", "catalog", ...args]);

test("[CRI-079] slipway criticality catalog lists the smells of each category, with their patterns", async () => {
  const { code, stdout } = await catalog();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^control-flow\n/);
  expect(stdout).toContain("  deep-nesting: early-return, guard-clause\n");
  expect(stdout).toContain("  redundant-conversions: no pattern\n");
  const [all = []] = (await catalog("--json")).json<{ category: string }[]>();
  expect(all.map(({ category }) => category)).toEqual(["control-flow", "duplication", "idiom-violation", "dead-weight", "clarity-debt"]);
});

test("[CRI-079] it shows one smell, or one pattern with its risk and checks; another id is refused", async () => {
  const smell = (await catalog("deep-nesting")).stdout;
  expect(smell).toMatch(/^deep-nesting: .* \(control-flow\)\n/);
  expect(smell).toContain("  early-return (risk 2): ");
  expect((await catalog("early-return")).stdout).toContain("  risk 2, verified by compile, unit_tests_target_function: ");
  const { code, stderr } = await catalog("goto");
  expect([code, stderr]).toEqual([2, expect.stringContaining("deep-nesting")]);
});
