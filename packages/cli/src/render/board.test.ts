import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { boardFeature } from "../testing/feature.ts";
import { screenText } from "@slipway/protocols/surface/style";
import { boardLines, type BoardView } from "./board.ts";
import { clip, fit } from "./fit.ts";
import { budgetLines } from "./budget.ts";
import { momentText } from "@slipway/protocols/narration/moment";
import { loadWorkText } from "@slipway/protocols/narration/work-text";
import { waitText } from "./wait.ts";

const workText = await loadWorkText();
const VIEW: BoardView = { columns: 80, lines: 20, color: false, now: 10_000, workText };
const GATE = { mode: "fast", passed: true, current: true, at: 1 };

const FIVE = [
  boardFeature({ id: "currency_format", status: "qa", last_gate: { ...GATE, mode: "full", passed: false }, cost_usd: 0.071 }),
  boardFeature({ id: "discount_codes", last_gate: GATE, cost_usd: 0.05, at_work: { step: "gates:full:qa-1", since: 7_000 } }),
  boardFeature({
    id: "order_archive",
    status: "ready_to_merge",
    locks: ["db_migrations"],
    waits_for: { for: "person", question: "q", number: 7, kind: "approval" },
  }),
  boardFeature({
    id: "stock_rules",
    status: "blocked",
    waits_for: { for: "feature", features: ["discount_codes"], resources: ["src/cart.ts"] },
  }),
  boardFeature({ id: "wishes", status: "waiting", waits_for: { for: "slot" } }),
];

describe("a row for each feature", () => {
  test("at 80 columns: status, last gate, cost, and current step or wait; locks below", () => {
    expect(boardLines(FIVE, VIEW)).toEqual([
      "feature          status          gate       cost    now",
      "currency_format  qa              full fail  $0.07",
      "discount_codes   building        fast pass  $0.05   full gates 3 s",
      "order_archive    ready_to_merge             $0.00   needs you: slipway approve …",
      "stock_rules      blocked                    $0.00   waits for discount_codes (s…",
      "wishes           waiting                    $0.00   waits for a free slot",
      "locks: order_archive holds db_migrations",
    ]);
  });

  test("at 120 columns the locks have their own column, and nothing is cut", () => {
    const lines = boardLines(FIVE, { ...VIEW, columns: 120 });
    expect(lines[3]).toBe("order_archive    ready_to_merge             $0.00   db_migrations  needs you: slipway approve order_archive");
    expect(lines[4]).toBe("stock_rules      blocked                    $0.00                  waits for discount_codes (src/cart.ts)");
    expect(lines).toHaveLength(6);
  });

  test.each([20, 40, 60, 80, 99, 100, 120, 200])("at %i columns no line wraps, however long ids, locks and reasons are", (columns) => {
    const long = boardFeature({
      id: "a".repeat(150),
      status: "blocked",
      reason: "b ".repeat(200),
      locks: ["c".repeat(90), "d".repeat(90)],
    });
    const lines = boardLines([...FIVE, long], { ...VIEW, columns });
    // The fixed columns are the minimum width.
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(columns, 53));
  });

  test("the last column: the current step with its duration, why a feature is blocked or failed, or its merge commit", () => {
    const now = (parts: Parameters<typeof boardFeature>[0]) => boardLines([boardFeature(parts)], VIEW)[1]?.slice(44);
    expect(now({ at_work: { step: "builder:2", since: 9_500 } })).toBe("builder at work");
    expect(now({ at_work: { step: "builder:2", since: 8_000 } })).toBe("builder at work 2 s");
    expect(now({ at_work: { step: "repair", since: 8_000 } })).toBe("repair 2 s");
    expect(now({ status: "failed", reason: "given\nup" })).toBe("given up");
    expect(now({ status: "merged", merged_as: "0123456789abcdef" })).toBe("as 0123456789");
    expect(now({ status: "ready_to_merge", waits_for: { for: "landing" } })).toBe("approved, waits to land");
    expect(now({ status: "ready_to_merge", waits_for: { for: "landing" }, at_work: { step: "merge:1", since: 9_900 } })).toBe("merging");
    expect(now({ status: "planning", reason: "because" })).toBe("");
  });

  test("colour does not change the width of a column", () => {
    const plain = boardLines(FIVE, VIEW);
    const painted = boardLines(FIVE, { ...VIEW, color: true }).map(screenText);
    expect(painted.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(plain);
    expect(painted[1]).toContain("\u001b[31mfull fail\u001b[39m");
    expect(painted[4]).toContain("\u001b[31mblocked");
  });

  test("more features than lines: unfinished ones are shown, the others are counted", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      boardFeature({ id: `f${String(index).padStart(3, "0")}`, status: index === 98 ? "qa" : index < 50 ? "merged" : "waiting" }),
    );
    const lines = boardLines(many, { ...VIEW, lines: 10 });
    expect(lines).toHaveLength(9);
    expect(lines.join("\n")).toContain("f098     qa");
    expect(lines.at(-1)).toBe("… and 93 more");
    expect(boardLines(many, { ...VIEW, lines: 1 })).toHaveLength(3);
  });
});

test.each([
  [{ for: "person", question: "q", number: 7, kind: "approval" }, "needs you: slipway approve letters"],
  [{ for: "person", question: "q", number: 7, kind: "blocked" }, "needs you: slipway answer Q7 (blocked)"],
  [{ for: "feature", features: ["a", "b"], resources: [] }, "waits for a, b"],
  [{ for: "feature", features: ["a"], resources: ["src/\u001b[2Jx"] }, "waits for a (src/\u001b[2Jx)"],
  [{ for: "lock", resources: ["db_migrations"], features: ["a"] }, "waits for the lock db_migrations (a)"],
  [
    { for: "limit", provider: "claude", code: "rate_limited", until: new Date(2026, 0, 2, 14, 5).getTime() },
    "waits for claude's rate limit until 14:05",
  ],
  [
    { for: "limit", provider: "api", code: "quota_exhausted", until: new Date(2026, 0, 2, 4, 5).getTime() },
    "waits for api's quota until 04:05",
  ],
  [{ for: "slot" }, "waits for a free slot"],
  [{ for: "landing" }, "approved, waits to land"],
] as const)("waiting for %j", (wait, text) => {
  expect(waitText("letters", wait)).toBe(text);
});

test("wide and combining characters are measured as a terminal shows them", () => {
  expect(clip("日本語", 6)).toBe("日本語");
  expect(clip("日本語", 5)).toBe("日本…");
  expect(fit("日本", 6)).toBe("日本  ");
  expect(fit("e\u0301", 3)).toBe("e\u0301  ");
  expect(clip("abc", 0)).toBe("");
});

test("a time that is not today has its date", () => {
  const at = new Date(2026, 10, 16, 14, 5).getTime();
  expect([momentText(at, at - 3_600_000), momentText(at, at - 3 * 24 * 3_600_000)]).toEqual(["14:05", "2026-11-16 14:05"]);
});

test("budgets: always the run's own, others when they are nearly used up", () => {
  const line = { run: "r", name: "qa", dimension: "calls", limit: 10, reserved: 0 } as const;
  expect(
    budgetLines([
      { ...line, scope: "run", name: "", dimension: "cost_usd", limit: 5, spent: 1.2, reserved: 0.3 },
      { ...line, scope: "role", spent: 7 },
      { ...line, scope: "feature", name: "letters", spent: 8 },
    ]),
  ).toEqual(["budget of the run: $1.20 of $5.00 spent, $0.30 reserved", "budget of the feature letters: 8 calls of 10 calls spent"]);
});
