const SECURITY =
  /\b(?:auth\w*|secret\w*|password\w*|credential\w*|token\w*|inject\w*|sanitiz\w*|escap\w*|encrypt\w*|permission\w*|security|vulnerab\w*|validat\w*|csrf|xss|ssrf)\b/i;
const RULE = /\b(?:must|never|always|do not|don't|required?|refuse|reject|only)\b/i;

/** Whether a rule about security that stands in the old text is missing from the new one. In doubt the change is refused. */
export function weakensSecurity(before: string | null, after: string): boolean {
  if (before === null) return false;
  const kept = new Set(after.split("\n").map(normalized));
  return before.split("\n").some((line) => SECURITY.test(line) && RULE.test(line) && !kept.has(normalized(line)));
}

function normalized(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
