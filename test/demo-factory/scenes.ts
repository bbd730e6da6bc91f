import type { Objection } from "@slipway/protocols/factory/engineering/debate/schemas";
import * as contracts from "./contracts.ts";
import type { Drafted } from "./contracts.ts";
import { amended, approve, challenge, filesOf, plan, proposal, witness, type Delivery } from "./say.ts";
import { COUNTS_ONCE, EDITED_SPEC, SPEC, TASKS } from "./spec.ts";

/** A role's answer at an attempt. A resumed task counts its attempts as 2.1, 2.2 and so on. */
export interface Line {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  readonly output: unknown;
}

export const line = (role: string, subject: string, attempt: string, output: unknown): Line => ({ role, subject, attempt, output });

/** No objections. */
export function agreed({ module_id }: Drafted, attempt: string, delivery: Delivery, rationale: string): Line[] {
  const tests = [...new Set(Object.values(delivery.covers))];
  return [
    line("proposer", module_id, attempt, proposal(delivery)),
    line("challenger", module_id, attempt, challenge(delivery.contract, tests)),
    line("arbiter", module_id, attempt, approve(rationale)),
  ];
}

/** A draft with an error, which the validation finds; then the spec. */
export function product(): Line[] {
  const draft = structuredClone(SPEC);
  const [clock] = draft.pillars[0]?.epics ?? [];
  const [time] = clock?.stories[0]?.tasks ?? [];
  time?.acceptance_criteria.pop();
  const subject = "spec";
  return [
    line("product-owner", subject, "1.1", {
      calls: [
        { tool: "search_code_index", query: "opening hours, times of day, days of the week" },
        { tool: "write_file", path: "draft.json", content: JSON.stringify(draft, null, 2) },
        { tool: "validate_spec", spec_path: "draft.json" },
      ],
    }),
    line("product-owner", subject, "1.2", { calls: [{ tool: "emit_structured_spec", spec: SPEC }] }),
  ];
}

const [HOURS_AND_MINUTES = ""] = contracts.parseTime.inputs.flatMap(({ constraints }) => constraints);
export const TIME_COVERS = {
  [HOURS_AND_MINUTES]: "wants two digits each",
  "whole minutes since midnight": "counts whole minutes since midnight",
  BadTimeError: "refuses what is no time",
  purpose: "reads a time of day",
};

/** The Challenger is right: 9:5 is read although it has one digit each. Its witness shows it, and the module is revised. */
export function readTime(): Line[] {
  const { parseTime: contract } = contracts;
  const { id, criteria } = TASKS.readTime;
  const [returns = "", raises = ""] = criteria;
  const checks = { [returns]: "reads a time of day", [raises]: "refuses what is no time" };
  const first: Delivery = {
    contract,
    files: filesOf("parse_time", "first"),
    claim: "Hours and minutes are matched, checked against the clock and counted from midnight.",
    checks,
    covers: { ...TIME_COVERS, [HOURS_AND_MINUTES]: "refuses what is no time" },
  };
  const objection: Objection = {
    invariant: `inputs.text: ${HOURS_AND_MINUTES}`,
    evidence: 'no test in the summary reads a time with one digit; "9:5" must be refused',
    required_change: "refuse hours and minutes that have not two digits each, and test it",
    witness: witness(
      "a time with one digit each is refused",
      "BadTimeError, parseTime",
      'assert.throws(() => parseTime("9:5"), BadTimeError, "9:5 is read")',
    ),
  };
  const tests = ["reads a time of day", "refuses what is no time"];
  const missed = { R3: `a text that breaks "${HOURS_AND_MINUTES}" is read without BadTimeError` };
  const revised: Delivery = {
    contract,
    files: filesOf("parse_time"),
    claim: "Exactly two digits each are matched now; what has one is refused.",
    checks,
    covers: TIME_COVERS,
  };
  return [
    line("planner", id, "1", plan(contract, { query: "read a time of day as minutes" })),
    line("proposer", contract.module_id, "1", proposal(first)),
    line("challenger", contract.module_id, "1", challenge(contract, tests, missed, [objection])),
    ...agreed(contract, "2", revised, "The objection was right, and the revision answers it; the contract is met."),
  ];
}

/** The Challenger is wrong: its witness passes, and the objection is refuted before the Arbiter decides. */
export function writeTime(): Line[] {
  const { formatTime: contract } = contracts;
  const { id, criteria } = TASKS.writeTime;
  const [returns = "", raises = ""] = criteria;
  const delivery: Delivery = {
    contract,
    files: filesOf("format_time"),
    claim: "Both parts are padded to two digits; what is no minute of a day is refused.",
    checks: { [returns]: "writes a time of day", [raises]: "refuses what is no minute of a day" },
    covers: {
      "a whole number from 0 to 1440": "refuses what is no minute of a day",
      "two digits each for hours and minutes, as HH:MM": "has two digits each, from midnight to the end of the day",
      BadMinutesError: "refuses what is no minute of a day",
      purpose: "writes a time of day",
    },
  };
  const objection: Objection = {
    invariant: "outputs.text: two digits each for hours and minutes, as HH:MM",
    evidence: "no test writes a time whose hours and minutes both have one digit: 65 minutes may become 1:5",
    required_change: "pad both parts",
    witness: witness("65 minutes are 01:05", "formatTime", 'assert.equal(formatTime(65), "01:05")'),
  };
  const tests = ["writes a time of day", "has two digits each, from midnight to the end of the day"];
  const missed = { R2: "no test in the test summary shows two digits where both parts have one" };
  return [
    line("planner", id, "1", plan(contract, { query: "write minutes as a time of day", rejected: WRITE_TIME_REJECTS })),
    line("proposer", contract.module_id, "1", proposal(delivery)),
    line("challenger", contract.module_id, "1", challenge(contract, tests, missed, [objection])),
    line("arbiter", contract.module_id, "1", approve("The only objection was run and refuted. The contract is met.")),
  ];
}

const WRITE_TIME_REJECTS = { "MM-parse_time@1.0.0": "it reads a time, the other way round" };

/** Approved with two amendments, which are applied and checked. */
export function readDays(): Line[] {
  const { parseDays: contract } = contracts;
  const { id, criteria } = TASKS.readDays;
  const [returns = "", raises = ""] = criteria;
  const [named = ""] = contract.inputs.flatMap(({ constraints }) => constraints);
  const delivery: Delivery = {
    contract,
    files: filesOf("parse_days"),
    claim: "Days are found by their two letters; a range is counted from its first day on.",
    checks: { [returns]: "reads a range of days", [raises]: "refuses what is no day" },
    covers: {
      [named]: "reads every day by its two letters",
      "the days follow each other from the first one named": "reads a range of days",
      BadDayError: "refuses what is no day",
      purpose: "reads a range of days",
    },
  };
  const tests = [...new Set(Object.values(delivery.covers))];
  const amendments = [
    { action: "ADD" as const, target: 'test "a range may pass Sunday"', detail: 'parseDays("Sa-Mo") gives [5, 6, 0]' },
    {
      action: "ADD" as const,
      target: 'heading "A range that passes Sunday"',
      detail: 'examples.md shows parseDays("Sa-Mo") with [5, 6, 0]',
    },
  ];
  const why = "The contract is met. That a range may pass Sunday follows from it, and neither a test nor an example says so.";
  return [
    line("planner", id, "1", plan(contract, { query: "read days of the week and ranges of days", rejected: READ_DAYS_REJECTS })),
    line("proposer", contract.module_id, "1", proposal(delivery)),
    line("challenger", contract.module_id, "1", challenge(contract, tests)),
    line("arbiter", contract.module_id, "1", approve(why, amendments)),
    line(
      "proposer",
      contract.module_id,
      "1-amended",
      amended(contract, filesOf("parse_days", "amended"), ["the test is there", "the example is there"]),
    ),
  ];
}

const READ_DAYS_REJECTS = { "MM-parse_time@1.0.0": "it reads times, and no days" };

const { joinSpans: JOIN_SPANS } = contracts;

export function joinSpans(): Line[] {
  const [returns = "", raises = ""] = TASKS.joinSpans.criteria;
  return [
    line("planner", TASKS.joinSpans.id, "1", plan(JOIN_SPANS, { query: "join overlapping spans of minutes" })),
    ...agreed(JOIN_SPANS, "1", joining(returns, raises), "Every promise of the contract has a test that passes."),
  ];
}

function joining(returns: string, raises: string): Delivery {
  return {
    contract: JOIN_SPANS,
    files: filesOf("join_spans"),
    claim: "Spans are sorted by day and time; each is joined to the one before it where they overlap or touch.",
    checks: { [returns]: "joins spans of a day that overlap", [raises]: "refuses a span that does not end after it begins" },
    covers: {
      "each ends after it begins": "refuses a span that does not end after it begins",
      "in order of day and time": "puts them in order, by day and then by time",
      "no two of a day overlap or touch": "joins spans that touch, and leaves apart what does not",
      BadSpanError: "refuses a span that does not end after it begins",
      purpose: "joins spans of a day that overlap",
    },
  };
}

/** After the edit: one more criterion, the same interface, and only a new test. */
export function edited(): Line[] {
  const [returns = "", raises = ""] = TASKS.joinSpans.criteria;
  const before = joining(returns, raises);
  const delivery: Delivery = {
    ...before,
    version: "1.0.1",
    files: filesOf("join_spans", "twice"),
    claim: "A span that is given twice touches itself, so it is joined; a test says so now.",
    checks: { ...before.checks, [COUNTS_ONCE]: "a span that is given twice counts once" },
  };
  return [
    line("product-owner", "spec", "1.1", { calls: [{ tool: "emit_structured_spec", spec: EDITED_SPEC }] }),
    line("planner", TASKS.joinSpans.id, "1", plan(JOIN_SPANS, { query: "join overlapping spans of minutes" })),
    ...agreed(JOIN_SPANS, "1", delivery, "The new criterion has a test that passes, and the interface is as it was."),
  ];
}
