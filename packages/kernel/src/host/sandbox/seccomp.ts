import { constants } from "node:os";
import { SYSCALLS, type SyscallTable, type SyscallName } from "../launcher/syscalls.ts";
import { answer, assemble, ifEqualSkip, load, unlessAnyBitSkip, unlessEqualSkip, type Instruction } from "./bpf.ts";
import { SYSCALL_RULES, type Condition, type SyscallRule } from "./syscall-rules.ts";

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
export const AUDIT_ARCH: Readonly<Record<SyscallTable, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Set in the number of a system call of the x32 ABI, under the same architecture. */
export const X32_BIT = 0x4000_0000;

export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x8000_0000;

export function refusal(error: SyscallRule["answer"]): number {
  return 0x0005_0000 | constants.errno[error];
}

/** Offsets in struct seccomp_data; for an argument its low word. */
export const NUMBER_AT = 0;
export const ARCH_AT = 4;
export const argumentAt = (index: number): number => 16 + 8 * index;

/** The program for `bwrap --seccomp`. Kills programs of another architecture, such as 32-bit ones, whose numbers mean other calls. */
export function seccompProgram(machine: SyscallTable): Buffer {
  const rules = SYSCALL_RULES.flatMap((rule) => ruleFor(rule, machine));
  const foreignAbi = machine === "x64" ? [unlessAnyBitSkip(X32_BIT, 1), answer(refusal("ENOSYS"))] : [];
  return assemble([
    load(ARCH_AT),
    ifEqualSkip(AUDIT_ARCH[machine], 1),
    answer(KILL_PROCESS),
    load(NUMBER_AT),
    ...foreignAbi,
    ...rules,
    answer(ALLOW),
  ]);
}

/** After each rule the number of the call is loaded again for the next rule. */
function ruleFor({ call, when = [], answer: error }: SyscallRule, machine: SyscallTable): Instruction[] {
  const number: number | null = numberOf(call, machine);
  if (number === null) return [];
  const refused = answer(refusal(error));
  if (when.length === 0) return [unlessEqualSkip(number, 1), refused];
  const body = when.toReversed().reduce<Instruction[]>((rest, condition) => [...unlessSkip(condition, rest.length), ...rest], [refused]);
  return [unlessEqualSkip(number, body.length + 1), ...body, load(NUMBER_AT)];
}

function unlessSkip(condition: Condition, skipped: number): Instruction[] {
  if ("anyHighBit" in condition) return [load(argumentAt(condition.argument) + 4), unlessAnyBitSkip(condition.anyHighBit, skipped)];
  const read = load(argumentAt(condition.argument));
  if ("anyBit" in condition) return [read, unlessAnyBitSkip(condition.anyBit, skipped)];
  if ("equals" in condition) return [read, unlessEqualSkip(condition.equals, skipped)];
  const { noneOf } = condition;
  return [read, ...noneOf.map((value, index) => ifEqualSkip(value, skipped + noneOf.length - 1 - index))];
}

function numberOf(call: SyscallName, machine: SyscallTable): number | null {
  return SYSCALLS[call][machine];
}
