import { afterAll, beforeAll, expect, test } from "vitest";
import { PARSE_DURATION } from "../contracts/testing/samples.ts";
import type { LanguageReader } from "../language.ts";
import { openLimitedReader } from "./limited-reader.ts";
import { openTypeScript } from "./reader.ts";
import { GOOD } from "./testing/readings.ts";

/** Each line keeps the compiler busy for seconds. */
const BOMB = [
  'type D = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";',
  "type N = `${D}${D}${D}${D}`;",
  "type Pairs<A, B, K> = A extends string ? (B extends string ? (`${A}${B}` extends `${B}${A}` ? [A, K] : never) : never) : never;",
  ...Array.from({ length: 200 }, (_, n) => `export const x${n}: Pairs<N, N, ${n}> = 1;`),
].join("\n");

const sources = (code: string) => ({ files: { "implementation/index.ts": code } });

let reader: LanguageReader;
beforeAll(() => (reader = openLimitedReader({ timeoutMs: 5_000, memoryBytes: 2 * 1024 ** 3 })));
afterAll(() => reader.close());

test("a module is read as without limits", async () => {
  const direct = openTypeScript();
  expect(await reader.readModule(sources(GOOD), PARSE_DURATION)).toEqual(direct.readModule(sources(GOOD), PARSE_DURATION));
  expect(await reader.elementsOf(sources(GOOD).files)).toEqual(direct.elementsOf(sources(GOOD).files));
  direct.close();
});

test("types that keep the compiler busy are a problem of their module, and this process stays responsive", async () => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 20);
  const reading = await reader.readModule(sources(BOMB), PARSE_DURATION);
  clearInterval(ticking);
  expect(reading.problems).toEqual([expect.stringMatching(/did not finish within 5 s|used more than/)]);
  expect(ticks).toBeGreaterThan(50);
  expect((await reader.readModule(sources(GOOD), PARSE_DURATION)).problems).toEqual([]);
});

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
