import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policyHash } from "./load.ts";
import { cronProblem, NOTIFICATION_EVENTS } from "./notifications.ts";
import { parsePolicy } from "./policy.ts";
import { refusalOf, violationsIn } from "./testing/refusal.ts";
import { policyYaml } from "./testing/samples.ts";

const FILE = "slipway/policy.yaml";
const parsed = (notifications: unknown) => parsePolicy(FILE, policyYaml({ notifications }));
const refused = (notifications: unknown) => refusalOf(() => parsed(notifications));
const channel = (changes: object = {}) => ({ type: "webhook", endpoint: "https://hooks.example.com/x", events: ["block"], ...changes });

test("notifications are optional, and their fields have defaults", () => {
  expect(parsed(undefined).notifications).toBeUndefined();
  expect(parsed({ channels: [channel()] }).notifications).toEqual({
    enabled: true,
    allow_loopback: false,
    channels: [{ ...channel(), enabled: true }],
  });
});

test("a change of notifications leaves approvals valid", () => {
  const gates = { version: 1, profiles: {} } as unknown as Parameters<typeof policyHash>[1];
  expect(policyHash(parsed({ channels: [channel()] }), gates)).toBe(policyHash(parsed(undefined), gates));
});

describe("[CRI-133] a channel", () => {
  test.each(["slack", "email", "cli", "", null])("of the type %j is an error that names file and field", (type) => {
    const refusal = refused({ channels: [channel({ type })] });
    expect(refusal).toMatchObject({ code: "config_invalid", details: { file: FILE } });
    expect(violationsIn(refusal).map(({ pointer }) => pointer)).toEqual(["/notifications/channels/0/type"]);
  });

  test("takes the four events and no other", () => {
    expect(parsed({ channels: [channel({ events: [...NOTIFICATION_EVENTS] })] }).notifications?.channels[0]?.events).toEqual([
      "block",
      "complete",
      "error",
      "phase_change",
    ]);
    for (const events of [["started"], []]) expect(refused({ channels: [channel({ events })] }).code).toBe("config_invalid");
  });

  test.each([
    ["http://hooks.example.com/secret", "must begin with https://"],
    ["ftp://hooks.example.com/secret", "must begin with https://"],
    ["https://ann:secret@hooks.example.com/", "contains a user or a password"],
    ["http://localhost:9/secret", "allow_loopback"],
    ["https://127.0.0.1/secret", "allow_loopback"],
    ["https://[::1]/secret", "allow_loopback"],
    ["secret", "is not a URL"],
  ])("with the endpoint %s is refused, without showing it", (endpoint, said) => {
    const refusal = refused({ channels: [channel({ endpoint })] });
    expect(violationsIn(refusal)).toMatchObject([
      { pointer: "/notifications/channels/0/endpoint", message: expect.stringContaining(said) },
    ]);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain("secret");
  });

  test.each(["http://localhost:9/", "http://127.0.0.1:9/", "http://[::1]:9/", "https://hooks.localhost/"])(
    "may be %s if loopback is allowed",
    (endpoint) => {
      expect(parsed({ allow_loopback: true, channels: [channel({ endpoint })] }).notifications?.channels).toHaveLength(1);
    },
  );

  test("may take its endpoint from a variable", () => {
    expect(parsed({ channels: [channel({ endpoint: "env:SLACK_HOOK" })] }).notifications?.channels).toHaveLength(1);
    expect(refused({ channels: [channel({ endpoint: "env:not a name" })] }).code).toBe("config_invalid");
  });
});

describe("[CRI-135] reminder_schedule", () => {
  test.each(["0 9 * * *", "0 */4 * * *", "0 9 * * 1-5", "15,45 8-18 * * MON-FRI", "0 0 1 jan *", "0 9 * * 7"])("takes %s", (schedule) => {
    expect(parsed({ reminder_schedule: schedule }).notifications?.reminder_schedule).toBe(schedule);
  });

  test.each([
    "",
    "@daily",
    "@hourly",
    "0 9 * *",
    "0 0 9 * * *",
    "0 0 9 * * * 2026",
    "60 9 * * *",
    "0 24 * * *",
    "0 9 0 * *",
    "0 9 * 13 *",
    "0 9 * * 8",
    "0 9 L * *",
    "0 9 15W * *",
    "0 9 * * 5#2",
    "0 9 ? * *",
    "*/0 * * * *",
    "5-1 * * * *",
    "0 9 * * FOO",
    "0 0 30 2 *",
    "0  9 * * *",
    " 0 9 * * *",
    "0 9 * * *\n",
    "0\t9 * * *",
    "0 9 * * +1",
    "2026-01-01T00:00:00",
    "garbage",
    "\0 9 * * *",
  ])("refuses %j with file and field", (schedule) => {
    const refusal = refused({ reminder_schedule: schedule });
    expect(refusal).toMatchObject({ code: "config_invalid", details: { file: FILE } });
    expect(violationsIn(refusal).map(({ pointer }) => pointer)).toEqual(["/notifications/reminder_schedule"]);
  });

  test("never throws, whatever the text is, and never takes more or fewer than five fields", () => {
    const fields = fc.array(fc.constantFrom("*", "0", "5", "1-5", "*/2", "MON", "L", "@daily", "99", "-", ",", "/"), { maxLength: 7 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fields.map((list) => list.join(" ")),
        ),
        (text) => {
          if (cronProblem(text) === null) expect(text.split(" ")).toHaveLength(5);
        },
      ),
    );
  });
});

test("a time zone has an IANA name", () => {
  expect(parsed({ time_zone: "Europe/Berlin" }).notifications?.time_zone).toBe("Europe/Berlin");
  expect(violationsIn(refused({ time_zone: "Mars/Base" }))).toMatchObject([{ pointer: "/notifications/time_zone" }]);
});
