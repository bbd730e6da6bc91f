import type { Wait } from "@slipway/kernel/change/views/board/board";
import { expect, test } from "vitest";
import { waitOf } from "./view.ts";

test.each([
  [
    { for: "person", number: 3, kind: "approval" },
    { for: "person", what: "Q3 (approval)" },
  ],
  [
    { for: "feature", features: ["a", "b"] },
    { for: "feature", what: "a, b" },
  ],
  [
    { for: "lock", resources: ["db"] },
    { for: "lock", what: "db" },
  ],
  [
    { for: "limit", provider: "claude", until: 0 },
    { for: "limit", what: "claude until 1970-01-01T00:00:00.000Z" },
  ],
  [{ for: "slot" }, { for: "slot", what: "" }],
  [{ for: "landing" }, { for: "landing", what: "" }],
])("what a feature waits for is said in a few words: %j", (wait, said) => expect(waitOf(wait as unknown as Wait)).toEqual(said));
