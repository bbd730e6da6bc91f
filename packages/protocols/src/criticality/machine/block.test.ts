import { decisionDraft } from "@slipway/kernel/record/decisions/decision";
import { describe, expect, test } from "vitest";
import { BLOCK_OPTIONS } from "./block-options.ts";
import { blockReasonSchema, humanQuerySchema, type BlockReason } from "./block.ts";
import { blockReason } from "./reason.ts";
import { queryOf, resolveBlock } from "./resolve-block.ts";
import { failure, REASONS } from "./testing/arbitraries.ts";

const reasons = Object.values(REASONS).map((reason) => [reason.type, reason] as const);
const blocked = (reason: BlockReason) => ({ reason, query: queryOf(reason, 1), priorPhase: "injection" });

describe("reasons", () => {
  test("[CRI-128] there are nine, each with its own data", () => {
    expect(Object.keys(REASONS).toSorted()).toEqual(
      [
        "archive_failure",
        "canonical_conflict",
        "circuit_breaker",
        "context_overflow",
        "provider_unavailable",
        "security_review",
        "structural_defect",
        "unresolved_contradiction",
        "user_requested",
      ].toSorted(),
    );
    for (const [, reason] of reasons) {
      expect(blockReasonSchema.parse(reason)).toEqual(reason);
      expect(blockReasonSchema.safeParse({ type: reason.type }).success).toBe(false);
    }
    expect(blockReasonSchema.safeParse({ type: "bored", message: "m" }).success).toBe(false);
    expect(blockReasonSchema.safeParse({ type: "canonical_conflict", decisions: ["d001"] }).success).toBe(false);
  });

  test.each(reasons)("%s can be told from the state alone", (type) => {
    expect(blockReasonSchema.parse(blockReason(type, {}, null)).type).toBe(type);
  });

  test("a failed function that a person passed over is named when nothing else is left", () => {
    const functions = { remaining: [], completed: [], failed: ["b"], holes: 1, breaker: null };
    expect(blockReason("circuit_breaker", { functions }, null)).toMatchObject({ failedFunction: "b", defect: { functions: ["b"] } });
  });
});

describe("questions", () => {
  test.each(reasons)("[CRI-129] %s: a blocking question with options and their implications", (type, reason) => {
    const query = queryOf(reason, 7);
    expect(humanQuerySchema.parse(query)).toEqual(query);
    expect(query).toMatchObject({ id: `${type}_007`, severity: "blocking", category: type });
    expect(query.question).not.toBe("");
    for (const { id, label, implications } of query.options) {
      expect(id).toMatch(/^[a-z_]+$/);
      expect(label).not.toBe("");
      expect(implications.length).toBeGreaterThan(0);
    }
    expect(new Set(query.options.map(({ id }) => id)).size).toBe(query.options.length);
  });

  test("[CRI-129] a canonical conflict offers either, a hybrid and an explanation, and shows both decisions", () => {
    const query = queryOf(REASONS.canonical_conflict, 1, { d001: "cache for 5 minutes", d002: "always current" });
    expect(query.options.map(({ id }) => id)).toEqual(["keep_a", "keep_b", "hybrid", "clarify"]);
    expect(query.question).toContain("[A] cache for 5 minutes [d001]\n[B] always current [d002]");
    expect(queryOf(REASONS.canonical_conflict, 1).question).toContain("[d001]");
  });

  test("[CRI-064] an exhausted function can be tried again, passed over, or returned to Lattice", () => {
    expect(queryOf(REASONS.circuit_breaker, 1).options.map(({ id }) => id)).toEqual([
      "retry_function",
      "continue_others",
      "return_to_lattice",
      "give_up",
    ]);
  });

  test("[CRI-113] the question of an exhausted function shows the failing tests or the violation", () => {
    const attempt = { functionId: "a", currentTier: "fallback2", attemptInTier: 1, totalAttempts: 3 } as const;
    const reason = REASONS.circuit_breaker as Extract<BlockReason, { type: "circuit_breaker" }>;
    const asked = (last: typeof failure) => queryOf({ ...reason, attempts: [{ ...attempt, failure: last }] }, 1).question;
    expect(asked(failure)).toContain("- empty: expected 1, got 2");
    expect(asked({ type: "semantic", violation: "PURITY: pure" })).toContain("- PURITY: pure");
    expect(asked({ type: "type", compilerError: "TS1" })).toBe("a failed in 1 attempts (syntax).\nWhat should happen to it?");
  });
});

describe("answers", () => {
  const keptBy = (option: string, text?: string) => resolveBlock(blocked(REASONS.canonical_conflict), { option, text });

  test("[CRI-131] keeping one decision supersedes the other; a hybrid supersedes both by what the person wrote", () => {
    expect(keptBy("keep_a")).toMatchObject({ supersedes: ["d002"], resumeAt: "injection", ledgerEntry: { dependencies: ["d001"] } });
    expect(keptBy("keep_b")).toMatchObject({ supersedes: ["d001"], ledgerEntry: { dependencies: ["d002"] } });
    expect(keptBy("hybrid", " cache for 30 seconds\0 ")).toMatchObject({
      supersedes: ["d001", "d002"],
      ledgerEntry: { constraint: "cache for 30 seconds", user_notes: "cache for 30 seconds" },
    });
    expect(keptBy("clarify", "it depends")).toMatchObject({
      supersedes: [],
      resumeAt: "ignition",
      ledgerEntry: { user_notes: "it depends" },
    });
  });

  test.each(reasons)("[CRI-131] every answer to %s is a ledger entry of the user, and resumes where its option says", (_, reason) => {
    for (const { id, resumeAt } of BLOCK_OPTIONS[reason.type]) {
      const resolution = resolveBlock(blocked(reason), { option: id });
      expect(decisionDraft.parse(resolution?.ledgerEntry)).toMatchObject({
        source: "user_explicit",
        confidence: "canonical",
        phase: "injection",
        contradiction_resolved: `${reason.type}_001`,
      });
      expect(resolution?.resumeAt).toBe(resumeAt === "prior" ? "injection" : resumeAt);
    }
  });

  test("an answer that the question does not offer resolves nothing", () => {
    expect(keptBy("give_up")).toBeNull();
    expect(keptBy("")).toBeNull();
  });
});
