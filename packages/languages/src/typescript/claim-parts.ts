import type { SourceTree } from "../adapter.ts";
import type { ClaimTestParts, ClaimType } from "../property-tests/claim.ts";
import { readBound } from "../property-tests/scaling.ts";
import { CannotGenerate, openArbitraryWriter } from "./arbitraries.ts";
import { nodeIn, nodesIn, parseSource } from "./ast-nodes.ts";
import { literalsOf } from "./contract-literals.ts";
import { parseExpression, PLAIN_GLOBALS } from "./expression.ts";
import { tupleText } from "./unit-test.ts";
import { openTypeIndex, typeIndexOf, type TypeIndex } from "./type-index.ts";

interface GeneratedInputs {
  readonly names: readonly string[];
  /** fc.tuple(…) of all inputs. */
  readonly arbitrary: string;
}

/** The executable part of a claim, checked: every text is an expression over the public interface and the declared names. */
export interface ReadyClaim {
  readonly parts: ClaimTestParts;
  readonly inputs: GeneratedInputs;
  readonly operations: readonly GeneratedInputs[];
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>;
}

const INPUT_FILE = "tests/$inputs.ts";

export function readClaimParts(tree: SourceTree, type: ClaimType, parts: ClaimTestParts): ReadyClaim | { readonly problem: string } {
  const exports = publicNames(tree);
  const generated = [...parts.inputs, ...parts.operations.flatMap(({ inputs }) => inputs)].map((one) => one.type);
  const types = [...generated, ...parts.setup.flatMap(({ type: one }) => one ?? [])];
  if (!types.every(isType)) return { problem: "a type in the test is no type of the language" };
  const file = types.map((text, at) => `type $${at} = ${text};`).join("\n");
  const used = [...exports].filter(([name]) => new RegExp(`\\b${name}\\b`).test(file));
  const imported = used.map(([name, path]) => `import { ${name} } from "../${path}";`).join("\n");
  const index = openTypeIndex({ ...tree, [INPUT_FILE]: `${imported}\n${file}` });
  const writer = openArbitraryWriter(index, literalsOf([...expressionsOf(parts)].map(({ text }) => text)));
  let at = 0;
  const generate = (inputs: ClaimTestParts["inputs"]): GeneratedInputs => {
    const texts = inputs.map(() => inputArbitrary(index, writer, at++));
    return { names: inputs.map(({ name }) => name), arbitrary: tupleText(texts) };
  };
  try {
    const inputs = generate(parts.inputs);
    const operations = parts.operations.map((operation) => generate(operation.inputs));
    const names = new Map(exports);
    const problem = wordingProblem(type, parts) ?? expressionsProblem(type, parts, names);
    if (problem !== null) return { problem };
    const imports = new Map<string, Set<string>>([...writer.imports].map(([path, all]) => [path, new Set(all)]));
    const add = (path: string, name: string) => imports.set(path, (imports.get(path) ?? new Set()).add(name));
    for (const name of usedNames(parts)) {
      const path = names.get(name);
      if (path !== undefined) add(path, name);
    }
    for (const [name, path] of used) if (imports.get(path)?.has(name) !== true) add(path, `type ${name}`);
    return { parts, inputs, operations, imports };
  } catch (error) {
    if (error instanceof CannotGenerate) return { problem: error.message };
    throw error;
  }
}

function inputArbitrary(index: TypeIndex, writer: ReturnType<typeof openArbitraryWriter>, at: number): string {
  const declared = index.find(INPUT_FILE, `$${at}`);
  const node = declared === null ? null : nodeIn(declared.node, "typeAnnotation");
  if (node === null) throw new CannotGenerate("the type of an input is no type of the language");
  return writer.write({ node, file: INPUT_FILE, parameters: new Map() });
}

/** The text stands in the test, so it must be one type and nothing else. */
function isType(text: string): boolean {
  const { program, errors } = parseSource(`type $ = ${text}\n;`);
  const [alias, empty] = nodesIn(program, "body");
  return errors.length === 0 && alias?.type === "TSTypeAliasDeclaration" && empty === undefined && alias.end === program.end;
}

/** Exported names of the sources with their file. A name that two files export is left out. */
function publicNames(tree: SourceTree): Map<string, string> {
  const index = typeIndexOf(tree);
  const names = new Map<string, string | null>();
  for (const path of Object.keys(tree).filter((one) => /^src\/.*(?<!\.d)\.ts$/.test(one))) {
    for (const { name, isExported } of index.declarations(path)) if (isExported) names.set(name, names.has(name) ? null : path);
  }
  return new Map([...names].filter((entry): entry is [string, string] => entry[1] !== null));
}

function wordingProblem(type: ClaimType, parts: ClaimTestParts): string | null {
  if (type === "temporal" && parts.clock_steps_ms.length === 0) return "a temporal claim needs steps of the clock";
  if (type === "performance" && (parts.bound === null || readBound(parts.bound) === null))
    return "a performance claim needs one of the bounds that can be measured";
  const unknown = parts.operations.find(({ update }) => update !== undefined && !parts.setup.some(({ name }) => name === update.name));
  if (unknown !== undefined) return `${unknown.update?.name} is no variable of the setup`;
  if (type !== "performance" && type !== "negative" && parts.assert === null) return "the claim has nothing to assert";
  return null;
}

function* expressionsOf(
  parts: ClaimTestParts,
): Generator<{ readonly text: string; readonly names: readonly string[]; readonly isCall: boolean }> {
  const names = parts.inputs.map(({ name }) => name);
  for (const { name, value } of parts.setup) {
    yield { text: value, names: [...names], isCall: false };
    names.push(name);
  }
  for (const { call, when, inputs, update } of parts.operations) {
    const all = [...names, ...inputs.map((one) => one.name)];
    yield { text: call, names: all, isCall: true };
    if (when !== null) yield { text: when, names: all, isCall: false };
    if (update !== undefined) yield { text: update.value, names: [...all, "result"], isCall: false };
  }
  if (parts.assert !== null) yield { text: parts.assert, names: [...names, "result", "results"], isCall: false };
}

function expressionsProblem(type: ClaimType, parts: ClaimTestParts, exports: ReadonlyMap<string, string>): string | null {
  const more = type === "performance" ? ["n"] : type === "temporal" ? ["now"] : [];
  for (const { text, names, isCall } of expressionsOf(parts)) {
    const parsed = parseExpression(text);
    if ("problem" in parsed) return `"${text}": ${parsed.problem}`;
    if (isCall && parsed.node.type !== "CallExpression" && parsed.node.type !== "NewExpression") return `"${text}" is no call`;
    const known = new Set([...names, ...more]);
    const unknown = parsed.names.find((name) => !known.has(name) && !PLAIN_GLOBALS.has(name) && !exports.has(name));
    if (unknown !== undefined) return `"${text}": ${unknown} is neither declared nor an exported name`;
  }
  return null;
}

function usedNames(parts: ClaimTestParts): Set<string> {
  const declared = new Set([...parts.inputs, ...parts.setup, ...parts.operations.flatMap(({ inputs }) => inputs)].map(({ name }) => name));
  const used = [...expressionsOf(parts)].flatMap(({ text }) => {
    const parsed = parseExpression(text);
    return "problem" in parsed ? [] : parsed.names;
  });
  return new Set(used.filter((name) => !declared.has(name)));
}
