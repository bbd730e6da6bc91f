import type { PlanDraft } from "@slipway/protocols/factory/engineering/micro-plan";

export type Drafted = PlanDraft["contracts"][number];

const SPANS = "{ day: number; from: number; to: number }[]";

function pure(
  id: string,
  purpose: string,
  tags: string[],
  surface: Pick<Drafted, "inputs" | "outputs" | "error_surfaces">,
  dependencies: Drafted["dependencies"] = [],
): Drafted {
  return {
    module_id: `MM-${id}`,
    name: id.replaceAll("_", " "),
    purpose,
    tags,
    ...surface,
    effects: [],
    modes: { sync: true, async: false, notes: "it only computes" },
    error_cases: surface.error_surfaces.map(({ when }) => when),
    dependencies,
    compatibility: { backward_compatible_with: [], breaking_change_policy: "a new major version" },
    runtime_budgets: {},
  };
}

const input = (name: string, type: string, ...constraints: string[]) => ({ name, type, constraints });
const output = (name: string, type: string, ...invariants: string[]) => ({ name, type, invariants });
const thrown = (name: string, when: string) => ({ name, when, surface: "exception" as const });

const PARSE_TIME = "MM-parse_time@^1.0.0";
const PARSE_HOURS = "MM-parse_hours@^1.0.0";

export const parseTime = pure("parse_time", "Reads a time of day such as 09:30 as minutes since midnight.", ["time", "parsing"], {
  inputs: [input("text", "string", "hours and minutes with two digits each, as HH:MM")],
  outputs: [output("minutes", "number", "whole minutes since midnight")],
  error_surfaces: [thrown("BadTimeError", "the text is no time of day")],
});

/** The input that parse_hours needs; other callers are not affected. */
export const endOfDay = input("endOfDay", "boolean | undefined", "optional: true lets 24:00 stand for the end of the day");

export const formatTime = pure("format_time", "Writes minutes since midnight as a time of day such as 09:30.", ["time", "formatting"], {
  inputs: [input("minutes", "number", "a whole number from 0 to 1440")],
  outputs: [output("text", "string", "two digits each for hours and minutes, as HH:MM")],
  error_surfaces: [thrown("BadMinutesError", "the number is no minute of a day")],
});

export const parseDays = pure(
  "parse_days",
  "Reads a day or a range of days such as Mo-Fr as numbers from 0 for Monday.",
  ["days", "parsing"],
  {
    inputs: [input("text", "string", "one of Mo, Tu, We, Th, Fr, Sa and Su, or two of them joined by a hyphen")],
    outputs: [output("days", "number[]", "the days follow each other from the first one named")],
    error_surfaces: [thrown("BadDayError", "the text names no day and no range of days")],
  },
);

export const joinSpans = pure("join_spans", "Joins spans of minutes that overlap or touch on the same day.", ["intervals"], {
  inputs: [input("spans", SPANS, "each ends after it begins")],
  outputs: [output("joined", SPANS, "in order of day and time", "no two of a day overlap or touch")],
  error_surfaces: [thrown("BadSpanError", "a span does not end after it begins")],
});

export const parseHours = pure(
  "parse_hours",
  "Reads a text of opening hours such as Mo-Fr 09:00-17:00 as spans of minutes for each day of the week.",
  ["opening hours", "parsing"],
  {
    inputs: [input("text", "string", "rules of days and times, separated by semicolons")],
    outputs: [output("spans", SPANS, "in order, and joined where rules overlap", "a span may last until 24:00")],
    error_surfaces: [thrown("BadHoursError", "a rule is not days followed by two times, the second after the first")],
  },
  [
    { ref: PARSE_TIME, why: "times of a rule" },
    { ref: "MM-parse_days@^1.0.0", why: "days of a rule" },
    { ref: "MM-join_spans@^1.0.0", why: "rules that overlap" },
  ],
);

const question = [
  input("hours", "string", "opening hours that can be read"),
  input("day", "number", "from 0 for Monday to 6 for Sunday"),
  input("time", "string", "a time of day as HH:MM"),
];
const badQuestion = thrown("BadQuestionError", "hours, day or time cannot be read");

export const isOpen = pure(
  "is_open",
  "Says whether a place with these opening hours is open at a day and time.",
  ["opening hours", "query"],
  { inputs: question, outputs: [output("open", "boolean", "false outside of every span")], error_surfaces: [badQuestion] },
  [
    { ref: PARSE_HOURS, why: "the spans of the week" },
    { ref: PARSE_TIME, why: "the minute that is asked about" },
  ],
);

export const nextOpening = pure(
  "next_opening",
  "Finds the first moment from a day and time on at which a place with these opening hours is open.",
  ["opening hours", "query"],
  {
    inputs: question,
    outputs: [
      output("next", "{ day: number; time: string } | null", "the given minute when it is open then", "null when it is never open"),
    ],
    error_surfaces: [badQuestion],
  },
  [
    { ref: PARSE_HOURS, why: "the spans of the week" },
    { ref: PARSE_TIME, why: "the minute that is asked about" },
    { ref: "MM-format_time@^1.0.0", why: "the time in the answer" },
  ],
);
