import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { readWitness, snakeCase, type WitnessPlan } from "../tree-sitter/witness-plan.ts";
import { cppGrammar } from "./grammar.ts";

const HEADERS = ["algorithm", "cassert", "cstdint", "map", "optional", "set", "stdexcept", "string", "utility", "vector"];
const COLLECTIONS = /^std::(?:vector|string|map|set|unordered_map|unordered_set)\b/;
/** Words of C++ that a constructor may be called. */
const RESERVED: Readonly<Record<string, string>> = { new: "make", default: "make_default" };

/** A class that only its own functions can build. */
export function cppWitness(definition: WitnessDefinition): GeneratedWitness {
  const plan = readWitness(definition, cppGrammar);
  const { name, base, description } = definition;
  const inner = base.inner_type;
  const template = base.type_params.length === 0 ? [] : [`template <${base.type_params.map((one) => `typename ${one.name}`).join(", ")}>`];
  const text = [
    "#pragma once",
    ...HEADERS.map((header) => `#include <${header}>`),
    "",
    ...[description, ...plan.documentation].map((line) => `/// ${line}`),
    ...template,
    `class ${name} {`,
    " public:",
    ...plan.constructors.flatMap((constructor) => constructorText(name, constructor, inner)),
    `  const ${inner}& value() const { return value_; }`,
    "",
    " private:",
    `  explicit ${name}(${inner} value) : value_(std::move(value)) {}`,
    `  static bool holds([[maybe_unused]] const ${inner}& value) { return ${conditionOf(plan)}; }`,
    "",
    `  ${inner} value_;`,
    "};",
    "",
  ].join("\n");
  return { path: `src/witnesses/${snakeCase(name)}.hpp`, text, level: plan.level, invariants: plan.invariants };
}

function conditionOf({ checks }: WitnessPlan): string {
  return checks.length === 0 ? "true" : checks.map(({ formal }) => `(${formal})`).join(" && ");
}

function constructorText(witness: string, { name, trust_level }: WitnessDefinition["constructors"][number], inner: string): string[] {
  const plain = snakeCase(name).replace(/_unchecked$/, "");
  const own = RESERVED[plain] ?? plain;
  const isEmpty = own === "empty" && COLLECTIONS.test(inner);
  const made = `    return ${witness}(std::move(value));`;
  if (trust_level === "safe")
    return [
      `  static ${witness} ${own}(${isEmpty ? "" : `${inner} value`}) {`,
      ...(isEmpty ? [`    ${inner} value{};`] : []),
      `    if (!holds(value)) throw std::invalid_argument("${witness}: the value lacks an invariant");`,
      made,
      "  }",
    ];
  return [
    "  /// The caller guarantees the invariants; debug builds check them.",
    `  static ${witness} ${own}(${inner} value) {`,
    "    assert(holds(value));",
    made,
    "  }",
    "  /// The caller guarantees the invariants; nothing checks them.",
    `  static ${witness} ${own}_unchecked(${inner} value) {`,
    made,
    "  }",
  ];
}
