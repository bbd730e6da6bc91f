import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";
import type { Scaffold } from "@slipway/protocols/criticality/lattice/scaffold";
import { bodies, cluster, guarded, noContradictions, plain, transformed, type Attempted, type Said, type Structured } from "../cassette.ts";
import { CALENDAR, CLOCK_TEXT, INTERVAL } from "./sources.ts";

const WITNESSES: WitnessDefinition[] = [
  {
    name: "MinuteOfDay",
    description: "Minutes since midnight.",
    base: { generic: false, type_params: [], inner_type: "int" },
    invariants: [{ id: "day", description: "From 0 to 1439", formal: "0 <= value < 1440", testable: true }],
    constructors: [{ name: "minute_of_day", trust_level: "safe" }],
  },
];

const SKELETON: Scaffold = {
  files: [
    { path: "src/domain/interval.py", feature: "intervals", text: INTERVAL },
    { path: "src/domain/clock_text.py", feature: null, text: CLOCK_TEXT },
    { path: "src/services/calendar.py", feature: "bookings", text: CALENDAR },
  ],
  calls: [
    { function: "src/domain/interval.py#gaps", calls: ["src/domain/interval.py#merge"] },
    { function: "src/services/calendar.py#Calendar.book", calls: ["src/domain/interval.py#overlaps"] },
    {
      function: "src/services/calendar.py#free_slots",
      calls: ["src/domain/interval.py#gaps", "src/services/calendar.py#Calendar.bookings"],
    },
  ],
};

const BODIES: Readonly<Record<string, readonly Attempted[]>> = {
  "domain.interval.duration": [
    {
      body: 'if interval.start > interval.end:\nraise ValueError("The interval ends before it starts.")\nreturn interval.end - interval.start',
    },
    {
      body: 'if interval.start > interval.end:\n    raise ValueError("The interval ends before it starts.")\nreturn interval.end - interval.start',
    },
  ],
  "domain.interval.overlaps": [{ body: "return left.start < right.end and right.start < left.end" }],
  "domain.interval.covers": [
    { body: "return any(one.start <= minute <= one.end for one in intervals)" },
    { body: "return any(one.start <= minute < one.end for one in intervals)" },
  ],
  "domain.interval.merge": [
    {
      body: `if any(one.start >= one.end for one in intervals):
    raise ValueError("An interval is empty.")
merged: list[Interval] = []
for one in sorted(intervals, key=lambda interval: interval.start):
    if merged and one.start <= merged[-1].end:
        merged[-1] = Interval(merged[-1].start, max(merged[-1].end, one.end))
    else:
        merged.append(one)
return merged`,
    },
  ],
  "domain.interval.gaps": [
    {
      body: `if within.start > within.end:
    raise ValueError("The interval ends before it starts.")
free: list[Interval] = []
start = within.start
for one in merge(busy):
    if one.end <= start or one.start >= within.end:
        continue
    if one.start > start:
        free.append(Interval(start, one.start))
    start = max(start, one.end)
if start < within.end:
    free.append(Interval(start, within.end))
return free`,
    },
  ],
  "domain.clock_text.parse_minute": [
    {
      body: `hours, colon, minutes = text.strip().partition(":")
if colon == "" or not (hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit() and len(minutes) == 2):
    return None
if int(hours) > 23 or int(minutes) > 59:
    return None
return MinuteOfDay(int(hours) * 60 + int(minutes))`,
    },
  ],
  "domain.clock_text.format_minute": [{ body: 'return f"{minute.value // 60:02d}:{minute.value % 60:02d}"' }],
  "services.calendar.Calendar.__init__": [{ body: "self._bookings = {}" }],
  "services.calendar.Calendar.rooms": [{ body: "return sorted(self._bookings)" }],
  "services.calendar.Calendar.bookings": [{ body: "return sorted(self._bookings.get(room, []), key=lambda one: one.start)" }],
  "services.calendar.Calendar.book": [
    {
      body: `if slot.start >= slot.end:
    raise ValueError("The interval is empty.")
booked = self._bookings.setdefault(room, [])
if any(overlaps(slot, one) for one in booked):
    return False
booked.append(slot)
return True`,
    },
  ],
  "services.calendar.free_slots": [{ body: "return gaps(calendar.bookings(room), day)" }],
};

const COVERED: Structured = {
  ...plain,
  id: "interval_001",
  type: "behavioral",
  subject: "merge",
  predicate: "all(covers(result, minute) for one in intervals for minute in range(one.start, min(one.end, one.start + 50)))",
  scope: "all lists of intervals",
};

const SAME_MINUTE: Structured = {
  ...plain,
  id: "text_001",
  type: "behavioral",
  subject: "format_minute",
  predicate: "parse_minute(result) == minute",
  scope: "all minutes of a day",
};

const NO_OVERLAP: Structured = {
  ...plain,
  id: "calendar_001",
  type: "invariant",
  subject: "Calendar",
  predicate:
    "all(not overlaps(before, after) for room in self.rooms() for before, after in zip(self.bookings(room), self.bookings(room)[1:]))",
  scope: "after every booking",
};

const NO_EMPTY: Structured = {
  ...plain,
  id: "calendar_002",
  type: "negative",
  subject: "Calendar.book",
  predicate: "slot.start < slot.end",
  scope: "all rooms",
};

const ENDS: Structured = {
  ...plain,
  id: "calendar_003",
  type: "temporal",
  subject: "Calendar",
  predicate: "an hour later the booking is gone",
  scope: "bookings that nobody confirms",
};

const PARSE = `def parse_minute(text: str) -> MinuteOfDay | None:
    minutes_per_hour = 60
    hours_per_day = 24
    hours, colon, minutes = text.strip().partition(":")
    if colon == "" or not (hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit() and len(minutes) == 2):
        return None
    if int(hours) >= hours_per_day or int(minutes) >= minutes_per_hour:
        return None
    return MinuteOfDay(int(hours) * minutes_per_hour + int(minutes))`;

/** Every answer of the roles for the program in spec.toml. */
export const ANSWERS: readonly Said[] = [
  { role: "structurer", subject: "witnesses", attempt: "1.1", output: { witnesses: WITNESSES } },
  { role: "structurer", subject: "lattice", attempt: "1.1", output: SKELETON },
  ...noContradictions(1),
  ...bodies(1, BODIES),
  ...cluster("interval", [COVERED]),
  ...cluster("clock_text", [SAME_MINUTE]),
  ...cluster("calendar", [NO_OVERLAP, NO_EMPTY, ENDS]),
  transformed("domain.clock_text.parse_minute", "extract-magic-value.1.1", PARSE),
  guarded("domain.clock_text.format_minute", "extract-magic-value.1.1", "The contract has the same number."),
];
