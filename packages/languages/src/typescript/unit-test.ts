import { posix } from "node:path";
import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { Clause, MicroContract } from "../micro-contracts/contract.ts";
import { readPredicate, type Predicate } from "../micro-contracts/predicates.ts";
import { printClause } from "../micro-contracts/print.ts";
import { CannotGenerate, instantiate, openArbitraryWriter, type ArbitraryWriter } from "./arbitraries.ts";
import { classArbitrary, writeParameter } from "./built-arbitraries.ts";
import { literalsOf } from "./contract-literals.ts";
import { parseExpression, PLAIN_GLOBALS } from "./expression.ts";
import { isRestParameter } from "./parameters.ts";
import { findTested, hasReceiver, type TestedFunction } from "./tested-function.ts";
import { runnerOf, type TestRunnerName } from "./test-runners.ts";
import { boundsOf, type BoundsByPath } from "./value-bounds.ts";
import { unitTestText, type TestedClause } from "./unit-test-text.ts";

export interface UnitTestOptions {
  /** By default the runner of the project. */
  readonly runner?: TestRunnerName;
  /** Where the file is, if not at the place for unit tests. */
  readonly path?: string;
  /** The only clause to test, under a title of its own; the others are preconditions. */
  readonly only?: Clause;
  readonly title?: string;
}

type Untested = GeneratedTest["untested"][number];
type PredicateClause = Extract<Clause, { readonly predicate: string }>;

/** `src/domain/account.ts` and `deposit` give `tests/unit/domain/account/deposit.test.ts`. */
export function unitTestPath(path: string, functionName: string): string {
  return `tests/unit/${path.replace(/^src\//, "").replace(/\.[cm]?ts$/, "")}/${functionName}.test.ts`;
}

/**
 * Tests of one function from its contract: a property for each ENSURES and INVARIANT, a test that a call throws for each REQUIRES that is
 * checked at run time. Null if no clause can be tested. The body of the function is not read.
 */
export function unitTest(
  tree: SourceTree,
  path: string,
  functionName: string,
  contract: MicroContract,
  { runner = runnerOf(tree), path: place = unitTestPath(path, functionName), only, title }: UnitTestOptions = {},
): GeneratedTest | null {
  const tested = findTested(tree, path, functionName);
  if ("problem" in tested) return null;
  const { clauses, untested, names } = readClauses(tested, contract, title === undefined ? null : (only ?? null), title ?? "");
  const testable = clauses.filter(({ isAssumed }) => !isAssumed);
  if (testable.length === 0) return null;
  const parts = clauses.flatMap(({ predicate }) => [...predicate.premises, predicate.conclusion]);
  const writer = openArbitraryWriter(tested.index, literalsOf(parts));
  try {
    const given = givenText(
      writer,
      tested,
      boundsOf(conditionsOf(clauses), () => null),
    );
    const breaking = clauses
      .filter(({ kind }) => kind === "REQUIRES")
      .map((broken) =>
        givenText(
          writer,
          tested,
          boundsOf(conditionsOf(clauses.filter((clause) => clause !== broken)), () => null),
        ),
      );
    const imports = new Map(writer.imports);
    for (const [file, used] of [[path, names] as const, [tested.declaration.file, new Set([tested.declaration.name])] as const])
      imports.set(file, new Set([...(imports.get(file) ?? []), ...used]));
    const made = unitTestText({
      tested,
      place,
      runner,
      clauses,
      given,
      breaking,
      imports: importLines(place, imports),
      seed: seedOf(`${path} ${functionName}`),
    });
    return { path: place, ...made, tests: testable.map(({ title }) => title), untested };
  } catch (error) {
    if (error instanceof CannotGenerate) return null;
    throw error;
  }
}

/** Why a contract has clauses without a test. For a function without any test, the reason of each clause. */
export function untestedClauses(tree: SourceTree, path: string, functionName: string, contract: MicroContract): readonly Untested[] {
  const made = unitTest(tree, path, functionName, contract);
  if (made !== null) return made.untested;
  const tested = findTested(tree, path, functionName);
  if ("problem" in tested)
    return contract.clauses.filter(isPredicate).map((clause) => ({ subject: printClause(clause), reason: tested.problem }));
  const { clauses, untested } = readClauses(tested, contract);
  const writer = openArbitraryWriter(tested.index);
  try {
    givenText(writer, tested, new Map());
    return untested;
  } catch (error) {
    if (!(error instanceof CannotGenerate)) throw error;
    return [...untested, ...clauses.map(({ text }) => ({ subject: text, reason: error.message }))];
  }
}

const isPredicate = (clause: Clause): clause is PredicateClause => "predicate" in clause;

export function readClauses(tested: TestedFunction, { clauses: all }: MicroContract, only: Clause | null = null, onlyTitle = "") {
  const clauses: TestedClause[] = [];
  const untested: Untested[] = [];
  const names = new Set<string>();
  const titles = new Map<string, number>();
  for (const clause of all.filter(isPredicate)) {
    const text = printClause(clause);
    const used = new Set<string>();
    const predicate = readPredicate(clause.predicate, (part) => expressionProblem(tested, clause.kind, part, used));
    if (predicate.kind !== "expression") {
      if (predicate.kind === "prose" || clause.kind !== "REQUIRES") untested.push({ subject: text, reason: reasonOf(predicate) });
      continue;
    }
    for (const name of used) names.add(name);
    const count = (titles.get(text) ?? 0) + 1;
    titles.set(text, count);
    const title = only === clause ? onlyTitle : `${tested.name} ${text}${count === 1 ? "" : ` (${count})`}`;
    clauses.push({ kind: clause.kind, text, title, predicate, isAssumed: only !== null && only !== clause });
  }
  return { clauses, untested, names };
}

function reasonOf(predicate: Exclude<Predicate, { readonly kind: "expression" }>): string {
  return predicate.kind === "prose" ? predicate.reason : `the compiler checks it through ${predicate.witness}`;
}

/** `result` and `old` are known after the call only. */
function expressionProblem(tested: TestedFunction, kind: Clause["kind"], text: string, used: Set<string>): string | null {
  const parsed = parseExpression(text);
  if ("problem" in parsed) return parsed.problem;
  for (const name of parsed.names) {
    if (name === "result" && kind === "REQUIRES") return "a precondition cannot use result";
    if (name === "result" || PLAIN_GLOBALS.has(name) || tested.names.includes(name)) continue;
    if ((name === "this" || name === "self") && (hasReceiver(tested) || tested.kind === "constructor")) continue;
    const found = tested.index.find(tested.file, name);
    if (found === null || !found.isExported || found.file !== tested.file || found.node.type.startsWith("TS"))
      return `${name} is neither a parameter nor an exported name of ${tested.file}`;
    used.add(name);
  }
  return null;
}

export function conditionsOf(clauses: readonly TestedClause[]) {
  const required = clauses.filter(({ kind, predicate }) => kind === "REQUIRES" && predicate.premises.length === 0);
  return required.flatMap(({ predicate }) => {
    const parsed = parseExpression(predicate.conclusion);
    return "problem" in parsed ? [] : [parsed.node];
  });
}

/** `sized` is the parameter whose size is the variable `n`. */
export function givenText(writer: ArbitraryWriter, tested: TestedFunction, bounds: BoundsByPath, sized: string | null = null): string {
  const { declaration, node, file, parameters, names } = tested;
  const ofClass = instantiate(declaration, []);
  const own = instantiate({ ...declaration, node }, []);
  const type = { node, file, parameters: new Map([...ofClass.parameters, ...own.parameters]) };
  const receiver = hasReceiver(tested) ? [classArbitrary(writer, declaration, ofClass)] : [];
  const texts = parameters.map((parameter, at) => writeParameter(writer, parameter, type, bounds, sized === names[at] ? "n" : undefined));
  const tuple = tupleText([...receiver, ...texts]);
  const last = parameters.at(-1);
  return last !== undefined && isRestParameter(last)
    ? `${tuple}.map((all: unknown[]) => [...all.slice(0, -1), ...(all.at(-1) as unknown[])])`
    : tuple;
}

/** Values of parameters with the same type are sometimes equal, which chance alone would not make them. */
export function tupleText(texts: readonly string[]): string {
  const tuple = texts.length < 2 ? `fc.tuple(${texts.join("")})` : `fc.tuple(\n${texts.map((one) => `    ${one},\n`).join("")}  )`;
  const first = texts.map((text) => texts.indexOf(text));
  return first.every((at, index) => at === index) ? tuple : `$alike(${tuple}, [${first.join(", ")}])`;
}

/** `type Amount` is the name of a type. */
export function importLines(place: string, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...imports]
    .filter(([, names]) => names.size > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names]) => {
      const all = [...names].toSorted();
      const isTypes = all.every((name) => name.startsWith("type "));
      const listed = isTypes ? all.map((name) => name.slice("type ".length)) : all;
      return `import ${isTypes ? "type " : ""}{ ${listed.join(", ")} } from ${JSON.stringify(posix.relative(posix.dirname(place), file))};`;
    });
}

/** The same tests run with the same values every time. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash & 0x7fffffff;
}
