import { z } from "zod";

const deficiencySchema = z.strictObject({
  /** JSON pointer to the problem. */
  path: z.string(),
  /** The name of the field that contains it. */
  field: z.string(),
  severity: z.enum(["ERROR", "WARNING"]),
  message: z.string(),
});

export type Deficiency = z.infer<typeof deficiencySchema>;
export type Severity = Deficiency["severity"];

export interface ValidationReport {
  readonly errors: readonly Deficiency[];
  readonly warnings: readonly Deficiency[];
}

/** A violated rule, before a severity is assigned. */
export interface SpecFinding {
  readonly path: string;
  readonly message: string;
}

export function deficiency({ path, message }: SpecFinding, severity: Severity): Deficiency {
  const field = path
    .split("/")
    .slice(1)
    .findLast((key) => !/^\d+$/.test(key));
  return { path, field: field ?? "spec", severity, message };
}
