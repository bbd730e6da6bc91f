import type { GeneratedTest } from "../adapter.ts";
import type { Predicate } from "../micro-contracts/predicates.ts";
import { oldExpressions, replaceOld } from "../micro-contracts/predicates.ts";
import { nodeIn } from "./ast-nodes.ts";
import { parseExpression, renameThis } from "./expression.ts";
import { argumentTexts, callText, hasReceiver, givenType, type TestedFunction } from "./tested-function.ts";
import { supportOf } from "./test-support.ts";
import { TEST_RUNNERS, type TestRunnerName } from "./test-runners.ts";

export interface TestedClause {
  readonly kind: "REQUIRES" | "ENSURES" | "INVARIANT";
  /** It limits the inputs and has no test of its own. */
  readonly isAssumed: boolean;
  /** As it stands in the contract. */
  readonly text: string;
  /** The name of its test. */
  readonly title: string;
  readonly predicate: Extract<Predicate, { readonly kind: "expression" }>;
}

export interface UnitTestParts {
  readonly tested: TestedFunction;
  /** Where the test is. */
  readonly place: string;
  readonly runner: TestRunnerName;
  readonly clauses: readonly TestedClause[];
  /** An arbitrary of all arguments, within the bounds that preconditions state. */
  readonly given: string;
  /** The same for each precondition, without the bounds that it states itself. */
  readonly breaking: readonly string[];
  readonly imports: readonly string[];
  readonly seed: number;
}

/** The test file. Its own names begin with `$`, because parameters of the function may have any other. */
export function unitTestText(parts: UnitTestParts): Pick<GeneratedTest, "text" | "support"> {
  const { tested, place, runner, clauses, given, breaking, imports, seed } = parts;
  const receiver = hasReceiver(tested) ? ["self"] : [];
  const pattern = `[${[...receiver, ...argumentTexts(tested)].join(", ")}]`;
  const requires = clauses.filter(({ kind }) => kind === "REQUIRES");
  const self = tested.kind === "constructor" ? "result" : "self";
  const assert = assertName([...receiver, ...tested.names]);
  const asserted = clauses.filter(({ isAssumed }) => !isAssumed);
  const body = [
    `const $settings = $settingsOf({ seed: ${seed}, numRuns: 100 });`,
    `const $contract = $contractOf<${givenType(tested)}>({`,
    `  names: ${JSON.stringify([...receiver, ...tested.names])},`,
    `  given: ${given},`,
    requires.length === 0 ? `  requires: [],` : `  requires: [`,
    ...requires.map(({ predicate }, at) => {
      const other = breaking[at] === given || breaking[at] === undefined ? "" : `, breaking: ${breaking[at]}`;
      return `    { holds: (${pattern}) => ${conditionText(predicate, self)}${other} },`;
    }),
    ...(requires.length === 0 ? [] : [`  ],`]),
    `  seed: $settings.seed,`,
    `});`,
    ...asserted.map((clause) => clauseTest(clause, parts, { pattern, self, assert }, requires.indexOf(clause))),
  ].join("\n");
  const { imports: ofSupport, support } = supportOf(place, body);
  const text = [
    `// Tests of ${tested.name} in ${tested.file}, made from its contract. Names with $ belong to the tests, all others to the contract.`,
    `import ${assert} from "node:assert/strict";`,
    `import fc from "fast-check";`,
    TEST_RUNNERS[runner].imports({ clock: false, expect: false }),
    ...imports,
    ...ofSupport,
    ``,
    body,
    ``,
  ].join("\n");
  return { text, support };
}

/** A parameter may be called assert. */
export function assertName(names: readonly string[]): string {
  return names.includes("assert") ? "$assert" : "assert";
}

/** An expression that is truthy if the conclusion holds, or a premise does not. */
export function conditionText({ premises, conclusion }: TestedClause["predicate"], self: string): string {
  const part = (text: string) => renameThis(text, self);
  if (premises.length === 0) return part(conclusion);
  return `${unlessAll(premises.map(part))} || (${part(conclusion)})`;
}

const unlessAll = (conditions: readonly string[]): string =>
  conditions.length === 1 ? `!(${conditions.join("")})` : `!(${conditions.map((one) => `(${one})`).join(" && ")})`;

interface Words {
  /** The arguments as a pattern. */
  readonly pattern: string;
  /** What `this` stands for. */
  readonly self: string;
  readonly assert: string;
}

function clauseTest(clause: TestedClause, parts: UnitTestParts, words: Words, required: number): string {
  const title = JSON.stringify(clause.title);
  const { skip } = TEST_RUNNERS[parts.runner];
  const call = callText(parts.tested);
  if (clause.kind !== "REQUIRES") return propertyTest(clause, title, call, skip, words);
  const condition = clause.text.slice("REQUIRES: ".length);
  return `
test(${title}, async ($context) => {
  if (!$contract.canBreak(${required})) ${skip(`"no generated input breaks this precondition"`)}
  await fc.assert(
    $contract.breaking(${required}, ${JSON.stringify(`an error because ${condition} does not hold`)}, async (${words.pattern}) => {
      const $call = await $outcome(() => ${call});
      if (!$call.threw) ${words.assert}.fail($line($call.result));
    }),
    $settings,
  );
});`;
}

function propertyTest(clause: TestedClause, title: string, call: string, skip: (reason: string) => string, words: Words): string {
  const { pattern, self, assert } = words;
  const { premises, conclusion } = clause.predicate;
  const olds: string[] = [];
  const written = [...premises, conclusion].map((part) =>
    replaceOld(renameThis(part, self), ({ inner }) => {
      olds.push(inner);
      return `$old${olds.length - 1}`;
    }),
  );
  const inTest = written.at(-1) ?? "";
  const got = gotText(conclusion, inTest) ?? (clause.kind === "INVARIANT" ? `$contract.shown(${pattern})` : `"result = " + $line(result)`);
  const usesResult = [...written, got].some((text) => /(?<![\w$]|[^.]\.)result(?![\w$])/.test(text));
  const hasPremise = premises.length > 0;
  const lines = [
    ...olds.map((inner, at) => `const $old${at} = $copy(${inner});`),
    `${usesResult ? "const result = " : ""}await ${call};`,
    ...(hasPremise ? [`if (${unlessAll(written.slice(0, -1))}) return;`, `$reached++;`] : []),
    `if (!(${inTest})) ${assert}.fail(${got});`,
  ];
  return [
    ``,
    `test(${title}, async (${hasPremise ? "$context" : ""}) => {`,
    ...(hasPremise ? [`  let $reached = 0;`] : []),
    `  await fc.assert(`,
    `    $contract.property(${JSON.stringify(clause.text.slice(clause.text.indexOf(" ") + 1))}, async (${pattern}) => {`,
    ...lines.map((line) => `      ${line}`),
    `    }${isKept(clause, self) ? `, (${pattern}) => ${inTest}` : ""}),`,
    `    $settings,`,
    `  );`,
    ...(hasPremise ? [`  if ($reached === 0) ${skip(`"no generated input reaches the premise"`)}`] : []),
    `});`,
  ].join("\n");
}

/** What holds for arguments before the call must still hold after it. */
function isKept({ kind, predicate: { premises, conclusion } }: TestedClause, self: string): boolean {
  const isAboutInputs = oldExpressions(conclusion).length === 0 && !/\bresult\b/.test(conclusion) && self !== "result";
  return kind === "INVARIANT" && premises.length === 0 && isAboutInputs;
}

const COMPARISONS = new Set(["===", "==", "!==", "!=", "<", "<=", ">", ">="]);

/** Both sides of a comparison with their values. Null if the predicate is none. */
function gotText(conclusion: string, written: string): string | null {
  const [asWritten, inTest] = [comparisonSides(conclusion), comparisonSides(written)];
  if (asWritten === null || inTest === null) return null;
  const sides = asWritten.flatMap(({ text, isValue }, at) => (isValue ? [] : [{ text, value: inTest[at]?.text ?? "" }]));
  return sides.map(({ text, value }, at) => `${JSON.stringify(`${at === 0 ? "" : " and "}${text} = `)} + $line(${value})`).join(" + ");
}

function comparisonSides(text: string): { readonly text: string; readonly isValue: boolean }[] | null {
  const parsed = parseExpression(text);
  if ("problem" in parsed || parsed.node.type !== "BinaryExpression" || !COMPARISONS.has(String(parsed.node["operator"]))) return null;
  const offset = "(".length;
  return ["left", "right"].map((side) => {
    const node = nodeIn(parsed.node, side) ?? parsed.node;
    return { text: text.slice(node.start - offset, node.end - offset), isValue: node.type === "Literal" };
  });
}
