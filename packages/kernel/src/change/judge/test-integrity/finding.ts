/** A fact about a change that its approver should know. */
export interface TestFinding {
  readonly rule: string;
  /** Empty if it is about the change as a whole. */
  readonly path: string;
  readonly message: string;
  /** A warning is a reason to doubt that the work is done; a note is requested by the specification, or harmless. */
  readonly level: "warning" | "note";
}

/** A file of a change, before and after; null if it does not exist or is not text. */
export interface ChangedFile {
  readonly path: string;
  readonly status: "A" | "M" | "D" | "T";
  readonly before: string | null;
  readonly after: string | null;
}

export function finding(rule: string, path: string, message: string, asked = false): TestFinding {
  return { rule, path, message: asked ? `${message}, as the specification says` : message, level: asked ? "note" : "warning" };
}

export function inWords({ path, message }: TestFinding): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** At most three, in quotes. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name));
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}
