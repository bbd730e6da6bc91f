import { SlipwayError } from "./errors.ts";
import { toFailure } from "@slipway/durable/errors";
import { expect, test } from "vitest";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { runResult } from "./run-result.ts";

test.each([
  ["factory", { status: "given_up", reason: "no page to build" }, "no page to build"],
  ["factory", { status: "nothing_built" }, "there is nothing to release"],
  ["factory-late-change", { status: "not_changed", exception_id: "ICE-1", reason: "no" }, "No agreement on ICE-1"],
  ["features", [{ feature_id: "f", status: "failed", landing: null }], "f ended failed"],
])("a completed run of %s that did not deliver ends with exit code 3 and its reason", async (workflow, value, words) => {
  const { code, lines } = await runResult("r", workflow, { status: "completed", value }, []);
  expect(code).toBe(EXIT.failed);
  expect(lines.join("\n")).toContain(words);
});

test("a run that delivered ends with 0", async () => {
  const landing = { base_branch: "main", commit: "0123456789abcdef" };
  const { code, lines } = await runResult(
    "r",
    "features",
    { status: "completed", value: [{ feature_id: "f", status: "merged", landing }] },
    [],
  );
  expect({ code, lines }).toEqual({ code: EXIT.done, lines: ["f is merged into main as 0123456789."] });
});

test("a run that waits ends with 23 and the command for each question", async () => {
  const next = [{ title: "Merge f?", command: "slipway approve f" }];
  const { code, lines } = await runResult("r", "features", { status: "waiting", questions: [] }, next);
  expect(code).toBe(EXIT.personNeeded);
  expect(lines.join("\n")).toContain("Merge f?\n    slipway approve f");
});

test("a run of a workflow that this program does not have is refused", async () => {
  await expect(runResult("r", "unknown", { status: "completed", value: null }, [])).rejects.toMatchObject({ code: "workflow_unknown" });
});

test.each([
  [
    "stopped",
    { status: "stopped", reason: "stopped by kim" } as const,
    EXIT.personNeeded,
    "Run r is stopped (stopped by kim). Nothing is lost",
  ],
  ["cancelled", { status: "cancelled", reason: "not needed" } as const, EXIT.failed, "Run r was cancelled: not needed"],
  [
    "failed",
    {
      status: "failed",
      failure: toFailure(new SlipwayError("step_failed", "no", { suggested_next_actions: ["slipway journal verify"] })),
    } as const,
    EXIT.failed,
    "Run r failed: step_failed: no\n  next: slipway journal verify",
  ],
])("a run that is %s ends with that line and its own exit code", async (_how, outcome, expected, words) => {
  const { code, lines } = await runResult("r", "features", outcome, []);
  expect(code).toBe(expected);
  expect(lines.join("\n")).toContain(words);
});
