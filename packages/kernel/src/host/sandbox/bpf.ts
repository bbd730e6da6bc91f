/** One instruction of classic BPF: its code, the jumps for a true and a false comparison, and its constant. */
export interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** The kernel's names: load a word, compare, return; each with the constant `k`. */
export const LOAD_WORD = 0x20;
export const JUMP_EQUAL = 0x15;
export const JUMP_ANY_BIT = 0x45;
export const RETURN = 0x06;

export function load(offset: number): Instruction {
  return { code: LOAD_WORD, jt: 0, jf: 0, k: offset };
}

export function answer(value: number): Instruction {
  return { code: RETURN, jt: 0, jf: 0, k: value >>> 0 };
}

/** Continues with the next instruction if equal, otherwise skips `skipped` instructions. */
export function unlessEqualSkip(value: number, skipped: number): Instruction {
  return { code: JUMP_EQUAL, jt: 0, jf: near(skipped), k: value };
}

export function ifEqualSkip(value: number, skipped: number): Instruction {
  return { code: JUMP_EQUAL, jt: near(skipped), jf: 0, k: value };
}

export function unlessAnyBitSkip(bits: number, skipped: number): Instruction {
  return { code: JUMP_ANY_BIT, jt: 0, jf: near(skipped), k: bits };
}

/** A jump offset is one byte. */
function near(skipped: number): number {
  if (skipped > 255) throw new RangeError(`a jump over ${skipped} instructions does not fit a byte`);
  return skipped;
}

/** Little-endian, as the kernel reads it on all supported architectures. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jt, index * 8 + 2);
    bytes.writeUInt8(jf, index * 8 + 3);
    bytes.writeUInt32LE(k, index * 8 + 4);
  }
  return bytes;
}
