import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { readBound } from "../property-tests/scaling.ts";
import { CannotGenerate, openArbitraryWriter } from "./arbitraries.ts";
import { scalingTest } from "./performance-template.ts";
import { parameterType } from "./parameters.ts";
import { argumentTexts, findTested, hasReceiver, givenType, type TestedFunction } from "./tested-function.ts";
import { supportOf } from "./test-support.ts";
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
    return { path: place, ...benchmarkText(parts), tests: [title], untested: [] };
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

function benchmarkText({ tested, contract, sized, runner, title, place, bound }: BenchmarkParts): Pick<GeneratedTest, "text" | "support"> {
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
  const allowed = clauses.map(({ predicate }) => `(${conditionText(predicate, "self")})`).join(" && ") || "true";
  const body = [
    `const $input = (n: number) =>`,
    `  $inputOfSize<${givenType(tested)}>(n, ${given}, ${seedOf(title)}, (${pattern}) => ${allowed});`,
    ``,
    scalingTest({
      title,
      skip: TEST_RUNNERS[runner].skip,
      bound,
      target,
      lines: [`const ${pattern} = $input(n);`],
      given: `[${[receiver[0] ?? "undefined", ...argumentTexts(tested)].join(", ")}]`,
      assert: "assert",
    }),
  ].join("\n");
  const { imports: ofSupport, support } = supportOf(place, body);
  const text = [
    `// A benchmark of ${tested.name} in ${tested.file}, made from its contract.`,
    `import assert from "node:assert/strict";`,
    `import fc from "fast-check";`,
    TEST_RUNNERS[runner].imports({ clock: false, expect: false }),
    ...importLines(place, imports),
    ...ofSupport,
    ``,
    body,
    ``,
  ].join("\n");
  return { text, support };
}
