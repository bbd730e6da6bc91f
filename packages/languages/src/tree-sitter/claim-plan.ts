import type { GeneratedTest, ParsedSource, SourceTree } from "../adapter.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import type { Clause } from "../micro-contracts/contract.ts";
import type { StructuredClaim } from "../property-tests/claim.ts";
import { withoutTemplate } from "../toolchains/frameworks.ts";
import { expressionCheck } from "./expression.ts";
import type { GrammarId } from "./grammars.ts";
import { parseSource } from "./source.ts";
import { clauseTests, planTests, type ClauseTest, type PlanStyle, type TestPlan } from "./test-plan.ts";

export interface ClaimPlan {
  readonly plan: TestPlan;
  readonly test: ClauseTest;
}

export interface UntestedClaim {
  readonly reason: string;
}

interface Found {
  readonly path: string;
  readonly name: string;
  readonly doc: string | null;
}

const CLAIM_ID = /^[a-z_]+_[0-9]+$/;

/**
 * A claim as a test of the function that it is about; or why there is none. The predicate of a negative claim is what a call needs: a call
 * that breaks it must fail. A predicate without parameters is evaluated once, and for a negative claim that must fail.
 */
export function planClaim(style: PlanStyle, files: RegExp, tree: SourceTree, claim: StructuredClaim): ClaimPlan | UntestedClaim {
  const obstacle = claimObstacle(style.grammar.id, claim);
  if (obstacle !== null) return { reason: obstacle };
  const planned = planFunctionClaim(style, files, tree, claim);
  if (claim.test === undefined || !("reason" in planned)) return planned;
  return { reason: `there is no template for its executable part, and ${planned.reason}` };
}

/** Why a claim cannot be tested, whatever it is about; null if nothing is in the way. */
export function claimObstacle(language: GrammarId, claim: StructuredClaim): string | null {
  if (!CLAIM_ID.test(claim.id)) return "the id of the claim is not like balance_001";
  if (!claim.testable) return "the claim is not testable";
  if (claim.requires_mocking.length > 0) return `it needs a mock of ${claim.requires_mocking.join(", ")}`;
  return withoutTemplate(language, claim.type);
}

function planFunctionClaim(style: PlanStyle, files: RegExp, tree: SourceTree, claim: StructuredClaim): ClaimPlan | UntestedClaim {
  const sources = Object.entries(tree).flatMap(([path, text]) => (files.test(path) ? parsed(style, path, text) : []));
  const subject = functionFor(sources, claim.subject);
  if (subject === null) return { reason: `there is no function ${claim.subject}` };
  const kind = claim.type === "behavioral" ? "ENSURES" : claim.type === "negative" ? "REQUIRES" : "INVARIANT";
  const own = parseContract(subject.doc ?? "", 1, null).clauses.filter(isRequirement);
  const clause: Clause = { kind, predicate: claim.predicate, line: 1 };
  const place = { path: subject.path, function: subject.name };
  const plan = planTests(style, tree, place, { clauses: claim.type === "negative" ? [clause] : [...own, clause] });
  const last = plan === null ? undefined : clauseTests(plan).find((test) => test.clause.text === `${kind}: ${claim.predicate}`);
  if (plan === null || last === undefined) return { reason: plan?.untested.at(-1)?.reason ?? whyNot(style, claim.predicate) };
  const named = { ...last.clause, label: `claim_${claim.id}`, text: `${claim.id}: ${claim.text}`.replaceAll(/\s+/g, " ") };
  const names = [...plan.source.parameters.map(({ name }) => name.replace(/^\*+/, "")), "result", style.receiver ?? ""];
  return { plan, test: { ...last, clause: named, isClosed: !usesAny(last.clause.condition, names) } };
}

function isRequirement(clause: Clause): boolean {
  return clause.kind === "REQUIRES";
}

function parsed(style: PlanStyle, path: string, text: string): { readonly path: string; readonly ast: ParsedSource }[] {
  try {
    return [{ path, ast: parseSource(style.grammar, text) }];
  } catch {
    return [];
  }
}

/** By its full name, otherwise the first with that last part. */
function functionFor(sources: readonly { readonly path: string; readonly ast: ParsedSource }[], subject: string): Found | null {
  const wanted = subject.replaceAll("::", ".").replace(/\(\)$/, "");
  const all = sources.flatMap(({ path, ast }) => ast.functions.map(({ name, doc }) => ({ path, name, doc })));
  return all.find(({ name }) => name === wanted) ?? all.find(({ name }) => name.split(".").at(-1) === wanted) ?? null;
}

function whyNot({ grammar }: PlanStyle, predicate: string): string {
  return expressionCheck(grammar, () => true)(predicate) ?? "its predicate uses names that are neither parameters nor functions";
}

function usesAny(condition: string, names: readonly string[]): boolean {
  return names.some((name) => name !== "" && new RegExp(`(?<![\\w.])${name}\\b`).test(condition));
}

/** The test of a claim, or a file without tests that says why there is none. */
export function claimTestOf(
  claim: StructuredClaim,
  path: string,
  planned: ClaimPlan | UntestedClaim,
  render: (planned: ClaimPlan) => GeneratedTest | null,
): GeneratedTest {
  const isNamed = CLAIM_ID.test(claim.id);
  const made = "reason" in planned || !isNamed ? null : render(planned);
  if (made !== null) return made;
  const reason = "reason" in planned ? planned.reason : "the values of a parameter cannot be generated";
  const place = isNamed ? path : path.replace(claim.id, "unnamed");
  return { path: place, text: "", tests: [], untested: [{ subject: claim.id, reason }] };
}
