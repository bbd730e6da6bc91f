import { dotKernel, type LinearMemory } from "./dot-kernel.ts";

export interface Hit {
  readonly row: number;
  /** Exact: computed from the stored vectors in double precision. */
  readonly similarity: number;
}

/** Unit vectors by row. Finds the nearest exactly, but computes exact similarities for few of them. */
export interface VectorMatrix {
  readonly rows: () => number;
  readonly add: (vector: Float32Array) => void;
  /** The `k` most similar of the given rows (in ascending order); equal similarities keep row order. */
  readonly nearest: (query: Float32Array, among: Uint32Array, k: number) => Hit[];
}

const PAGE_BYTES = 65_536;
/** Rows per call of the kernel. */
const CHUNK = 4096;
const BLOCK_ROWS = 4096;
/** Covers the rounding of the bounds' arithmetic and of vectors that are not exactly of length one. */
const SLACK = 1e-5;

export function vectorMatrix(dimensions: number): VectorMatrix {
  const { memory, scan } = dotKernel();
  const stride = Math.ceil(dimensions / 32) * 32;
  const [rowsAt, outAt, queryAt] = [0, CHUNK * 4, CHUNK * 8];
  const matrixAt = queryAt + stride * 2;
  const blocks: Float32Array[] = [];
  /** Per row: the value of one quantisation step, and the distance between the bytes and the vector. */
  let steps = new Float64Array(BLOCK_ROWS);
  let errors = new Float64Array(BLOCK_ROWS);
  let count = 0;

  function add(vector: Float32Array): void {
    const within = count % BLOCK_ROWS;
    if (within === 0) blocks.push(new Float32Array(BLOCK_ROWS * dimensions));
    if (count === steps.length) [steps, errors] = [doubled(steps), doubled(errors)];
    blockOf(blocks, count).set(vector, within * dimensions);
    ensureBytes(memory, matrixAt + (count + 1) * stride);
    const { step, error } = quantise(vector, new Int8Array(memory.buffer, matrixAt + count * stride, stride));
    steps[count] = step;
    errors[count] = error;
    count++;
  }

  function nearest(query: Float32Array, among: Uint32Array, k: number): Hit[] {
    if ((among.at(-1) ?? -1) >= count) throw new RangeError(`There is no row ${among.at(-1)}; there are ${count}.`);
    ensureBytes(memory, matrixAt);
    const asBytes = new Int16Array(memory.buffer, queryAt, stride);
    const quantised = quantise(query, asBytes);
    const best = lowerBounds(k);
    const candidates: number[] = [];
    const uppers: number[] = [];
    const rows = new Uint32Array(memory.buffer, rowsAt, CHUNK);
    const dots = new Int32Array(memory.buffer, outAt, CHUNK);
    for (let from = 0; from < among.length; from += CHUNK) {
      const part = among.subarray(from, from + CHUNK);
      rows.set(part);
      scan(rowsAt, part.length, matrixAt, stride, queryAt, outAt);
      for (let index = 0; index < part.length; index++) {
        const row = part[index] ?? 0;
        const error = errors[row] ?? 0;
        const about = (dots[index] ?? 0) * (steps[row] ?? 0) * quantised.step;
        // |q·x - q'·x'| <= |q||x - x'| + |q - q'||x'|, and |x'| <= 1 + |x - x'|.
        const bound = error + quantised.error * (1 + error) + SLACK;
        if (about + bound < best.threshold()) continue;
        candidates.push(row);
        uppers.push(about + bound);
        best.offer(about - bound);
      }
    }
    return exactly(query, candidates, uppers, best.threshold(), k);
  }

  /** Exact similarities of the candidates that can still be among the best; the others need no sorting. */
  function exactly(query: Float32Array, candidates: readonly number[], uppers: readonly number[], threshold: number, k: number): Hit[] {
    const best = lowerBounds(k);
    const hits: Hit[] = [];
    for (const [index, row] of candidates.entries()) {
      if ((uppers[index] ?? 0) < threshold) continue;
      const similarity = dot(query, blockOf(blocks, row), (row % BLOCK_ROWS) * dimensions);
      if (similarity < best.threshold()) continue;
      best.offer(similarity);
      hits.push({ row, similarity });
    }
    return hits
      .filter(({ similarity }) => similarity >= best.threshold())
      .toSorted((left, right) => right.similarity - left.similarity || left.row - right.row)
      .slice(0, k);
  }

  return { rows: () => count, add, nearest };
}

/** Double precision and fixed order of dimensions, so that every caller gets the same result. */
export function dot(query: Float32Array, vectors: Float32Array, offset = 0): number {
  let sum = 0;
  for (let dimension = 0; dimension < query.length; dimension++) sum += (query[dimension] ?? 0) * (vectors[offset + dimension] ?? 0);
  return sum;
}

function quantise(vector: Float32Array, into: Int8Array | Int16Array): { step: number; error: number } {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const step = largest / 127;
  let squares = 0;
  into.fill(0);
  for (let dimension = 0; dimension < vector.length; dimension++) {
    const value = vector[dimension] ?? 0;
    const nearest = Math.round(value / step);
    into[dimension] = nearest;
    squares += (value - nearest * step) ** 2;
  }
  return { step, error: Math.sqrt(squares) };
}

/** Tracks the k-th largest value offered: nothing below it can be among the k best. */
function lowerBounds(k: number): { offer(value: number): void; threshold(): number } {
  const heap: number[] = [];
  const swap = (one: number, two: number) => {
    [heap[one], heap[two]] = [heap[two] ?? 0, heap[one] ?? 0];
  };
  const at = (index: number) => heap[index] ?? Infinity;
  function up(index: number): void {
    const parent = (index - 1) >> 1;
    if (index === 0 || at(parent) <= at(index)) return;
    swap(index, parent);
    up(parent);
  }
  function down(index: number): void {
    const least = at(2 * index + 1) <= at(2 * index + 2) ? 2 * index + 1 : 2 * index + 2;
    if (at(least) >= at(index)) return;
    swap(index, least);
    down(least);
  }
  return {
    offer(value) {
      if (heap.length < k) {
        heap.push(value);
        up(heap.length - 1);
      } else if (value > at(0)) {
        heap[0] = value;
        down(0);
      }
    },
    threshold: () => (heap.length < k ? -Infinity : at(0)),
  };
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}

function blockOf(blocks: readonly Float32Array[], row: number): Float32Array {
  return blocks[Math.floor(row / BLOCK_ROWS)] as Float32Array;
}

function ensureBytes(memory: LinearMemory, bytes: number): void {
  const missing = Math.ceil(bytes / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES;
  // Grows by at least a sixteenth, because every growth invalidates the views.
  if (missing > 0) memory.grow(Math.max(missing, Math.ceil(memory.buffer.byteLength / PAGE_BYTES / 16)));
}
