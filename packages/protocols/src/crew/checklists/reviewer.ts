import type { ChecklistGroup } from "../contract/artifacts.ts";
import type { Topic } from "./topics.ts";

export interface ChecklistItem<G extends string = string> {
  readonly id: string;
  readonly group: G;
  readonly text: string;
  /** What decides whether the item applies to a type of project. */
  readonly topic: Topic;
}

type Row = readonly [id: string, text: string, topic?: Topic];

function group<G extends string>(name: G, rows: readonly Row[]): ChecklistItem<G>[] {
  return rows.map(([id, text, topic = "any"]) => ({ id, group: name, text, topic }));
}

/** What a review asks of the changed files: 33 items in six groups. */
export const REVIEWER_CHECKLIST: readonly ChecklistItem<ChecklistGroup>[] = [
  ...group("security", [
    ["sql-injection", "SQL injection: is every value that reaches a query a parameter?"],
    ["csrf", "CSRF: does every request that changes something carry and check a token?", "csrf"],
    ["xss", "XSS: is every value escaped for the place where it is shown?", "xss"],
    ["acl", "ACL: is the right of the caller checked before the action?"],
    ["tenancy-scoping", "Tenancy scoping: is every query limited to the caller's tenant?", "tenancy"],
    ["error-exposure", "Error exposure: do errors keep internals such as paths, queries and traces to themselves?"],
    ["data-minimization", "Data minimization: is only what is needed read, returned and logged?"],
    ["input-validation", "Input validation: are type, range, length and form of every input checked?"],
  ]),
  ...group("architecture", [
    ["routing", "Routing: do routes follow the project's scheme, without duplicates or shadowed paths?", "routing"],
    ["repository-model", "Repository and model: is data access where the project keeps it?"],
    ["controller-handler", "Controller and handler: are they thin, with the logic elsewhere?"],
    ["service-factory", "Service and factory: is each responsibility in one place, and made in one way?"],
    ["naming", "Naming: do names say what things are, in the project's style?"],
    ["template", "Template: is it free of logic, and does it reuse what exists?", "template"],
  ]),
  ...group("logic", [
    ["edge-cases", "Edge cases: empty, null, zero, one, many, the limits?"],
    ["logical-errors", "Logical errors: wrong conditions, off by one, wrong order of operations?"],
    ["impact", "Impact: do callers and other users of the changed code still work?"],
    ["migrations", "Migrations: are changes of stored data migrated, reversible and safe to run twice?"],
  ]),
  ...group("performance", [
    ["n-plus-1", "N+1: is there a query or call inside a loop?"],
    ["unbounded-queries", "Unbounded queries: has every query or read a limit?"],
  ]),
  ...group("quality", [
    ["dry", "DRY: is anything written twice that exists already?"],
    ["solid", "SOLID: has each unit one reason to change, and a small surface?"],
    ["defensive-coding", "Defensive coding: are failures of calls handled where something can be done?"],
    ["consistency", "Consistency: does it look like the code around it?"],
  ]),
  ...group("devils_advocate", [
    ["unexpected-input", "What happens with input that nobody expects?"],
    ["wrong-order", "What happens if the calls come in the wrong order?"],
    ["concurrency", "What happens if two do it at the same time?"],
    ["half-failure", "What remains if it fails halfway?"],
    ["external-outage", "What happens while an external system is down?"],
    ["baked-in-assumptions", "Which assumption is built in, and what if it is wrong?"],
    ["decay", "What will be broken or hard to understand in 6 months?"],
    ["abstraction-fit", "Does the abstraction fit, or is it too much or too little?"],
    ["malicious-user", "What could a malicious user do with it?"],
  ]),
];
