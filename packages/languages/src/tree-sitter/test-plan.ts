import type { GeneratedTest, SourceFunction, SourceTree } from "../adapter.ts";
import type { Clause, MicroContract } from "../micro-contracts/contract.ts";
import { oldExpressions, readPredicate, replaceOld, type Predicate } from "../micro-contracts/predicates.ts";
import { printClause } from "../micro-contracts/print.ts";
import { expressionCheck } from "./expression.ts";
import type { Grammar } from "./grammar.ts";
import { functionNamed, parseSource } from "./source.ts";

type Untested = GeneratedTest["untested"][number];

/** A clause as an expression of the language. */
export interface PlannedClause {
  readonly kind: "REQUIRES" | "ENSURES" | "INVARIANT";
  /** As it stands in the contract. */
  readonly text: string;
  /** `old(x)` is replaced by the name under which its value was kept. */
  readonly condition: string;
  /** Part of the name of its test: `ensures_1`. */
  readonly label: string;
}

export interface TestPlan {
  readonly path: string;
  readonly source: SourceFunction;
  /** The class of a method, or null. */
  readonly owner: string | null;
  /** The name without its class. */
  readonly name: string;
  readonly clauses: readonly PlannedClause[];
  readonly olds: readonly { readonly name: string; readonly expression: string }[];
  readonly untested: readonly Untested[];
  /** Numbers and texts of the clauses, at which behaviour probably changes. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

export interface PlanStyle {
  readonly grammar: Grammar;
  /** The name of the receiver in clauses, such as `self`. */
  readonly receiver: string | null;
  implies(premises: readonly string[], conclusion: string): string;
}

export const braceImplies: PlanStyle["implies"] = (premises, conclusion) =>
  premises.length === 0 ? `(${conclusion})` : `(!(${premises.map((one) => `(${one})`).join(" && ")}) || (${conclusion}))`;

const WORDS = new Set(["True", "False", "None", "true", "false", "null", "nil", "self", "this", "nullptr"]);

/** What can be tested of a function. Null if no clause can. */
export function planTests(
  style: PlanStyle,
  tree: SourceTree,
  place: { path: string; function: string },
  contract: MicroContract,
): TestPlan | null {
  const text = tree[place.path];
  if (text === undefined) return null;
  const ast = parseSource(style.grammar, text);
  const { source } = functionNamed(style.grammar, ast, place.function);
  const parts = source.name.split(".");
  const names = new Set(source.parameters.map(({ name }) => name.replace(/^\*+/, "")));
  const others = new Set(ast.functions.map(({ name }) => name.split(".").at(-1) ?? name));
  const isKnown = (name: string) => names.has(name) || others.has(name) || WORDS.has(name);
  const clauses: PlannedClause[] = [];
  const untested: Untested[] = [];
  const olds: { name: string; expression: string }[] = [];
  for (const clause of contract.clauses) {
    if (!("predicate" in clause)) continue;
    const check = expressionCheck(style.grammar, (name) => isKnown(name) || (name === "result" && clause.kind !== "REQUIRES"));
    const predicate = readPredicate(clause.predicate, check);
    if (predicate.kind === "expression") clauses.push(planned(style, clause, predicate, clauses, olds));
    else if (predicate.kind === "prose") untested.push({ subject: printClause(clause), reason: predicate.reason });
    else if (clause.kind !== "REQUIRES")
      untested.push({ subject: printClause(clause), reason: `the compiler checks it through ${predicate.witness}` });
  }
  if (clauses.length === 0) return null;
  const all = clauses.map(({ condition }) => condition).join(" ");
  return {
    path: place.path,
    source,
    owner: parts.length > 1 ? (parts.at(-2) ?? null) : null,
    name: (parts.at(-1) ?? "").replace(/#\d+$/, ""),
    clauses,
    olds,
    untested,
    numbers: [...new Set(all.match(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g))].slice(0, 12),
    texts: [...new Set(all.match(/"(?:[^"\\\n]|\\.)*"/g))].slice(0, 12),
  };
}

function planned(
  style: PlanStyle,
  clause: Extract<Clause, { readonly predicate: string }>,
  { premises, conclusion }: Extract<Predicate, { readonly kind: "expression" }>,
  earlier: readonly PlannedClause[],
  olds: { name: string; expression: string }[],
): PlannedClause {
  const keep = (part: string) =>
    replaceOld(part, (_, index) => {
      const expression = oldExpressions(part)[index]?.inner ?? "";
      const known = olds.find((old) => old.expression === expression);
      if (known !== undefined) return known.name;
      olds.push({ name: `old_${olds.length + 1}`, expression });
      return `old_${olds.length}`;
    });
  const number = earlier.filter(({ kind }) => kind === clause.kind).length + 1;
  return {
    kind: clause.kind,
    text: printClause(clause),
    condition: style.implies(premises.map(keep), keep(conclusion)),
    label: `${clause.kind.toLowerCase()}_${number}`,
  };
}

export interface ClauseTest {
  readonly clause: PlannedClause;
  /** Conditions that an input must satisfy. */
  readonly given: readonly string[];
  /** For a precondition: the condition that the input must break. */
  readonly broken: string | null;
  /** Whether the condition uses neither parameters nor the result: then nothing is generated and the function is not called. */
  readonly isClosed?: boolean;
}

/** One test for each clause. */
export function clauseTests({ clauses }: TestPlan): ClauseTest[] {
  const requires = clauses.filter(({ kind }) => kind === "REQUIRES");
  return clauses.map((clause) => {
    const isRequired = clause.kind === "REQUIRES";
    const holdsBefore = clause.kind === "INVARIANT" && !/\bresult\b|\bold_\d/.test(clause.condition);
    const given = requires.filter((other) => other !== clause).map(({ condition }) => condition);
    return {
      clause,
      given: holdsBefore ? [...given, clause.condition] : given,
      broken: isRequired ? clause.condition : null,
    };
  });
}

/** The same tests run with the same values every time. */
export function seedFor({ path, source }: TestPlan): number {
  let hash = 0x811c9dc5;
  for (const character of `${path} ${source.name}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash & 0x7fffffff;
}

/** `src/domain/account.py` is `domain_account`. */
export function flatName(path: string): string {
  return path
    .replace(/^src\//, "")
    .replace(/\.\w+$/, "")
    .replaceAll(/\W+/g, "_");
}
