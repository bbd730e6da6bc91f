import type { ProductSpec, SpecTask } from "@slipway/protocols/factory/product/spec";

const PURE = { effects: "none: a pure function that writes and calls nothing outside", modes: "sync, because it only computes" };

const READ_TIME: SpecTask = {
  task_id: "TSK-001",
  name: "Read a time",
  description: "Turns a time of day such as 09:30 into minutes since midnight.",
  subtasks: ["Match hours and minutes", "Reject values that no clock shows"],
  acceptance_criteria: [
    "returns the minutes since midnight for a time such as 09:30",
    "raises BadTimeError for a text that is no time of day",
  ],
  io_contract_sketch: {
    inputs: "a text with hours and minutes, two digits each",
    outputs: "a whole number of minutes since midnight",
    error_surfaces: "BadTimeError when the text is no time of day",
    ...PURE,
  },
};

const WRITE_TIME: SpecTask = {
  task_id: "TSK-002",
  name: "Write a time",
  description: "Turns minutes since midnight into a text such as 09:30.",
  subtasks: ["Split minutes into hours and minutes", "Pad both parts to two digits"],
  acceptance_criteria: [
    "returns a text such as 09:30 for minutes since midnight",
    "raises BadMinutesError for a number that is no minute of a day",
  ],
  io_contract_sketch: {
    inputs: "a whole number of minutes from 0 to 1440",
    outputs: "a text with hours and minutes, two digits each",
    error_surfaces: "BadMinutesError when the number is no minute of a day",
    ...PURE,
  },
};

const READ_DAYS: SpecTask = {
  task_id: "TSK-003",
  name: "Read days",
  description: "Turns a day or a range of days such as Mo-Fr into numbers of days.",
  subtasks: ["Recognise the two letters of a day", "Expand a range into its days"],
  acceptance_criteria: ["returns the days of a range such as Mo-Fr, with 0 for Monday", "raises BadDayError for a text that names no day"],
  io_contract_sketch: {
    inputs: "a text with one day of two letters, or two of them joined by a hyphen",
    outputs: "a list of numbers from 0 for Monday to 6 for Sunday",
    error_surfaces: "BadDayError when the text names no day and no range",
    ...PURE,
  },
};

const JOIN_SPANS: SpecTask = {
  task_id: "TSK-004",
  name: "Join spans",
  description: "Joins spans of minutes that overlap or touch on the same day.",
  subtasks: ["Sort spans by day and time", "Merge neighbours that overlap"],
  acceptance_criteria: [
    "returns one span for spans of a day that overlap or touch",
    "raises BadSpanError for a span that does not end after it begins",
  ],
  io_contract_sketch: {
    inputs: "a list of spans, each with a day and minutes from and to",
    outputs: "spans in order, of which no two overlap or touch",
    error_surfaces: "BadSpanError when a span does not end after it begins",
    ...PURE,
  },
};

const READ_HOURS: SpecTask = {
  task_id: "TSK-005",
  name: "Read opening hours",
  description: "Turns opening hours such as Mo-Fr 09:00-17:00; Sa 18:00-24:00 into spans of the week.",
  subtasks: ["Separate the rules", "Read days and times of each rule", "Join what overlaps"],
  acceptance_criteria: [
    "returns a span for each day of each rule, joined where rules overlap",
    "returns a span that lasts until the end of the day for a rule that ends at 24:00",
    "raises BadHoursError for a rule that cannot be read",
  ],
  depends_on: ["TSK-001", "TSK-003", "TSK-004"],
  io_contract_sketch: {
    inputs: "a text with rules of days and times, separated by semicolons",
    outputs: "spans with day and minutes, in order",
    error_surfaces: "BadHoursError when a rule is not days followed by two times",
    ...PURE,
  },
};

/** The two criteria contradict each other at the closing time, which is not noticed yet. */
export const CONTRADICTING = [
  "returns true at every time from the opening time to the closing time",
  "returns false at the closing time",
] as const;

const IS_OPEN: SpecTask = {
  task_id: "TSK-006",
  name: "Is it open",
  description: "Answers whether a place is open at a day and time, by its opening hours.",
  subtasks: ["Read the opening hours", "Look for a span with the minute that is asked about"],
  acceptance_criteria: [...CONTRADICTING, "raises BadQuestionError for a day or a time that there is not"],
  depends_on: ["TSK-001", "TSK-005"],
  io_contract_sketch: {
    inputs: "opening hours as a text, a day from 0 to 6 and a time of day",
    outputs: "true or false",
    error_surfaces: "BadQuestionError when hours, day or time cannot be read",
    ...PURE,
  },
};

const NEXT_OPENING: SpecTask = {
  task_id: "TSK-007",
  name: "Next opening",
  description: "Answers when a place opens next, from a day and time on, also over the end of the week.",
  subtasks: ["Order the openings by how long they are away", "Write day and time of the nearest one"],
  acceptance_criteria: [
    "returns day and time of the first minute at which it is open",
    "returns null for a place that is never open",
    "raises BadQuestionError for a day or a time that there is not",
  ],
  depends_on: ["TSK-001", "TSK-005"],
  io_contract_sketch: {
    inputs: "opening hours as a text, a day from 0 to 6 and a time of day",
    outputs: "a day and a time as text, or null when there is none",
    error_surfaces: "BadQuestionError when hours, day or time cannot be read",
    ...PURE,
  },
};

export const SPEC: ProductSpec = {
  spec_id: "SPEC-001",
  spec_version: "1.0.0",
  title: "Opening hours",
  description: "A library that reads opening hours and answers whether a place is open, and when it opens next.",
  created_at: "2026-11-16T09:00:00Z",
  updated_at: "2026-11-16T09:00:00Z",
  pillars: [
    {
      pillar_id: "PIL-001",
      name: "Hours",
      description: "Everything about the opening hours of one place.",
      rationale: "Shops publish their hours as text, and people ask questions about them.",
      epics: [
        {
          epic_id: "EPC-001",
          name: "Clock",
          description: "Times and days, read and written.",
          success_criteria: ["every time of a day is read as it was written"],
          stories: [
            {
              story_id: "STR-001",
              name: "Reading",
              description: "A person writes times and days as they are used to.",
              user_facing_behavior: "09:30 and Mo-Fr are understood.",
              tasks: [READ_TIME, WRITE_TIME, READ_DAYS],
            },
          ],
        },
        {
          epic_id: "EPC-002",
          name: "Week",
          description: "A text of opening hours becomes the spans of a week.",
          success_criteria: ["the hours of a shop with lunch breaks are read without loss"],
          stories: [
            {
              story_id: "STR-002",
              name: "Rules",
              description: "A person pastes the opening hours of a shop.",
              user_facing_behavior: "Every rule is understood, or named when it is not.",
              tasks: [JOIN_SPANS, READ_HOURS],
            },
          ],
        },
        {
          epic_id: "EPC-003",
          name: "Answers",
          description: "Questions about opening hours get an answer.",
          success_criteria: ["both questions are answered for every minute of a week"],
          stories: [
            {
              story_id: "STR-003",
              name: "Questions",
              description: "A person asks whether a place is open, and when it opens next.",
              user_facing_behavior: "The answer is a yes or no, or a day and a time.",
              tasks: [IS_OPEN, NEXT_OPENING],
            },
          ],
        },
      ],
    },
  ],
};

export const TASKS = {
  readTime: { id: "T-hours-clock-reading-001", criteria: READ_TIME.acceptance_criteria },
  writeTime: { id: "T-hours-clock-reading-002", criteria: WRITE_TIME.acceptance_criteria },
  readDays: { id: "T-hours-clock-reading-003", criteria: READ_DAYS.acceptance_criteria },
  joinSpans: { id: "T-hours-week-rules-001", criteria: JOIN_SPANS.acceptance_criteria },
  readHours: { id: "T-hours-week-rules-002", criteria: READ_HOURS.acceptance_criteria },
  isOpen: { id: "T-hours-answers-questions-001", criteria: IS_OPEN.acceptance_criteria },
  nextOpening: { id: "T-hours-answers-questions-002", criteria: NEXT_OPENING.acceptance_criteria },
} as const;

/** The addition of the edit of SPEC.md. */
export const COUNTS_ONCE = "returns one span for a span that is given twice";

export const EDITED_SPEC: ProductSpec = withCriterion(SPEC, JOIN_SPANS.task_id, COUNTS_ONCE);

function withCriterion(spec: ProductSpec, taskId: string, criterion: string): ProductSpec {
  const copy = structuredClone(spec);
  const tasks = copy.pillars.flatMap(({ epics }) => epics.flatMap(({ stories }) => stories.flatMap((story) => story.tasks)));
  tasks.find(({ task_id }) => task_id === taskId)?.acceptance_criteria.push(criterion);
  return { ...copy, spec_version: "1.1.0" };
}
