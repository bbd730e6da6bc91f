import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { readBound } from "../property-tests/scaling.ts";
import { CannotGenerate, openArbitraryWriter } from "./arbitraries.ts";
import { scalingTest } from "./performance-template.ts";
import { parameterType } from "./parameters.ts";
import { argumentTexts, findTested, hasReceiver, typeTexts, type TestedFunction } from "./tested-function.ts";
import { VALUE_PRELUDE } from "./test-prelude.ts";
import { runnerOf, TEST_RUNNERS, type TestRunnerName } from "./test-runners.ts";
import { conditionText } from "./unit-test-text.ts";
import { conditionsOf, givenText, importLines, readClauses, seedOf, unitTestPath } from "./unit-test.ts";
import { boundsOf } from "./value-bounds.ts";

export interface ComplexityTestOptions {
  readonly runner?: TestRunnerName;
}

/**
 * A benchmark of the COMPLEXITY clause: the growth of the time with the size of one parameter. Null if the contract has no such clause.
 * A clause that cannot be measured is listed with the reason.
 */
export function complexityTest(
  tree: SourceTree,
  path: string,
  functionName: string,
  contract: MicroContract,
  { runner = runnerOf(tree) }: ComplexityTestOptions = {},
): GeneratedTest | null {
  const clause = contract.clauses.find((one) => one.kind === "COMPLEXITY");
  if (clause?.kind !== "COMPLEXITY") return null;
  const place = unitTestPath(path, functionName).replace("tests/unit/", "tests/benchmark/");
  const subject = `COMPLEXITY: ${clause.bound}`;
  const untested = (reason: string): GeneratedTest => ({ path: place, text: "", tests: [], untested: [{ subject, reason }] });
  const tested = findTested(tree, path, functionName);
  if ("problem" in tested) return untested(tested.problem);
  const read = readBound(clause.bound);
  if (read === null) return untested("the bound cannot be measured");
  const sized = sizedParameter(tested, read.size);
  if (sized === null) return untested("n is not the size of a parameter");
  try {
    const title = `${functionName} ${subject}`;
    const parts = { tested, contract, sized, runner, title, place, bound: read.bound };
    return { path: place, text: benchmarkText(parts), tests: [title], untested: [] };
  } catch (error) {
    if (error instanceof CannotGenerate) return untested(error.message);
    throw error;
  }
}

const SIZED_TYPES = /^(?:readonly\s+\S.*\[\]|.*\[\]|(?:Readonly)?Array<.*>|string|number)$/s;

/** The parameter that `items.length` or `count` names; without a name, the only one that has a size. */
function sizedParameter({ names, parameters, index, file }: TestedFunction, size: string | null): string | null {
  const text = index.tree(file)?.text ?? "";
  const types = parameters.map((parameter) => text.slice(parameterType(parameter).start, parameterType(parameter).end));
  const isSized = (at: number) => SIZED_TYPES.test(types[at] ?? "");
  if (size !== null) {
    const [, name, length] = /^([A-Za-z_$][\w$]*)(\.length)?$/.exec(size.trim()) ?? [];
    const at = names.indexOf(name ?? "");
    return at >= 0 && isSized(at) && (length === undefined) === (types[at] === "number") ? (name ?? null) : null;
  }
  const lists = names.filter((_, at) => isSized(at) && types[at] !== "number");
  return lists.length === 1 ? (lists[0] ?? null) : names.length === 1 && isSized(0) ? (names[0] ?? null) : null;
}

interface BenchmarkParts {
  readonly tested: TestedFunction;
  readonly contract: MicroContract;
  readonly sized: string;
  readonly runner: TestRunnerName;
  readonly title: string;
  readonly place: string;
  readonly bound: string;
}

function benchmarkText({ tested, contract, sized, runner, title, place, bound }: BenchmarkParts): string {
  const { clauses, names } = readClauses(tested, { clauses: contract.clauses.filter(({ kind }) => kind === "REQUIRES") });
  const writer = openArbitraryWriter(tested.index);
  const given = givenText(writer, tested, boundsOf(conditionsOf(clauses)), sized);
  const imports = new Map<string, Set<string>>([...writer.imports].map(([file, all]) => [file, new Set(all)]));
  const needed: [string, Iterable<string>][] = [
    [tested.file, names],
    [tested.declaration.file, [tested.declaration.name]],
  ];
  for (const [file, used] of needed) imports.set(file, new Set([...(imports.get(file) ?? []), ...used]));
  const receiver = hasReceiver(tested) ? ["self"] : [];
  const pattern = `[${[...receiver, ...argumentTexts(tested)].join(", ")}]`;
  const method = tested.name.split(".")[1] ?? "";
  const target = tested.kind === "method" ? `self.${method}` : tested.kind === "static" ? tested.name : tested.declaration.name;
  if (tested.kind === "constructor" || tested.kind === "getter") throw new CannotGenerate("a constructor or a getter is not measured");
  return `${[
    `// Made from the contract of ${tested.name} in ${tested.file}.`,
    `import assert from "node:assert/strict";`,
    `import fc from "fast-check";`,
    TEST_RUNNERS[runner].imports({ clock: false, expect: false }),
    ...importLines(place, imports),
    VALUE_PRELUDE,
    `type $Given = ${typeTexts(tested).given};`,
    `const $isAllowed = (${pattern}: $Given): boolean => ${clauses.map(({ predicate }) => `(${conditionText(predicate, "self")})`).join(" && ") || "true"};`,
    `/** An input of the size that satisfies the preconditions; lists are also tried in order. */`,
    `function $input(n: number): $Given {`,
    `  for (let attempt = 0; attempt < 50; attempt++) {`,
    `    const raw: unknown[] = fc.sample(${given}, { numRuns: 1, seed: ${seedOf(title)} + attempt })[0]!;`,
    `    const ordered = raw.map((one) => (Array.isArray(one) ? [...one].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) : one));`,
    `    for (const one of [raw, ordered]) {`,
    `      const made = $make(one) as $Given;`,
    `      if ($holds(() => $isAllowed(made))) return made;`,
    `    }`,
    `  }`,
    `  return $fail(\`expected an input of size \${n} that satisfies the preconditions, got none\`);`,
    `}`,
    scalingTest({
      title,
      skip: TEST_RUNNERS[runner].skip,
      bound,
      target,
      lines: [`const ${pattern} = $input(n);`],
      given: `[${[receiver[0] ?? "undefined", ...argumentTexts(tested)].join(", ")}]`,
    }),
  ].join("\n")}\n`;
}
