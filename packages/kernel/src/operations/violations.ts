import type { z } from "zod";

/** One broken rule of a schema, for a machine and for a reader. */
export interface Violation {
  /** JSON pointer of the field (RFC 6901); empty for the whole value. */
  readonly pointer: string;
  readonly rule: string;
  readonly expected: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** Every violation, not only the first. */
export function violationsOf(error: { readonly issues: readonly Issue[] }): Violation[] {
  return error.issues.flatMap((issue) => explain(issue, []));
}

function explain(issue: Issue, above: readonly PropertyKey[]): Violation[] {
  const path = [...above, ...issue.path];
  const violation = (rule: string, expected: string, at = path): Violation => ({
    pointer: jsonPointer(at),
    rule,
    expected,
    message: issue.message,
  });
  switch (issue.code) {
    case "invalid_type":
      return [violation("type", issue.expected)];
    case "too_small":
      return [violation("minimum", bound(issue.origin, issue.inclusive === false ? ">" : ">=", issue.minimum))];
    case "too_big":
      return [violation("maximum", bound(issue.origin, issue.inclusive === false ? "<" : "<=", issue.maximum))];
    case "not_multiple_of":
      return [violation("multipleOf", `a multiple of ${issue.divisor}`)];
    case "invalid_format":
      return [violation("format", issue.format === "regex" ? (issue.pattern ?? issue.format) : issue.format)];
    case "invalid_value":
      return [violation("enum", issue.values.map((value) => JSON.stringify(value) ?? String(value)).join(" | "))];
    case "unrecognized_keys":
      return issue.keys.map((key) => violation("additionalProperties", "no such property", [...path, key]));
    case "invalid_union":
      return [
        violation("anyOf", "one of the alternatives"),
        ...issue.errors.flatMap((alternative) => alternative.flatMap((inner) => explain(inner, path))),
      ];
    case "invalid_key":
    case "invalid_element":
      return [
        violation(issue.code === "invalid_key" ? "propertyNames" : "items", `a valid ${issue.origin} entry`),
        ...issue.issues.flatMap((inner) => explain(inner, path)),
      ];
    default:
      return [violation(issue.code, issue.message)];
  }
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  const unit = { string: " characters", array: " items", set: " entries", file: " bytes" }[origin] ?? "";
  return `${comparison} ${limit}${unit}`;
}

export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
