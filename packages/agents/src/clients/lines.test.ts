import fc from "fast-check";
import { expect, test } from "vitest";
import { lineSplitter } from "./lines.ts";

test("returns the same lines for any chunking of the bytes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " "))),
      fc.array(fc.nat({ max: 7 })),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.join("\n"));
        const found: string[] = [];
        const splitter = lineSplitter((line) => found.push(line), 1_000_000);
        let at = 0;
        for (const cut of cuts) splitter.push(bytes.subarray(at, (at += cut)));
        splitter.push(bytes.subarray(at));
        splitter.end();
        expect(found).toEqual(lines.filter((line) => line !== ""));
        expect(splitter.dropped()).toBe(0);
      },
    ),
  );
});

test("drops a line that is too long, counts it, and continues with the next", () => {
  const found: string[] = [];
  const splitter = lineSplitter((line) => found.push(line), 10);
  splitter.push(Buffer.from("short\n0123456789"));
  splitter.push(Buffer.from("x and much more"));
  splitter.push(Buffer.from(" of it\nnext\nlast"));
  splitter.end();
  expect(found).toEqual(["short", "next", "last"]);
  expect(splitter.dropped()).toBe(1);
});

test("does not keep a reference to a chunk that is reused", () => {
  const found: string[] = [];
  const splitter = lineSplitter((line) => found.push(line), 100);
  const chunk = Buffer.from("half");
  splitter.push(chunk);
  chunk.fill("x");
  splitter.push(Buffer.from(" whole\n"));
  expect(found).toEqual(["half whole"]);
});
