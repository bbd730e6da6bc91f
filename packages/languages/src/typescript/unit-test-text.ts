import type { Predicate } from "../micro-contracts/predicates.ts";
import { oldExpressions, replaceOld } from "../micro-contracts/predicates.ts";
import { nodeIn } from "./ast-nodes.ts";
import { parseExpression, renameThis } from "./expression.ts";
import { argumentTexts, callText, hasReceiver, typeTexts, type TestedFunction } from "./tested-function.ts";
import { CHECK_PRELUDE, VALUE_PRELUDE } from "./test-prelude.ts";
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
export function unitTestText(parts: UnitTestParts): string {
  const { tested, runner, clauses, given, breaking, imports, seed } = parts;
  const { given: givenType, result } = typeTexts(tested);
  const receiver = hasReceiver(tested) ? ["self"] : [];
  const pattern = `[${[...receiver, ...argumentTexts(tested)].join(", ")}]`;
  const requires = clauses.filter(({ kind }) => kind === "REQUIRES");
  const self = tested.kind === "constructor" ? "result" : "self";
  return `${[
    `// Made from the contract of ${tested.name} in ${tested.file}.`,
    `import assert from "node:assert/strict";`,
    `import fc from "fast-check";`,
    TEST_RUNNERS[runner].imports({ clock: false, expect: false }),
    ...imports,
    ``,
    `type $Given = ${givenType};`,
    `type $Result = ${result};`,
    VALUE_PRELUDE,
    `const $seed = ${seed};`,
    `const $given: fc.Arbitrary<unknown[]> = ${given};`,
    `const $breaking: readonly fc.Arbitrary<unknown[]>[] = [${breaking.join(", ")}];`,
    `const $names: readonly string[] = ${JSON.stringify([...receiver, ...tested.names])};`,
    `/** One function for each precondition. */`,
    `const $requires: readonly (($all: $Given) => boolean)[] = [`,
    ...requires.map(({ predicate }) => `  (${pattern}: $Given) => ${conditionText(predicate, self)},`),
    `];`,
    CHECK_PRELUDE,
    ...clauses.filter(({ isAssumed }) => !isAssumed).map((clause) => clauseTest(clause, parts, pattern, requires.indexOf(clause), self)),
  ].join("\n")}\n`;
}

/** A boolean expression: if the premises hold, the conclusion does. */
export function conditionText({ premises, conclusion }: TestedClause["predicate"], self: string): string {
  const part = (text: string) => `(${renameThis(text, self)})`;
  return premises.length === 0 ? `Boolean(${part(conclusion)})` : `!(${premises.map(part).join(" && ")}) || Boolean(${part(conclusion)})`;
}

function clauseTest(clause: TestedClause, parts: UnitTestParts, pattern: string, required: number, self: string): string {
  const title = JSON.stringify(clause.title);
  const { skip } = TEST_RUNNERS[parts.runner];
  const call = callText(parts.tested);
  if (clause.kind === "REQUIRES") {
    const condition = clause.text.slice("REQUIRES: ".length);
    return `
test(${title}, async ($context) => {
  const isWrong = (all: $Given): boolean => $isAllowed(all, ${required}) && !$holds(() => $requires[${required}]!(all));
  if ($countMeant($breaking[${required}]!, isWrong).found === 0) ${skip(`"no generated input breaks this precondition"`)}
  await $report($breaking[${required}]!, isWrong, async (${pattern}, $text) => {
    let result: unknown;
    try {
      result = await ${call};
    } catch {
      return;
    }
    $fail(\`expected an error because \${${JSON.stringify(condition)}} does not hold, got \${$line(result)} with \${$text}\`);
  });
});`;
  }
  return propertyTest(clause, title, { pattern, call, self, skip });
}

interface PropertyParts {
  readonly pattern: string;
  readonly call: string;
  readonly self: string;
  readonly skip: (reason: string) => string;
}

function propertyTest(clause: TestedClause, title: string, { pattern, call, self, skip }: PropertyParts): string {
  const { premises, conclusion } = clause.predicate;
  const olds: string[] = [];
  const written = [...premises, conclusion].map((part) =>
    replaceOld(renameThis(part, self), ({ inner }) => {
      olds.push(inner);
      return `$old${olds.length - 1}`;
    }),
  );
  // What holds for arguments before the call must still hold after it.
  const isKept =
    clause.kind === "INVARIANT" &&
    premises.length === 0 &&
    oldExpressions(conclusion).length === 0 &&
    !/\bresult\b/.test(conclusion) &&
    self !== "result";
  const before = isKept
    ? `, (all) => $isAllowed(all) && $holds(() => (([${pattern.slice(1, -1)}]: $Given) => Boolean(${written.at(-1)}))(all))`
    : "";
  const condition = clause.text.slice(clause.text.indexOf(" ") + 1);
  const got = gotText(conclusion, written.at(-1) ?? "") ?? (clause.kind === "INVARIANT" ? "$shown($all)" : `"result = " + $line(result)`);
  return `
test(${title}, async (${premises.length === 0 ? "" : "$context"}) => {
  const $expected = ${JSON.stringify(condition)};
${premises.length === 0 ? "" : "  let $reached = 0;\n"}  await $check(async ($all, $text) => {
    const ${pattern} = $all;
${olds.map((inner, at) => `    const $old${at} = $copy(${inner});\n`).join("")}    let result: $Result;
    try {
      result = await ${call};
    } catch (error) {
      $fail(\`expected \${$expected}, got \${$line(error)} with \${$text}\`);
    }
    let $passed: unknown;
    try {
${
  premises.length === 0
    ? ""
    : `      if (!(${written
        .slice(0, -1)
        .map((part) => `(${part})`)
        .join(" && ")})) return;\n      $reached++;\n`
}      $passed = ${written.at(-1)};
    } catch (error) {
      $fail(\`expected \${$expected}, got \${$line(error)} with \${$text}\`);
    }
    if (!$passed) $fail(\`expected \${$expected}, got \${${got}} with \${$text}\`);
  }${before});
${premises.length === 0 ? "" : `  if ($reached === 0) ${skip(`"no generated input reaches the premise"`)}\n`}});`;
}

const COMPARISONS = new Set(["===", "==", "!==", "!=", "<", "<=", ">", ">="]);

/** Both sides of a comparison with their values. Null if the predicate is none. */
function gotText(conclusion: string, written: string): string | null {
  const [asWritten, inTest] = [comparisonSides(conclusion), comparisonSides(written)];
  if (asWritten === null || inTest === null) return null;
  const sides = asWritten.flatMap(({ text, isValue }, at) =>
    isValue ? [] : [`${JSON.stringify(`${text} = `)} + $line(${inTest[at]?.text ?? ""})`],
  );
  return sides.join(` + " and " + `);
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
