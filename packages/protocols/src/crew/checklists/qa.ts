import type { Topic } from "./topics.ts";

export const TEST_CHANGE_TYPES = ["endpoint", "data method", "business logic", "UI", "security fix", "bug fix", "config"] as const;
export type TestChangeType = (typeof TEST_CHANGE_TYPES)[number];

export interface FocusItem {
  readonly id: string;
  readonly group: TestChangeType | "always";
  readonly text: string;
  readonly topic: Topic;
}

const focus = (group: FocusItem["group"], id: string, text: string, topic: Topic = "any"): FocusItem => ({ id, group, text, topic });

/** What tests of a change cover, by the type of change; the last rows always. */
export const QA_FOCUS: readonly FocusItem[] = [
  focus("endpoint", "endpoint-acl", "ACL: allowed and forbidden callers"),
  focus("endpoint", "endpoint-csrf", "CSRF on mutations", "csrf"),
  focus("endpoint", "endpoint-tenant", "Tenant scoping", "tenancy"),
  focus("endpoint", "endpoint-errors", "Errors: status and body"),
  focus("data method", "data-parameters", "Parameterized queries"),
  focus("data method", "data-where", "WHERE on update and delete"),
  focus("data method", "data-returns", "Return types"),
  focus("business logic", "logic-validation", "Validation"),
  focus("business logic", "logic-null", "Null and empty values"),
  focus("business logic", "logic-boundaries", "Boundaries"),
  focus("UI", "ui-escaping", "Escaping", "ui"),
  focus("UI", "ui-csrf-token", "CSRF token in forms", "form-csrf"),
  focus("UI", "ui-translations", "Translations", "ui"),
  focus("UI", "ui-accessibility", "Accessibility", "ui"),
  focus("security fix", "fix-closed", "A test that proves the hole is closed"),
  focus("bug fix", "bug-reproduced", "A test that reproduces the bug"),
  focus("config", "config-loads", "The configuration loads"),
  focus("config", "config-regression", "Nothing that worked before fails"),
  focus("always", "error-handling", "Error handling"),
  focus("always", "test-naming", "Test names that say what is expected"),
  focus("always", "spec-edge-cases", "The edge cases of spec.md"),
];
