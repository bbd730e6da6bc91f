import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { pascalCase, readWitness, snakeCase } from "../tree-sitter/witness-plan.ts";
import { goGrammar } from "./grammar.ts";

/** Packages of the standard library that a check may use, by name. */
export const GO_PACKAGES: Readonly<Record<string, string>> = {
  math: "math",
  sort: "sort",
  strings: "strings",
  unicode: "unicode",
  utf8: "unicode/utf8",
  regexp: "regexp",
  strconv: "strconv",
  bytes: "bytes",
  time: "time",
  reflect: "reflect",
  slices: "slices",
};

export function packagesIn(text: string): string[] {
  return Object.entries(GO_PACKAGES)
    .filter(([name]) => new RegExp(`(?<![\\w.])${name}\\.`).test(text))
    .map(([, path]) => path);
}

/** A struct with a hidden value and constructors that check it. */
export function goWitness(definition: WitnessDefinition): GeneratedWitness {
  const plan = readWitness(definition, goGrammar);
  const { name, base, description } = definition;
  const declared = base.type_params.map(({ name: own, bounds }) => `${own} ${bounds[0] ?? "any"}`).join(", ");
  const applied = base.type_params.map((one) => one.name).join(", ");
  const [typeParameters, typeArguments] = declared === "" ? ["", ""] : [`[${declared}]`, `[${applied}]`];
  const type = `${name}${typeArguments}`;
  const checks = plan.checks.flatMap(({ formal, description: about }) => [
    `\tif !(${formal}) {`,
    `\t\treturn ${type}{}, errors.New(${JSON.stringify(`${name}: ${about}`)})`,
    "\t}",
  ]);
  const imports = [...(checks.length === 0 ? [] : ["errors"]), ...packagesIn(plan.checks.map(({ formal }) => formal).join(" "))].toSorted();
  const text = [
    "package witnesses",
    "",
    ...(imports.length === 0 ? [] : ["import (", ...imports.map((path) => `\t"${path}"`), ")", ""]),
    ...[`${name} is: ${description}`, ...plan.documentation].map((line) => `// ${line}`),
    `type ${name}${typeParameters} struct {`,
    `\tvalue ${base.inner_type}`,
    "}",
    ...plan.constructors.flatMap((constructor) => [
      "",
      `func ${constructorName(name, constructor.name)}${typeParameters}(value ${base.inner_type}) (${type}, error) {`,
      ...checks,
      `\treturn ${type}{value: value}, nil`,
      "}",
      ...(constructor.trust_level === "safe"
        ? []
        : [
            "",
            "// The caller guarantees the invariants.",
            `func ${constructorName(name, constructor.name)}Unchecked${typeParameters}(value ${base.inner_type}) ${type} {`,
            `\treturn ${type}{value: value}`,
            "}",
          ]),
    ]),
    "",
    `func (w ${type}) Value() ${base.inner_type} {`,
    "\treturn w.value",
    "}",
    "",
  ].join("\n");
  return { path: `src/witnesses/${snakeCase(name)}.go`, text, level: plan.level, invariants: plan.invariants };
}

/** `new` is `NewName`; `from_unsorted` is `NameFromUnsorted`. */
function constructorName(witness: string, name: string): string {
  return name === "new" ? `New${witness}` : `${witness}${pascalCase(name)}`;
}
