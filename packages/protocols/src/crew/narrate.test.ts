import { expect, test } from "vitest";
import { endedLine, startedText } from "../narration/step-text.ts";
import { CREW_NARRATION } from "./narrate.ts";

const ended = (name: string, value: unknown) => endedLine(CREW_NARRATION, name, JSON.stringify({ value }));

test.each([
  ["crew-dispatch:Coder:1", "Coder at work"],
  ["crew-agent:Coder:1.1", "Coder at work"],
  ["crew-check:Coder", "checks before the dispatch of Coder"],
])("while %s is under way a person reads: %s", (name, text) => expect(startedText(CREW_NARRATION, name)).toBe(text));

const said = (status: string) => ({ ok: true, value: { output: { status, summary: "Two files." } } });

test.each([
  ["crew-state:3:PLAN", { problem: null, why: "approved" }, { text: "PLAN: approved", good: null }],
  ["crew-state:3:DONE", { problem: null, why: "merged" }, { text: "DONE: merged", good: true }],
  ["crew-state:3:BLOCKED", { problem: null, why: "no space" }, { text: "BLOCKED: no space", good: false }],
  ["crew-state:3:PLAN", { problem: "EROFS", why: "approved" }, { text: "status.json is not saved: EROFS", good: false }],
  ["crew-check:QA", { kind: "prevented", problems: ["a", "b"] }, { text: "QA was not dispatched: a; b", good: false }],
  ["crew-check:QA", { kind: "send" }, null],
  ["crew-agent:Coder:1.1", said("OK"), { text: "Coder: OK, Two files.", good: true }],
  ["crew-agent:Coder:1.1", said("BLOCKED"), { text: "Coder: BLOCKED, Two files.", good: null }],
  ["crew-agent:Coder:1.1", { ok: false, failure: { message: "no JSON" } }, { text: "Coder gave no valid answer: no JSON", good: false }],
  ["crew-counts:ci", { tests: { passed: 3, failed: 0 } }, { text: "checks: 3 passed, 0 failed", good: true }],
  ["crew-counts:ci", { tests: { passed: 3, failed: 1 } }, { text: "checks: 3 passed, 1 failed", good: false }],
])("when %s has ended with %j a person reads it in one line", (name, value, line) => expect(ended(name, value)).toEqual(line));
