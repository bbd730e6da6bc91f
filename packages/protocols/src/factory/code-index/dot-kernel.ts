/**
 * Dot products of many int8 rows with one int16 query in WebAssembly SIMD. V8 does not vectorise JavaScript loops, and a scalar loop takes
 * four to eight times as long, which exceeds the time budget of a search. Assembled at run time, so installing compiles nothing.
 */
export interface DotKernel {
  readonly memory: LinearMemory;
  /** Writes the dot product of the query with each of `count` rows as int32 to `out`. `stride` is a multiple of 32. */
  readonly scan: (rows: number, count: number, matrix: number, stride: number, query: number, out: number) => void;
}

export interface LinearMemory {
  /** Replaced after every growth. */
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the global used here; TypeScript declares it only in the DOM library. */
const { Memory, Module, Instance } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => LinearMemory;
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
    };
  }
).WebAssembly;

export function dotKernel(): DotKernel {
  // 4 GiB is the limit of 32-bit addresses; the system only commits pages that have been grown.
  const memory = new Memory({ initial: 1, maximum: 65_536 });
  const instance = new Instance(new Module(moduleBytes()), { host: { memory } });
  return { memory, scan: instance.exports["scan"] as DotKernel["scan"] };
}

const I32 = 0x7f;
const V128 = 0x7b;

/** Parameters, by number. */
const ROWS = 0;
const COUNT = 1;
const MATRIX = 2;
const STRIDE = 3;
const QUERY = 4;
const OUT = 5;
/** Locals. */
const ROWS_END = 6;
const ROW = 7;
const PART = 8;
const QUERY_END = 9;
const EVEN = 10;
const ODD = 11;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const constant = (value: number) => [0x41, ...signed(value)];
const simd = (code: number) => [0xfd, ...unsigned(code)];
const I32_ADD = [0x6a];
const I32_MUL = [0x6c];
const I32_SHL = [0x74];
const I32_LT_U = [0x49];
const I32_GE_U = [0x4f];
const I32_LOAD = [0x28, 2, 0];
const I32_STORE = [0x36, 2, 0];
const BLOCK = [0x02, 0x40];
const LOOP = [0x03, 0x40];
const END = [0x0b];
const branch = (depth: number) => [0x0c, depth];
const branchIf = (depth: number) => [0x0d, depth];
const V128_LOAD = (offset: number) => [...simd(0x00), 0, offset];
const LOAD_8_BYTES_AS_I16 = (offset: number) => [...simd(0x01), 0, offset];
const I32X4_SPLAT = simd(0x11);
const I32X4_LANE = (lane: number) => [...simd(0x1b), lane];
const I32X4_ADD = simd(0xae);
const DOT_I16X8 = simd(0xba);

const advance = (local: number, by: number) => [get(local), constant(by), I32_ADD, set(local)].flat();
const zero = (local: number) => [constant(0), I32X4_SPLAT, set(local)].flat();

/** Eight dimensions: `sum += row[0..8] · query[0..8]`, with the row's bytes widened to int16. */
function eight(part: number): number[] {
  const sum = part % 2 === 0 ? EVEN : ODD;
  const row = [get(ROW), LOAD_8_BYTES_AS_I16(part * 8)];
  const query = [get(PART), V128_LOAD(part * 16)];
  return [get(sum), ...row, ...query, DOT_I16X8, I32X4_ADD, set(sum)].flat();
}

const STARTS = [get(QUERY), get(STRIDE), constant(1), I32_SHL, I32_ADD, set(QUERY_END)];
const ENDS = [get(ROWS), get(COUNT), constant(2), I32_SHL, I32_ADD, set(ROWS_END)];
const LEAVE_AT_END = [get(ROWS), get(ROWS_END), I32_GE_U, branchIf(1)];
const FIND_ROW = [get(MATRIX), get(ROWS), I32_LOAD, get(STRIDE), I32_MUL, I32_ADD, set(ROW)];
const BEGIN_ROW = [get(QUERY), set(PART), zero(EVEN), zero(ODD)];
const THIRTY_TWO = [...[0, 1, 2, 3].map(eight), advance(ROW, 32), advance(PART, 64)];
const AGAIN_UNTIL_END = [get(PART), get(QUERY_END), I32_LT_U, branchIf(0)];
const ADD_LANES = [1, 2, 3].flatMap((lane) => [get(EVEN), I32X4_LANE(lane), I32_ADD]);
const STORE_SUM = [get(EVEN), get(ODD), I32X4_ADD, set(EVEN), get(OUT), get(EVEN), I32X4_LANE(0), ...ADD_LANES, I32_STORE];
const NEXT_ROW = [advance(OUT, 4), advance(ROWS, 4), branch(0)];

const SCAN = [
  ...STARTS,
  ...ENDS,
  BLOCK,
  LOOP,
  ...LEAVE_AT_END,
  ...FIND_ROW,
  ...BEGIN_ROW,
  LOOP,
  ...THIRTY_TWO,
  ...AGAIN_UNTIL_END,
  END,
  ...STORE_SUM,
  ...NEXT_ROW,
  END,
  END,
  END,
].flat();

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

function moduleBytes(): Uint8Array {
  const code = [2, 4, I32, 2, V128, ...SCAN];
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, [1, 0x60, 6, I32, I32, I32, I32, I32, I32, 0]),
    ...section(2, [1, ...name("host"), ...name("memory"), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("scan"), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text, "ascii")];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
