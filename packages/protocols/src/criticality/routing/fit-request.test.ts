import { describe, expect, test } from "vitest";
import type { PackItem } from "@slipway/agents/pack";
import { fitRequest, type FittedPrompt } from "./fit-request.ts";

const item = (kind: string, tokens: number): PackItem => ({ title: "", kind, text: "x".repeat(tokens * 4) });
const kinds = ({ parts }: ReturnType<typeof fitRequest>) => parts.map((part) => part.map(({ kind }) => kind));

const PATTERN: FittedPrompt = {
  skill: "apply_pattern",
  alias: "worker_model",
  artifacts: [item("code", 1_000), item("definitions", 1_000)],
};

describe("the prompt of a request", () => {
  test("[CRI-153] within the limits is asked as it is", () => {
    const fit = fitRequest(PATTERN);
    expect(fit.alias).toBe("worker_model");
    expect(fit.parts).toHaveLength(1);
    expect(fit.parts[0]).toBe(PATTERN.artifacts);
  });

  test("[CRI-154] that is a little too long loses definitions of types first, and never the code", () => {
    const fit = fitRequest({ ...PATTERN, artifacts: [item("code", 15_000), item("definitions", 2_000), item("contract", 10)] });
    expect([fit.alias, kinds(fit)]).toEqual(["worker_model", [["code", "contract"]]]);
  });

  test("[CRI-154] loses no more than needed, in the order of its cuts", () => {
    const whole = [item("function", 17_000)];
    const cuts = [
      { kind: "relatedTypes", artifacts: [item("shorter", 15_000)] },
      { kind: "requiredTypes", artifacts: [item("shortest", 2_000)] },
    ] as const;
    expect(kinds(fitRequest({ skill: "implement_atomic", alias: "worker_model", artifacts: whole, cuts }))).toEqual([["shorter"]]);
  });

  test("[CRI-153] that is far too long goes to a larger model that may use the skill", () => {
    const long = [item("code", 30_000), item("definitions", 1_000)];
    expect(fitRequest({ ...PATTERN, artifacts: long })).toEqual({ alias: "architect_model", parts: [long] });
    expect(fitRequest({ ...PATTERN, skill: "implement_atomic", artifacts: long }).alias).toBe("structurer_model");
  });

  test("[CRI-153] that no model takes is refused", () => {
    const huge = (skill: FittedPrompt["skill"], alias: FittedPrompt["alias"]) => () =>
      fitRequest({ skill, alias, artifacts: [item("spec", 201_000)] });
    const overflow = expect.objectContaining({ code: "context_overflow" }) as Error;
    expect(huge("scaffold_module", "structurer_model")).toThrow(overflow);
    expect(huge("implement_atomic", "worker_model")).toThrow(overflow);
    // An audit that cannot be split.
    expect(huge("audit_proposal", "auditor_model")).toThrow(overflow);
  });
});

describe("an audit that fits no model", () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(400, "."));
  const files = ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, lines }));
  const audit = (constraints: number): FittedPrompt => ({
    skill: "audit_composition",
    alias: "auditor_model",
    artifacts: [
      item("constraints", constraints),
      { title: "", kind: "contracts", text: files.map((file) => file.lines.join("\n")).join("\n\n") },
    ],
    chunked: { kind: "contracts", files },
  });

  test("[CRI-155] is asked in parts that each have a file and everything else", () => {
    const { alias, parts } = fitRequest(audit(1_000));
    expect([alias, parts.length]).toEqual(["architect_model", 3]);
    for (const part of parts) expect(part).toEqual([audit(1_000).artifacts[0], { title: "", kind: "contracts", text: lines.join("\n") }]);
  });

  test("[CRI-155] is refused if everything else leaves no room", () => {
    expect(() => fitRequest(audit(150_000))).toThrow(expect.objectContaining({ code: "context_overflow" }));
  });
});
