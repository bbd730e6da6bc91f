/** One instruction of classic BPF: what it does, where it goes on when a comparison holds and when not, and its number. */
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

/** Goes on with the next instruction when the comparison holds, and leaves out so many when not. */
export function unlessEqualSkip(value: number, skipped: number): Instruction {
  return { code: JUMP_EQUAL, jt: 0, jf: near(skipped), k: value };
}

export function ifEqualSkip(value: number, skipped: number): Instruction {
  return { code: JUMP_EQUAL, jt: near(skipped), jf: 0, k: value };
}

export function unlessAnyBitSkip(bits: number, skipped: number): Instruction {
  return { code: JUMP_ANY_BIT, jt: 0, jf: near(skipped), k: bits };
}

/** A jump has one byte. */
function near(skipped: number): number {
  if (skipped > 255) throw new RangeError(`a jump over ${skipped} instructions does not fit a byte`);
  return skipped;
}

/** As the kernel reads it, on machines that put the low byte first; all that we know do. */
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
