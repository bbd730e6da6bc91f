import type { ClaimType, StructuredClaim } from "../property-tests/claim.ts";
import type { ReadyClaim } from "./claim-parts.ts";
import { performanceTest } from "./performance-template.ts";
import { VALUE_PRELUDE } from "./test-prelude.ts";
import { TEST_RUNNERS, type TestRunnerName } from "./test-runners.ts";

export interface ClaimTestInput {
  readonly claim: StructuredClaim;
  readonly parts: ReadyClaim;
  readonly runner: TestRunnerName;
  readonly title: string;
  readonly imports: readonly string[];
  readonly seed: number;
}

type Template = (input: ClaimTestInput) => string;

/** One template for each type of claim. */
const TEMPLATES: Readonly<Record<ClaimType, Template>> = {
  invariant: (input) => stateTest(input, "invariant"),
  behavioral: flowTest,
  negative: flowTest,
  temporal: (input) => stateTest(input, "temporal"),
  concurrent: concurrentTest,
  performance: performanceTest,
};

export function claimTestText(input: ClaimTestInput): string {
  const { claim, runner, imports, seed } = input;
  const body = TEMPLATES[claim.type](input);
  return `${[
    `// Made from the claim ${claim.id}.`,
    `import assert from "node:assert/strict";`,
    `import fc from "fast-check";`,
    TEST_RUNNERS[runner].imports({ clock: claim.type === "temporal", expect: body.includes("expect(") }),
    ...imports,
    VALUE_PRELUDE,
    `const $seed = ${seed};`,
    REPORT,
    body,
  ].join("\n")}\n`;
}

/** Throws the error of the smallest counterexample, which has the line with what was expected and what came. */
const REPORT = `
async function $report(property: fc.IAsyncProperty<never> | fc.IAsyncProperty<unknown>): Promise<void> {
  const { failed, errorInstance, numRuns } = await fc.check(property as fc.IAsyncProperty<unknown>, { seed: $seed, numRuns: 100, maxSkipsPerRun: 1000 });
  if (failed) throw errorInstance ?? new assert.AssertionError({ message: \`expected 100 inputs that satisfy the conditions, got \${numRuns}\` });
}`;

function setupLines({ parts }: ClaimTestInput): string[] {
  return parts.parts.setup.map(({ name, value }) => `const ${name} = ${value};`);
}

const named = (names: readonly string[], from: string): string[] => (names.length === 0 ? [] : [`const [${names.join(", ")}] = ${from};`]);

/** The type of the made inputs is that of the arbitrary, as far as it is known. */
function inputLines({ inputs }: ReadyClaim): string[] {
  return named(inputs.names, "$make($raw) as $Inputs");
}

function operationsList({ parts }: ClaimTestInput): string {
  const texts = parts.operations.map(({ arbitrary }, at) => `fc.tuple(fc.constant(${at} as const), ${arbitrary})`);
  return texts.length === 1 ? (texts[0] ?? "") : `fc.oneof(${texts.join(", ")})`;
}

/** A tuple type with the names and types of generated values. */
function typeText(inputs: readonly { readonly name: string; readonly type: string }[]): string {
  return `[${inputs.map(({ name, type }) => `${name}: ${type}`).join(", ")}]`;
}

function declarations({ parts }: ClaimTestInput): string[] {
  return [
    `type $Inputs = ${typeText(parts.parts.inputs)};`,
    ...parts.parts.operations.map(({ inputs }, at) => `type $Given${at} = ${typeText(inputs)};`),
    `const $inputs: fc.Arbitrary<unknown[]> = ${parts.inputs.arbitrary};`,
  ];
}

/** Cases of a switch over the number of the operation. Without a condition a call may refuse, and the state must still be right. */
function operationCases({ parts }: ClaimTestInput, indent: string): string {
  return parts.parts.operations
    .map(({ call, when }, at) => {
      const given = named(parts.operations[at]?.names ?? [], `$make($raw) as $Given${at}`);
      const guarded =
        when === null
          ? [`try {`, `  result = await ${call};`, `} catch {`, `  continue;`, `}`]
          : [`if (!(${when})) continue;`, `result = await ${call};`];
      return [`case ${at}: {`, ...[...given, ...guarded, `break;`].map((line) => `  ${line}`), `}`]
        .map((line) => `${indent}${line}`)
        .join("\n");
    })
    .join("\n");
}

/** A sequence of arbitrary operations, and steps of the clock for a temporal claim. The condition is checked after each. */
function stateTest(input: ClaimTestInput, kind: "invariant" | "temporal"): string {
  const { parts, title, runner } = input;
  const { clock } = TEST_RUNNERS[runner];
  const isTemporal = kind === "temporal";
  const steps = `fc.tuple(fc.constant(-1 as const), fc.tuple(fc.constantFrom(${parts.parts.clock_steps_ms.join(", ")})))`;
  const operation = isTemporal ? `fc.oneof(${operationsList(input)}, ${steps})` : operationsList(input);
  const condition = parts.parts.assert ?? "true";
  return `
${declarations(input).join("\n")}
const $operations: fc.Arbitrary<[number, unknown[]][]> = fc.array(${operation} as fc.Arbitrary<[number, unknown[]]>, { maxLength: 30 });
const $calls: readonly string[] = ${JSON.stringify(parts.parts.operations.map(({ call }) => call))};

test(${JSON.stringify(title)}, async () => {
  let $done = 0;
  await $report(fc.asyncProperty($inputs, $operations, async ($raw, $sequence) => {
${isTemporal ? `    ${clock.replace("0")}\n    try {\n` : ""}    ${inputLines(parts).join("\n    ")}
    ${setupLines(input).join("\n    ")}
    const $history: string[] = [];
    let result: unknown;
    const $verify = (): void => {
${isTemporal ? "      const now = Date.now();\n" : ""}      const $passed = ${condition};
      if (!$passed) $fail(\`expected \${${JSON.stringify(condition)}}, got \${$line($passed)} after [\${$history.join(", ")}] with \${$line($raw)}\`);
    };
    $verify();
    for (const [$which, $raw] of $sequence) {
      ${isTemporal ? "const now = Date.now();\n      " : ""}$history.push($which < 0 ? \`\${String($raw)} ms\` : \`\${$calls[$which]} with \${$line($raw)}\`);
      switch ($which) {
${isTemporal ? `        case -1: {\n          ${clock.advance("Number($raw[0])")}\n          break;\n        }\n` : ""}${operationCases(input, "        ")}
      }
      $done += $which < 0 ? 0 : 1;
      void result;
      $verify();
    }
${isTemporal ? `    } finally {\n      ${clock.restore}\n    }\n` : ""}  }));
  if ($done === 0) $fail("expected operations that can be carried out, got none in 100 sequences");
});`;
}

/** The operations in order. The last one of a negative claim must fail. */
function flowTest(input: ClaimTestInput): string {
  const { claim, parts, title, runner } = input;
  const { operations, assert: condition } = parts.parts;
  const isNegative = claim.type === "negative";
  const lines = operations.flatMap(({ call, when }, at) => {
    const given = named(parts.operations[at]?.names ?? [], `$make($given[${at}]) as $Given${at}`);
    const guard = when === null ? [] : [`fc.pre(Boolean(${when}));`];
    if (isNegative && at === operations.length - 1) return [...given, ...guard, TEST_RUNNERS[runner].throws(call)];
    return [...given, ...guard, `results.push(await ${call});`];
  });
  const check =
    condition === null
      ? []
      : [
          `const $passed = ${condition};`,
          `if (!$passed) $fail(\`expected \${${JSON.stringify(condition)}}, got \${$line(results)} with \${$line([$raw, $given])}\`);`,
        ];
  return `
${declarations(input).join("\n")}
const $calls: fc.Arbitrary<unknown[][]> = fc.tuple(${parts.operations.map(({ arbitrary }) => arbitrary).join(", ")});

test(${JSON.stringify(title)}, async () => {
  await $report(fc.asyncProperty($inputs, $calls, async ($raw, $given) => {
    ${[...inputLines(parts), ...setupLines(input), "const results: unknown[] = [];", ...lines, "const result: unknown = results.at(-1);", "void result;", ...check].join("\n    ")}
  }));
});`;
}

/** Calls that run at the same time. The condition is checked after the last has ended. */
function concurrentTest(input: ClaimTestInput): string {
  const { parts, title } = input;
  const condition = parts.parts.assert ?? "true";
  const cases = parts.parts.operations.map(({ call, when }, at) => {
    const given = named(parts.operations[at]?.names ?? [], `$make($raw) as $Given${at}`);
    const guard = when === null ? [] : [`if (!(${when})) return undefined;`];
    return `        if ($which === ${at}) {\n          ${[...given, ...guard, `return ${call};`].join("\n          ")}\n        }`;
  });
  return `
${declarations(input).join("\n")}
const $operations: fc.Arbitrary<[number, unknown[]][]> = fc.array(${operationsList(input)} as fc.Arbitrary<[number, unknown[]]>, { minLength: 2, maxLength: 12 });

test(${JSON.stringify(title)}, async () => {
  let $done = 0;
  await $report(fc.asyncProperty($inputs, $operations, async ($raw, $sequence) => {
    ${[...inputLines(parts), ...setupLines(input)].join("\n    ")}
    const results = await Promise.allSettled(
      $sequence.map(async ([$which, $raw]): Promise<unknown> => {
${cases.join("\n")}
        return undefined;
      }),
    );
    $done += results.filter(({ status }) => status === "fulfilled").length;
    const $passed = ${condition};
    if (!$passed) $fail(\`expected \${${JSON.stringify(condition)}}, got \${$line($passed)} after \${$sequence.length} calls at the same time with \${$line([$raw, $sequence])}\`);
  }));
  if ($done === 0) $fail("expected calls that succeed, got none");
});`;
}
