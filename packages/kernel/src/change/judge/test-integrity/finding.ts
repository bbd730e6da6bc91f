/** One thing that a person who approves a change should know of it. */
export interface Finding {
  readonly rule: string;
  /** Empty where it is about the change as a whole. */
  readonly path: string;
  readonly message: string;
  /** A warning is a reason not to believe that the work is done; a note is what the specification asked for, or no harm. */
  readonly level: "warning" | "note";
}

/** A file of a change, as it was and as it is; null where it is not there or is no text. */
export interface ChangedFile {
  readonly path: string;
  readonly status: "A" | "M" | "D" | "T";
  readonly before: string | null;
  readonly after: string | null;
}

export function finding(rule: string, path: string, message: string, asked = false): Finding {
  return { rule, path, message: asked ? `${message}, as the specification says` : message, level: asked ? "note" : "warning" };
}

export function inWords({ path, message }: Finding): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** At most three, in quotes. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name));
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}
