import { createRedactor } from "@slipway/kernel/host/redaction/redactor";

const redactor = createRedactor({ secrets: [] });

/** Whether a text holds something of the form of a key or token. */
export function holdsSecret(value: unknown): boolean {
  return redactor.value(value) !== value;
}

/** The added lines of a diff that hold one, by their file. */
export function secretsInDiff(diff: string): string[] {
  let path = "";
  // An added line may look like the head of a file: `+++ token`. No line of content begins with a letter or an `@`.
  let isHead = false;
  const found = new Set<string>();
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) isHead = true;
    else if (line.startsWith("@@ ")) isHead = false;
    if (isHead && line.startsWith("+++ ")) path = line.slice("+++ b/".length);
    else if (line.startsWith("+") && redactor.text(line) !== line) found.add(path);
  }
  return [...found];
}
