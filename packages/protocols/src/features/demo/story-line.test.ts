import { expect, test } from "vitest";
import { storyLine } from "./story-line.ts";

test.each([
  [{ fact: "waited", feature_id: "b", for: ["a"], over: ["src/x.ts"] }, "b waited until a had landed: both change src/x.ts"],
  [{ fact: "locked", feature_id: "a", resources: ["db"] }, "a held the lock db until it was merged"],
  [{ fact: "refused", feature_id: "a", paths: ["x.ts"] }, "a left its plan (x.ts), was refused, and then kept to it"],
  [{ fact: "repaired", feature_id: "a", mode: "full", failures: 1 }, "a failed the full gates once and was repaired"],
  [{ fact: "repaired", feature_id: "a", mode: "full", failures: 2 }, "a failed the full gates 2 times and was repaired"],
] as const)("%j", (fact, text) => {
  expect(storyLine(fact)).toBe(text);
});
