import { tomlList, tomlString, tomlStrings } from "./toml-text.ts";
import type { SystemSpec } from "./schema.ts";

/** Equal specifications give equal bytes. Sections have a fixed order; entries keep the order of the specification. */
export function printSpec(spec: SystemSpec): string {
  const { meta, system, boundaries, features, data_models, interfaces, constraints, claims } = spec;
  const tables = [
    table("meta", { version: tomlString(meta.version), created: tomlString(meta.created), domain: tomlString(meta.domain) }),
    table("system", { name: tomlString(system.name), description: tomlString(system.description) }),
    table("boundaries", {
      external_systems: tomlStrings(boundaries.external_systems),
      trust_boundaries: tomlStrings(boundaries.trust_boundaries),
    }),
    ...Object.entries(features).map(([id, { classification, description, affects }]) =>
      table(`features.${id}`, {
        classification: tomlString(classification),
        description: tomlString(description),
        affects: tomlStrings(affects),
      }),
    ),
    ...Object.entries(data_models).map(([name, { fields }]) =>
      table(`data_models.${name}`, {
        fields: tomlList(
          fields.map(
            (field) => `{ name = ${tomlString(field.name)}, type = ${tomlString(field.type)}, constraints = ${inline(field.constraints)} }`,
          ),
        ),
      }),
    ),
    ...Object.entries(interfaces).map(([name, { methods }]) =>
      table(`interfaces.${name}`, {
        methods: tomlList(
          methods.map((one) => `{ name = ${tomlString(one.name)}, params = ${inline(one.params)}, returns = ${tomlString(one.returns)} }`),
        ),
      }),
    ),
    table("constraints", {
      functional: tomlStrings(constraints.functional),
      non_functional: tomlStrings(constraints.non_functional),
      security: tomlStrings(constraints.security),
    }),
    ...Object.entries(claims).map(([id, claim]) => claimTable(id, claim)),
  ];
  return tables.join("\n");
}

export function claimTable(id: string, { text, type, testable }: SystemSpec["claims"][string]): string {
  return table(`claims.${id}`, { text: tomlString(text), type: tomlString(type), testable: String(testable) });
}

export function table(name: string, values: Readonly<Record<string, string>>): string {
  return `[${name}]\n${Object.entries(values)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join("")}`;
}

function inline(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(", ")}]`;
}
