import { readBound } from "../property-tests/scaling.ts";
import type { ClaimTestInput } from "./claim-templates.ts";
import { parseExpression } from "./expression.ts";
import { nodeIn, nodesIn } from "./ast-nodes.ts";
import { assertName } from "./unit-test-text.ts";
import { TEST_RUNNERS } from "./test-runners.ts";

/** The first operation is measured with what `setup` makes of `n`. */
export function performanceTest({ parts, title, runner }: ClaimTestInput): string {
  const { setup, operations, bound } = parts.parts;
  const call = operations[0]?.call ?? "";
  const { target, self, given } = callParts(call);
  return scalingTest({
    title,
    skip: TEST_RUNNERS[runner].skip,
    bound: readBound(bound ?? "")?.bound ?? "O(1)",
    target,
    lines: setup.map(({ name, value }) => `const ${name} = ${value};`),
    given: `[${[self, ...given].join(", ")}]`,
    names: exportsOf(parts),
    assert: assertName(setup.map(({ name }) => name)),
  });
}

/** Exported values that the claim uses, with their files. */
function exportsOf({ imports }: ClaimTestInput["parts"]): Record<string, string> {
  const all = [...imports].flatMap(([path, names]) => [...names].map((name) => [name, path] as const));
  return Object.fromEntries(all.filter(([name]) => !name.startsWith("type ")));
}

export interface ScalingTestParts {
  readonly title: string;
  readonly skip: (reason: string) => string;
  readonly bound: string;
  /** An expression for the function; the lines are before it. */
  readonly target: string;
  /** Statements that make the arguments for `n`. */
  readonly lines: readonly string[];
  /** `this` and the arguments, as a list. */
  readonly given: string;
  /** Exports by their files, if the lines use nothing else: then they are carried out where the module runs. */
  readonly names?: Readonly<Record<string, string>>;
  readonly assert: string;
}

export function scalingTest({ title, skip, bound, target, lines, given, names, assert }: ScalingTestParts): string {
  return `test(${JSON.stringify(title)}, async ($context) => {
  const $prepared = (n: number) => {
    ${lines.join("\n    ")}
    void n;
    return [${target}, ${given}] as const;
  };
  const { result, deviation, times } = await $verdict(${JSON.stringify(bound)}, $prepared${names === undefined ? "" : `, ${JSON.stringify(names)}`});
  const growth = \`growth \${Math.round(deviation * 100)} % above it for each factor of ten, with times \${times}\`;
  if (result === "inconclusive") ${skip("`the times do not decide it: ${growth}`")}
  ${assert}.ok(result !== "failed", \`expected ${bound}, got \${growth}\`);
});`;
}

/** `account.find(id)` as the function, its receiver and its arguments. */
function callParts(call: string): { readonly target: string; readonly self: string; readonly given: readonly string[] } {
  const parsed = parseExpression(call);
  if ("problem" in parsed) return { target: "undefined", self: "undefined", given: [] };
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => call.slice(start - 1, end - 1);
  const callee = nodeIn(parsed.node, "callee") ?? parsed.node;
  const object = callee.type === "MemberExpression" ? nodeIn(callee, "object") : null;
  return {
    target: textOf(callee),
    self: object === null ? "undefined" : textOf(object),
    given: nodesIn(parsed.node, "arguments").map(textOf),
  };
}
