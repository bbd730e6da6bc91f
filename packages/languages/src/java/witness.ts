import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { camelCase, readWitness } from "../tree-sitter/witness-plan.ts";
import { javaGrammar } from "./grammar.ts";

/** A word of Java cannot be the name of a method. */
const RESERVED: Readonly<Record<string, string>> = { new: "of", default: "ofDefault" };

/** A record that checks its value when it is made. */
export function javaWitness(definition: WitnessDefinition): GeneratedWitness {
  const plan = readWitness(definition, javaGrammar);
  const { name, base, description } = definition;
  const declared = base.type_params
    .map(({ name: own, bounds }) => (bounds.length === 0 ? own : `${own} extends ${bounds.join(" & ")}`))
    .join(", ");
  const applied = base.type_params.length === 0 ? "" : `<${base.type_params.map((one) => one.name).join(", ")}>`;
  const generic = declared === "" ? "" : `<${declared}>`;
  const checks = plan.checks.flatMap(({ formal, description: about }) => [
    `        if (!(${formal})) {`,
    `            throw new IllegalArgumentException(${JSON.stringify(`${name}: ${about}`)});`,
    "        }",
  ]);
  const text = [
    "package witnesses;",
    "",
    "import java.util.*;",
    "import java.util.stream.*;",
    "",
    "/**",
    ...[description, ...plan.documentation].map((line) => ` * ${line}`),
    " */",
    `public record ${name}${generic}(${base.inner_type} value) {`,
    `    public ${name} {`,
    ...checks,
    "    }",
    ...plan.constructors.flatMap((constructor) => {
      const own = RESERVED[constructor.name] ?? camelCase(constructor.name);
      return [
        "",
        `    public static ${generic === "" ? "" : `${generic} `}${name}${applied} ${own}(${base.inner_type} value) {`,
        `        return new ${name}${applied}(value);`,
        "    }",
      ];
    }),
    "}",
    "",
  ].join("\n");
  return { path: `src/witnesses/${name}.java`, text, level: plan.level, invariants: plan.invariants };
}
