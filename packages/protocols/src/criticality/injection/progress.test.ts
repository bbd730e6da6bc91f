import { HOLE } from "@slipway/languages/typescript/source/hole";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { describe, expect, test } from "vitest";
import { holesIn, type Lattice } from "../lattice/lattice.ts";
import type { AttemptRecord, BatchOutcome } from "./inject-batch.ts";
import { commitOutcome, injectedIds, reopenFunctions, startInjection } from "./progress.ts";

const language = typescriptAdapter();
const RATES = { module_escalation_rate: 0.2, phase_failure_rate: 0.1 };
const PATH = "src/domain/a.ts";

/** A module of that many holes. */
function latticeOf(count: number): Lattice {
  const names = Array.from({ length: count }, (_, index) => `f${index}`);
  const text = names.map((name) => `export function ${name}(): number {\n  ${HOLE}\n}\n`).join("\n");
  const functions = names.map((name) => ({
    id: `${PATH}#${name}`,
    path: PATH,
    name,
    signature: `function ${name}(): number`,
    contract: { clauses: [] },
    calls: [],
  }));
  return { tree: { [PATH]: text }, functions, witnesses: [] };
}

const attempt = (change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  functionId: `${PATH}#f0`,
  currentTier: "worker",
  attemptInTier: 1,
  totalAttempts: 1,
  digest: "d",
  failure: null,
  action: null,
  ...change,
});

function accepted(name: string, body = "return 1;", attempts = [attempt()]): BatchOutcome {
  return { batch: [`${PATH}#${name}`], attempts, bodies: { [`${PATH}#${name}`]: body }, ended: null };
}

const exhausted = (name: string): BatchOutcome => ({
  batch: [`${PATH}#${name}`],
  attempts: [attempt({ failure: { type: "type", compilerError: "no" }, action: { type: "circuitBreak", humanReview: false } })],
  bodies: null,
  ended: { type: "circuitBreak", humanReview: false },
});

describe("how far injection is", () => {
  test("[CRI-008] it begins with every function a hole", () => {
    const lattice = latticeOf(3);
    expect(holesIn(startInjection(lattice, 1).tree, language)).toEqual(lattice.functions.map(({ id }) => id));
  });

  test("[CRI-056] an accepted body takes the place of its hole, and every other byte stays", () => {
    const lattice = latticeOf(2);
    const { progress } = commitOutcome(startInjection(lattice, 1), accepted("f1", "return 41;"), RATES, language);
    expect(progress.tree[PATH]).toBe((lattice.tree[PATH] ?? "").replace(/(f1\(\): number \{\n {2}).*/, "$1return 41;"));
    expect([...injectedIds(progress)]).toEqual([`${PATH}#f1`]);
  });

  test("[CRI-003] a discarded body leaves the tree as it was", () => {
    const before = startInjection(latticeOf(11), 1);
    const { progress } = commitOutcome(before, exhausted("f3"), RATES, language);
    expect(progress.tree).toBe(before.tree);
    expect(progress.records.find(({ id }) => id.endsWith("#f3"))).toMatchObject({ failed: true, failureTypes: ["type"] });
  });

  test("[CRI-066] the denominator of a rate is every function of the lattice, not those tried so far", () => {
    const escalating = accepted("f0", "return 1;", [attempt(), attempt({ currentTier: "fallback1", totalAttempts: 2 })]);
    const tripped = (count: number) => commitOutcome(startInjection(latticeOf(count), 1), escalating, RATES, language).tripped;
    expect(tripped(5)).toBeNull();
    expect(tripped(4)).toMatchObject({ condition: "module_escalation_rate", rate: 0.25, functions: [`${PATH}#f0`] });
  });

  test("[CRI-066] the breakers are evaluated after every outcome", () => {
    const first = commitOutcome(startInjection(latticeOf(11), 1), exhausted("f0"), RATES, language);
    const second = commitOutcome(first.progress, exhausted("f1"), RATES, language);
    expect([first.tripped, second.tripped?.condition]).toEqual([null, "phase_failure_rate"]);
  });

  test("a function whose first tier is not the worker has not escalated", () => {
    const { progress } = commitOutcome(
      startInjection(latticeOf(1), 1),
      accepted("f0", "return 1;", [attempt({ currentTier: "fallback1" })]),
      RATES,
      language,
    );
    expect(progress.records[0]?.escalated).toBe(false);
  });

  test("[CRI-072] functions that are opened again are holes, and their old bodies are nowhere", () => {
    const lattice = latticeOf(2);
    const first = commitOutcome(startInjection(lattice, 1), accepted("f0", "return 101;"), RATES, language).progress;
    const both = commitOutcome(first, accepted("f1", "return 102;"), RATES, language).progress;
    const reopened = reopenFunctions(both, [`${PATH}#f0`], language, 2);
    expect(holesIn(reopened.tree, language)).toEqual([`${PATH}#f0`]);
    expect(JSON.stringify(reopened)).not.toContain("return 101;");
    expect(reopened.bodies).toEqual({ [`${PATH}#f1`]: "return 102;" });
    expect(reopened.visit).toBe(2);
  });
});
