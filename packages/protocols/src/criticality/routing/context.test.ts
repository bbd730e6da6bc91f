import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunksFor, combine, type AuditedFile } from "./chunks.ts";
import { CONTEXT_LIMITS, fitContext, SECTION_PRIORITY, truncate, type ContextSection, type SectionKind } from "./context.ts";

const section = (kind: SectionKind, tokens: number): ContextSection => ({ kind, tokens });
const kinds = (sections: readonly ContextSection[] | null | undefined) => sections?.map(({ kind }) => kind);

test("[CRI-152] input and output of each role", () => {
  const limits = Object.fromEntries(Object.entries(CONTEXT_LIMITS).map(([role, { maxInput, maxOutput }]) => [role, [maxInput, maxOutput]]));
  expect(limits).toEqual({
    worker_model: [16_000, 4_000],
    auditor_model: [128_000, 8_000],
    structurer_model: [200_000, 16_000],
    architect_model: [200_000, 32_000],
  });
});

describe("a prompt that does not fit", () => {
  const fit = (...sections: ContextSection[]) => fitContext("implement", "worker_model", sections);

  test("[CRI-153] what fits stays as it is", () => {
    expect(fit(section("signature", 16_000))).toMatchObject({ as: "is", role: "worker_model" });
  });

  test("[CRI-153] less than a fifth over is cut; a fifth is a larger model's", () => {
    expect(fit(section("signature", 15_000), section("comments", 4_199))).toMatchObject({ as: "truncated", role: "worker_model" });
    expect(fit(section("signature", 15_000), section("comments", 4_200))).toMatchObject({ as: "upgraded", role: "auditor_model" });
  });

  test("[CRI-153] what cannot be cut goes to a larger model, also when it is hardly too long", () => {
    expect(fit(section("signature", 16_001))).toMatchObject({ as: "upgraded", role: "auditor_model" });
  });

  test("[CRI-153] the smallest model that takes it; far over is no different", () => {
    expect(fit(section("requiredTypes", 150_000))).toMatchObject({ as: "upgraded", role: "structurer_model" });
  });

  test("[CRI-153] more than every model takes is refused, and the run blocked", () => {
    expect(() => fit(section("signature", 200_001))).toThrow(expect.objectContaining({ code: "context_overflow" }));
    expect(() => fitContext("synthesize", "architect_model", [section("contracts", 240_000)])).toThrow("no model takes more than 200000");
  });
});

describe("truncation", () => {
  const all = (Object.keys(SECTION_PRIORITY) as SectionKind[]).map((kind) => section(kind, 10));

  test("[CRI-154] gives up comments, examples, related and required types, in this order, and no more than needed", () => {
    expect(SECTION_PRIORITY).toEqual({
      comments: 10,
      examples: 30,
      relatedTypes: 40,
      requiredTypes: 80,
      contracts: 90,
      signature: 100,
      systemPrompt: 100,
    });
    const kept = (room: number) => kinds(truncate(all, room));
    expect(kept(70)).toHaveLength(7);
    expect(kept(69)).toEqual(["examples", "relatedTypes", "requiredTypes", "contracts", "signature", "systemPrompt"]);
    expect(kept(50)).toEqual(["relatedTypes", "requiredTypes", "contracts", "signature", "systemPrompt"]);
    expect(kept(40)).toEqual(["requiredTypes", "contracts", "signature", "systemPrompt"]);
    expect(kept(30)).toEqual(["contracts", "signature", "systemPrompt"]);
  });

  test("[CRI-154] never touches system prompt, signature and contracts", () => {
    expect(truncate(all, 29)).toBeNull();
  });
});

describe("an audit in parts", () => {
  const file = (path: string, lines: number, width = 1): AuditedFile => ({
    path,
    lines: Array.from({ length: lines }, () => "x".repeat(width)),
  });
  const options = { role: "worker_model", tokensOf: (text: string) => text.length } as const;

  test("[CRI-155] instead of being refused, when it fits no model; nothing else is", () => {
    expect(fitContext("audit", "auditor_model", [section("contracts", 250_000)])).toMatchObject({ as: "chunked", role: "architect_model" });
    expect(fitContext("audit", "auditor_model", [section("contracts", 190_000)])).toMatchObject({ as: "upgraded" });
    expect(() => chunksFor("implement", [file("a", 1)], options)).toThrow("cannot be split into parts");
  });

  test("[CRI-155] whole files together up to 80 % of the limit", () => {
    // 12,800 tokens a chunk; a file of 2,000 lines has 3,999 with its line breaks.
    const files = ["a", "b", "c", "d"].map((path) => file(path, 2000));
    expect(chunksFor("audit", files, options).map((chunk) => chunk.map(({ path }) => path))).toEqual([["a", "b", "c"], ["d"]]);
    expect(chunksFor("audit", [], options)).toEqual([]);
  });

  test("[CRI-155] a file that is too long by itself in pieces that overlap by ten lines", () => {
    const chunks = chunksFor("audit", [file("small", 5), file("long", 200, 100), file("last", 5)], options);
    expect(chunks.map((chunk) => chunk.map(({ path, from, to }) => `${path} ${from}-${to}`))).toEqual([
      ["small 1-5"],
      ["long 1-128"],
      ["long 119-200"],
      ["last 1-5"],
    ]);
    const [, , second] = chunksFor("audit", [file("small", 5), file("long", 200, 100)], { ...options, overlapLines: 0 });
    expect(second).toEqual([{ path: "long", from: 129, to: 200 }]);
  });

  test("[CRI-155] however long the lines are, every one is in some part, and it ends", () => {
    const lines = fc.array(fc.nat(14_000), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 4 }), fc.nat(20), (files, overlapLines) => {
        const audited = files.map((widths, index) => ({ path: `f${index}`, lines: widths.map((width) => "x".repeat(width)) }));
        const seen = chunksFor("audit", audited, { ...options, overlapLines }).flat();
        for (const { path, lines: all } of audited)
          for (let number = 1; number <= all.length; number++)
            expect(seen.some((piece) => piece.path === path && piece.from <= number && number <= piece.to)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("[CRI-155] all must pass, or any flag counts", () => {
    const verdicts = [
      { passed: true, flags: ["slow"] },
      { passed: true, flags: [] },
    ];
    expect(combine(verdicts, "all_must_pass")).toEqual({ passed: true, flags: ["slow"] });
    expect(combine(verdicts, "any_flags")).toEqual({ passed: false, flags: ["slow"] });
    expect(combine([{ passed: false, flags: [] }], "all_must_pass").passed).toBe(false);
  });
});
