import { expect, test } from "vitest";
import { areasOf } from "../change/agent-change.ts";
import { describeCriticality } from "./describe.ts";
import { shortName } from "./steps.ts";

test("[CRI-010] a merged program tells functions, escalations, tested claims and targets that were not met", () => {
  const claims = { a: "pass", b: "untested" };
  const unmet = ["the program: min_test_coverage is not measured, target 0.8"];
  expect(describeCriticality({ status: "merged", commit: "0123456789abcdef", functions: 16, escalations: 1, claims, unmet })).toEqual({
    done: true,
    lines: [
      "The program is merged as 0123456789: 16 functions, 1 escalated, 1 of 2 claims tested.",
      "  target not met: the program: min_test_coverage is not measured, target 0.8",
    ],
  });
});

test("a program that was not merged, and a run that was given up, tell why on one line", () => {
  expect(describeCriticality({ status: "not_merged", reason: "sent\nback" })).toEqual({
    done: false,
    lines: ["The program was not merged: sent back"],
  });
  expect(describeCriticality({ status: "given_up", reason: "Not begun:\nno gates" })).toEqual({
    done: false,
    lines: ["Not begun: no gates"],
  });
});

test("the areas of a change are the top folders and files of the program", () => {
  expect(areasOf(["src/domain/a.ts", "src/b.ts", "package.json", "tests/x.test.ts"])).toEqual(["package.json", "src", "tests"]);
});

test("a function is named by its module and name, a cycle by all of them", () => {
  expect(shortName("src/domain/account.ts#deposit")).toBe("account.deposit");
  expect(shortName("src/a.ts#even+src/a.ts#odd")).toBe("a.even + a.odd");
});
