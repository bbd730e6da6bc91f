import assert from "node:assert/strict";
import { test } from "node:test";
import { BadSpanError, joinSpans } from "../implementation/index.ts";

const span = (day: number, from: number, to: number) => ({ day, from, to });

test("joins spans of a day that overlap", () => {
  assert.deepEqual(joinSpans([span(0, 540, 720), span(0, 600, 1020)]), [span(0, 540, 1020)]);
});
test("joins spans that touch, and leaves apart what does not", () => {
  assert.deepEqual(joinSpans([span(0, 540, 600), span(0, 600, 660), span(0, 700, 800)]), [span(0, 540, 660), span(0, 700, 800)]);
});
test("a span that is given twice counts once", () => {
  assert.deepEqual(joinSpans([span(2, 540, 600), span(2, 540, 600)]), [span(2, 540, 600)]);
});
test("puts them in order, by day and then by time", () => {
  const spans = [span(1, 540, 600), span(0, 700, 800), span(0, 540, 600)];
  assert.deepEqual(joinSpans(spans), [span(0, 540, 600), span(0, 700, 800), span(1, 540, 600)]);
  assert.deepEqual(spans[0], span(1, 540, 600));
});
test("refuses a span that does not end after it begins", () => {
  for (const to of [540, 500, Number.NaN]) assert.throws(() => joinSpans([span(0, 540, to)]), BadSpanError);
});
