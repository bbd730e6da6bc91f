import type { Contract, Dimensions } from "../contracts/schema.ts";
import type { Checker, Symbol, Type } from "typescript/unstable/sync";
import type { OpenProject } from "./compiler.ts";
import { entryName, type Exported } from "./exports.ts";
import { probe, type ContractProbe } from "./probe.ts";
import { shapeOf } from "./shape.ts";
import type { Thrown } from "./throws.ts";

/** What the analysis found in the code. */
export interface FoundSurface {
  readonly exported: readonly Exported[];
  readonly thrown: readonly Thrown[];
  readonly effects: readonly string[];
}

export interface ModuleSurface {
  readonly delivered: Dimensions;
  readonly problems: readonly string[];
}

/**
 * The five dimensions as the code has them. An element that matches the contract is taken from the contract, so that matching code has the
 * contract's fingerprint; other elements are as found.
 */
export function surfaceOf(project: OpenProject, found: FoundSurface, contract: Contract): ModuleSurface {
  const name = entryName(contract.name);
  const entry = found.exported.find((one) => one.name === name && one.kind === "function");
  const others = found.exported.filter((one) => one !== entry && one.kind !== "error");
  const strays = straysOf(project.checker, others);
  const effects = effectsOf(found, contract);
  if (entry?.kind !== "function") {
    const errors = { error_surfaces: errorsOf(found, contract, ""), effects };
    const problems = [`implementation/index.ts does not export the function "${name}" that the contract is about`];
    return { delivered: { ...strays, ...errors, modes: { sync: false, async: false, notes: contract.modes.notes } }, problems };
  }
  const overloads = entry.overloads > 0 ? [`${name} has ${entry.overloads + 1} call signatures; a contract describes one`] : [];
  const probed = probe(
    project,
    entry,
    [...contract.inputs, ...contract.outputs].map(({ type }) => type),
  );
  const problems = [...overloads];
  const fits = fitting(probed, problems);
  const { checker } = probed.project;
  const returned = checker.getReturnTypeOfSignature(probed.signature);
  const modes = modesOf(checker, returned);
  const delivered = {
    inputs: [...inputsOf(probed, contract, fits), ...strays.inputs],
    outputs: [...outputsOf(checker, modes.value, contract, fits), ...strays.outputs],
    error_surfaces: errorsOf(found, contract, modes.value === undefined ? "" : shapeOf(checker, modes.value)),
    effects,
    modes: { sync: modes.sync, async: modes.async, notes: contract.modes.notes },
  };
  return { delivered, problems };
}

/** Whether a type of the code equals a type text of the contract; an invalid text is a problem of the contract. */
type Fits = (text: string, type: Type) => boolean;

function fitting(probed: ContractProbe, problems: string[]): Fits {
  const { checker } = probed.project;
  return (text, type) => {
    const meant = probed.typeOf(text);
    if (typeof meant !== "string") return shapeOf(checker, meant) === shapeOf(checker, type);
    const problem = `the contract's type "${text}" cannot be read without the module: ${meant}`;
    if (!problems.includes(problem)) problems.push(problem);
    return false;
  };
}

type Input = Contract["inputs"][number];
type Output = Contract["outputs"][number];

function inputsOf({ project: { checker }, signature }: ContractProbe, contract: Contract, fits: Fits): Input[] {
  const parameters = typed(checker, signature.getParameters());
  const [only] = parameters;
  const asObject = parameters.length === 1 && only !== undefined && contract.inputs.length > 1 && only.name !== contract.inputs[0]?.name;
  const passed = asObject ? propertiesOf(checker, only.type) : parameters;
  return passed.map(({ name, type }, index) => {
    // A destructured parameter has no name; the order of properties does not matter.
    const declared = asObject ? contract.inputs.find((input) => input.name === name) : contract.inputs[index];
    const isNamed = declared !== undefined && (name === declared.name || name.startsWith("__"));
    if (isNamed && fits(declared.type, type)) return declared;
    return { name, type: shapeOf(checker, type), constraints: isNamed ? declared.constraints : [] };
  });
}

function outputsOf(checker: Checker, returned: Type | undefined, contract: Contract, fits: Fits): Output[] {
  if (returned === undefined) return [];
  const [only] = contract.outputs;
  if (contract.outputs.length > 1) {
    return propertiesOf(checker, returned).map(({ name, type }) => {
      const declared = contract.outputs.find((output) => output.name === name);
      if (declared !== undefined && fits(declared.type, type)) return declared;
      return { name, type: shapeOf(checker, type), invariants: declared?.invariants ?? [] };
    });
  }
  if (only !== undefined && fits(only.type, returned)) return [only];
  return [{ name: only?.name ?? "result", type: shapeOf(checker, returned), invariants: only?.invariants ?? [] }];
}

function propertiesOf(checker: Checker, type: Type): Typed[] {
  return typed(checker, checker.getPropertiesOfType(type));
}

interface Typed {
  readonly name: string;
  readonly type: Type;
}

function typed(checker: Checker, symbols: readonly Symbol[]): Typed[] {
  return symbols.map((symbol) => ({ name: symbol.name, type: checker.getTypeOfSymbol(symbol) ?? checker.getAnyType() }));
}

/** Whether the return type is a promise, another type, or both; and the type of the result. */
function modesOf(checker: Checker, returned: Type | undefined): { sync: boolean; async: boolean; value: Type | undefined } {
  const parts = returned === undefined ? [] : returned.isUnionType() ? returned.getTypes() : [returned];
  const promises = parts.filter((part) => part.getSymbol()?.name === "Promise");
  const [promise] = promises;
  if (promise === undefined) return { sync: true, async: false, value: returned };
  const [value] = promise.isTypeReference() ? checker.getTypeArguments(promise) : [];
  return { sync: promises.length < parts.length, async: true, value };
}

/** Exceptions are those that are thrown; a code or a variant must be found where it is passed or returned. */
function errorsOf({ thrown }: FoundSurface, { error_surfaces }: Contract, returned: string): Contract["error_surfaces"] {
  const codes = error_surfaces.filter(({ surface }) => surface === "code").map(({ name }) => name);
  const kept = error_surfaces.filter(({ name, surface }) => {
    if (surface === "exception") return thrown.some((one) => one.name === name);
    return mentions(returned, name) || (surface === "code" && thrown.some(({ text }) => mentions(text, name)));
  });
  const declared = new Set(error_surfaces.map(({ name }) => name));
  const more = thrown.filter(({ name, text }) => !declared.has(name) && !codes.some((code) => mentions(text, code)));
  const names = [...new Set(more.map(({ name }) => name))];
  return [...kept, ...names.map((name) => ({ name, when: "not in the contract", surface: "exception" as const }))];
}

function mentions(text: string, name: string): boolean {
  return text.split(/[^\w$]+/).includes(name) || text.includes(JSON.stringify(name));
}

/** Static analysis cannot tell the target of an effect, but it can tell that there is one. */
function effectsOf({ effects }: FoundSurface, contract: Contract): Contract["effects"] {
  if (contract.effects.length > 0) return contract.effects;
  return effects.map((target) => ({ type: "CALL" as const, target, description: "used by the code, not in the contract" }));
}

/** Any other export is a surface that the contract does not have. */
function straysOf(checker: Checker, others: readonly Exported[]): Pick<Dimensions, "inputs" | "outputs"> {
  const inputs = others.flatMap((one) =>
    one.kind !== "function"
      ? []
      : one.signature.getParameters().map(({ name }) => ({
          name: `${one.name}.${name}`,
          type: "not agreed",
          constraints: [],
        })),
  );
  return { inputs, outputs: others.map(({ name, type }) => ({ name, type: shapeOf(checker, type), invariants: [] })) };
}
