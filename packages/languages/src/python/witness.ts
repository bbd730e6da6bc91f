import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { readWitness, snakeCase } from "../tree-sitter/witness-plan.ts";
import { pythonGrammar } from "./grammar.ts";

const COLLECTIONS = /^(?:list|tuple|dict|set|frozenset|str|bytes)\b/;

/** A frozen dataclass that checks its value when it is made. */
export function pythonWitness(definition: WitnessDefinition): GeneratedWitness {
  const plan = readWitness(definition, pythonGrammar);
  const { name, base, description } = definition;
  const parameters = base.type_params.map((parameter) => parameter.name);
  const generic = parameters.length === 0 ? "" : `(Generic[${parameters.join(", ")}])`;
  const applied = parameters.length === 0 ? name : `${name}[${parameters.join(", ")}]`;
  const checks = plan.checks.flatMap(({ formal, description: about }) => [
    `        if not (${formal}):`,
    `            raise ValueError(${JSON.stringify(`${name}: ${about}`)})`,
  ]);
  const text = [
    "from __future__ import annotations",
    "",
    "from dataclasses import dataclass",
    ...(parameters.length === 0 ? [] : ["from typing import Generic, TypeVar", "", ...base.type_params.map(typeVariable)]),
    "",
    "",
    "@dataclass(frozen=True)",
    `class ${name}${generic}:`,
    `    """${description}`,
    "",
    ...plan.documentation.map((line) => `    ${line}`.trimEnd()),
    '    """',
    "",
    `    value: ${base.inner_type}`,
    "",
    "    def __post_init__(self) -> None:",
    ...(checks.length === 0 ? ["        return None"] : ["        value = self.value", ...checks]),
    ...plan.constructors.flatMap((constructor) => {
      const isEmpty = constructor.name === "empty" && COLLECTIONS.test(base.inner_type);
      const kind = COLLECTIONS.exec(base.inner_type)?.[0] ?? "";
      return [
        "",
        "    @classmethod",
        `    def ${snakeCase(constructor.name)}(cls${isEmpty ? "" : `, value: ${base.inner_type}`}) -> ${applied}:`,
        `        return cls(${isEmpty ? `${kind}()` : "value"})`,
      ];
    }),
    "",
  ].join("\n");
  return { path: `src/witnesses/${snakeCase(name)}.py`, text, level: plan.level, invariants: plan.invariants };
}

function typeVariable({ name, bounds }: WitnessDefinition["base"]["type_params"][number]): string {
  const [bound] = bounds.filter((one) => /^[A-Za-z_]\w*$/.test(one) && one !== "Ord");
  return `${name} = TypeVar("${name}"${bound === undefined ? "" : `, bound=${JSON.stringify(bound)}`})`;
}
