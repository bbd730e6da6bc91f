import { checkSchema, type SchemaViolation } from "@slipway/kernel/schema/violations";
import { checkFor, jsonSchemaOf, type JsonSchema } from "@slipway/kernel/tools/schemas";
import { artifactKind, type ArtifactKindName } from "./artifact-schemas.ts";

/** One broken rule. The value that breaks it is not shown: it may be something that the caller must not see. */
export interface ArtifactViolation {
  readonly pointer: string;
  readonly rule: string;
  readonly expected: string;
}

/** The JSON schema of an artifact. */
export function artifactSchema(name: ArtifactKindName): JsonSchema {
  return jsonSchemaOf(artifactKind(name).schema, "input");
}

const checks = new Map<ArtifactKindName, ReturnType<typeof checkFor>>();

/** Against the JSON schema, and against the rules across fields that a JSON schema cannot express. */
export function artifactViolations(name: ArtifactKindName, value: unknown): ArtifactViolation[] {
  const published = checks.get(name) ?? checkFor(artifactSchema(name));
  checks.set(name, published);
  const found = [checkSchema(published, value), checkSchema(artifactKind(name).schema, value)].flatMap((checked) =>
    checked.ok ? [] : checked.violations,
  );
  return [...new Map(found.map((violation) => [violation.pointer, shown(violation)])).values()];
}

/** The value of a text, or where it cannot be parsed. */
export function readArtifactText(
  name: ArtifactKindName,
  text: string,
): { readonly value: unknown } | { readonly violation: ArtifactViolation } {
  try {
    return { value: artifactKind(name).read(text) };
  } catch {
    return { violation: { pointer: "", rule: "syntax", expected: `the text of an artifact of the kind ${name}` } };
  }
}

function shown({ pointer, rule, expected }: SchemaViolation): ArtifactViolation {
  return { pointer, rule, expected };
}
