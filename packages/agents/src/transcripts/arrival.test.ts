import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Moment } from "./line.ts";
import { openArrival } from "./arrival.ts";

const SENT: Moment = { kind: "sent", repair: 0, system: "", prompt: "p", prompt_digest: "d" };
const TEXT: Moment = { kind: "text", text: "t" };

test("a transcript is synced alongside the next invocation, or alone if there is none, and once", async () => {
  const begun: string[] = [];
  const arrival = openArrival(() => undefined);
  const disk = (name: string) => async () => void begun.push(name);
  arrival.ended("first", disk("first"));
  expect(begun).toEqual([]);
  arrival.begin();
  expect(begun).toEqual(["first"]);
  arrival.ended("second", disk("second"));
  while (begun.length < 2) await sleep(5);
  expect(begun).toEqual(["first", "second"]);
});

test("no agent is called before it is on disk; everything else continues", async () => {
  const warnings: string[] = [];
  const arrival = openArrival((warning) => void warnings.push(warning));
  const { promise, reject } = Promise.withResolvers<void>();
  expect(arrival.watch(SENT)).toBeUndefined();
  arrival.ended("qa for x", () => promise);
  expect(arrival.watch(TEXT)).toBeUndefined();
  let isAsked = false;
  const asking = Promise.resolve(arrival.watch(SENT)).then(() => (isAsked = true));
  await sleep(5);
  expect(isAsked).toBe(false);
  reject(new Error("EIO"));
  await asking;
  expect(warnings).toEqual([expect.stringMatching(/^the transcript of the qa for x may be lost in a power cut: .*EIO/)]);
  expect(arrival.watch(SENT)).toBeUndefined();
});
