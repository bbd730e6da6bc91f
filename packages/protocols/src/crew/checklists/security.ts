import type { FINDING_CATEGORIES } from "../contract/artifacts.ts";
import type { ChecklistItem } from "./reviewer.ts";
import type { Topic } from "./topics.ts";

export type SecurityCategory = (typeof FINDING_CATEGORIES)[number];

const item = (id: string, group: SecurityCategory, text: string, topic: Topic = "any"): ChecklistItem<SecurityCategory> => ({
  id,
  group,
  text,
  topic,
});

export const SECURITY_CHECKLIST: readonly ChecklistItem<SecurityCategory>[] = [
  item("xss-output", "XSS", "Values from outside that reach a page or a response without being encoded", "xss"),
  item("xss-template", "XSS", "Templates that switch escaping off", "template-xss"),
  item("csrf-form", "Auth", "Forms that change something without a token", "form-csrf"),
  item("csrf-request", "Auth", "Requests with cookies that change something and check neither token nor origin", "csrf"),
  item("csp", "CSP", "A missing or weakened Content-Security-Policy", "csp"),
  item("ssrf", "SSRF", "Addresses from outside that the program fetches", "ssrf"),
  item("authentication", "Auth", "Ways around authentication, weak sessions, comparisons that leak timing"),
  item("authorization", "Auth", "Actions without a check of the caller's rights, privilege escalation"),
  item("tenancy", "Auth", "Access to another tenant's data", "tenancy"),
  item("secrets", "Secrets", "Keys, passwords or tokens in code, configuration, logs or errors"),
  item("dependencies", "Deps", "New or outdated dependencies with known defects, or from an unknown source"),
  item("validation", "Validation", "Input without a check of type, range, length or form"),
  item("injection", "Validation", "Input that becomes part of SQL, a shell command, code, a header or a template"),
  item("path-traversal", "Validation", "Paths from outside that lead out of their folder", "path-traversal"),
  item("rate-limiting", "Other", "Expensive or guessable requests without a limit"),
];
