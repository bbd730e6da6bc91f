import { expect, test } from "vitest";
import { readOnce } from "./read-once.ts";

test("a text is read once, until as many others were read as are kept", () => {
  const read: string[] = [];
  const length = readOnce(2, (text) => (read.push(text), text.length));
  expect(["a", "bb", "a", "bb"].map(length)).toEqual([1, 2, 1, 2]);
  expect(read).toEqual(["a", "bb"]);
  expect([length("ccc"), length("bb"), length("a")]).toEqual([3, 2, 1]);
  expect(read).toEqual(["a", "bb", "ccc", "a"]);
});

test("an error is not kept", () => {
  let tries = 0;
  const fails = readOnce(2, () => {
    throw new TypeError(`try ${++tries}`);
  });
  expect(() => fails("x")).toThrow("try 1");
  expect(() => fails("x")).toThrow("try 2");
});
