import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { readWitness, snakeCase, type WitnessPlan } from "../tree-sitter/witness-plan.ts";
import { rustGrammar } from "./grammar.ts";

/** Types that a check takes by value, so that `value > 0` compares numbers and not references. */
const COPIED = /^(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char)$/;
const COLLECTIONS = /^(?:Vec|String|HashMap|BTreeMap|HashSet|BTreeSet|VecDeque)\b/;

/** A newtype with safe constructors; for each unsafe one a constructor that checks in debug builds, and one that never checks. */
export function rustWitness(definition: WitnessDefinition): GeneratedWitness {
  const plan = readWitness(definition, rustGrammar);
  const { name, base, description } = definition;
  const inner = base.inner_type;
  const generics = base.type_params.map(({ name: own, bounds }) => (bounds.length === 0 ? own : `${own}: ${bounds.join(" + ")}`));
  const declared = generics.length === 0 ? "" : `<${generics.join(", ")}>`;
  const applied = generics.length === 0 ? "" : `<${base.type_params.map((one) => one.name).join(", ")}>`;
  const isCopied = COPIED.test(inner);
  const collections = [...new Set(inner.match(/\b(?:HashMap|BTreeMap|HashSet|BTreeSet|VecDeque)\b/g))];
  const text = [
    ...collections.map((one) => `use std::collections::${one};`),
    ...(collections.length === 0 ? [] : [""]),
    ...[description, "", ...plan.documentation].map((line) => `/// ${line}`.trimEnd()),
    "#[derive(Debug, Clone, PartialEq)]",
    `pub struct ${name}${declared}(${inner});`,
    "",
    `impl${declared} ${name}${applied} {`,
    "    /// Whether a value has the invariants.",
    `    fn holds(value: ${isCopied ? inner : `&${inner}`}) -> bool {`,
    `        ${conditionOf(plan)}`,
    "    }",
    ...plan.constructors.flatMap((constructor) => constructorText(constructor, inner, isCopied)),
    "",
    `    pub fn value(&self) -> &${inner} {`,
    "        &self.0",
    "    }",
    "",
    `    pub fn into_inner(self) -> ${inner} {`,
    "        self.0",
    "    }",
    "}",
    "",
  ].join("\n");
  return { path: `src/witnesses/${snakeCase(name)}.rs`, text, level: plan.level, invariants: plan.invariants };
}

function conditionOf({ checks }: WitnessPlan): string {
  if (checks.length === 0) return "let _ = value;\n        true";
  const [only, ...more] = checks.map(({ formal }) => formal);
  return more.length === 0 ? (only ?? "") : checks.map(({ formal }) => `(${formal})`).join(" && ");
}

function constructorText({ name, trust_level }: WitnessDefinition["constructors"][number], inner: string, isCopied: boolean): string[] {
  const own = snakeCase(name).replace(/_unchecked$/, "");
  const held = `Self::holds(${isCopied ? "value" : "&value"})`;
  if (trust_level === "safe") {
    const isEmpty = own === "empty" && COLLECTIONS.test(inner);
    return [
      "",
      "    /// Gives the value back if it lacks an invariant.",
      `    pub fn ${own}(${isEmpty ? "" : `value: ${inner}`}) -> Result<Self, ${inner}> {`,
      ...(isEmpty ? [`        let value: ${inner} = Default::default();`] : []),
      `        if ${held} { Ok(Self(value)) } else { Err(value) }`,
      "    }",
    ];
  }
  return [
    "",
    "    /// The caller guarantees the invariants; debug builds check them.",
    `    pub fn ${own}(value: ${inner}) -> Self {`,
    `        debug_assert!(${held}, "the value lacks an invariant");`,
    "        Self(value)",
    "    }",
    "",
    "    /// # Safety",
    "    /// The value must have the invariants.",
    `    pub unsafe fn ${own}_unchecked(value: ${inner}) -> Self {`,
    "        Self(value)",
    "    }",
  ];
}
