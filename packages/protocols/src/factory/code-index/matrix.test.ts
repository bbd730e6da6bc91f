import fc from "fast-check";
import { expect, test } from "vitest";
import { vectorMatrix } from "./matrix.ts";

/** Unit vectors from integers, so that equal and nearly equal vectors occur. */
const vectors = (dimensions: number, maxLength: number) =>
  fc.array(
    fc.array(fc.integer({ min: -3, max: 3 }), { minLength: dimensions, maxLength: dimensions }).map((values) => {
      const length = Math.hypot(...values) || 1;
      return Float32Array.from(values, (value, index) => (index === 0 && length === 1 ? 1 : value / length));
    }),
    { minLength: 1, maxLength },
  );

function bruteForce(query: Float32Array, rows: readonly Float32Array[], among: Uint32Array, k: number) {
  return [...among]
    .map((row) => ({ row, similarity: rows[row]!.reduce((sum, value, index) => sum + value * query[index]!, 0) }))
    .toSorted((left, right) => right.similarity - left.similarity || left.row - right.row)
    .slice(0, k);
}

test.each([1, 31, 64, 100])("the nearest of %i dimensions are exactly those of brute force, including ties", (dimensions) => {
  fc.assert(
    fc.property(vectors(dimensions, 40), fc.integer({ min: 1, max: 12 }), fc.infiniteStream(fc.boolean()), (all, k, keep) => {
      const matrix = vectorMatrix(dimensions);
      for (const vector of all) matrix.add(vector);
      const among = Uint32Array.from(all.keys()).filter(() => keep.next().value);
      const query = all[0]!;
      expect(matrix.nearest(query, among, k)).toEqual(bruteForce(query, all, among, k));
    }),
    { numRuns: 60 },
  );
});

test("more rows than one block and one chunk, in insertion order", () => {
  const dimensions = 256;
  const matrix = vectorMatrix(dimensions);
  const rows: Float32Array[] = [];
  let state = 7;
  const value = () => ((state = Math.imul(state, 1_103_515_245) + 12_345) >> 16) / 32_768;
  for (let row = 0; row < 9000; row++) {
    const raw = Float32Array.from({ length: dimensions }, value);
    const length = Math.hypot(...raw);
    rows.push(raw.map((one) => one / length));
    matrix.add(rows.at(-1)!);
  }
  expect(matrix.rows()).toBe(9000);
  const all = Uint32Array.from(rows.keys());
  for (const query of [rows[0]!, rows[4096]!, rows[8999]!, rows[10]!.map((one, index) => one + rows[8000]![index]!)]) {
    const length = Math.hypot(...query);
    const asked = query.map((one) => one / length);
    expect(matrix.nearest(asked, all, 10)).toEqual(bruteForce(asked, rows, all, 10));
  }
  expect(() => matrix.nearest(rows[0]!, Uint32Array.of(8999, 9000), 1)).toThrow("There is no row 9000");
});
