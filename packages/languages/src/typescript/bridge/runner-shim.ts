/** What tests import from vitest or @jest/globals, on top of Node's own runner. */
import assert from "node:assert/strict";
import { mock } from "node:test";

export { after as afterAll, afterEach, before as beforeAll, beforeEach, describe, it, test } from "node:test";

type Expected = RegExp | string | (new (...given: never[]) => Error) | undefined;

function assertMatches(error: unknown, expected: Expected): void {
  if (expected === undefined) return;
  if (typeof expected === "function") return void assert.ok(error instanceof expected, `expected ${expected.name}, got ${String(error)}`);
  const message = error instanceof Error ? error.message : String(error);
  const matches = typeof expected === "string" ? message.includes(expected) : expected.test(message);
  assert.ok(matches, `expected an error with ${String(expected)}, got ${message}`);
}

export function expect(actual: unknown) {
  return {
    toBe: (expected: unknown) => assert.equal(actual, expected),
    toEqual: (expected: unknown) => assert.deepEqual(actual, expected),
    toThrow(expected?: Expected): void {
      let thrown: [unknown] | null = null;
      try {
        (actual as () => unknown)();
      } catch (error) {
        thrown = [error];
      }
      if (thrown === null) assert.fail("expected an error, got none");
      assertMatches(thrown[0], expected);
    },
    rejects: {
      async toThrow(expected?: Expected): Promise<void> {
        const settled = await Promise.allSettled([actual]);
        if (settled[0].status === "fulfilled") assert.fail("expected an error, got none");
        else assertMatches(settled[0].reason, expected);
      },
    },
  };
}

const clock = {
  useFakeTimers({ now = 0 }: { readonly now?: number } = {}) {
    mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now });
  },
  advanceTimersByTime: (milliseconds: number) => mock.timers.tick(milliseconds),
  useRealTimers: () => mock.timers.reset(),
};

export const vi = clock;
export const jest = clock;
