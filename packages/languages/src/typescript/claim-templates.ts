import type { GeneratedTest } from "../adapter.ts";
import type { ClaimType, StructuredClaim } from "../property-tests/claim.ts";
import type { ReadyClaim } from "./claim-parts.ts";
import { usesName } from "./expression.ts";
import { performanceTest } from "./performance-template.ts";
import { supportOf } from "./test-support.ts";
import { TEST_RUNNERS, type TestRunnerName } from "./test-runners.ts";
import { assertName } from "./unit-test-text.ts";

export interface ClaimTestInput {
  readonly claim: StructuredClaim;
  readonly parts: ReadyClaim;
  /** Where the test is. */
  readonly place: string;
  readonly runner: TestRunnerName;
  readonly title: string;
  readonly imports: readonly string[];
  readonly seed: number;
}

type Template = (input: ClaimTestInput) => string;

/** One template for each type of claim. */
const TEMPLATES: Readonly<Record<ClaimType, Template>> = {
  invariant: (input) => stateTest(input, false),
  behavioral: flowTest,
  negative: flowTest,
  temporal: (input) => stateTest(input, true),
  concurrent: concurrentTest,
  performance: performanceTest,
};

export function claimTestText(input: ClaimTestInput): Pick<GeneratedTest, "text" | "support"> {
  const { claim, place, runner, imports, seed } = input;
  const written = TEMPLATES[claim.type](input);
  const body = written.includes("$settings,") ? `const $settings = $settingsOf({ seed: ${seed}, numRuns: 100 });\n${written}` : written;
  const { imports: ofSupport, support } = supportOf(place, body);
  const text = [
    `// A test of the claim ${claim.id}. Names with $ belong to the test, all others to the claim.`,
    `import ${assertOf(input)} from "node:assert/strict";`,
    ...(/(?<![\w$.])fc\./.test(body) ? [`import fc from "fast-check";`] : []),
    TEST_RUNNERS[runner].imports({ clock: claim.type === "temporal", expect: body.includes("expect(") }),
    ...imports,
    ...ofSupport,
    ``,
    body,
    ``,
  ].join("\n");
  return { text, support };
}

const assertOf = ({ parts: { parts } }: ClaimTestInput): string =>
  assertName([...parts.inputs, ...parts.setup, ...parts.operations.flatMap(({ inputs }) => inputs)].map(({ name }) => name));

/** A variable that an operation gives a new value. */
function setupLines({ parts: { parts } }: ClaimTestInput): string[] {
  const updated = new Set(parts.operations.flatMap(({ update }) => update?.name ?? []));
  return parts.setup.map(
    ({ name, type, value }) => `${updated.has(name) ? "let" : "const"} ${name}${type === undefined ? "" : `: ${type}`} = ${value};`,
  );
}

/** A tuple type with the names and types of generated values. */
function typeText(inputs: readonly { readonly name: string; readonly type: string }[]): string {
  return `[${inputs.map(({ name, type }) => `${name}: ${type}`).join(", ")}]`;
}

const inputsConstant = ({ parts }: ClaimTestInput): string =>
  `const $inputs = $typed<${typeText(parts.parts.inputs)}>(${parts.inputs.arbitrary});`;

const inputPattern = ({ parts: { inputs } }: ClaimTestInput): string => (inputs.names.length === 0 ? "_" : `[${inputs.names.join(", ")}]`);

/** Arbitrary calls of operations, each with its own inputs. */
function stepsConstant({ parts }: ClaimTestInput, more: readonly string[], size: string): string {
  const steps = parts.parts.operations.map(({ call, inputs }, at) => {
    const given = `$typed<${typeText(inputs)}>(${parts.operations[at]?.arbitrary ?? ""})`;
    return `$step(${at}, ${JSON.stringify(call)}, ${given})`;
  });
  const all = [...steps, ...more];
  const one = all.length === 1 ? all.join("") : `fc.oneof(\n${all.map((step) => `    ${step},\n`).join("")}  )`;
  return `const $steps = fc.array(\n  ${one},\n  { ${size} },\n);`;
}

const updateLines = (update: { readonly name: string; readonly value: string } | undefined): string[] =>
  update === undefined ? [] : [`${update.name} = ${update.value};`];

function givenLines({ parts }: ClaimTestInput, at: number, from: string): string[] {
  const names = parts.operations[at]?.names ?? [];
  return names.length === 0 ? [] : [`const [${names.join(", ")}] = ${from};`];
}

const indented = (lines: readonly string[], by: number): string => lines.map((line) => `${" ".repeat(by)}${line}\n`).join("");

/**
 * A sequence of arbitrary operations, and steps of the clock for a temporal claim. The condition is checked after each; one that uses
 * `result` after operations only. Without `when` a call may refuse, and the state must still be right.
 */
function stateTest(input: ClaimTestInput, isTemporal: boolean): string {
  const { parts, title, runner } = input;
  const { clock } = TEST_RUNNERS[runner];
  const condition = parts.parts.assert ?? "true";
  const ofResult = usesName(condition, "result");
  const nowFor = (...texts: string[]) => (isTemporal && texts.some((text) => usesName(text, "now")) ? ["const now = Date.now();"] : []);
  const fails = `if (!(${condition})) ${assertOf(input)}.fail(\`false after [\${$history.join(", ")}]\`);`;
  const cases = parts.parts.operations.map(({ call, when, update }, at) => {
    const needsResult = ofResult || (update !== undefined && usesName(update.value, "result"));
    const refusable = [
      `const $call = await $outcome(() => ${call});`,
      `if ($call.threw) continue;`,
      ...(needsResult ? [`const { result } = $call;`] : []),
    ];
    return [
      ...nowFor(call, when ?? "", update?.value ?? "", ofResult ? condition : ""),
      ...givenLines(input, at, "$step.given"),
      ...(when === null ? [] : [`if (!(${when})) continue;`]),
      `$history.push($step.shown);`,
      ...(when === null ? refusable : [`${needsResult ? "const result = " : ""}await ${call};`]),
      ...updateLines(update),
      `$done++;`,
      ofResult ? fails : `$verify();`,
    ];
  });
  const tick = [`$history.push($step.shown);`, clock.advance("$step.given"), ...(ofResult ? [] : [`$verify();`])];
  const all = [...cases.map((lines, at) => ({ label: at, lines })), ...(isTemporal ? [{ label: -1, lines: tick }] : [])];
  const run =
    all.length === 1
      ? (all[0]?.lines ?? [])
      : [
          `switch ($step.operation) {`,
          ...all.flatMap(({ label, lines }) => [`  case ${label}: {`, ...[...lines, "break;"].map((line) => `    ${line}`), `  }`]),
          `}`,
        ];
  const body = [
    ...nowFor(...parts.parts.setup.map(({ value }) => value)),
    ...setupLines(input),
    `const $history: string[] = [];`,
    ...(ofResult ? [] : [`const $verify = (): void => {`, ...[...nowFor(condition), fails].map((line) => `  ${line}`), `};`, `$verify();`]),
    `for (const $step of $sequence) {`,
    ...run.map((line) => `  ${line}`),
    `}`,
  ];
  const timed = isTemporal
    ? [clock.replace("0"), `try {`, ...body.map((line) => `  ${line}`), `} finally {`, `  ${clock.restore}`, `}`]
    : body;
  const clockStep = isTemporal ? [`$clockStep(${parts.parts.clock_steps_ms.join(", ")})`] : [];
  return `${inputsConstant(input)}
${stepsConstant(input, clockStep, "maxLength: 30")}

test(${JSON.stringify(title)}, async () => {
  let $done = 0;
  await fc.assert(
    $property(${JSON.stringify(condition)}, $inputs, $steps, async (${inputPattern(input)}, $sequence) => {
${indented(timed, 6)}    }),
    $settings,
  );
  ${assertOf(input)}.ok($done > 0, "expected operations that can be carried out, got none in 100 sequences");
});`;
}

/** Operations may have inputs of the same name. */
function scoped(to: string, given: string, at: number, lines: readonly string[]): string[] {
  if (to === "" && given === "") return [...lines];
  return [`${to}await (async (${given}) => {`, ...lines.map((line) => `  ${line}`), `})(${given === "" ? "" : `$calls[${at}]`});`];
}

/** The operations in order. The last one of a negative claim must fail. */
function flowTest(input: ClaimTestInput): string {
  const { claim, parts, title, runner } = input;
  const { operations, assert: condition } = parts.parts;
  const last = operations.length - 1;
  const isNegative = claim.type === "negative";
  const lines = operations.flatMap(({ call, when, update }, at) => {
    const names = parts.operations[at]?.names ?? [];
    const given = names.length === 0 ? "" : `[${names.join(", ")}]`;
    const guard = when === null ? [] : [`$pre(${when});`];
    if (isNegative && at === last) return scoped("", given, at, [...guard, TEST_RUNNERS[runner].throws(call)]);
    if (given === "" && update === undefined) return [...guard, `const $result${at} = await ${call};`];
    const made = update === undefined ? [`return ${call};`] : [`const result = await ${call};`, ...updateLines(update), `return result;`];
    return scoped(`const $result${at} = `, given, at, [...guard, ...made]);
  });
  const results = operations.flatMap((_, at) => (isNegative && at === last ? [] : [`$result${at}`]));
  const shown = results.length === 0 ? `"false"` : `$line([${results.join(", ")}])`;
  const uses = (name: string) => condition !== null && usesName(condition, name);
  const check =
    condition === null
      ? []
      : [
          ...(uses("results") ? [`const results = [${results.join(", ")}] as const;`] : []),
          ...(uses("result") ? [`const result = ${results.at(-1) ?? "undefined"};`] : []),
          `if (!(${condition})) ${assertOf(input)}.fail(${isNegative ? JSON.stringify(`expected ${condition}, got `) + " + " : ""}${shown});`,
        ];
  const expected = isNegative ? `an error of ${operations[last]?.call ?? ""}` : (condition ?? "no error");
  return `${inputsConstant(input)}
const $calls = $typed<[${operations.map(({ inputs }) => typeText(inputs)).join(", ")}]>(fc.tuple(${parts.operations.map(({ arbitrary }) => arbitrary).join(", ")}));

test(${JSON.stringify(title)}, async () => {
  await fc.assert(
    $property(${JSON.stringify(expected)}, $inputs, $calls, async (${inputPattern(input)}${lines.some((line) => line.includes("$calls[")) ? ", $calls" : ""}) => {
${indented([...setupLines(input), ...lines, ...check], 6)}    }),
    $settings,
  );
});`;
}

/** Calls that run at the same time. The condition is checked after the last has ended. */
function concurrentTest(input: ClaimTestInput): string {
  const { parts, title } = input;
  const condition = parts.parts.assert ?? "true";
  const cases = parts.parts.operations.flatMap(({ call, when, update }, at) => [
    `  if ($step.operation === ${at}) {`,
    ...[
      ...givenLines(input, at, "$step.given"),
      ...(when === null ? [] : [`if (!(${when})) return undefined;`]),
      ...(update === undefined ? [`return ${call};`] : [`const result = await ${call};`, ...updateLines(update), `return result;`]),
    ].map((line) => `    ${line}`),
    `  }`,
  ]);
  const fails = `${assertOf(input)}.fail(\`false after \${$sequence.length} calls at the same time: \${$sequence.map(({ shown }) => shown).join(", ")}\`)`;
  const body = [
    ...setupLines(input),
    `const results = await Promise.allSettled($sequence.map(async ($step) => {`,
    ...cases,
    `  return undefined;`,
    `}));`,
    `$done += results.filter(({ status }) => status === "fulfilled").length;`,
    `if (!(${condition})) ${fails};`,
  ];
  return `${inputsConstant(input)}
${stepsConstant(input, [], "minLength: 2, maxLength: 12")}

test(${JSON.stringify(title)}, async () => {
  let $done = 0;
  await fc.assert(
    $property(${JSON.stringify(condition)}, $inputs, $steps, async (${inputPattern(input)}, $sequence) => {
${indented(body, 6)}    }),
    $settings,
  );
  ${assertOf(input)}.ok($done > 0, "expected calls that succeed, got none");
});`;
}
