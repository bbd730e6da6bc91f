import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { degrade, DEFAULT_LEVEL, weakestLevel } from "../witnesses/levels.ts";
import type { AstNode } from "./ast-nodes.ts";
import { parseExpression, PLAIN_GLOBALS } from "./expression.ts";
import { isFault, tryParse } from "./source/program.ts";
import { booleanText, camelCase, commentText, innerType, kebabCase, pascalCase } from "./witness-text.ts";

interface CheckedInvariant {
  readonly id: string;
  readonly description: string;
  readonly formal: string;
  /** A boolean expression over `value`; null if the language cannot check it. */
  readonly check: string | null;
}

/** A type with a `unique symbol` brand, a guard, and constructors. The type tells values apart, and safe constructors check them. */
export function generateWitness(definition: WitnessDefinition): GeneratedWitness {
  const { name, description, base } = definition;
  const invariants = definition.invariants.map((one): CheckedInvariant => ({ ...one, check: one.testable ? checkOf(one.formal) : null }));
  const levels = invariants.map(({ id, check }) => ({ id, level: degrade(DEFAULT_LEVEL.typescript, () => check !== null) }));
  const inner = typeText(innerType(base.inner_type), `inner_type of ${name}`);
  const { declared, given, noted } = typeParameters(base);
  const brand = `${camelCase(name)}Brand`;
  const clauses = invariants.map(({ id, description: text, formal, check }) => {
    return `INVARIANT ${id}${check === null ? " (not checked)" : ""}: ${text}${formal === "" ? "" : ` [${formal}]`}`;
  });
  const parts = [
    `declare const ${brand}: unique symbol;\n`,
    `${commentText([description, ...noted, ...clauses])}export type ${name}${declared} = ${inner} & { readonly [${brand}]: true };\n`,
    guardText(name, inner, declared, given, invariants),
    ...constructorsOf(definition).map((one) => constructorText(one, name, inner, declared, given, invariants)),
  ];
  return {
    path: `src/witnesses/${kebabCase(name)}.ts`,
    text: parts.join("\n"),
    level: weakestLevel(
      levels.map(({ level }) => level),
      DEFAULT_LEVEL.typescript,
    ),
    invariants: levels,
  };
}

function checkOf(formal: string): string | null {
  const parsed = parseExpression(formal);
  if ("problem" in parsed) return null;
  const isAboutValue = parsed.names.includes("value") && parsed.names.every((name) => name === "value" || PLAIN_GLOBALS.has(name));
  return isAboutValue ? booleanText(parsed.node as AstNode, formal) : null;
}

/** Throws `source_syntax` unless the text is one type. */
function typeText(text: string, what: string): string {
  const tree = tryParse(`type It = [${text}\n];`);
  const [statement, ...more] = isFault(tree) ? [] : tree.program.body;
  const whole = statement?.type === "TSTypeAliasDeclaration" && more.length === 0 ? statement.typeAnnotation : null;
  const [only, ...others] = whole?.type === "TSTupleType" ? whole.elementTypes : [];
  const isOne = only !== undefined && others.length === 0 && !/^TS(?:RestType|OptionalType|NamedTupleMember)$/.test(only.type);
  if (!isOne || /\n|\/[/*]/.test(text)) {
    const suggested_next_actions = ["Write the type as TypeScript has it, such as readonly string[]."];
    throw new SlipwayError("source_syntax", `The ${what} is no type of TypeScript: ${JSON.stringify(text)}.`, {
      line: 1,
      column: 1,
      suggested_next_actions,
    });
  }
  return /^[\w$.]+$/.test(text) ? text : `(${text})`;
}

const BOUND = /^(?:string|number|bigint|boolean|symbol|object|\{.*\}|.*\|.*|readonly .*|.*\[\])$/s;

/** A bound that TypeScript does not have, such as Ord, becomes a comment. */
function typeParameters({ generic, type_params }: WitnessDefinition["base"]): { declared: string; given: string; noted: string[] } {
  if (!generic || type_params.length === 0) return { declared: "", given: "", noted: [] };
  const list = type_params.map(({ name, bounds }) => {
    const used = bounds.filter((bound) => BOUND.test(bound)).map((bound) => typeText(bound, `bound of ${name}`));
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) typeText("", `type parameter ${name}`);
    return used.length === 0 ? name : `${name} extends ${used.join(" & ")}`;
  });
  const noted = type_params.flatMap(({ name, bounds }) =>
    bounds.filter((bound) => !BOUND.test(bound)).map((bound) => `${name} is bounded by ${bound} (not checked).`),
  );
  return { declared: `<${list.join(", ")}>`, given: `<${type_params.map(({ name }) => name).join(", ")}>`, noted };
}

interface WitnessConstructor {
  readonly name: string;
  readonly isSafe: boolean;
}

/** A witness without a constructor has a safe one. Names are unique. */
function constructorsOf({ name, constructors }: WitnessDefinition): WitnessConstructor[] {
  const wanted = constructors.length === 0 ? [{ name, trust_level: "safe" as const }] : constructors;
  const named = wanted.map(({ name: own, trust_level }): WitnessConstructor => {
    const pascal = pascalCase(own);
    const full = camelCase(pascal.startsWith(name) ? pascal : `${name}${pascal}`);
    const isSafe = trust_level === "safe";
    return { name: isSafe || full.endsWith("Unchecked") ? full : `${full}Unchecked`, isSafe };
  });
  return named.filter((one, index) => named.findIndex(({ name: other }) => other === one.name) === index);
}

function guardText(name: string, inner: string, declared: string, given: string, invariants: readonly CheckedInvariant[]): string {
  const checks = invariants.flatMap(({ check }) => check ?? []);
  const body =
    checks.length === 0 ? "value !== undefined" : checks.map((check) => (checks.length === 1 ? check : `(${check})`)).join(" && ");
  const comment = commentText([
    checks.length === invariants.length
      ? "Whether the value has every invariant."
      : "Whether the value has the invariants that can be checked.",
  ]);
  return `${comment}export function is${name}${declared}(value: ${inner}): value is ${name}${given} {\n  return ${body};\n}\n`;
}

function constructorText(
  { name, isSafe }: WitnessConstructor,
  witness: string,
  inner: string,
  declared: string,
  given: string,
  invariants: readonly CheckedInvariant[],
): string {
  const comment = commentText([
    isSafe ? "Throws a RangeError if an invariant that can be checked does not hold." : "The caller guarantees the invariants.",
  ]);
  const checked = isSafe ? invariants.flatMap(({ check, description }) => (check === null ? [] : [{ check, description }])) : [];
  const lines = checked.map(
    ({ check, description }) => `  if (!(${check})) throw new RangeError(${JSON.stringify(`${witness}: ${description}`)});\n`,
  );
  return `${comment}export function ${name}${declared}(value: ${inner}): ${witness}${given} {\n${lines.join("")}  return value as ${witness}${given};\n}\n`;
}
