import { ARCH_AT, AUDIT_ARCH, NUMBER_AT, argumentAt } from "../seccomp.ts";
import type { SyscallTable } from "../../launcher/syscalls.ts";

export interface Call {
  readonly number: number;
  readonly args: readonly number[];
  readonly arch?: number;
}

/** Interprets a seccomp program like the kernel, also for other architectures; an independent implementation. */
export function runFilter(program: Buffer, machine: SyscallTable, { number, args, arch = AUDIT_ARCH[machine] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, NUMBER_AT);
  data.writeUInt32LE(arch, ARCH_AT);
  for (const [index, value] of args.entries()) data.writeBigInt64LE(BigInt(value), argumentAt(index));
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    if (code === 0x06) return k;
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15 || code === 0x45) {
      const holds = code === 0x15 ? accumulator === k : (accumulator & k) !== 0;
      at += 8 * program.readUInt8(at + (holds ? 2 : 3));
    } else throw new Error(`unknown instruction: ${code}`);
  }
  throw new Error("the program ended without an answer");
}
