import { afterAll, beforeAll, expect, test } from "vitest";
import { PARSE_DURATION } from "../contracts/testing/samples.ts";
import type { LanguageReader } from "../language.ts";
import { openLimitedReader } from "./limited-reader.ts";
import { openTypeScript } from "./reader.ts";
import { GOOD } from "./testing/readings.ts";
import { BOMB } from "./testing/type-bomb.ts";

const sources = (code: string) => ({ files: { "implementation/index.ts": code } });

/** Far more than an ordinary module needs, also on a busy machine. */
const PATIENT_MS = 60_000;
const limits = { timeoutMs: PATIENT_MS, memoryBytes: 2 * 1024 ** 3 };

let reader: LanguageReader;
beforeAll(() => (reader = openLimitedReader(limits)));
afterAll(() => reader.close());

test("a module is read as without limits", { timeout: 120_000 }, async () => {
  const direct = openTypeScript();
  expect(await reader.readModule(sources(GOOD), PARSE_DURATION)).toEqual(direct.readModule(sources(GOOD), PARSE_DURATION));
  expect(await reader.elementsOf(sources(GOOD).files)).toEqual(direct.elementsOf(sources(GOOD).files));
  direct.close();
});

test(
  "B23: types that keep the compiler busy are a problem of their module, and this process stays responsive",
  { timeout: 120_000 },
  async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    limits.timeoutMs = 5_000;
    const reading = await reader.readModule(sources(BOMB), PARSE_DURATION);
    limits.timeoutMs = PATIENT_MS;
    clearInterval(ticking);
    expect(reading.problems).toEqual([expect.stringMatching(/did not finish within 5 s|used more than/)]);
    expect(ticks).toBeGreaterThan(10);
    expect((await reader.readModule(sources(GOOD), PARSE_DURATION)).problems).toEqual([]);
  },
);

test("an abort stops the compiler at once", async () => {
  const enough = new AbortController();
  const asked = reader.readModule(sources(BOMB), PARSE_DURATION, enough.signal);
  setTimeout(() => enough.abort(new Error("stopped by a person")), 200);
  await expect(asked).rejects.toThrow("stopped by a person");
});

test("memory is limited", async () => {
  const small = openLimitedReader({ timeoutMs: 60_000, memoryBytes: 50 * 1024 ** 2 });
  expect((await small.readModule(sources(BOMB), PARSE_DURATION)).problems).toEqual([expect.stringContaining("50 MiB of memory")]);
  small.close();
});
