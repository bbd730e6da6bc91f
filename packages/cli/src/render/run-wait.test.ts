import { waitOf } from "@slipway/protocols/change/view";
import { expect, test } from "vitest";

test.each([
  [{ for: "feature", features: ["a", "b"], resources: [] } as const, { for: "feature", what: "a, b" }],
  [{ for: "lock", resources: ["db"], features: ["a"] } as const, { for: "lock", what: "db" }],
  [
    { for: "limit", provider: "claude", code: "rate_limited", until: 0 } as const,
    { for: "limit", what: "claude until 1970-01-01T00:00:00.000Z" },
  ],
  [{ for: "slot" } as const, { for: "slot", what: "" }],
  [{ for: "landing" } as const, { for: "landing", what: "" }],
])("a feature's wait is shown in the tree of its run", (wait, expected) => {
  expect(waitOf(wait)).toEqual(expected);
});
