import { expect, test } from "vitest";
import { ownersOn } from "./owners.ts";

const owners = ownersOn({ host: "here", pid: 1, startedAt: "5", isDead: ({ pid }) => pid === 2 });

test.each([
  [{ host: "here", pid: 1, startedAt: "5" }, "alive"],
  [{ host: "here", pid: 2, startedAt: "5" }, "dead"],
  [{ host: "there", pid: 3, startedAt: "5" }, "unknown"],
])("%o is %s", (owner, state) => {
  expect(owners.stateOf(JSON.stringify(owner))).toBe(state);
});

test("this process is alive", () => {
  const real = ownersOn();
  expect(real.stateOf(real.self)).toBe("alive");
});
