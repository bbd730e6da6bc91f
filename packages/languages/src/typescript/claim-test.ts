import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { Clause } from "../micro-contracts/contract.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import type { StructuredClaim } from "../property-tests/claim.ts";
import { claimTestFolder } from "../property-tests/frameworks.ts";
import { readClaimParts } from "./claim-parts.ts";
import { claimTestText } from "./claim-templates.ts";
import { importLines, seedOf, unitTest, untestedClauses } from "./unit-test.ts";
import { runnerOf, type TestRunnerName } from "./test-runners.ts";
import { parseSource } from "./source/parse-source.ts";

const CLAIM_ID = /^[a-z_]+_[0-9]+$/;

export interface ClaimTestOptions {
  readonly runner?: TestRunnerName;
}

/** A test of a claim, from a template. A claim that cannot be tested gives no test and is listed with the reason. */
export function claimTest(tree: SourceTree, claim: StructuredClaim, { runner = runnerOf(tree) }: ClaimTestOptions = {}): GeneratedTest {
  const path = `${claimTestFolder(claim.type)}/${claim.id}.test.ts`;
  const untested = (reason: string): GeneratedTest => ({ path, text: "", tests: [], untested: [{ subject: claim.id, reason }] });
  if (!CLAIM_ID.test(claim.id))
    return { ...untested("the id of the claim is not like balance_001"), path: `${claimTestFolder(claim.type)}/unnamed.test.ts` };
  if (!claim.testable) return untested("the claim is not testable");
  if (claim.test === undefined) return functionClaimTest(tree, claim, path, runner) ?? untested(functionClaimProblem(tree, claim));
  const parts = readClaimParts(tree, claim.type, claim.test);
  if ("problem" in parts) return untested(parts.problem);
  const title = `${claim.id}: ${claim.text.replace(/\s+/g, " ")}`;
  const imports = importLines(path, parts.imports);
  const made = claimTestText({ claim, parts, place: path, runner, title, imports, seed: seedOf(claim.id) });
  return { path, ...made, tests: [title], untested: [] };
}

const CLAUSE_KINDS = { invariant: "INVARIANT", behavioral: "ENSURES", negative: "REQUIRES" } as const;

interface FunctionClaim {
  readonly path: string;
  readonly name: string;
  readonly clause: Clause;
  readonly required: readonly Clause[];
}

/** Without an executable part, the subject is a function and the predicate a condition over its parameters and result. */
function functionClaim(tree: SourceTree, { type, subject, predicate, requires_mocking: mocks }: StructuredClaim): FunctionClaim | string {
  if (type !== "invariant" && type !== "behavioral" && type !== "negative") return `a ${type} claim needs an executable part`;
  if (mocks.length > 0) return `it needs a mock of ${mocks.join(", ")}`;
  const wanted = subject.replace(/\(\)$/, "");
  for (const path of Object.keys(tree).filter((one) => /^src\/.*(?<!\.d)\.ts$/.test(one))) {
    const found = parseSource(tree[path] ?? "").functions.find(({ name }) => name === wanted || name.split(".").at(-1) === wanted);
    if (found === undefined) continue;
    const own = found.doc === null ? [] : parseContract(found.doc, 1, null).clauses;
    const required = type === "negative" ? [] : own.filter(({ kind }) => kind === "REQUIRES");
    return { path, name: found.name, clause: { kind: CLAUSE_KINDS[type], predicate, line: 1 }, required };
  }
  return `there is no function ${subject}`;
}

function functionClaimTest(tree: SourceTree, claim: StructuredClaim, path: string, runner: TestRunnerName): GeneratedTest | null {
  const found = functionClaim(tree, claim);
  if (typeof found === "string") return null;
  const title = `${claim.id}: ${claim.text.replace(/\s+/g, " ")}`;
  const made = unitTest(
    tree,
    found.path,
    found.name,
    { clauses: [...found.required, found.clause] },
    { runner, path, only: found.clause, title },
  );
  return made === null || made.tests.length === 0 ? null : made;
}

function functionClaimProblem(tree: SourceTree, claim: StructuredClaim): string {
  const found = functionClaim(tree, claim);
  if (typeof found === "string") return found;
  return untestedClauses(tree, found.path, found.name, { clauses: [found.clause] })[0]?.reason ?? "its predicate is no expression";
}
