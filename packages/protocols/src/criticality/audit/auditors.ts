import { z } from "zod";
import { contradictionFields, type ContradictionType } from "./report.ts";

/** The auditors, in the order in which they run, with the contradictions that each looks for. */
export const AUDITORS = {
  temporal: {
    finds: ["temporal"],
    task: "Find timing requirements that cannot all be satisfied.",
  },
  resource: {
    finds: ["resource"],
    task: "Find requirements for the same resource that exclude each other.",
  },
  invariant: {
    finds: ["invariant"],
    task: "Find invariants that cannot all hold.",
  },
  precondition: {
    finds: ["precondition", "postcondition"],
    task: "Find preconditions that no sequence of calls can satisfy, and postconditions that contradict when functions are composed.",
  },
} as const satisfies Readonly<Record<string, { readonly finds: readonly ContradictionType[]; readonly task: string }>>;

export type AuditorName = keyof typeof AUDITORS;

export const AUDITOR_NAMES = Object.keys(AUDITORS) as AuditorName[];

const MAX_FOUND = 50;

/** The answer of one auditor: only contradictions of its own types. */
export function findingsSchema(auditor: AuditorName) {
  const finds: readonly [ContradictionType, ...ContradictionType[]] = AUDITORS[auditor].finds;
  return z.strictObject({ contradictions: z.array(z.strictObject({ type: z.enum(finds), ...contradictionFields })).max(MAX_FOUND) });
}

export type AuditorAnswer = z.output<ReturnType<typeof findingsSchema>>;
export type Finding = AuditorAnswer["contradictions"][number];

/** The architect's answer about each contradiction. */
export const crossCheckSchema = z.strictObject({
  verdicts: z.array(z.strictObject({ id: z.string(), holds: z.boolean(), reason: z.string() })),
});

export type CrossCheck = z.output<typeof crossCheckSchema>;
