import type { Objection } from "@slipway/protocols/factory/engineering/debate/schemas";
import * as contracts from "./contracts.ts";
import { agreed, line, TIME_COVERS, type Line } from "./scenes.ts";
import { challenge, filesOf, plan, proposal, reject, witness, type Delivery, type Report } from "./say.ts";
import { CONTRADICTING, TASKS } from "./spec.ts";

/** The name of the approved change's run, as in the attempts. */
const NEW_VERSION = "new-version-6.1";

/** A rule may end at 24:00, which the time module refuses: its contract must change first. */
export function readHours(): Line[] {
  const { parseHours: contract } = contracts;
  const { id, criteria } = TASKS.readHours;
  const [joined = "", until = "", raises = ""] = criteria;
  const report: Report = { query: "read the opening hours of a week" };
  const delivery: Delivery = {
    contract,
    files: filesOf("parse_hours"),
    claim: "Each rule is split into days and times; the second time may be the end of the day. What overlaps is joined.",
    checks: {
      [joined]: "joins rules that overlap, and gives them in order",
      [until]: "a day may last until 24:00",
      [raises]: "refuses a rule that cannot be read, and says which",
    },
    covers: {
      "rules of days and times, separated by semicolons": "refuses a rule that cannot be read, and says which",
      "in order, and joined where rules overlap": "joins rules that overlap, and gives them in order",
      "a span may last until 24:00": "a day may last until 24:00",
      BadHoursError: "refuses a rule that cannot be read, and says which",
      purpose: "reads rules of days and times",
    },
  };
  return [
    line("planner", id, "1", plan(contract, report)),
    line("proposer", contract.module_id, "1", interfaceChange()),
    ...newVersion(),
    line("planner", id, "2.1", plan(contract, report)),
    ...agreed(contract, "2.1", delivery, "With the new version of the time module every criterion is met."),
  ];
}

function interfaceChange() {
  return {
    type: "INTERFACE_CHANGE",
    exception_type: "CANNOT_SUPPORT",
    target_module: "MM-parse_time@1.0.0",
    reason: "A rule may end at 24:00, and parse time refuses it: the last minute of a day could never be within opening hours.",
    evidence: [
      'the task: "returns a span that lasts until the end of the day for a rule that ends at 24:00"',
      'MM-parse_time@1.0.0 raises BadTimeError for "24:00"',
    ],
    proposed_delta: {
      added_inputs: [contracts.endOfDay],
      removed_inputs: [],
      modified_inputs: [],
      added_outputs: [],
      removed_outputs: [],
      modified_outputs: [],
      added_error_surfaces: [],
      added_effects: [],
      mode_changes: null,
    },
    compatibility: "BACKWARD_COMPATIBLE",
    urgency: "BLOCKING",
  };
}

/** The change is debated first, then built like any module. */
function newVersion(): Line[] {
  const contract = { ...contracts.parseTime, inputs: [...contracts.parseTime.inputs, contracts.endOfDay] };
  const { module_id } = contract;
  const delivery: Delivery = {
    contract: { ...contract, compatibility: { ...contract.compatibility, backward_compatible_with: [`${module_id}@1.0.0`] } },
    version: "1.1.0",
    files: filesOf("parse_time", "end_of_day"),
    claim: "Who asks for the end of a day may write 24:00; everybody else is served as before.",
    checks: { "serves what the interface change asks for": "takes 24:00 only where the end of a day is asked for" },
    covers: {
      ...TIME_COVERS,
      "optional: true lets 24:00 stand for the end of the day": "takes 24:00 only where the end of a day is asked for",
    },
  };
  return [
    line("challenger", module_id, `${NEW_VERSION}.contract-1`, { verdict: "PASS", objections: [] }),
    line("arbiter", module_id, `${NEW_VERSION}.contract-1`, {
      decision: "APPROVE",
      rationale: "The new input is optional and comes last: whoever calls the module now is served as before.",
    }),
    ...agreed(contract, `${NEW_VERSION}.1`, delivery, "The approved change is there, and nothing else has changed."),
  ];
}

const QUESTION_COVERS = {
  "opening hours that can be read": "refuses hours that cannot be read",
  "from 0 for Monday to 6 for Sunday": "refuses a day or a time that there is not",
  "a time of day as HH:MM": "refuses a day or a time that there is not",
  BadQuestionError: "refuses a day or a time that there is not",
};

const OPEN_COVERS = {
  ...QUESTION_COVERS,
  "false outside of every span": "open within a span, closed outside of all",
  purpose: "open within a span, closed outside of all",
};

/**
 * Two criteria of the task contradict each other at the closing time. For either choice the Challenger has a witness for the other one, and
 * the harness runs the earlier witness again. After two revisions the Arbiter rejects it, and a person is asked.
 */
export function isOpen(): Line[] {
  const { isOpen: contract } = contracts;
  const { id, criteria } = TASKS.isOpen;
  const [always, atClosing] = CONTRADICTING;
  const raises = criteria.at(-1) ?? "";
  const refuses = "refuses a day or a time that there is not";
  const tests = ["open within a span, closed outside of all", refuses];
  const halfOpen: Delivery = {
    contract,
    files: filesOf("is_open"),
    claim: "A span holds its opening time and every minute before its closing time.",
    checks: { [always]: "open in the last minute before the closing time", [atClosing]: "closed at the closing time", [raises]: refuses },
    covers: OPEN_COVERS,
  };
  const inclusive: Delivery = {
    ...halfOpen,
    files: filesOf("is_open", "inclusive"),
    claim: "The closing time is within the span now, as the first criterion has it.",
    checks: { [always]: "open to the closing time", [atClosing]: "closed when the closing time is over", [raises]: refuses },
  };
  const [closing, past] = [
    atFive("open at the closing time", true, `acceptance_checks has "${always}", and 17:00 is within it`),
    atFive("closed at the closing time", false, `acceptance_checks has "${atClosing}"`),
  ];
  const neither: Objection = {
    invariant: "acceptance_checks",
    evidence: `"${always}" and "${atClosing}" say opposite things about 17:00: no module can meet both`,
    required_change: "decide which of the two is meant",
    concerns: "document",
  };
  const missed = { R5: "one of the acceptance_checks is not what the module does at the closing time" };
  const report: Report = { query: "is a place open at a day and time", rejected: IS_OPEN_REJECTS };
  const { module_id } = contract;
  const [before, at] = AMENDED;
  return [
    line("planner", id, "1", plan(contract, report)),
    line("proposer", module_id, "1", proposal(halfOpen)),
    line("challenger", module_id, "1", challenge(contract, tests, missed, [closing])),
    line("proposer", module_id, "2", proposal(inclusive)),
    line("challenger", module_id, "2", challenge(contract, tests, missed, [past])),
    line("proposer", module_id, "3", proposal({ ...halfOpen, claim: `${halfOpen.claim} Both criteria cannot be met at 17:00.` })),
    line("challenger", module_id, "3", challenge(contract, tests, missed, [neither])),
    line(
      "arbiter",
      module_id,
      "3",
      reject("The first two criteria contradict each other at the closing time. A person has to say which one is meant."),
    ),
    line("planner", id, "2.1", plan(contract, report)),
    ...agreed(
      contract,
      "2.1",
      {
        ...halfOpen,
        checks: { [before]: "open in the last minute before the closing time", [at]: "closed at the closing time", [raises]: refuses },
      },
      "The criteria as the person has amended them are met.",
    ),
  ];
}

const IS_OPEN_REJECTS = {
  "MM-parse_time@1.1.0": "it reads the time that is asked about, and is called for it",
  "MM-format_time@1.0.0": "it writes times, and nothing is written here",
};

/** As the person answers in answers.json. */
const AMENDED = ["returns true from the opening time until just before the closing time", "returns false at the closing time"] as const;

function atFive(name: string, expected: boolean, evidence: string): Objection {
  return {
    invariant: "acceptance_checks",
    evidence,
    required_change: `${expected ? "open" : "closed"} at the closing time`,
    witness: witness(
      name,
      "isOpen",
      `assert.equal(isOpen("Mo 09:00-17:00", 0, "17:00"), ${expected}, "at 17:00 it is ${expected ? "closed" : "open"}")`,
    ),
  };
}

/** The task depends on no module that writes times: the planner finds one in the code index and reuses it. */
export function nextOpening(): Line[] {
  const { nextOpening: contract } = contracts;
  const { id, criteria } = TASKS.nextOpening;
  const [returns = "", never = "", raises = ""] = criteria;
  const delivery: Delivery = {
    contract,
    files: filesOf("next_opening"),
    claim: "Openings are ordered by how long they are away, over the end of the week; the time is written by the module that was there.",
    checks: {
      [returns]: "finds the next opening of the week",
      [never]: "null when it is never open",
      [raises]: "refuses a day or a time that there is not",
    },
    covers: {
      ...QUESTION_COVERS,
      "the given minute when it is open then": "the given minute counts when it is open then",
      "null when it is never open": "null when it is never open",
      purpose: "finds the next opening of the week",
    },
  };
  const reused = {
    contract: contracts.formatTime,
    ref: "MM-format_time@1.0.0",
    query: "write minutes as a time of day",
    why: "It writes minutes as HH:MM, which is what the answer needs.",
  };
  return [
    line("planner", id, "1", plan(contract, { query: "when does a place open next", rejected: NEXT_OPENING_REJECTS }, [reused])),
    ...agreed(contract, "1", delivery, "The tests show both invariants, also over the end of the week."),
  ];
}

const NEXT_OPENING_REJECTS = {
  "MM-is_open@1.0.0": "it answers for one moment and finds none",
};
